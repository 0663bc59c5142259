//! Where schemas stand in a document, and how to change what stands there.

use serde_json::{Map, Value};

/// Keywords that hold one schema.
const ONE: [&str; 12] = [
    "not",
    "if",
    "then",
    "else",
    "items",
    "additionalItems",
    "additionalProperties",
    "contains",
    "propertyNames",
    "unevaluatedProperties",
    "unevaluatedItems",
    "contentSchema",
];

/// Keywords that hold a list of schemas.
const MANY: [&str; 5] = ["allOf", "anyOf", "oneOf", "prefixItems", "items"];

/// Keywords that hold schemas by name.
const NAMED: [&str; 7] = [
    "properties",
    "patternProperties",
    "$defs",
    "definitions",
    "dependentSchemas",
    "dependencies",
    "schemas",
];

/// The pointers of the schemas in `document`, outermost first; its own is the first.
pub(super) fn schemas(document: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(at) = found.get(next).cloned() {
        next += 1;
        let Some(Value::Object(members)) = document.pointer(&at) else { continue };
        for (keyword, value) in members {
            let below = child(&at, keyword);
            match value {
                Value::Object(_) if ONE.contains(&keyword.as_str()) => found.push(below),
                Value::Array(items) if MANY.contains(&keyword.as_str()) => {
                    found.extend((0..items.len()).map(|index| child(&below, &index.to_string())));
                }
                Value::Object(named) if NAMED.contains(&keyword.as_str()) => {
                    found.extend(named.keys().map(|name| child(&below, name)));
                }
                // An API keeps its schemas deep inside.
                Value::Object(_) if at.is_empty() && keyword == "components" => found.push(below),
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Array(_)
                | Value::Object(_) => {}
            }
        }
    }
    found
}

/// The pointers of every value in `document`, outermost first; its own is the first.
pub(super) fn values(document: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(at) = found.get(next).cloned() {
        next += 1;
        match document.pointer(&at) {
            Some(Value::Object(members)) => {
                found.extend(members.keys().map(|name| child(&at, name)));
            }
            Some(Value::Array(items)) => {
                found.extend((0..items.len()).map(|index| child(&at, &index.to_string())));
            }
            _ => {}
        }
    }
    found
}

/// Removes the member or item at `pointer`; the document itself stays.
pub(super) fn remove(document: &mut Value, pointer: &str) {
    let Some((around, last)) = pointer.rsplit_once('/') else { return };
    match document.pointer_mut(around) {
        Some(Value::Object(members)) => {
            members.remove(&unescape(last));
        }
        Some(Value::Array(items)) => {
            if let Some(index) = last.parse().ok().filter(|index| *index < items.len()) {
                items.remove(index);
            }
        }
        _ => {}
    }
}

/// The object at `pointer`, made into one if it is none.
pub(super) fn object_at<'d>(document: &'d mut Value, pointer: &str) -> &'d mut Map<String, Value> {
    let is_there = document.pointer(pointer).is_some();
    let pointer = if is_there { pointer } else { "" };
    let value = document.pointer_mut(pointer).expect("the document itself is always there");
    if !value.is_object() {
        *value = Value::Object(Map::new());
    }
    value.as_object_mut().expect("it was just made an object")
}

fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

fn unescape(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}
