//! What repair guarantees, by keyword, and about boundaries and edits.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_generate::{EditKind, Repair, RepairedValue, Seed, repair};
use serde_json::{Value, json};

/// Repairs by violations alone.
fn repaired(schema: &Value, value: &Value) -> RepairedValue {
    let oracle = Oracle::new(&document(schema), FormatPolicy::Assert).unwrap();
    let rejected = oracle.check(value.clone()).unwrap_err();
    repair(&oracle, rejected, &mut Seed::from_number(1).random())
        .unwrap_or_else(|rest| panic!("{schema}: {value} became {rest:?}"))
}

fn document(schema: &Value) -> Document {
    Document::from_value(schema.clone()).unwrap()
}

/// Each value, repaired for its schema, is the expected one.
#[track_caller]
fn check_all(cases: &[(Value, Value, Value)]) {
    for (schema, value, expected) in cases {
        let repaired = repaired(schema, value);
        assert_eq!(repaired.accepted().value(), expected, "{schema}: {value}");
    }
}

#[test]
fn a_number_moves_to_the_nearest_one_that_is_admitted() {
    check_all(&[
        (json!({ "minimum": 5 }), json!(3), json!(5)),
        (json!({ "maximum": 2.5 }), json!(7), json!(2.5)),
        (json!({ "exclusiveMinimum": 5, "type": "integer" }), json!(5), json!(6)),
        (json!({ "exclusiveMaximum": 5, "multipleOf": 2 }), json!(11), json!(4)),
        (json!({ "multipleOf": 4 }), json!(9), json!(8)),
        (json!({ "multipleOf": 4, "minimum": 9 }), json!(9), json!(12)),
        (json!({ "multipleOf": 4, "minimum": 9 }), json!(1), json!(12)),
        (json!({ "type": "integer" }), json!(1.7), json!(2)),
    ]);
    let long = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    let limit = "123456789012345678901234567890";
    check_all(&[
        (json!({ "minimum": long(limit) }), json!(3), long(limit)),
        (json!({ "multipleOf": 0.01 }), long("0.075"), long("0.07")),
    ]);
}

#[test]
fn a_string_is_cut_or_continued_by_characters() {
    check_all(&[
        (json!({ "maxLength": 2 }), json!("añ💩b"), json!("añ")),
        (json!({ "minLength": 5 }), json!("ab"), json!("ababa")),
        (json!({ "minLength": 2 }), json!(""), json!("aa")),
    ]);
}

#[test]
fn a_string_is_drawn_again_for_patterns_and_formats_with_all_its_limits() {
    let schema = json!({ "pattern": "^[A-Z]+$", "minLength": 4, "maxLength": 6 });
    for value in ["", "ab", "abcdefghijkl", "ABCDEFGHIJKL"] {
        let text = repaired(&schema, &json!(value)).into_accepted().into_value();
        assert!((4..=6).contains(&text.as_str().unwrap().len()), "{text}");
    }
    let schema = json!({ "format": "date-time" });
    repaired(&schema, &json!("yesterday"));
    let schema = json!({ "format": "email", "maxLength": 12, "pattern": "^z" });
    repaired(&schema, &json!("nobody in particular"));
}

#[test]
fn a_type_is_converted_or_replaced_by_something_small() {
    check_all(&[
        (json!({ "type": "integer" }), json!("12"), json!(12)),
        (json!({ "type": "string" }), json!(12), json!("12")),
        (json!({ "type": "boolean" }), json!("true"), json!(true)),
        (json!({ "type": "array" }), json!("a"), json!(["a"])),
        (json!({ "type": "string", "minLength": 2 }), json!({ "a": 1 }), json!("aa")),
        (json!({ "type": "integer", "minimum": 7 }), json!([]), json!(7)),
        (json!({ "type": ["null", "object"] }), json!("a"), json!(null)),
    ]);
}

#[test]
fn const_and_enum_give_the_nearest_of_their_values() {
    check_all(&[
        (json!({ "const": { "a": 1 } }), json!(3), json!({ "a": 1 })),
        (json!({ "enum": [1, 10, 100] }), json!(12), json!(10)),
        (json!({ "enum": ["open", "closed", "other"] }), json!("close"), json!("closed")),
        (json!({ "enum": ["OPEN", "CLOSED"] }), json!("closed"), json!("CLOSED")),
        (json!({ "enum": [1, "a", null], "type": ["string", "null"] }), json!(2), json!("a")),
    ]);
}

#[test]
fn an_array_gets_the_length_and_the_items_it_should_have() {
    let closed = json!({ "prefixItems": [{ "const": 1 }, true], "items": false, "minItems": 2 });
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "items": [true], "additionalItems": false
    });
    let few = json!({ "uniqueItems": true, "items": { "enum": [1, 2, 3] } });
    check_all(&[
        (json!({ "minItems": 3 }), json!([7]), json!([7, 7, 7])),
        (json!({ "minItems": 3, "uniqueItems": true }), json!([7]), json!([7, 8, 9])),
        (json!({ "minItems": 2, "items": { "type": "string" } }), json!([]), json!(["", ""])),
        (json!({ "maxItems": 1 }), json!([1, 2, 3]), json!([1])),
        (json!({ "uniqueItems": true }), json!(["a", "b", "a"]), json!(["a", "b", "a1"])),
        (few.clone(), json!([3, 3, 1]), json!([3, 2, 1])),
        (few, json!([1, 2, 3, 3]), json!([1, 2, 3])),
        (closed, json!([2, 2, 3]), json!([1, 2])),
        (draft_7, json!([2, 2, 3]), json!([2])),
        (json!({ "prefixItems": [true], "unevaluatedItems": false }), json!([1, 2]), json!([1])),
    ]);
}

#[test]
fn an_array_contains_as_many_as_it_should() {
    let small =
        json!({ "type": "object", "required": ["k"], "properties": { "k": { "const": 5 } } });
    let cases = [
        (json!({ "contains": small }), json!([1]), json!([1, { "k": 5 }])),
        (json!({ "contains": small, "maxItems": 1 }), json!([1]), json!([{ "k": 5 }])),
        (json!({ "contains": { "const": 5 }, "minContains": 3 }), json!([5]), json!([5, 5, 5])),
        (
            json!({ "contains": { "minimum": 5 }, "maxContains": 1 }),
            json!([5, 1, 6]),
            json!([5, 1]),
        ),
        // An array of the minimum length keeps its length.
        (json!({ "contains": { "const": 5 }, "minItems": 2 }), json!([1, 2]), json!([1, 5])),
    ];
    for (schema, value, expected) in cases {
        let document = document(&schema);
        let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
        let rejected = oracle.check(value).unwrap_err();
        let repair = Repair::new(oracle).reading(&document, FormatPolicy::Assert);
        let repaired = repair.run(rejected, &mut Seed::from_number(1).random()).unwrap();
        assert_eq!(repaired.accepted().value(), &expected, "{schema}");
    }
}

#[test]
fn an_object_gets_the_members_it_lacks() {
    let nested = json!({
        "required": ["a"], "properties": { "a": {
            "type": "object", "required": ["b", "c"],
            "properties": { "b": { "type": "integer", "minimum": 3 }, "c": { "enum": ["x", "y"] } }
        } }
    });
    let dependent =
        json!({ "dependentRequired": { "a": ["b"] }, "properties": { "b": { "type": "array" } } });
    let draft_7 = json!({
        "$schema": "http://json-schema.org/draft-07/schema#", "dependencies": { "a": ["b"] }
    });
    let schemas =
        json!({ "dependentSchemas": { "a": { "properties": { "b": { "minimum": 2 } } } } });
    check_all(&[
        (json!({ "required": ["a", "b"] }), json!({ "a": 1 }), json!({ "a": 1, "b": null })),
        (nested, json!({}), json!({ "a": { "b": 3, "c": "x" } })),
        (dependent, json!({ "a": 1 }), json!({ "a": 1, "b": [] })),
        (draft_7, json!({ "a": 1 }), json!({ "a": 1, "b": null })),
        (schemas, json!({ "a": 1, "b": 0 }), json!({ "a": 1, "b": 2 })),
        (json!({ "minProperties": 2 }), json!({ "a": 1 }), json!({ "a": 1, "b": null })),
    ]);
}

#[test]
fn an_object_loses_or_renames_the_members_it_should_not_have() {
    let closed = json!({ "properties": { "a": true }, "additionalProperties": false });
    let unevaluated =
        json!({ "allOf": [{ "properties": { "a": true } }], "unevaluatedProperties": false });
    let names = json!({ "propertyNames": { "enum": ["red", "green"] } });
    let most = json!({ "maxProperties": 1, "required": ["b"] });
    check_all(&[
        (closed, json!({ "a": 1, "b": 2, "c": 3 }), json!({ "a": 1 })),
        (unevaluated, json!({ "a": 1, "b": 2 }), json!({ "a": 1 })),
        (names, json!({ "redd": 7 }), json!({ "red": 7 })),
        (json!({ "propertyNames": { "maxLength": 2 } }), json!({ "long": 7 }), json!({ "lo": 7 })),
        (most, json!({ "a": 1, "b": 2, "c": 3 }), json!({ "b": 2 })),
        (json!({ "properties": { "a": false } }), json!({ "a": 1, "b": 2 }), json!({ "b": 2 })),
    ]);
}

#[test]
fn a_value_is_repaired_towards_the_nearest_branch() {
    let shapes = json!({ "anyOf": [
        { "required": ["radius"], "properties": { "kind": { "const": "circle" }, "radius": { "minimum": 1 } } },
        { "required": ["width", "height", "depth"], "properties": { "kind": { "const": "box" } } }
    ] });
    let exclusive = json!({ "oneOf": [{ "required": ["a"] }, { "required": ["b"] }] });
    check_all(&[
        (
            shapes,
            json!({ "kind": "circle", "radius": 0 }),
            json!({ "kind": "circle", "radius": 1 }),
        ),
        (json!({ "oneOf": [{ "multipleOf": 3 }, { "multipleOf": 5 }] }), json!(16), json!(18)),
        (exclusive.clone(), json!({ "a": 1, "b": 2, "c": 3 }), json!({ "b": 2, "c": 3 })),
        (exclusive, json!({}), json!({ "a": null })),
    ]);
}

#[test]
fn values_that_not_and_conditions_forbid_are_changed() {
    let condition = json!({
        "if": { "properties": { "k": { "const": 1 } }, "required": ["k"] },
        "then": { "required": ["v"] }, "else": { "maxProperties": 1 }
    });
    let tree = json!({ "$ref": "#/$defs/t", "$defs": { "t": {
        "type": "object", "properties": { "t": { "$ref": "#/$defs/t" } }, "additionalProperties": false
    } } });
    check_all(&[
        (json!({ "not": { "const": "a" } }), json!("a"), json!("aa")),
        (json!({ "not": { "required": ["a"] } }), json!({ "a": 1, "b": 2 }), json!({ "b": 2 })),
        (json!({ "type": "integer", "not": { "minimum": 0 } }), json!(3), json!(-3)),
        (condition.clone(), json!({ "k": 1 }), json!({ "k": 1, "v": null })),
        (condition, json!({ "k": 2, "v": 2 }), json!({ "k": 2 })),
        (tree, json!({ "t": { "t": { "x": 1 } } }), json!({ "t": { "t": {} } })),
    ]);
}

#[test]
fn a_value_on_its_boundary_stays_there() {
    let schema = json!({
        "type": "object", "minProperties": 3, "required": ["low", "text", "list"], "properties": {
            "low": { "type": "integer", "minimum": 1, "maximum": 9 },
            "text": { "type": "string", "maxLength": 6, "pattern": "^[a-z]*$" },
            "list": { "type": "array", "maxItems": 2, "uniqueItems": true, "items": { "type": "integer" } }
        }
    });
    let repaired =
        repaired(&schema, &json!({ "low": 1, "text": "ABCDEF", "list": [4, 4], "more": 1 }));
    let value = repaired.accepted().value();
    assert_eq!(
        (&value["low"], &value["list"], &value["more"]),
        (&json!(1), &json!([4, 5]), &json!(1))
    );
    // The pattern forced other characters, and nothing forced another length.
    assert_eq!(value["text"].as_str().unwrap().len(), 6);
    let paths: Vec<&str> = repaired.edits().iter().map(|edit| edit.instance().as_str()).collect();
    assert_eq!(paths, ["/list/1", "/text"]);
}

#[test]
fn a_boundary_is_left_where_another_constraint_forces_it() {
    check_all(&[
        (json!({ "minimum": 5, "maximum": 9, "multipleOf": 4 }), json!(5), json!(8)),
        (json!({ "minimum": 5, "not": { "const": 5 } }), json!(5), json!(6)),
    ]);
}

#[test]
fn several_violations_are_repaired_and_each_edit_is_listed() {
    let schema = json!({ "required": ["id"], "additionalProperties": false, "properties": {
        "id": { "type": "integer", "minimum": 1 }, "name": { "maxLength": 3 }, "tags": { "maxItems": 1 }
    } });
    let repaired = repaired(&schema, &json!({ "name": "abcd", "tags": [1, 2], "junk": true }));
    assert_eq!(repaired.accepted().value(), &json!({ "id": 1, "name": "abc", "tags": [1] }));
    let edits: Vec<_> = repaired
        .edits()
        .iter()
        .map(|edit| (edit.instance().as_str(), edit.keyword(), edit.kind().clone()))
        .collect();
    assert_eq!(
        edits,
        [
            ("/junk", "additionalProperties", EditKind::Removed(json!(true))),
            ("/name", "maxLength", EditKind::Replaced(json!("abcd"))),
            ("/tags/1", "maxItems", EditKind::Removed(json!(2))),
            ("/id", "required", EditKind::Added),
        ]
    );
}

#[test]
fn a_value_that_cannot_be_repaired_is_no_worse() {
    let schema =
        json!({ "type": "object", "properties": { "a": { "minimum": 3 } }, "allOf": [false] });
    let oracle = Oracle::new(&document(&schema), FormatPolicy::Assert).unwrap();
    let rejected = oracle.check(json!({ "a": 1 })).unwrap_err();
    assert_eq!(rejected.violations().len(), 2);
    let rest = repair(&oracle, rejected, &mut Seed::from_number(1).random()).unwrap_err();
    assert_eq!(rest.value(), &json!({ "a": 3 }));
    assert_eq!(rest.violations().len(), 1);
}
