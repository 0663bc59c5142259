//! Equality of values as JSON Schema has it: `1` and `1.0` are one number.

use serde_json::Value;

/// Whether `left` and `right` are the same value, as `enum`, `const` and `uniqueItems` compare.
///
/// ```
/// use foolproof_contract::json_equal;
/// use serde_json::json;
///
/// assert!(json_equal(&json!([1]), &json!([1.0])) && !json_equal(&json!(0), &json!(false)));
/// ```
#[must_use]
pub fn json_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // The usual case, without a look at the digits.
        (Value::Number(left), Value::Number(right)) if left == right => true,
        _ => jsonschema_value::cmp::equal(left, right),
    }
}
