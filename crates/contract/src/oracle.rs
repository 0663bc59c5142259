//! The oracle: whether a value satisfies the schema as its author wrote it.
//!
//! The answer comes from a validator, never from our own reading of the schema. A value that was
//! accepted carries the proof in its type ([`Accepted`]); one that was not comes with every
//! [`Violation`], in a fixed order, for repair and for reports.

use std::sync::Arc;

use jsonschema::Validator;
use referencing::{Registry, Uri};
use serde_json::{Value, json};

use crate::{
    Document, Draft, EntryId, Error, JsonView, Location, Pointer, json_view::Views, metaschema,
    openapi::ApiEntry, stack, uri,
};

mod ajv;
mod string_check;
mod violation;

pub use ajv::{Ajv, AjvError, AjvOptions, AjvOracle};
pub use string_check::StringCheck;
pub use violation::{Operands, Violation};

/// Whether `format` constrains a value or only describes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormatPolicy {
    /// A value that breaks a known format is invalid, under every draft.
    #[default]
    Assert,
    /// `format` is an annotation, under every draft.
    Annotate,
}

/// Answers whether a value satisfies a schema. Cheap to clone, and shared between threads.
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy, Oracle};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({"type": "integer", "minimum": 3}))?;
/// let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
///
/// assert_eq!(oracle.check(json!(4)).unwrap().value(), &json!(4));
/// let rejected = oracle.check(json!(2)).unwrap_err();
/// let violation = &rejected.violations()[0];
/// assert_eq!((violation.keyword(), violation.schema().to_string()), ("minimum", "/minimum".into()));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Oracle {
    validator: Arc<Validator<Views>>,
    /// Must accept a value too: the API itself, where fewer values are generated than it admits.
    admitted: Option<Arc<Validator<Views>>>,
    entry: EntryId,
}

/// A value the oracle has accepted, and the entry of the contract that it is for. Only
/// [`Oracle::accept`] and [`Oracle::check`] create one, so a function with a parameter `&Accepted` never
/// gets an unchecked value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    value: Value,
    entry: EntryId,
}

impl Accepted {
    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value, without the proof.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The entry whose schema it satisfies: one side of an operation of an API.
    #[must_use]
    pub fn entry(&self) -> EntryId {
        self.entry
    }

    /// The value to be read, with the proof.
    #[must_use]
    pub fn view(&self) -> AcceptedView<'_> {
        AcceptedView { value: JsonView::from(&self.value), entry: self.entry }
    }
}

/// The same of a value that is in other memory ([`Accepted::view`], [`Oracle::accept_view`]).
#[derive(Clone, Copy, Debug)]
pub struct AcceptedView<'a> {
    value: JsonView<'a>,
    entry: EntryId,
}

impl<'a> AcceptedView<'a> {
    /// The value.
    #[must_use]
    pub fn value(self) -> JsonView<'a> {
        self.value
    }

    /// The entry whose schema it satisfies.
    #[must_use]
    pub fn entry(self) -> EntryId {
        self.entry
    }

    /// A copy that does not depend on the memory that the value is in.
    #[must_use]
    pub fn to_accepted(self) -> Accepted {
        Accepted { value: self.value.to_value().into_owned(), entry: self.entry }
    }
}

impl<'a> From<&'a Accepted> for AcceptedView<'a> {
    fn from(accepted: &'a Accepted) -> Self {
        accepted.view()
    }
}

/// A value the oracle has rejected, with every violation.
#[derive(Clone, Debug, PartialEq)]
pub struct Rejected {
    value: Value,
    violations: Vec<Violation>,
}

impl Rejected {
    /// The value.
    #[must_use]
    pub fn value(&self) -> &Value {
        &self.value
    }

    /// The value, to be repaired.
    #[must_use]
    pub fn into_value(self) -> Value {
        self.value
    }

    /// The violations, by pointer into the value, then by pointer into the schema.
    #[must_use]
    pub fn violations(&self) -> &[Violation] {
        &self.violations
    }
}

impl Oracle {
    /// The oracle of a JSON Schema.
    pub fn new(document: &Document, formats: FormatPolicy) -> Result<Self, Error> {
        Self::at(document, &Pointer::root(), formats)
    }

    /// The oracle of an entry of an API: what may be generated, and what the API admits.
    pub fn of_entry(entry: &ApiEntry, formats: FormatPolicy) -> Result<Self, Error> {
        let oracle = Self::new(&entry.document, formats)?;
        let admitted = entry.admitted.as_ref().map(|admitted| Self::new(admitted, formats));
        let admitted = admitted.transpose()?.map(|admitted| admitted.validator);
        Ok(Self { admitted, ..oracle })
    }

    /// The oracle of the schema at `pointer` of `document`, with references resolved as in the document.
    pub fn at(
        document: &Document,
        pointer: &Pointer,
        formats: FormatPolicy,
    ) -> Result<Self, Error> {
        Self::build(document, None, pointer, formats)
    }

    /// The oracle of the schema at `location`, in `document` or in one it was completed with.
    pub fn located(
        document: &Document,
        location: &Location,
        formats: FormatPolicy,
    ) -> Result<Self, Error> {
        Self::build(document, location.resource(), location.pointer(), formats)
    }

    /// The oracles of the schemas at `locations`, each as [`located`](Self::located) compiles it. What
    /// they share is prepared once, which on a large document is most of the work.
    pub fn all_located<'l>(
        document: &Document,
        locations: impl IntoIterator<Item = &'l Location>,
        formats: FormatPolicy,
    ) -> Result<Vec<Result<Self, Error>>, Error> {
        let builder = OracleBuilder::new(document, formats)?;
        let oracle = |at: &Location| builder.build(at.resource(), at.pointer());
        Ok(locations.into_iter().map(oracle).collect())
    }

    fn build(
        document: &Document,
        resource: Option<&str>,
        pointer: &Pointer,
        formats: FormatPolicy,
    ) -> Result<Self, Error> {
        OracleBuilder::new(document, formats)?.build(resource, pointer)
    }

    /// Whether `value` satisfies the schema. Faster than [`check`](Self::check).
    #[must_use]
    pub fn is_valid<'v>(&self, value: impl Into<JsonView<'v>>) -> bool {
        let value = value.into();
        let is_admitted = |admitted: &Arc<Validator<Views>>| admitted.is_valid(value);
        self.validator.is_valid(value) && self.admitted.as_ref().is_none_or(is_admitted)
    }

    /// The proof that `value` is accepted, without violations if it is not: collecting those costs
    /// many times what validation does.
    #[must_use]
    pub fn accept(&self, value: Value) -> Option<Accepted> {
        self.is_valid(&value).then_some(Accepted { value, entry: self.entry })
    }

    /// The same for a value that is only read.
    #[must_use]
    pub fn accept_view<'v>(&self, value: JsonView<'v>) -> Option<AcceptedView<'v>> {
        self.is_valid(value).then_some(AcceptedView { value, entry: self.entry })
    }

    /// Checks `value`; the type of the result keeps the answer.
    pub fn check(&self, value: Value) -> Result<Accepted, Rejected> {
        if self.is_valid(&value) {
            return Ok(Accepted { value, entry: self.entry });
        }
        let violations = self.violations(&value);
        Err(Rejected { value, violations })
    }

    /// The violations of `value`, by pointer into the value, then by pointer into the schema.
    #[must_use]
    pub fn violations(&self, value: &Value) -> Vec<Violation> {
        let of = |validator: &Validator<Views>| {
            let errors = validator.iter_errors(JsonView::from(value));
            errors.map(|error| Violation::of(&error)).collect::<Vec<_>>()
        };
        let mut violations = of(&self.validator);
        violations.extend(self.admitted.iter().flat_map(|admitted| of(admitted)));
        // The validator promises no order.
        violations.sort();
        violations.dedup();
        violations
    }
}

/// What the oracles of one document share.
struct OracleBuilder<'d> {
    document: &'d Document,
    formats: FormatPolicy,
    registry: Registry<'d>,
    own: Uri<String>,
}

impl<'d> OracleBuilder<'d> {
    fn new(document: &'d Document, formats: FormatPolicy) -> Result<Self, Error> {
        let (registry, own) = document.registry()?;
        Ok(Self { document, formats, registry, own })
    }

    fn build(&self, resource: Option<&str>, pointer: &Pointer) -> Result<Oracle, Error> {
        let document = self.document;
        let mut options = jsonschema::options_for::<Views>()
            .with_draft(document.draft().to_referencing())
            .with_registry(&self.registry)
            .should_validate_formats(self.formats == FormatPolicy::Assert)
            .offline();
        let reference;
        let schema = if pointer.is_root() && resource.is_none() {
            if let Some(base) = document.base() {
                options = options.with_base_uri(base);
            }
            document.value()
        } else {
            // A schema inside a document keeps its base URI, so it is compiled through a reference.
            let fragment = uri::encode(pointer.as_str());
            let document_uri = resource.unwrap_or(self.own.as_str());
            reference = json!({ "$ref": format!("{document_uri}#{fragment}") });
            options = options.with_base_uri("urn:foolproof:entrance");
            &reference
        };
        let built = stack::with_large_stack(|| options.build(schema));
        let validator =
            built.map_err(|error| document.locate(metaschema::explain(&error, pointer)))?;
        Ok(Oracle { validator: Arc::new(validator), admitted: None, entry: document.entry() })
    }
}

/// Whether `schema` compiles under `draft`, formats asserted.
pub(crate) fn compiles(
    registry: &Registry<'_>,
    base: Option<&str>,
    draft: Draft,
    schema: &Value,
) -> bool {
    let mut options = jsonschema::options_for::<Views>()
        .with_draft(draft.to_referencing())
        .with_registry(registry)
        .should_validate_formats(true)
        .offline();
    if let Some(base) = base {
        options = options.with_base_uri(base);
    }
    stack::with_large_stack(|| options.build(schema).is_ok())
}
