//! Conditions of the form "this property has one of these values".
//!
//! Real schemas describe variants as `allOf: [{if: {kind is "a"}, then: A}, {if: {kind is "b"},
//! then: B}, …]`. Such conditions exclude each other, which canonicalising and planning make use of.

use serde_json::{Map, Value};

use crate::{TypeSet, dialect};

/// A condition that looks at nothing but the value of one property.
///
/// ```
/// use foolproof_contract::ValueCondition;
/// use serde_json::json;
///
/// let schema = json!({ "properties": { "kind": { "const": "a" } }, "required": ["kind"] });
/// let condition = ValueCondition::of(&schema).unwrap();
/// assert_eq!((condition.property, condition.values), ("kind", &[json!("a")][..]));
/// assert!(condition.requires_property && !condition.requires_object && condition.is_exact);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ValueCondition<'s> {
    /// The name of the property.
    pub property: &'s str,
    /// The values it may have, where it is present.
    pub values: &'s [Value],
    /// Whether the condition fails on an object without the property.
    pub requires_property: bool,
    /// Whether the condition fails on what is no object.
    pub requires_object: bool,
    /// Whether every one of the values satisfies the condition: nothing else is asked of them.
    pub is_exact: bool,
}

impl<'s> ValueCondition<'s> {
    /// The condition that `schema` is, if it is of that form.
    #[must_use]
    pub fn of(schema: &'s Value) -> Option<Self> {
        let schema = schema.as_object()?;
        if !has_only(schema, &["properties", "required", "type"]) {
            return None;
        }
        let mut properties = schema.get("properties")?.as_object()?.iter();
        let (property, asked) = properties.next().filter(|_| properties.len() == 0)?;
        let asked = asked.as_object()?;
        Some(Self {
            property,
            values: listed(asked)?,
            requires_property: requires(schema, property)?,
            requires_object: requires_object(schema)?,
            is_exact: has_only(asked, &["const", "enum"]),
        })
    }
}

/// Whether `members` has no keyword beyond `keywords` but annotations.
pub(crate) fn has_only(members: &Map<String, Value>, keywords: &[&str]) -> bool {
    members.keys().all(|key| keywords.contains(&key.as_str()) || dialect::is_annotation(key))
}

/// The values that `const` or `enum` lists; nothing if both do.
fn listed(schema: &Map<String, Value>) -> Option<&[Value]> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), None) => Some(std::slice::from_ref(value)),
        (None, Some(Value::Array(values))) => Some(values),
        _ => None,
    }
}

/// Whether `required` names the property; nothing if it names another.
fn requires(schema: &Map<String, Value>, property: &str) -> Option<bool> {
    match schema.get("required") {
        None => Some(false),
        Some(Value::Array(names)) if names.iter().all(|name| name == property) => {
            Some(!names.is_empty())
        }
        Some(_) => None,
    }
}

/// Whether `type` asks for an object; nothing if it asks for another type.
fn requires_object(schema: &Map<String, Value>) -> Option<bool> {
    match TypeSet::declared(schema) {
        _ if !schema.contains_key("type") => Some(false),
        TypeSet::OBJECT => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn conditions_on_more_than_one_value_of_a_property_are_none() {
        let is = json!({ "kind": { "enum": ["a", "b"] } });
        let conditions = [
            json!({ "properties": is, "minProperties": 1 }),
            json!({ "properties": is, "required": ["kind", "other"] }),
            json!({ "properties": is, "type": ["object", "null"] }),
            json!({ "properties": { "kind": { "const": 1 }, "other": { "const": 1 } } }),
            json!({ "properties": { "kind": { "minimum": 1 } } }),
            json!({ "properties": { "kind": { "const": 1, "enum": [1] } } }),
        ];
        for condition in conditions {
            assert_eq!(ValueCondition::of(&condition), None, "{condition}");
        }
    }

    #[test]
    fn annotations_change_nothing() {
        let schema = json!({
            "title": "a", "type": ["object"], "required": [],
            "properties": { "kind": { "const": "a", "description": "the first" } }
        });
        let condition = ValueCondition::of(&schema).unwrap();
        assert!(condition.requires_object && !condition.requires_property && condition.is_exact);
        let schema = json!({ "properties": { "kind": { "const": "a", "minLength": 2 } } });
        assert!(!ValueCondition::of(&schema).unwrap().is_exact);
    }
}
