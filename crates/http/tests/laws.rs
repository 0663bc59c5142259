//! The law of the wire: what satisfies a parameter's schema and its wire rule is read back as it was.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{
    Document, FormatPolicy, Oracle, json_equal,
    openapi::{Api, EntryOptions, Side},
};
use foolproof_http::{parse, serialize};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

/// Every style at every place that the specification allows it at, and some that it does not.
const STYLES: [(&str, &str); 14] = [
    ("path", "simple"),
    ("path", "label"),
    ("path", "matrix"),
    ("path", "pipeDelimited"),
    ("query", "form"),
    ("query", "spaceDelimited"),
    ("query", "pipeDelimited"),
    ("query", "deepObject"),
    ("query", "simple"),
    ("header", "simple"),
    ("header", "spaceDelimited"),
    ("cookie", "form"),
    ("cookie", "cookie"),
    ("cookie", "simple"),
];

fn schemas() -> Vec<Value> {
    let scalars = ["string", "integer", "number", "boolean"].map(|name| json!({ "type": name }));
    let mixed = json!({ "type": ["string", "number", "boolean"] });
    let array = |items: &Value| json!({ "type": "array", "items": items });
    let object = |member: &Value| json!({ "type": "object", "additionalProperties": member });
    let mut schemas: Vec<Value> = scalars.to_vec();
    schemas.extend(scalars.iter().map(array));
    schemas.extend(scalars.iter().map(object));
    schemas.extend([array(&mixed), object(&mixed), array(&json!({})), object(&json!({}))]);
    schemas.push(json!({ "anyOf": [scalars[0], array(&scalars[0])] }));
    schemas.push(json!({ "oneOf": [scalars[1], object(&scalars[1])] }));
    schemas.push(json!({ "anyOf": [array(&scalars[0]), object(&scalars[0])] }));
    schemas.push(json!({ "type": ["string", "integer", "null"] }));
    schemas.push(json!({ "type": "object", "properties": {
        "R": { "type": "integer" }, "p": { "type": "string" }, "other": { "type": "boolean" }
    } }));
    schemas.push(mixed);
    schemas.push(json!({}));
    schemas
}

fn strings() -> impl Strategy<Value = String> {
    let special = prop::sample::select(
        ",.;=&|% +/#?[]\"'\\\t\r\n{}:éß😀\0\u{7f}~-_!$()*@^`<>".chars().collect::<Vec<_>>(),
    );
    let words = ["", ".", "..", "true", "false", "null", "1", "-1.5e3", "007", " ", "a,b", "a=b"];
    prop_oneof![
        3 => "[a-z]{0,4}",
        3 => prop::collection::vec(special, 0..4).prop_map(|all| all.into_iter().collect()),
        2 => prop::sample::select(words.to_vec()).prop_map(str::to_owned),
        1 => any::<String>(),
    ]
}

fn scalars() -> impl Strategy<Value = Value> {
    let numbers = ["0", "-0.0", "1.50", "1e3", "-12", "99999999999999999999", "2.5E-7", "1.0"];
    let number = |text: &str| serde_json::from_str::<Value>(text).unwrap();
    prop_oneof![
        4 => strings().prop_map(Value::String),
        2 => any::<i64>().prop_map(Value::from),
        1 => prop::sample::select(numbers.to_vec()).prop_map(number),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let uniform = |value: BoxedStrategy<Value>| {
        prop_oneof![
            1 => value.clone(),
            1 => prop::collection::vec(value.clone(), 0..4).prop_map(Value::Array),
            1 => prop::collection::btree_map(names(), value, 0..4)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    };
    prop_oneof![
        uniform(strings().prop_map(Value::String).boxed()),
        uniform(any::<i16>().prop_map(Value::from).boxed()),
        uniform(any::<f32>().prop_map(|it| json!(it)).boxed()),
        uniform(any::<bool>().prop_map(Value::Bool).boxed()),
        uniform(scalars().boxed()),
        uniform(
            prop_oneof![scalars(), prop::collection::vec(scalars(), 0..2).prop_map(Value::Array)]
                .boxed()
        ),
    ]
}

fn names() -> impl Strategy<Value = String> {
    prop_oneof![strings(), prop::sample::select(vec!["R", "p", "other"]).prop_map(str::to_owned)]
}

struct Case {
    api: Api,
    oracle: Oracle,
    schema_only: Oracle,
    place: &'static str,
}

impl Case {
    fn new(place: &'static str, fields: &Value, schema: &Value, version: &str) -> Self {
        let mut parameter = json!({ "name": "p", "in": place, "required": true, "schema": schema });
        for (key, value) in fields.as_object().unwrap() {
            parameter[key] = value.clone();
        }
        let document = Document::from_value(json!({
            "openapi": version, "info": {},
            "paths": { "/a/{p}": { "get": { "parameters": [
                parameter,
                // Names beside it, which members must not take.
                { "name": "other", "in": place, "schema": { "type": "integer" } },
                { "name": if place == "path" { "other" } else { "p" }, "in": "path", "schema": {} }
            ] } } }
        }));
        let mut document = document.unwrap();
        if place == "path" {
            // The template has one variable only.
            document = Document::from_value(json!({
                "openapi": version, "info": {},
                "paths": { "/a/{p}": { "get": { "parameters": [document.value()["paths"]["/a/{p}"]["get"]["parameters"][0]] } } }
            })).unwrap();
        }
        let api = Api::of(&document).unwrap();
        let entry = api.entry(0, Side::Request, &EntryOptions::default()).unwrap().unwrap();
        let oracle = Oracle::new(&entry.document, FormatPolicy::Assert).unwrap();
        let schema = Document::from_value(schema.clone()).unwrap();
        let schema_only = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
        Self { api, oracle, schema_only, place }
    }

    fn accepts(&self, value: &Value) -> bool {
        let mut request = json!({ "path": { "p": "x" } });
        request[self.place]["p"] = value.clone();
        if self.place == "path" {
            request = json!({ "path": { "p": value } });
        }
        self.oracle.is_valid(&request)
    }

    fn round_trip(&self, value: &Value) -> Result<Value, String> {
        let parameters = &self.api.operations()[0].parameters;
        let is_it = |it: &&foolproof_contract::openapi::Parameter| {
            it.name == "p" && it.place.as_str() == self.place
        };
        let parameter = parameters.iter().find(is_it).unwrap();
        let format = parameter.wire_format();
        let texts = serialize("p", format, value).map_err(|error| error.to_string())?;
        let pieces: Vec<&str> = texts.iter().map(String::as_str).collect();
        for piece in &pieces {
            let is_sendable =
                piece.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t');
            assert!(is_sendable, "{piece:?}");
            assert!(self.place == "header" || !piece.contains([' ', '\t', '"', '<']), "{piece:?}");
            assert!(self.place != "path" || !["", ".", ".."].contains(piece), "{value}");
            assert!(self.place != "cookie" || !piece.contains(';'), "{piece:?}");
        }
        let types = self.api.value_types(parameter.schema.as_ref());
        parse("p", format, &pieces, &types).ok_or_else(|| format!("{texts:?} is nothing"))
    }
}

#[test]
fn what_a_rule_admits_is_read_back_equal() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[7; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let values: Vec<Value> =
        (0..300).map(|_| values().new_tree(&mut runner).unwrap().current()).collect();
    let (mut accepted, mut special, mut excluded, mut cases) = (0, 0, 0, 0);
    for (place, style) in STYLES {
        for explode in [false, true] {
            for reserved in [false, true] {
                for schema in schemas() {
                    let fields =
                        json!({ "style": style, "explode": explode, "allowReserved": reserved });
                    let case = Case::new(place, &fields, &schema, "3.1.0");
                    cases += 1;
                    for value in &values {
                        if !case.accepts(value) {
                            excluded += usize::from(case.schema_only.is_valid(value));
                            continue;
                        }
                        accepted += 1;
                        special += usize::from(is_special(value));
                        let label = format!("{place} {fields} {schema} {value}");
                        let read = case
                            .round_trip(value)
                            .unwrap_or_else(|error| panic!("{label}: {error}"));
                        assert!(json_equal(&read, value), "{label}: {read}");
                    }
                }
            }
        }
    }
    println!(
        "{cases} cases: {accepted} values accepted, {special} of them special, {excluded} excluded"
    );
    assert!(accepted > 40_000 && special > 20_000 && excluded > 10_000);
}

/// Whether a value has characters that some place has to encode, or structure.
fn is_special(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.chars().all(|it| it.is_ascii_alphanumeric()),
        Value::Array(_) | Value::Object(_) => true,
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// Rules under draft 4, whose keywords are fewer.
#[test]
fn rules_hold_under_draft_4() {
    for (place, style) in STYLES {
        for schema in schemas().into_iter().filter(|schema| !schema["type"].is_array()) {
            let case = Case::new(place, &json!({ "style": style }), &schema, "3.0.3");
            assert!(!case.accepts(&Value::Null), "{place} {style} {schema}");
        }
    }
}

/// What is excluded, and what is not: a rule that excludes more than it must hides targets.
#[test]
fn rules_exclude_what_does_not_arrive_and_nothing_else() {
    let string = json!({ "type": "string" });
    let strings = json!({ "type": "array", "items": string });
    let object = json!({ "type": "object", "additionalProperties": string });
    let any = json!({});
    let form = json!({});
    let flat = json!({ "explode": false });
    for (place, fields, schema, value, is_admitted) in [
        ("path", &form, &string, json!(""), false),
        ("path", &form, &string, json!("."), false),
        ("path", &form, &string, json!(".."), false),
        ("path", &form, &string, json!("..."), true),
        ("path", &form, &string, json!("a/b,c"), true),
        ("path", &json!({ "style": "label" }), &string, json!("."), false),
        ("path", &json!({ "style": "label" }), &string, json!(".."), true),
        ("path", &json!({ "style": "matrix" }), &string, json!(""), true),
        ("path", &form, &strings, json!([".."]), false),
        ("path", &form, &strings, json!(["..", "a"]), true),
        ("path", &form, &strings, json!(["a,b", "a"]), false),
        ("query", &form, &string, json!(""), true),
        ("query", &form, &string, json!("a&b=c,d\r\n"), true),
        ("query", &form, &strings, json!([]), false),
        ("query", &form, &strings, json!([""]), true),
        ("query", &flat, &strings, json!([""]), false),
        ("query", &form, &strings, json!(["a,b"]), true),
        ("query", &flat, &strings, json!(["a,b"]), false),
        ("query", &flat, &strings, json!(["a|b", "c d"]), true),
        (
            "query",
            &json!({ "style": "pipeDelimited", "explode": false }),
            &strings,
            json!(["a|b"]),
            false,
        ),
        ("query", &form, &object, json!({ "a": "b" }), true),
        ("query", &form, &object, json!({ "p": "b" }), true),
        ("query", &form, &object, json!({ "other": "b" }), false),
        ("query", &form, &object, json!({}), false),
        ("query", &json!({ "style": "deepObject" }), &object, json!({ "other": "b" }), true),
        ("query", &json!({ "style": "deepObject" }), &object, json!({ "a]": "b" }), false),
        ("query", &json!({ "style": "deepObject" }), &any, json!({ "a": { "b": 1 } }), false),
        ("query", &form, &any, json!("1"), false),
        ("query", &form, &any, json!("01"), true),
        ("query", &form, &any, json!(1), true),
        ("query", &form, &any, json!(null), false),
        ("query", &form, &any, json!([1]), false),
        ("query", &form, &any, json!([1, 2]), true),
        ("query", &form, &string, json!("true"), true),
        ("header", &form, &string, json!("a b"), true),
        ("header", &form, &string, json!("a,b"), true),
        ("header", &form, &string, json!("a b "), false),
        ("header", &form, &string, json!("a\r\nb"), false),
        ("header", &form, &string, json!("é"), false),
        ("header", &form, &string, json!(""), false),
        ("header", &form, &strings, json!(["a", ""]), false),
        ("cookie", &form, &string, json!("a;b é"), true),
        ("cookie", &json!({ "style": "cookie" }), &string, json!("a;b"), false),
        ("cookie", &json!({ "style": "cookie" }), &string, json!("a:b"), true),
    ] {
        let case = Case::new(place, fields, schema, "3.1.0");
        assert_eq!(case.accepts(&value), is_admitted, "{place} {fields} {schema} {value}");
        if is_admitted {
            assert_eq!(case.round_trip(&value).as_ref(), Ok(&value));
        }
    }
}

/// Most parameters need no rule at all.
#[test]
fn a_parameter_whose_values_all_arrive_has_no_rule() {
    for (place, schema) in [
        ("query", json!({ "type": "integer" })),
        ("query", json!({ "type": "string" })),
        ("cookie", json!({ "type": "string" })),
        ("header", json!({ "type": "number" })),
        ("path", json!({ "type": "integer" })),
    ] {
        let case = Case::new(place, &json!({}), &schema, "3.1.0");
        let entry = case.api.entry(0, Side::Request, &EntryOptions::default()).unwrap().unwrap();
        let request = entry.document.value()["foolproof:entry"]["request"].to_string();
        let property = &entry.document.value()["foolproof:entry"]["request"]["properties"][place];
        assert_eq!(property["properties"]["p"].get("allOf"), None, "{request}");
    }
}
