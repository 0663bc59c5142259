//! Canonical forms: a schema as the set of values it admits.
//!
//! The algebra is `jsonschema::canonical`. Other modules use it only through our own types, so that
//! its interface can change. [`Canonical`] is a set of values with its operations, [`Shape`] is its
//! structure, and [`Canonicalizer`] computes forms from a document, under a deadline and with the
//! relaxations that were needed.

use std::fmt;

use jsonschema::canonical::{
    self as library, CanonicalSchema, CanonicalizationError, Containment, Satisfiability,
};
use serde_json::{Value, json};

use crate::{Draft, FormatPolicy, stack};

mod canonicalizer;
mod conditionals;
mod diagnose;
mod emptiness;
mod finite;
mod relax;
mod required_branches;
mod rewrite;
mod shape;
mod texts;
mod unions;
mod worker;
mod worker_clock;

pub use canonicalizer::{Canonicalizer, NoForm};
pub use diagnose::{Cause, Diagnostic, DiagnosticCode};
pub use relax::{RelaxReason, Relaxation};
pub use shape::{
    ArrayShape, BrokenRule, Contains, Distinctness, IntegerShape, NumberShape, ObjectShape, Shape,
    StringShape,
};

/// A three-valued answer. `Unknown` is not `No`: the caller picks the safe interpretation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Proven.
    Yes,
    /// Disproven.
    No,
    /// Neither proven nor disproven.
    Unknown,
}

/// A set of values in canonical form. Cheap to clone.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Shape, Verdict};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "allOf": [{"type": "integer", "minimum": 0}, {"type": "integer", "maximum": 10}]
/// }))?;
/// let canonical = Canonicalizer::new(&document, FormatPolicy::Assert)?.root();
///
/// let Shape::Integer(integers) = canonical.shape() else { panic!("an interval of integers") };
/// assert_eq!(integers.maximum, Some(10.into()));
/// assert_eq!(canonical.satisfiable(), Verdict::Yes);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Canonical(CanonicalSchema);

/// An operation on sets whose result has no canonical form, or operands of different dialects.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotExpressible(String);

impl From<CanonicalizationError> for NotExpressible {
    fn from(error: CanonicalizationError) -> Self {
        Self(error.to_string())
    }
}

impl Canonical {
    pub(crate) fn new(schema: CanonicalSchema) -> Self {
        Self(schema)
    }

    /// The set of every value.
    #[must_use]
    pub fn any(draft: Draft, formats: FormatPolicy) -> Self {
        Self::constant(true, draft, formats)
    }

    /// The empty set.
    pub(crate) fn never(draft: Draft, formats: FormatPolicy) -> Self {
        Self::constant(false, draft, formats)
    }

    fn constant(admits: bool, draft: Draft, formats: FormatPolicy) -> Self {
        let schema = if admits { json!({}) } else { json!({ "not": {} }) };
        let form = library::options()
            .with_draft(draft.to_referencing())
            .should_validate_formats(formats == FormatPolicy::Assert)
            .offline()
            .canonicalize(&schema);
        Self(form.expect("both are schemas under every draft"))
    }

    /// The draft the set was read under; operands of one operation must share it.
    #[must_use]
    pub fn draft(&self) -> Draft {
        Draft::from_referencing(self.0.draft()).unwrap_or(Draft::Draft202012)
    }

    /// The structure of the set. It is a copy: call this once, when compiling a plan.
    #[must_use]
    pub fn shape(&self) -> Shape {
        Shape::of(&self.0)
    }

    /// The set that the reference `key` of a [`Shape::Reference`] refers to.
    #[must_use]
    pub fn definition(&self, key: &str) -> Option<Self> {
        self.0.definition(key).map(Self)
    }

    /// The set as a JSON Schema.
    #[must_use]
    pub fn to_schema(&self) -> Value {
        stack::with_large_stack(|| self.0.to_json_schema())
    }

    /// Whether any value belongs to the set. Test for [`Verdict::No`].
    #[must_use]
    pub fn satisfiable(&self) -> Verdict {
        match stack::with_large_stack(|| self.0.satisfiability()) {
            Satisfiability::Yes => Verdict::Yes,
            Satisfiability::No => Verdict::No,
            Satisfiability::Unknown => Verdict::Unknown,
        }
    }

    /// Whether it is proven that no value belongs to the set: by the algebra, by the automata of patterns, or by
    /// unfolding references.
    #[must_use]
    pub fn is_proven_empty(&self) -> bool {
        self.satisfiable() == Verdict::No
            || stack::with_large_stack(|| emptiness::is_proven_empty(self))
    }

    /// The values of both sets.
    pub fn intersect(&self, other: &Self) -> Result<Self, NotExpressible> {
        Ok(Self(stack::with_large_stack(|| self.0.intersect(&other.0))?))
    }

    /// The values of either set.
    pub fn union(&self, other: &Self) -> Result<Self, NotExpressible> {
        Ok(Self(stack::with_large_stack(|| self.0.union(&other.0))?))
    }

    /// The values of this set that are not in the other. On a large schema this can run for
    /// minutes: use it on small parts.
    pub fn subtract(&self, other: &Self) -> Result<Self, NotExpressible> {
        Ok(Self(stack::with_large_stack(|| self.0.subtract(&other.0))?))
    }

    /// Whether every value of `other` is in this set. Test for [`Verdict::Yes`].
    pub fn covers(&self, other: &Self) -> Result<Verdict, NotExpressible> {
        Ok(match stack::with_large_stack(|| self.0.covers(&other.0))? {
            Containment::Yes => Verdict::Yes,
            Containment::No => Verdict::No,
            Containment::Unknown => Verdict::Unknown,
        })
    }
}

impl fmt::Debug for Canonical {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Canonical({})", self.to_schema())
    }
}
