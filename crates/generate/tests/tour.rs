//! The first instances of a run show every part of a contract.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use foolproof_contract::{Accepted, Document, FormatPolicy};
use foolproof_generate::{Generator, Seed};
use serde_json::{Map, Value, json};

fn instances(schema: &Value, n: u64) -> Vec<Value> {
    let document = Document::from_value(schema.clone()).unwrap();
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    generator.instances(Seed::from_number(3), n).map(Accepted::into_value).collect()
}

fn names(value: &Value, seen: &mut BTreeSet<String>) {
    if let Value::Object(members) = value {
        seen.extend(members.keys().cloned());
    }
    let below: Vec<&Value> = match value {
        Value::Object(members) => members.values().collect(),
        Value::Array(items) => items.iter().collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for value in below {
        names(value, seen);
    }
}

fn seen(schema: &Value, n: u64) -> BTreeSet<String> {
    let mut seen = BTreeSet::new();
    for value in instances(schema, n) {
        names(&value, &mut seen);
    }
    seen
}

/// A closed object that requires its only property.
fn only(name: &str, value: &Value) -> Value {
    json!({
        "type": "object", "required": [name], "properties": { name: value },
        "additionalProperties": false
    })
}

#[test]
fn the_first_instance_has_every_optional_property_at_any_depth() {
    let mut schema = json!({ "type": "integer" });
    for level in (0..20).rev() {
        let (next, beside) = (format!("next{level}"), format!("beside{level}"));
        schema =
            json!({ "type": "object", "properties": { next: schema, beside: { "type": "null" } } });
    }
    assert_eq!(seen(&schema, 1).len(), 40);
}

#[test]
fn eight_alternatives_take_eight_instances() {
    let options: Vec<Value> =
        (0..8).map(|n| only(&format!("v{n}"), &json!({ "type": "null" }))).collect();
    assert_eq!(seen(&json!({ "anyOf": options }), 9).len(), 8);
}

#[test]
fn alternatives_inside_alternatives_are_not_confused() {
    let inner = |outer: usize| {
        let options: Vec<Value> =
            (0..3).map(|n| only(&format!("inner{outer}{n}"), &json!({ "type": "null" }))).collect();
        only(&format!("outer{outer}"), &json!({ "anyOf": options }))
    };
    let schema = json!({ "anyOf": (0..3).map(inner).collect::<Vec<_>>() });
    assert_eq!(seen(&schema, 11).len(), 12);
}

#[test]
fn an_array_shows_many_alternatives_at_once() {
    let options: Vec<Value> =
        (0..30).map(|n| only(&format!("v{n}"), &json!({ "type": "null" }))).collect();
    let schema = json!({ "type": "array", "items": { "anyOf": options } });
    assert_eq!(seen(&schema, 4).len(), 30);
    let map = json!({ "type": "object", "additionalProperties": { "anyOf": options } });
    let shown = seen(&map, 5);
    assert!((0..30).all(|n| shown.contains(&format!("v{n}"))), "{shown:?}");
}

#[test]
fn a_definition_that_is_used_everywhere_is_toured_once() {
    // Without a home for each definition the size would double with every level.
    let mut definitions = Map::new();
    for level in 0..30 {
        let next = json!({ "$ref": format!("#/$defs/d{}", level + 1) });
        let (left, right) = (format!("left{level}"), format!("right{level}"));
        definitions.insert(
            format!("d{level}"),
            json!({ "type": "object", "properties": { left: next, right: next } }),
        );
    }
    definitions.insert("d30".to_owned(), json!({ "type": "null" }));
    let schema = json!({ "$ref": "#/$defs/d0", "$defs": definitions });
    let shown = seen(&schema, 1);
    for level in 0..30 {
        assert!(
            shown.contains(&format!("left{level}")) && shown.contains(&format!("right{level}"))
        );
    }
    assert!(instances(&schema, 9).iter().all(|value| value.to_string().len() < 100_000));
}

#[test]
fn a_wide_contract_is_shown_in_parts() {
    let part = |n: usize| {
        let members: Map<String, Value> =
            (0..100).map(|m| (format!("p{n}x{m}"), json!({ "type": "null" }))).collect();
        (format!("p{n}"), json!({ "type": "object", "properties": members }))
    };
    let schema =
        json!({ "type": "object", "properties": (0..60).map(part).collect::<Map<_, _>>() });
    let generated = instances(&schema, 6);
    assert!(generated.iter().all(|value| value.to_string().len() < 100_000));
    let shown = seen(&schema, 6);
    assert_eq!(shown.iter().filter(|name| name.starts_with('p')).count(), 60 + 6_000);
}

#[test]
fn few_properties_at_a_time_still_show_all() {
    let members: Map<String, Value> =
        (0..12).map(|n| (format!("m{n}"), json!({ "type": "null" }))).collect();
    let schema = json!({
        "type": "object", "properties": members, "additionalProperties": false, "maxProperties": 2
    });
    assert_eq!(seen(&schema, 7).len(), 12);
}
