//! The JSON Schemas of what is written and read.

use serde_json::Value;

/// A format of this crate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Format {
    /// The report on a run.
    Report,
    /// The file that repeats a failure.
    Repro,
    /// The file with the values of a run.
    Corpus,
}

impl Format {
    /// The JSON Schema (2020-12) of the format, as strict as what this version writes.
    ///
    /// ```
    /// use foolproof_contract::{Document, FormatPolicy, Oracle};
    /// use foolproof_mcp::{Corpus, CorpusFile, Format};
    ///
    /// let schema = Document::from_value(Format::Corpus.schema())?;
    /// let oracle = Oracle::new(&schema, FormatPolicy::Assert)?;
    /// let file = CorpusFile::of(&Corpus::new(["alpha".parse().unwrap()]));
    /// assert!(oracle.is_valid(&serde_json::to_value(file).unwrap()));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn schema(self) -> Value {
        let text = match self {
            Self::Report => include_str!("formats/report.json"),
            Self::Repro => include_str!("formats/repro.json"),
            Self::Corpus => include_str!("formats/corpus.json"),
        };
        serde_json::from_str(text).expect("the files beside this one are JSON")
    }
}
