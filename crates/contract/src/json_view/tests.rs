//! A value in an arena is read as the same value elsewhere is: by us, by the validator and by who writes it.

use std::collections::BTreeMap;

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::{Document, FormatPolicy, Oracle};

/// Values of all kinds, with names and numbers that meet often.
fn values() -> impl Strategy<Value = Value> {
    let integer = prop_oneof![-3_i64..4, any::<i64>()].prop_map(Value::from);
    let texts = ["1", "1.0", "-0", "2.50", "1e2", "100", "0.1", "3e-7", "18446744073709551616"];
    let number =
        prop::sample::select(texts.to_vec()).prop_map(|text| Value::Number(text.parse().unwrap()));
    let text = prop_oneof!["[a-c\"\\\\\u{e9}😀]{0,5}", Just("2026-01-31".to_owned())];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        integer,
        number,
        text.prop_map(Value::String),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let name = prop_oneof!["[a-d]", "[a-d\"\u{e9}]{0,10}"];
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Array),
            prop::collection::btree_map(name, inner, 0..24)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every name in `value`.
fn names(value: &Value, found: &mut BTreeMap<String, JsonName>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| names(item, found)),
        Value::Object(members) => {
            for (name, member) in members {
                found.insert(name.clone(), JsonName::new(name));
                names(member, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Builds `value` in `arena`, in the way that `choices` say where there are several.
fn build<'k>(
    value: &'k Value,
    names: &'k BTreeMap<String, JsonName>,
    choices: &mut impl Iterator<Item = u8>,
    arena: &mut JsonArena<'k>,
) -> ArenaValue<'k> {
    match (value, choices.next().unwrap_or(0) % 5) {
        (_, 3) => return ArenaValue::listed(value),
        (_, 4) => return arena.own(value.clone()).unwrap(),
        _ => {}
    }
    match value {
        Value::Null => ArenaValue::NULL,
        Value::Bool(is) => ArenaValue::bool(*is),
        Value::Number(number) => match (number.as_i64(), choices.next().unwrap_or(0) % 3) {
            // The only integer that is written in two ways.
            (Some(integer), 0) if number.as_str() != "-0" => ArenaValue::integer(integer),
            (_, 1) => ArenaValue::number(number),
            _ => arena.digits(number.as_str()).unwrap(),
        },
        Value::String(text) => arena.text(text).unwrap(),
        Value::Array(items) => {
            let items: Vec<_> =
                items.iter().map(|item| build(item, names, choices, arena)).collect();
            arena.array(items).unwrap()
        }
        Value::Object(members) => {
            let members: Vec<_> = members
                .iter()
                .map(|(name, member)| (&names[name], build(member, names, choices, arena)))
                .collect();
            arena.object(members).unwrap()
        }
    }
}

/// Schemas with every way in which the validator reads a value.
fn schemas() -> Vec<Value> {
    let scalar = json!({ "type": ["string", "number", "null", "boolean"] });
    vec![
        scalar.clone(),
        json!({ "type": "integer" }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "integer" }),
        json!({ "type": "object", "required": ["a"], "properties": { "a": scalar } }),
        json!({ "required": ["a", "b"], "properties": { "a": scalar, "b": true } }),
        json!({ "required": ["a", "b", "c"] }),
        json!({ "minProperties": 2, "maxProperties": 4 }),
        json!({ "properties": { "a": {}, "b": {} }, "additionalProperties": false }),
        json!({ "required": ["a"], "properties": { "a": {} }, "additionalProperties": scalar }),
        json!({ "patternProperties": { "^[ab]": { "type": "number" } } }),
        json!({ "propertyNames": { "maxLength": 3, "pattern": "^[a-d]" } }),
        json!({ "items": scalar, "minItems": 1, "maxItems": 3 }),
        json!({ "prefixItems": [{ "type": "number" }], "items": { "type": "string" } }),
        json!({ "uniqueItems": true }),
        json!({ "contains": { "const": 1 }, "maxContains": 1 }),
        json!({ "const": { "a": 1 } }),
        json!({ "const": [1, "a"] }),
        json!({ "enum": [1, "a", null, true, [], {}, { "a": [1] }] }),
        json!({ "minimum": 1, "exclusiveMaximum": 100 }),
        json!({ "multipleOf": 0.5 }),
        json!({ "multipleOf": 2 }),
        json!({ "minLength": 2, "maxLength": 3 }),
        json!({ "pattern": "^a" }),
        json!({ "format": "date" }),
        json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] }),
        json!({ "anyOf": [{ "type": "array" }, { "properties": { "a": { "const": "a" } } }] }),
        json!({ "if": { "required": ["a"] }, "then": { "required": ["b"] } }),
        json!({ "dependentRequired": { "a": ["b"] }, "dependentSchemas": { "c": scalar } }),
        json!({ "properties": { "a": true }, "unevaluatedProperties": scalar }),
        json!({ "prefixItems": [true], "unevaluatedItems": scalar }),
        json!({ "additionalProperties": { "$ref": "#" }, "items": { "$ref": "#" }, "maximum": 9 }),
        json!({
            "oneOf": [
                { "properties": { "a": { "const": 1 } }, "required": ["a"] },
                { "properties": { "a": { "const": "a" } }, "required": ["a"] },
            ]
        }),
    ]
}

#[test]
fn a_value_in_an_arena_is_read_as_the_same_value_elsewhere() {
    let schemas = schemas();
    let oracles: Vec<_> = schemas
        .iter()
        .map(|schema| {
            let document = Document::from_value(schema.clone()).unwrap();
            let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
            let options = jsonschema::options().should_validate_formats(true).offline();
            (oracle, options.build(schema).unwrap())
        })
        .collect();
    let choices = prop::collection::vec(any::<u8>(), 0..60);
    proptest!(|(value in values(), other in values(), choices in choices)| {
        let mut known = BTreeMap::new();
        names(&value, &mut known);
        let mut arena = JsonArena::new();
        let built = build(&value, &known, &mut choices.into_iter(), &mut arena);
        prop_assert!(arena.are_equal(built, ArenaValue::listed(&value)));
        let view = arena.view(built);
        prop_assert_eq!(&*view.to_value(), &value);
        prop_assert_eq!(view.equals(JsonView::from(&other)), json_equal(&value, &other));
        let mut written = Vec::new();
        write_json(view, &mut written);
        prop_assert_eq!(String::from_utf8(written).unwrap(), value.to_string());
        for ((oracle, validator), schema) in oracles.iter().zip(&schemas) {
            let expected = validator.is_valid(&value);
            prop_assert_eq!(oracle.is_valid(view), expected, "in the arena: {}", schema);
            prop_assert_eq!(oracle.is_valid(&value), expected, "elsewhere: {}", schema);
        }
    });
}

#[test]
fn an_arena_gives_back_what_was_added_since_a_mark() {
    let name = JsonName::new("a");
    let mut arena = JsonArena::new();
    let kept = arena.text("kept").unwrap();
    let mark = arena.mark();
    let text = arena.text("not kept").unwrap();
    arena.object([(&name, text)]).unwrap();
    arena.release(mark);
    let next = arena.text("next").unwrap();
    let both = arena.array([kept, next]).unwrap();
    assert_eq!(*arena.view(both).to_value(), json!(["kept", "next"]));
}
