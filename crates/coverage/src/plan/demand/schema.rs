//! Changes to the copy of a schema that becomes part of a demand.

use foolproof_contract::asserts_nothing;
use serde_json::{Map, Value, json};

use super::super::blueprint_node::BlueprintNode;

/// Turns a pattern that every name matches into `additionalProperties`, if the node has members. It
/// then applies only to the other members: those of the node have schemas at least as narrow, which
/// the algebra would intersect with that of the pattern.
pub(super) fn pattern_to_additional(node: &BlueprintNode, copy: &mut Value) {
    let Some(patterns) = copy.get("patternProperties").and_then(Value::as_object) else { return };
    let declared = copy.get("properties").and_then(Value::as_object);
    let is_new = |name: &String| !declared.is_some_and(|declared| declared.contains_key(name));
    let (Some((pattern, part)), 1) = (patterns.iter().next(), patterns.len()) else { return };
    let is_for_all = ["", ".*", "^.*$", "^.*", ".*$"].contains(&pattern.as_str());
    let has_nodes = node.members.iter().any(|(name, child)| child.is_some() && is_new(name));
    if is_for_all && has_nodes && declared.is_none_or(Map::is_empty) {
        copy["additionalProperties"] = part.clone();
        remove(copy, Some("/patternProperties".to_owned()));
    }
}

/// Whether the meaning of a schema depends on its location.
pub(super) fn has_references(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => members
            .iter()
            .any(|(name, member)| name.starts_with('$') || name == "id" || has_references(member)),
        Value::Array(items) => items.iter().any(has_references),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Whether the condition at the node holds, if the blueprint decides it.
pub(super) fn decided(node: &BlueprintNode) -> Option<bool> {
    node.conditions.values().next().copied()
}

/// The schema together with what the node requires of the value itself.
pub(super) fn with_goals(node: &BlueprintNode, schema: Value) -> Value {
    let mut own = Map::new();
    let mut ask = |keyword: &str, value: Value| {
        own.insert(keyword.to_owned(), value);
    };
    if !node.members.is_empty() {
        ask("type", json!("object"));
    }
    if let Some((last, _)) = node.items.last_key_value() {
        ask("type", json!("array"));
        ask("minItems", json!(last + 1));
    }
    if let Some(size) = node.size {
        ask("type", json!("array"));
        ask("minItems", json!(size));
        ask("maxItems", json!(size));
    }
    if let Some(length) = node.length {
        ask("type", json!("string"));
        ask("minLength", json!(length));
        ask("maxLength", json!(length));
    }
    if let Some(value) = &node.value {
        ask("enum", json!([value]));
    }
    if own.is_empty() { schema } else { json!({ "allOf": [schema, own] }) }
}

/// The schema without the keywords that identify it, define other schemas or annotate, and without the branches that
/// the node takes one of. In a location that no meta-schema checks, the value of an annotation may be anything.
pub(super) fn constraints_of(
    written: &Map<String, Value>,
    node: &BlueprintNode,
) -> Map<String, Value> {
    let kept = written.iter().filter(|(keyword, _)| {
        !asserts_nothing(keyword) && !node.branches.contains_key(keyword.as_str())
    });
    kept.map(|(keyword, value)| (keyword.clone(), value.clone())).collect()
}

/// Replaces the part of `schema` at `pointer`.
pub(super) fn replace(schema: &mut Value, pointer: Option<String>, part: Value) {
    if let Some(old) = pointer.and_then(|pointer| schema.pointer_mut(&pointer)) {
        *old = part;
    }
}

/// Removes the keyword that `pointer` leads to.
pub(super) fn remove(schema: &mut Value, pointer: Option<String>) {
    let keyword = pointer.and_then(|pointer| pointer.strip_prefix('/').map(str::to_owned));
    if let (Value::Object(members), Some(keyword)) = (schema, keyword) {
        members.remove(&keyword);
    }
}
