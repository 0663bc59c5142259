//! The outcome of generating an instance.

use std::borrow::Cow;

use foolproof_contract::{Accepted, AcceptedView, Violation};

use crate::RepairEdit;

/// An instance, and what it took to generate it.
#[derive(Clone, Debug, PartialEq)]
pub struct Generated {
    instance: Accepted,
    rejected: u32,
    edits: Vec<RepairEdit>,
    is_only_asserted: bool,
}

impl Generated {
    pub(super) fn new(instance: Accepted, rejected: u32, edits: Vec<RepairEdit>) -> Self {
        Self { instance, rejected, edits, is_only_asserted: false }
    }

    /// The same, of an instance that is valid only if formats are asserted.
    pub(super) fn only_asserted(self) -> Self {
        Self { is_only_asserted: true, ..self }
    }

    /// The instance.
    #[must_use]
    pub fn instance(&self) -> &Accepted {
        &self.instance
    }

    /// The instance alone.
    #[must_use]
    pub fn into_instance(self) -> Accepted {
        self.instance
    }

    /// How many draws were rejected before this one was accepted.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// Whether the draw was rejected at first and then repaired.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        !self.edits.is_empty()
    }

    /// Whether the instance is valid only if formats are asserted, and no other was found: a validator that reads
    /// `format` as an annotation rejects it.
    ///
    /// ```
    /// use foolproof_generate::{Generator, Seed};
    /// use serde_json::json;
    ///
    /// // `none` is no URI, so it is valid if that is checked. Other strings are valid for every validator.
    /// let schema = json!({ "oneOf": [{ "enum": ["none"] }, { "type": "string", "format": "uri" }] });
    /// let generated = Generator::of(schema)?.generate(Seed::from_number(1), 0).unwrap();
    /// assert!(!generated.is_only_asserted() && generated.instance().value() != "none");
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn is_only_asserted(&self) -> bool {
        self.is_only_asserted
    }

    /// The edits of the repair.
    #[must_use]
    pub fn edits(&self) -> &[RepairEdit] {
        &self.edits
    }
}

/// An instance where it was generated ([`Generator::generate_in`](super::Generator::generate_in)), or elsewhere.
#[derive(Clone, Debug)]
pub struct Instance<'m>(Made<'m>);

#[derive(Clone, Debug)]
enum Made<'m> {
    /// By the first draw.
    AsDrawn(AcceptedView<'m>),
    Generated(Cow<'m, Generated>),
}

impl<'m> Instance<'m> {
    pub(super) fn as_drawn(accepted: AcceptedView<'m>) -> Self {
        Self(Made::AsDrawn(accepted))
    }

    /// The instance, to be read.
    #[must_use]
    pub fn view(&self) -> AcceptedView<'_> {
        match &self.0 {
            Made::AsDrawn(accepted) => *accepted,
            Made::Generated(generated) => generated.instance().view(),
        }
    }

    /// What it took, if that was more than one draw.
    fn generated(&self) -> Option<&Generated> {
        match &self.0 {
            Made::AsDrawn(_) => None,
            Made::Generated(generated) => Some(generated),
        }
    }

    /// How many draws were rejected before this one was accepted.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.generated().map_or(0, Generated::rejected)
    }

    /// Whether the draw was rejected at first and then repaired.
    #[must_use]
    pub fn is_repaired(&self) -> bool {
        self.generated().is_some_and(Generated::is_repaired)
    }

    /// Whether the instance is valid only if formats are asserted ([`Generated::is_only_asserted`]).
    #[must_use]
    pub fn is_only_asserted(&self) -> bool {
        self.generated().is_some_and(Generated::is_only_asserted)
    }

    /// The instance apart from the memory that it was generated in.
    #[must_use]
    pub fn into_generated(self) -> Generated {
        match self.0 {
            Made::AsDrawn(accepted) => Generated::new(accepted.to_accepted(), 0, Vec::new()),
            Made::Generated(generated) => generated.into_owned(),
        }
    }
}

impl From<Generated> for Instance<'_> {
    fn from(generated: Generated) -> Self {
        Self(Made::Generated(Cow::Owned(generated)))
    }
}

impl<'m> From<&'m Generated> for Instance<'m> {
    fn from(generated: &'m Generated) -> Self {
        Self(Made::Generated(Cow::Borrowed(generated)))
    }
}

/// No draw for an instance was accepted: how often it was drawn, and the violations of the last draw.
///
/// ```
/// use foolproof_generate::{Generator, Seed};
/// use serde_json::json;
///
/// // A string that starts with `a` and with `b`; the algebra does not analyse such patterns.
/// let schema = json!({
///     "type": "array", "contains": { "pattern": "^(?!x)a", "type": "string" },
///     "items": { "pattern": "^(?!y)b" }
/// });
/// let exhausted = Generator::of(schema)?.generate(Seed::from_number(1), 0).unwrap_err();
/// assert_eq!((exhausted.draws(), exhausted.rejected()), (32, 32));
/// assert_eq!(exhausted.violations()[0].schema().to_fragment(), "#/items/pattern");
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

    /// How often it was drawn; zero if the schema is known to admit nothing.
    #[must_use]
    pub fn draws(&self) -> u32 {
        self.draws
    }

    /// How many of the draws were rejected. The others gave no value.
    #[must_use]
    pub fn rejected(&self) -> u32 {
        self.rejected
    }

    /// The violations of the last draw that was rejected.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}
