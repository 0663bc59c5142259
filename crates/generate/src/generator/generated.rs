//! What came of making an instance.

use foolproof_contract::{Accepted, Violation};

use crate::RepairEdit;

/// An instance, and what it took to make it.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    instance: Accepted,
    rejected: u32,
    edits: Vec<RepairEdit>,
}

impl Generated {
    pub(super) fn new(instance: Accepted, rejected: u32, edits: Vec<RepairEdit>) -> Self {
        Self { instance, rejected, edits }
    }

    /// The instance.
    #[must_use]
    pub fn instance(&self) -> &Accepted {
        &self.instance
    }

    /// The instance, without its history.
    #[must_use]
    pub fn into_instance(self) -> Accepted {
        self.instance
    }

    /// How many draws were refused before this one was accepted.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// Whether the draw was refused at first and then repaired.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        !self.edits.is_empty()
    }

    /// What the repair changed.
    #[must_use]
    pub fn edits(&self) -> &[RepairEdit] {
        &self.edits
    }
}

/// An instance that could not be made, and what stood in the way.
///
/// ```
/// use foolproof_generate::{Generator, Seed};
/// use serde_json::json;
///
/// // A string that starts with `a` and with `b`; the algebra does not see through such patterns.
/// let schema = json!({
///     "type": "array", "contains": { "pattern": "^(?!x)a", "type": "string" },
///     "items": { "pattern": "^(?!y)b" }
/// });
/// let missing = Generator::of(schema)?.generate(Seed::from_number(1), 0).unwrap_err();
/// assert_eq!((missing.draws(), missing.rejected()), (32, 32));
/// assert_eq!(missing.violations()[0].schema().to_fragment(), "#/items/pattern");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Exhausted {
    draws: u32,
    rejected: u32,
    violations: Vec<Violation>,
}

impl Exhausted {
    pub(super) fn new(draws: u32, rejected: u32, violations: Vec<Violation>) -> Self {
        Self { draws, rejected, violations }
    }

    /// How often it was tried; not at all, if the schema is known to admit nothing.
    #[must_use]
    pub fn draws(&self) -> u32 {
        self.draws
    }

    /// How many of the draws were refused. The others led to no value at all.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// What was wrong with the last draw that was refused.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}
