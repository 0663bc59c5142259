//! Changes to the copy of a schema.

use foolproof_contract::asserts_nothing;
use serde_json::{Map, Value, json};

use super::super::place::Place;

/// Has a pattern that every name matches speak of the members that the place does not speak of: those
/// it does have schemas at least as narrow, and the algebra would intersect the two.
pub(super) fn free_members(place: &Place, copy: &mut Value) {
    let Some(patterns) = copy.get("patternProperties").and_then(Value::as_object) else { return };
    let declared = copy.get("properties").and_then(Value::as_object);
    let is_new = |name: &String| !declared.is_some_and(|declared| declared.contains_key(name));
    let (Some((pattern, part)), 1) = (patterns.iter().next(), patterns.len()) else { return };
    let is_for_all = ["", ".*", "^.*$", "^.*", ".*$"].contains(&pattern.as_str());
    let has_places = place.members.iter().any(|(name, child)| child.is_some() && is_new(name));
    if is_for_all && has_places && declared.is_none_or(Map::is_empty) {
        copy["additionalProperties"] = part.clone();
        remove(copy, Some("/patternProperties".to_owned()));
    }
}

/// Whether what a schema says depends on where it stands.
pub(super) fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| name.starts_with('$') || name == "id" || has_references(member)),
        Value::Array(items) => items.iter().any(has_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether the condition at the place holds, if that was decided.
pub(super) fn decided(place: &Place) -> Option<bool> {
    place.conditions.values().next().copied()
}

/// The schema with what the place asks of the value by itself.
pub(super) fn with_wishes(place: &Place, schema: Value) -> Value {
    let mut own = Map::new();
    let mut ask = |keyword: &str, value: Value| {
        own.insert(keyword.to_owned(), value);
    };
    if !place.members.is_empty() {
        ask("type", json!("object"));
    }
    if let Some((last, _)) = place.items.last_key_value() {
        ask("type", json!("array"));
        ask("minItems", json!(last + 1));
    }
    if let Some(size) = place.size {
        ask("type", json!("array"));
        ask("minItems", json!(size));
        ask("maxItems", json!(size));
    }
    if let Some(length) = place.length {
        ask("type", json!("string"));
        ask("minLength", json!(length));
        ask("maxLength", json!(length));
    }
    if let Some(value) = &place.value {
        ask("enum", json!([value]));
    }
    if own.is_empty() { schema } else { json!({ "allOf": [schema, own] }) }
}

/// The schema without what names it, defines others, or says nothing about values; in places that
/// nobody checks, annotations may be anything.
pub(super) fn plain(written: &Map<String, Value>) -> Map<String, Value> {
    let kept = written.iter().filter(|(keyword, _)| !asserts_nothing(keyword));
    kept.map(|(keyword, value)| (keyword.clone(), value.clone())).collect()
}

/// Puts `part` where `inside` says.
pub(super) fn put(schema: &mut Value, inside: Option<String>, part: Value) {
    if let Some(place) = inside.and_then(|inside| schema.pointer_mut(&inside)) {
        *place = part;
    }
}

/// Removes the keyword that `inside` is the place of.
pub(super) fn remove(schema: &mut Value, inside: Option<String>) {
    let keyword = inside.and_then(|inside| inside.strip_prefix('/').map(str::to_owned));
    if let (Value::Object(members), Some(keyword)) = (schema, keyword) {
        members.remove(&keyword);
    }
}
