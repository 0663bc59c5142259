//! Whether a schema admits every value of some types, because its keywords are about other types.

use foolproof_contract::{TypeSet, asserts_nothing};
use serde_json::{Map, Value};

/// Whether `schema` certainly admits every value of `types`.
pub(super) fn admits_all(schema: &Value, types: TypeSet) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(keywords) => keywords.keys().all(|it| is_met_by_all(keywords, it, types)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}

/// Whether every value of `types` satisfies `keyword`.
fn is_met_by_all(schema: &Map<String, Value>, keyword: &str, types: TypeSet) -> bool {
    let constrained = match keyword {
        "type" => return TypeSet::declared(schema) & types == types,
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "minProperties"
        | "maxProperties"
        | "propertyNames"
        | "dependencies"
        | "dependentSchemas"
        | "dependentRequired" => TypeSet::OBJECT,
        "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
        | "maxContains" | "minItems" | "maxItems" | "uniqueItems" => TypeSet::ARRAY,
        "minLength" | "maxLength" | "pattern" => TypeSet::STRING,
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            TypeSet::NUMBER
        }
        _ => return asserts_nothing(keyword),
    };
    !constrained.overlaps(types)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn keywords_about_other_types_admit_everything() {
        let object = json!({ "required": ["a"], "properties": { "a": {} }, "title": "a" });
        assert!(admits_all(&object, TypeSet::ARRAY));
        assert!(!admits_all(&object, TypeSet::ARRAY | TypeSet::OBJECT));
        assert!(!admits_all(&json!({ "type": "object" }), TypeSet::ARRAY));
        assert!(!admits_all(&json!({ "enum": [1] }), TypeSet::ARRAY));
    }
}
