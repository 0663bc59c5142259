//! The arguments of a call: a value, in which some strings and numbers refer to the corpus.
//!
//! A reference is kept by its origin. When the sequence is run again, it is resolved against the new answers, so
//! that a sequence works on a fresh server whose identifiers differ.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::Pointer;
use foolproof_generate::{AtHand, NumberKind, Place, Source, Supplied, ValueSource};
use foolproof_stateful::Rng;
use serde_json::{Number, Value};

use crate::{
    corpus::{Collection, Corpus, Entry, Origin},
    settings::Settings,
    tool::ToolInput,
};

/// How often arguments are drawn until the oracle accepts them.
const TRIES: usize = 24;

/// One of so many values is any that fits, although some are called as the place is.
const OTHERS: usize = 4;

/// The arguments of a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Arguments {
    /// The arguments as they were drawn.
    pub(crate) value: Value,
    /// The places that refer to the corpus.
    pub(crate) references: BTreeMap<Pointer, Origin>,
    /// The strings and numbers that the schema gave, since the corpus had none.
    pub(crate) free: BTreeSet<Pointer>,
}

/// Draws arguments for a tool; `None` if the oracle accepts none of the draws.
pub(crate) fn draw(
    input: &ToolInput,
    corpus: &Corpus,
    settings: &Settings,
    rng: &mut Rng,
) -> Option<Arguments> {
    (0..TRIES).find_map(|_| {
        let mut source = CorpusSource {
            corpus,
            rng,
            suggestions: settings.lenient.then_some(&input.suggestions),
            prefers_names: settings.guided,
            references: BTreeMap::new(),
            free: BTreeMap::new(),
        };
        let value = input.generator.plan().draw_supplied(&mut source)?;
        let CorpusSource { references, free, .. } = source;
        // What was discarded on the way is not part of the value.
        let is_there = |place: &Pointer, drawn: &Value| place.resolve(&value) == Some(drawn);
        let references = references
            .into_iter()
            .filter(|(place, (drawn, _))| is_there(place, drawn))
            .map(|(place, (_, origin))| (place, origin))
            .collect();
        let free = free
            .into_iter()
            .filter(|(place, drawn)| drawn.as_ref().is_none_or(|drawn| is_there(place, drawn)))
            .filter(|(place, _)| place.resolve(&value).is_some_and(is_leaf))
            .map(|(place, _)| place)
            .collect();
        input.oracle.is_valid(&value).then_some(Arguments { value, references, free })
    })
}

fn is_leaf(value: &Value) -> bool {
    value.is_string() || value.is_number()
}

/// Supplies strings and numbers from a corpus, and remembers what it supplied.
struct CorpusSource<'a> {
    corpus: &'a Corpus,
    rng: &'a mut Rng,
    /// What else may be used where nothing of the corpus fits; `None` if nothing may.
    suggestions: Option<&'a BTreeMap<String, Vec<Value>>>,
    /// Whether values that answers call as the schema calls the place are preferred to others.
    prefers_names: bool,
    references: BTreeMap<Pointer, (Value, Origin)>,
    /// Where the schema decided; with the value, if it was suggested.
    free: BTreeMap<Pointer, Option<Value>>,
}

impl CorpusSource<'_> {
    fn supply<T: Clone>(
        &mut self,
        place: &Place,
        fitting: &[&Entry<T>],
        to_value: impl Fn(T) -> Value,
        suggested: Vec<T>,
    ) -> Supplied<T> {
        self.references.remove(&place.pointer);
        self.free.remove(&place.pointer);
        let called = if self.prefers_names { called(place, fitting) } else { Vec::new() };
        let prefers_others = called.is_empty() || self.rng.below(OTHERS) == 0;
        let fitting = if prefers_others { fitting } else { &called };
        if !fitting.is_empty() {
            let entry = fitting[self.rng.below(fitting.len())];
            let value = to_value(entry.value.clone());
            self.references.insert(place.pointer.clone(), (value, entry.origin.clone()));
            return Supplied::Value(entry.value.clone());
        }
        if self.suggestions.is_none() {
            return Supplied::Nothing;
        }
        // The schema is one of the choices.
        let count = suggested.len() + 1;
        let choice = suggested.into_iter().nth(self.rng.below(count));
        self.free.insert(place.pointer.clone(), choice.clone().map(to_value));
        choice.map_or(Supplied::Generated, Supplied::Value)
    }

    /// What the schema suggests for properties of the name of `place`.
    fn suggested(&self, place: &Place) -> impl Iterator<Item = Value> + use<> {
        let all = self.suggestions.zip(place.property.as_deref());
        let found = all.and_then(|(all, name)| all.get(name)).cloned().unwrap_or_default();
        // An array may be suggested for a place inside it.
        found
            .into_iter()
            .flat_map(|value| if let Value::Array(items) = value { items } else { vec![value] })
    }
}

/// Those of `fitting` that answers called as the schema calls the place.
fn called<'e, T>(place: &Place, fitting: &[&'e Entry<T>]) -> Vec<&'e Entry<T>> {
    let Some(property) = place.property.as_deref() else { return Vec::new() };
    let is_called = |entry: &&Entry<T>| match &entry.origin {
        Origin::Answer { path, .. } => path.is_called(property),
        Origin::Seed(_) => false,
    };
    fitting.iter().copied().filter(is_called).collect()
}

impl Source for CorpusSource<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        let limit = usize::try_from(limit).unwrap_or(usize::MAX).max(1);
        self.rng.below(limit) as u64
    }
}

impl ValueSource for CorpusSource<'_> {
    fn string(&mut self, place: &Place, fits: &dyn Fn(&str) -> bool) -> Supplied<String> {
        let corpus = self.corpus;
        let fitting = corpus.strings().fitting(place, &|text: &String| fits(text));
        let suggested = self.suggested(place).filter_map(|value| {
            let Value::String(text) = value else { return None };
            fits(&text).then_some(text)
        });
        let suggested = if fitting.is_empty() { suggested.collect() } else { Vec::new() };
        self.supply(place, &fitting, Value::String, suggested)
    }

    fn number(
        &mut self,
        place: &Place,
        kind: NumberKind,
        fits: &dyn Fn(&Number) -> bool,
    ) -> Supplied<Number> {
        let numbers = numbers_of(self.corpus, kind);
        let fitting = numbers.fitting(place, &|number: &Number| fits(number));
        let suggested = self.suggested(place).filter_map(|value| {
            let Value::Number(number) = value else { return None };
            fits(&number).then_some(number)
        });
        let suggested = if fitting.is_empty() { suggested.collect() } else { Vec::new() };
        self.supply(place, &fitting, Value::Number, suggested)
    }
}

/// What a corpus has for the places of a plan.
pub(crate) struct CorpusAtHand<'a> {
    pub(crate) corpus: &'a Corpus,
    pub(crate) is_lenient: bool,
}

impl AtHand for CorpusAtHand<'_> {
    fn has_string(&self, place: &Place, fits: &dyn Fn(&str) -> bool) -> bool {
        self.is_lenient || self.corpus.strings().has_fitting(place, &|text: &String| fits(text))
    }

    fn has_number(&self, place: &Place, kind: NumberKind, fits: &dyn Fn(&Number) -> bool) -> bool {
        let numbers = numbers_of(self.corpus, kind);
        self.is_lenient || numbers.has_fitting(place, &|number: &Number| fits(number))
    }
}

fn numbers_of(corpus: &Corpus, kind: NumberKind) -> &Collection<Number> {
    match kind {
        NumberKind::Integer => corpus.integers(),
        NumberKind::Any => corpus.numbers(),
    }
}
