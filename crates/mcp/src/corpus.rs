//! The corpus: the strings and numbers that calls are made of, each with its origin.
//!
//! There are three collections: integers, numbers and strings. Each is in the order of insertion and has every
//! value once. Seeds come first, in the order in which they were given; then what the answers of successful calls
//! contain, in the order of the calls. An answer is mined in a fixed order: arrays by index, objects by their
//! sorted keys, a key before its value.

use std::collections::BTreeSet;

use foolproof_generate::{Place, normalize_number};
use serde::{Deserialize, Serialize};
use serde_json::{Number, Value};

mod answer_path;
mod file;
mod mining;
mod seed;

pub use answer_path::{AnswerPath, AnswerRoot, Part, Segment};
pub use file::{CORPUS_FORMAT, CorpusFile};
pub use mining::{MinedValue, Mining};
pub use seed::{Seed, SeedError};

/// Where a value of the corpus comes from.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Origin {
    /// The seed with this index.
    Seed(usize),
    /// The answer to the call with this number.
    Answer {
        /// The number of the call.
        step: u32,
        /// The place in its answer.
        path: AnswerPath,
    },
}

/// A value of the corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<T> {
    /// The value.
    pub value: T,
    /// Where it comes from first.
    pub origin: Origin,
    /// The name of the properties that it serves; all if there is none.
    pub property: Option<String>,
}

impl<T> Entry<T> {
    fn serves(&self, place: &Place) -> bool {
        self.property.is_none() || self.property == place.property
    }
}

/// Values of one type, each once, in the order of insertion.
#[derive(Clone, Debug)]
pub struct Collection<T> {
    entries: Vec<Entry<T>>,
    /// What there is, by property and normalized text.
    known: BTreeSet<(Option<String>, String)>,
}

impl<T> Default for Collection<T> {
    fn default() -> Self {
        Self { entries: Vec::new(), known: BTreeSet::new() }
    }
}

impl<T> Collection<T> {
    /// The values, in the order of insertion.
    #[must_use]
    pub fn entries(&self) -> &[Entry<T>] {
        &self.entries
    }

    /// The values for `place` that `fits`: those for properties of its name, or if there are none, all others.
    pub(crate) fn fitting<'a>(
        &'a self,
        place: &Place,
        fits: &dyn Fn(&T) -> bool,
    ) -> Vec<&'a Entry<T>> {
        let all: Vec<&Entry<T>> =
            self.entries.iter().filter(|entry| entry.serves(place) && fits(&entry.value)).collect();
        let own: Vec<&Entry<T>> =
            all.iter().copied().filter(|entry| entry.property.is_some()).collect();
        if own.is_empty() { all } else { own }
    }

    pub(crate) fn has_fitting(&self, place: &Place, fits: &dyn Fn(&T) -> bool) -> bool {
        self.entries.iter().any(|entry| entry.serves(place) && fits(&entry.value))
    }

    /// Adds a value unless it is there already. Returns whether it was added.
    fn add(&mut self, entry: Entry<T>, key: String) -> bool {
        let is_new = self.known.insert((entry.property.clone(), key));
        if is_new {
            self.entries.push(entry);
        }
        is_new
    }
}

/// The strings and numbers at hand.
///
/// ```
/// use foolproof_mcp::{Corpus, Seed};
/// use serde_json::json;
///
/// let mut corpus = Corpus::new(["alpha", "5", "\"5\""].map(|text| text.parse::<Seed>().unwrap()));
/// corpus.mine(1, &json!({ "id": "task-7", "size": 2.5, "count": 3.0 }));
/// let strings: Vec<&str> = corpus.strings().entries().iter().map(|entry| &*entry.value).collect();
/// assert_eq!(strings, ["alpha", "5", "count", "id", "task-7", "size"]);
/// let integers: Vec<String> =
///     corpus.integers().entries().iter().map(|entry| entry.value.to_string()).collect();
/// assert_eq!(integers, ["5", "3"]);
/// assert_eq!(corpus.numbers().entries().len(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Corpus {
    strings: Collection<String>,
    integers: Collection<Number>,
    numbers: Collection<Number>,
}

impl Corpus {
    /// A corpus of seeds.
    pub fn new(seeds: impl IntoIterator<Item = Seed>) -> Self {
        let mut corpus = Self::default();
        for (index, seed) in seeds.into_iter().enumerate() {
            corpus.add(seed.value, &Origin::Seed(index), seed.property.as_deref());
        }
        corpus
    }

    /// The strings.
    #[must_use]
    pub fn strings(&self) -> &Collection<String> {
        &self.strings
    }

    /// The integers: the numbers without a fraction, written as integers.
    #[must_use]
    pub fn integers(&self) -> &Collection<Number> {
        &self.integers
    }

    /// All numbers, the integers included.
    #[must_use]
    pub fn numbers(&self) -> &Collection<Number> {
        &self.numbers
    }

    /// How many values it has.
    #[must_use]
    pub fn size(&self) -> usize {
        self.strings.entries.len() + self.numbers.entries.len()
    }

    /// Adds what the `structuredContent` of the answer to call `step` contains.
    pub fn mine(&mut self, step: u32, structured: &Value) {
        self.add_mined(step, Mining::structured(structured, false));
    }

    /// Adds what was mined from the answer to call `step`.
    pub fn add_mined(&mut self, step: u32, mined: impl IntoIterator<Item = MinedValue>) {
        for MinedValue { value, path } in mined {
            self.add(value, &Origin::Answer { step, path }, None);
        }
    }

    /// Adds what `other` has and this corpus has not.
    pub fn extend(&mut self, other: &Self) {
        for entry in other.strings.entries() {
            let Entry { value, origin, property } = entry.clone();
            self.add(Value::String(value), &origin, property.as_deref());
        }
        for entry in other.numbers.entries() {
            let Entry { value, origin, property } = entry.clone();
            self.add(Value::Number(value), &origin, property.as_deref());
        }
    }

    /// Adds a string or a number. Other values are not kept.
    fn add(&mut self, value: Value, origin: &Origin, property: Option<&str>) {
        let origin = origin.clone();
        let property = property.map(str::to_owned);
        match value {
            Value::String(value) => {
                let key = value.clone();
                self.strings.add(Entry { value, origin, property }, key);
            }
            Value::Number(value) => {
                let normalized = normalize_number(&value);
                let key = normalized.as_ref().unwrap_or(&value).to_string();
                if let Some(integer) = normalized.filter(is_integral) {
                    let (origin, property) = (origin.clone(), property.clone());
                    self.integers.add(Entry { value: integer, origin, property }, key.clone());
                }
                self.numbers.add(Entry { value, origin, property }, key);
            }
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => {}
        }
    }
}

/// Whether a normalized number has no fraction.
fn is_integral(number: &Number) -> bool {
    let text = number.to_string();
    match text.split_once('e') {
        Some((_, exponent)) => !exponent.starts_with('-'),
        None => !text.contains('.'),
    }
}
