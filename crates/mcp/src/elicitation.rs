//! Answers to a server that asks for input.

use foolproof_generate::{Generator, Seed};
use serde_json::Value;

/// A value of the schema that a server asks for input with; `None` if there is none.
///
/// ```
/// use foolproof_mcp::simplest_of_schema;
/// use serde_json::json;
///
/// let schema = json!({ "type": "object", "properties": { "yes": { "type": "boolean" } }, "required": ["yes"] });
/// assert!(simplest_of_schema(&schema).unwrap()["yes"].is_boolean());
/// ```
#[must_use]
pub fn simplest_of_schema(schema: &Value) -> Option<Value> {
    let generator = Generator::of(schema.clone()).ok()?;
    generator.instance(Seed::from_number(0), 0).map(foolproof_contract::Accepted::into_value)
}
