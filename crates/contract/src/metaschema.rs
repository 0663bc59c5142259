//! Whether a value is a schema its draft allows.

use jsonschema::ValidationError;
use serde_json::Value;

use crate::Draft;

pub(crate) fn check(draft: Draft, schema: &Value) -> Result<(), ValidationError<'static>> {
    let checked = match draft {
        Draft::Draft4 => jsonschema::draft4::meta::validate(schema),
        Draft::Draft6 => jsonschema::draft6::meta::validate(schema),
        Draft::Draft7 => jsonschema::draft7::meta::validate(schema),
        Draft::Draft201909 => jsonschema::draft201909::meta::validate(schema),
        Draft::Draft202012 => jsonschema::draft202012::meta::validate(schema),
    };
    checked.map_err(ValidationError::to_owned)
}
