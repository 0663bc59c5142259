//! What can go wrong in a step, and what tells one fault from another.

use std::fmt;

use serde::Serialize;

/// What kind of thing went wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "camelCase")]
pub enum FaultKind {
    /// A postcondition was false.
    Postcondition,
    /// The system did not answer what the model predicted.
    Prediction,
    /// An invariant was false.
    Invariant,
    /// A command returned `Err`.
    Error,
    /// Something panicked.
    Panic,
    /// A step took longer than it may.
    TimeLimit,
}

/// What went wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fault {
    kind: FaultKind,
    /// Where, as far as it can be told: the name of an invariant, the line of a panic.
    place: String,
    detail: String,
}

impl Fault {
    /// A fault of this kind at this place.
    #[must_use]
    pub fn new(kind: FaultKind, place: impl Into<String>, detail: impl Into<String>) -> Self {
        Self { kind, place: place.into(), detail: detail.into() }
    }

    /// What kind of thing went wrong.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        self.kind
    }

    /// Where: the name of an invariant, the place of a panic in the source; empty for the rest.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The message.
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.detail
    }

    /// Whether both are the same fault, whatever the message: shrinking must not slide from one to
    /// another.
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.kind == other.kind && self.place == other.place
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            FaultKind::Postcondition => formatter.write_str("the postcondition is false")?,
            FaultKind::Prediction => {
                formatter.write_str("the system does not answer what the model predicts")?;
            }
            FaultKind::Invariant => write!(formatter, "the invariant `{}` is false", self.place)?,
            FaultKind::Error => formatter.write_str("the command returned an error")?,
            FaultKind::Panic => write!(formatter, "panicked at {}", self.place)?,
            FaultKind::TimeLimit => formatter.write_str("the step did not end in time")?,
        }
        if self.detail.is_empty() { Ok(()) } else { write!(formatter, ": {}", self.detail) }
    }
}
