//! The formats of OpenAPI that restrict values, as schemas.
//!
//! The validator's own formats see only strings, and the algebra none of numbers, so a numeric format is
//! a range: then draws, proofs, both oracles and repair agree. The list is that of the OpenAPI Format
//! Registry.

use serde_json::{Value, json};

use crate::Draft;

/// The largest finite numbers of the two binary formats of IEEE 754.
const LARGEST_FLOAT: &str = "340282346638528860000000000000000000000";
const LARGEST_DOUBLE: &str = "1.7976931348623157e308";

/// The schema that `format` means beside `type` under `draft`, if it restricts anything there that the
/// validator does not check.
pub(super) fn restriction(format: &str, declared: Option<&Value>, draft: Draft) -> Option<Value> {
    let admits = |names: &[&str]| match declared {
        None => true,
        Some(Value::String(name)) => names.contains(&name.as_str()),
        Some(Value::Array(all)) => {
            all.iter().any(|name| name.as_str().is_some_and(|name| names.contains(&name)))
        }
        Some(_) => false,
    };
    let numbers = || admits(&["number", "integer"]);
    let range = |least: &str, most: &str| {
        let number = |text: &str| serde_json::from_str::<Value>(text).expect("it is a number");
        json!({ "minimum": number(least), "maximum": number(most) })
    };
    let integers = |least: &str, most: &str| {
        let mut schema = range(least, most);
        if declared.is_some_and(|name| name != "integer") {
            schema["multipleOf"] = json!(1);
        }
        schema
    };
    match format {
        "int8" if numbers() => Some(integers("-128", "127")),
        "int16" if numbers() => Some(integers("-32768", "32767")),
        "int32" if numbers() => Some(integers("-2147483648", "2147483647")),
        "int64" if numbers() => Some(integers("-9223372036854775808", "9223372036854775807")),
        "uint8" if numbers() => Some(integers("0", "255")),
        "uint16" if numbers() => Some(integers("0", "65535")),
        "uint32" if numbers() => Some(integers("0", "4294967295")),
        "uint64" if numbers() => Some(integers("0", "18446744073709551615")),
        "double-int" if numbers() => Some(integers("-9007199254740991", "9007199254740991")),
        "sf-integer" if numbers() => Some(integers("-999999999999999", "999999999999999")),
        "sf-decimal" if numbers() => Some(range("-999999999999.999", "999999999999.999")),
        "float" if numbers() => Some(range(&format!("-{LARGEST_FLOAT}"), LARGEST_FLOAT)),
        "double" if numbers() => Some(range(&format!("-{LARGEST_DOUBLE}"), LARGEST_DOUBLE)),
        "byte" if admits(&["string"]) => Some(json!({
            "pattern": "^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$"
        })),
        "base64url" if admits(&["string"]) => Some(json!({
            "pattern": "^([A-Za-z0-9_-]{4})*([A-Za-z0-9_-]{2}(==)?|[A-Za-z0-9_-]{3}=?)?$"
        })),
        // Draft 4, which OpenAPI 3.0 is read as, does not have the format.
        "uuid" if draft < Draft::Draft201909 && admits(&["string"]) => Some(json!({
            "pattern": "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}$",
            "minLength": 36,
            "maxLength": 36
        })),
        "char" if admits(&["string"]) => Some(json!({ "minLength": 1, "maxLength": 1 })),
        _ => None,
    }
}
