//! Checks that a value is a schema of its draft, and explains why if it is not.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde_json::Value;

use crate::{Draft, Error, Pointer, error::Problem, wording::abbreviate};

/// Checks the schema at `at` of its document.
pub(crate) fn check(draft: Draft, schema: &Value, at: &Pointer) -> Result<(), Error> {
    let checked = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        Draft::Draft202012 => jsonschema::draft202012::meta::validate(schema),
    };
    checked.map_err(|error| explain(&error, at))
}

/// The validator's error about the schema at `at`, as one of our errors.
pub(crate) fn explain(error: &ValidationError<'_>, at: &Pointer) -> Error {
    if let ValidationErrorKind::Referencing(reason) = error.kind() {
        return Error::new(Problem::NotCompilable { message: reason.to_string() }).at(at.clone());
    }
    if let ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } =
        error.kind()
        && let Some(inner) = most_specific(error, context)
    {
        return explain(inner, at);
    }
    let inside: Pointer =
        error.instance_path().as_str().parse().unwrap_or_else(|_| Pointer::root());
    let problem = match (error.kind(), error.instance().as_str()) {
        (ValidationErrorKind::Format { format }, Some(pattern)) if format == "regex" => {
            Problem::InvalidPattern { pattern: shorten(pattern) }
        }
        _ => Problem::InvalidSchema { message: shorten(&error.to_string()) },
    };
    Error::new(problem).at(at.join(&inside))
}

/// The most specific error of the branches: the deepest in the schema, and at the same depth one that
/// is not about the type, since the author probably did not mean a branch of another type.
fn most_specific<'a>(
    outer: &ValidationError<'_>,
    context: &'a [Vec<ValidationError<'static>>],
) -> Option<&'a ValidationError<'static>> {
    let depth = |error: &ValidationError<'_>| error.instance_path().segments().count();
    let is_type =
        |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    context
        .iter()
        .flatten()
        .filter(|error| depth(error) > depth(outer) || !is_type(error))
        .max_by_key(|error| (depth(error), !is_type(error)))
}

/// The longest message, in characters: it may quote a value of any size.
const LONGEST: usize = 240;

pub(crate) fn shorten(text: &str) -> String {
    abbreviate(text, LONGEST)
}
