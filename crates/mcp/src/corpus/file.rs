//! The values of a run as a file, which another run can start with.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Corpus, Seed};

/// The name of the format of corpus files.
pub const CORPUS_FORMAT: &str = "foolproof-mcp-corpus/v1";

/// The values of a run as a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct CorpusFile {
    format: String,
    values: Vec<ValueFile>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct ValueFile {
    value: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    property: Option<String>,
}

impl CorpusFile {
    /// The values of `corpus`: strings, then numbers, each in the order of insertion.
    ///
    /// ```
    /// use foolproof_mcp::{Corpus, CorpusFile, Seed};
    ///
    /// let corpus = Corpus::new(["alpha".parse::<Seed>().unwrap(), "n=5".parse().unwrap()]);
    /// let text = serde_json::to_string(&CorpusFile::of(&corpus)).unwrap();
    /// let read = CorpusFile::from_text(&text).unwrap();
    /// assert_eq!(read.seeds().count(), 2);
    /// ```
    #[must_use]
    pub fn of(corpus: &Corpus) -> Self {
        let strings = corpus.strings().entries().iter().map(|entry| ValueFile {
            value: Value::String(entry.value.clone()),
            property: entry.property.clone(),
        });
        let numbers = corpus.numbers().entries().iter().map(|entry| ValueFile {
            value: Value::Number(entry.value.clone()),
            property: entry.property.clone(),
        });
        Self { format: CORPUS_FORMAT.to_owned(), values: strings.chain(numbers).collect() }
    }

    /// Reads a file.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let file: Self = serde_json::from_str(text).map_err(|error| error.to_string())?;
        if file.format != CORPUS_FORMAT {
            return Err(format!("its format is `{}`, not {CORPUS_FORMAT}", file.format));
        }
        let is_usable = |value: &Value| value.is_string() || value.is_number();
        match file.values.iter().find(|value| !is_usable(&value.value)) {
            Some(other) => Err(format!("{} is neither a string nor a number", other.value)),
            None => Ok(file),
        }
    }

    /// The values as seeds.
    pub fn seeds(self) -> impl Iterator<Item = Seed> {
        self.values.into_iter().map(|file| Seed { value: file.value, property: file.property })
    }
}
