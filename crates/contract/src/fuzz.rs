//! What fuzz targets need of this crate beside its interface. Not part of what is stable.

use serde_json::Value;

use crate::{Document, Error, FormatPolicy, SourceText, Syntax, stack, text};

/// What bytes decode to, or why they are no text.
pub fn decode(bytes: &[u8]) -> Result<String, Error> {
    text::decode(bytes.to_vec())
}

/// The value of a text, whether or not it is a contract.
pub fn parse(text: &str, syntax: Option<Syntax>) -> Result<(Value, Syntax), Error> {
    text::parse(text, syntax)
}

/// The text, to find values in.
#[must_use]
pub fn source_text(text: &str, syntax: Syntax) -> SourceText {
    SourceText::new("fuzz", None, text.into(), syntax)
}

/// Whether `value` satisfies the schema `document`, asked of a validator that reads values as `serde_json` has them
/// instead of through [`JsonView`](crate::JsonView). `None` where it does not compile the schema.
#[must_use]
pub fn is_valid_plainly(document: &Document, formats: FormatPolicy, value: &Value) -> Option<bool> {
    let (registry, _) = document.registry().ok()?;
    let mut options = jsonschema::options()
        .with_draft(document.draft().to_referencing())
        .with_registry(&registry)
        .should_validate_formats(formats == FormatPolicy::Assert)
        .offline();
    if let Some(base) = document.base() {
        options = options.with_base_uri(base);
    }
    stack::with_large_stack(|| {
        let validator = options.build(document.value()).ok()?;
        Some(validator.is_valid(value))
    })
}
