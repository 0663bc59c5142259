//! Equality of values as JSON Schema has it: `1` and `1.0` are one number.

use serde_json::Value;

/// Whether `left` and `right` are the same value, as `enum` and `const` compare.
///
/// ```
/// use foolproof_contract::equal;
/// use serde_json::json;
///
/// assert!(equal(&json!([1]), &json!([1.0])) && !equal(&json!(0), &json!(false)));
/// ```
#[must_use]
pub fn equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        // The usual case, without a look at the digits.
        (Value::Number(left), Value::Number(right)) if left == right => true,
        _ => jsonschema_value::cmp::equal(left, right),
    }
}
