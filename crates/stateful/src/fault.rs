//! What went wrong in a step, and when two faults are the same.

use std::{fmt, time::Duration};

/// What is done when a fault is one of the teardown.
pub(crate) const TEARDOWN: &str = "teardown";

/// The kind of a fault.
///
/// ```
/// use foolproof_stateful::{Config, FaultKind, stateful};
///
/// let failure = stateful::<u8, Vec<u8>>()
///     .model(|| 0)
///     .sut(Vec::new)
///     .command("first", |c| c.run(|(), _, items| items[0]))
///     .check(Config::default())
///     .unwrap_err();
/// assert_eq!(failure.fault().unwrap().kind(), FaultKind::Panic);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
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
    /// A step exceeded its timeout.
    #[cfg_attr(feature = "serde", serde(rename = "timeLimit"))]
    Timeout,
    /// The process that ran the sequence ended ([`Isolation::Process`](crate::Isolation::Process)).
    Crash,
}

/// What went wrong.
///
/// ```
/// use foolproof_stateful::{Fault, FaultKind};
///
/// let fault = Fault::new(FaultKind::Panic, "src/queue.rs:17:9", "index out of bounds");
/// assert_eq!(fault.to_string(), "panicked at src/queue.rs:17:9: index out of bounds");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Fault(Box<FaultParts>);

/// The parts of a fault. They are boxed, since every step returns a fault or none.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct FaultParts {
    pub(crate) kind: FaultKind,
    /// The name of an invariant or the source location of a panic; empty for other kinds.
    #[cfg_attr(feature = "serde", serde(rename = "place"))]
    pub(crate) location: String,
    /// What distinguishes it from other faults of this kind at this location; empty if nothing does.
    pub(crate) identity: String,
    /// What was done besides running a step; empty for faults of steps.
    pub(crate) during: String,
    pub(crate) detail: String,
}

impl Fault {
    /// A fault of this kind at this location.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// let fault = Fault::new(FaultKind::Error, "", "refused");
    /// assert_eq!(fault.to_string(), "the command returned an error: refused");
    /// ```
    #[must_use]
    pub fn new(kind: FaultKind, location: impl Into<String>, detail: impl Into<String>) -> Self {
        Self(Box::new(FaultParts {
            kind,
            location: location.into(),
            identity: String::new(),
            during: String::new(),
            detail: detail.into(),
        }))
    }

    /// The fault with an identity, which distinguishes it from other faults of the same kind at the same
    /// location, such as the code of an error. Shrinking does not replace it by one with another identity.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// let error = |code| Fault::new(FaultKind::Error, "", "disk 3").with_identity(code);
    /// assert!(!error("corrupt").is_same_as(&error("busy")));
    /// ```
    #[must_use]
    pub fn with_identity(mut self, identity: impl Into<String>) -> Self {
        self.0.identity = identity.into();
        self
    }

    /// A call that was still running after `timeout`.
    pub(crate) fn timeout(timeout: Duration) -> Self {
        Self::new(FaultKind::Timeout, "", format!("it took longer than {timeout:?}"))
    }

    /// The same fault, but outside of a step.
    pub(crate) fn during(mut self, what: impl Into<String>) -> Self {
        self.0.during = what.into();
        self
    }

    /// Whether the system gave a wrong answer, which another command may show as well.
    pub(crate) fn is_observation(&self) -> bool {
        matches!(self.0.kind, FaultKind::Postcondition | FaultKind::Prediction)
            && !self.is_outside_of_steps()
    }

    /// Whether it is one of the start or of the teardown.
    pub(crate) fn is_outside_of_steps(&self) -> bool {
        !self.0.during.is_empty()
    }

    pub(crate) fn parts(&self) -> &FaultParts {
        &self.0
    }

    pub(crate) fn from_parts(parts: FaultParts) -> Self {
        Self(Box::new(parts))
    }

    /// Whether the same fault in a step of another command is another fault. An invariant and the location
    /// of a panic name the fault by themselves.
    pub(crate) fn belongs_to_command(&self) -> bool {
        match self.0.kind {
            _ if self.0.during == TEARDOWN => false,
            FaultKind::Invariant | FaultKind::Panic => !self.0.during.is_empty(),
            FaultKind::Postcondition
            | FaultKind::Prediction
            | FaultKind::Error
            | FaultKind::Timeout
            | FaultKind::Crash => true,
        }
    }

    /// Its kind.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// assert_eq!(Fault::new(FaultKind::Error, "", "refused").kind(), FaultKind::Error);
    /// ```
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        self.0.kind
    }

    /// The name of an invariant or the source location of a panic; empty for other kinds.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// assert_eq!(Fault::new(FaultKind::Invariant, "same length", "").location(), "same length");
    /// ```
    #[must_use]
    pub fn location(&self) -> &str {
        &self.0.location
    }

    /// The message.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// assert_eq!(Fault::new(FaultKind::Error, "", "refused").detail(), "refused");
    /// ```
    #[must_use]
    pub fn detail(&self) -> &str {
        &self.0.detail
    }

    /// What distinguishes it from other faults of its kind at its location; empty if nothing does.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// let fault = Fault::new(FaultKind::Error, "", "disk 3 is full").with_identity("DiskFull");
    /// assert_eq!(fault.identity(), "DiskFull");
    /// ```
    #[must_use]
    pub fn identity(&self) -> &str {
        &self.0.identity
    }

    /// Whether both are the same fault, whatever the message. Shrinking must not replace one fault by
    /// another.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind};
    ///
    /// let panic = |location, detail| Fault::new(FaultKind::Panic, location, detail);
    /// let first = panic("src/queue.rs:17:9", "the index is 4");
    /// assert!(first.is_same_as(&panic("src/queue.rs:17:9", "the index is 9")));
    /// assert!(!first.is_same_as(&panic("src/queue.rs:30:5", "the index is 4")));
    /// ```
    #[must_use]
    pub fn is_same_as(&self, other: &Self) -> bool {
        self.0.kind == other.0.kind
            && self.0.location == other.0.location
            && self.0.identity == other.0.identity
            && self.0.during == other.0.during
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.kind {
            FaultKind::Postcondition => formatter.write_str("the postcondition is false")?,
            FaultKind::Prediction => {
                formatter.write_str("the system does not answer what the model predicts")?;
            }
            FaultKind::Invariant => {
                write!(formatter, "the invariant `{}` is false", self.0.location)?;
            }
            FaultKind::Error => formatter.write_str("the command returned an error")?,
            FaultKind::Panic => write!(formatter, "panicked at {}", self.0.location)?,
            FaultKind::Timeout => formatter.write_str("it did not end in time")?,
            FaultKind::Crash => formatter.write_str("the process ended")?,
        }
        if !self.0.during.is_empty() {
            write!(formatter, " ({})", self.0.during)?;
        }
        if self.0.detail.is_empty() { Ok(()) } else { write!(formatter, ": {}", self.0.detail) }
    }
}

/// The text up to the first delimiter, quotation marks aside. A number is no word: it varies.
pub(crate) fn first_word(text: &str) -> &str {
    let is_delimiter = |char: char| !char.is_alphanumeric() && char != '_';
    let word = text.trim_start_matches('"').split(is_delimiter).next().unwrap_or_default();
    if word.starts_with(|first: char| first.is_numeric()) { "" } else { word }
}
