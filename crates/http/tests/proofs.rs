//! Wire rules are part of the algebra: what they exclude is proven unreachable, and they relax nothing.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{
    Canonicalizer, Document, FormatPolicy, Verdict,
    openapi::{Api, EntryOptions, Side},
};
use serde_json::{Value, json};

/// The request of an operation with one parameter, as a set of values.
fn request(version: &str, parameter: &Value) -> Canonicalizer {
    let path = if parameter["in"] == "path" { "/{p}" } else { "/" };
    let mut parameter = parameter.clone();
    parameter["name"] = json!("p");
    parameter["required"] = json!(true);
    let document = Document::from_value(json!({
        "openapi": version, "info": {}, "paths": { path: { "get": { "parameters": [parameter] } } }
    }));
    let api = Api::of(&document.unwrap()).unwrap();
    let entry = api.entry(0, Side::Request, &EntryOptions::default()).unwrap().unwrap();
    Canonicalizer::new(&entry.document, FormatPolicy::Assert).unwrap()
}

#[test]
fn what_does_not_arrive_is_proven_unreachable() {
    let strings = json!({ "type": "array", "items": { "type": "string" } });
    for (parameter, is_satisfiable) in [
        (json!({ "in": "path", "schema": { "enum": ["", ".", ".."] } }), false),
        (json!({ "in": "path", "schema": { "enum": ["", ".", "..", "a"] } }), true),
        (json!({ "in": "path", "schema": { "type": "string", "maxLength": 0 } }), false),
        (json!({ "in": "query", "schema": { "type": "array", "maxItems": 0 } }), false),
        (json!({ "in": "query", "schema": { "type": "object", "maxProperties": 0 } }), false),
        (json!({ "in": "query", "schema": { "type": "string", "maxLength": 0 } }), true),
        (json!({ "in": "header", "schema": { "type": "string", "maxLength": 0 } }), false),
        (
            json!({ "in": "query", "style": "deepObject", "schema": { "type": "object",
            "required": ["a"], "properties": { "a": { "type": "object" } } } }),
            false,
        ),
        (json!({ "in": "query", "style": "deepObject", "schema": strings }), false),
        (json!({ "in": "query", "schema": { "enum": [null] } }), false),
    ] {
        for version in ["3.0.3", "3.1.0"] {
            let verdict = request(version, &parameter).root().satisfiable();
            let expected = if is_satisfiable { Verdict::Yes } else { Verdict::No };
            assert_eq!(verdict, expected, "{version} {parameter}");
        }
    }
}

#[test]
fn rules_relax_nothing() {
    let scalars = json!({ "type": "string" });
    let strings = json!({ "type": "array", "items": scalars });
    let object = json!({ "type": "object", "additionalProperties": scalars });
    let any = json!({});
    let mixed = json!({ "type": ["string", "integer", "boolean", "null"] });
    let either = json!({ "anyOf": [scalars, strings] });
    let mut count = 0;
    for (place, style) in [
        ("path", "simple"),
        ("path", "label"),
        ("path", "matrix"),
        ("query", "form"),
        ("query", "deepObject"),
        ("query", "pipeDelimited"),
        ("header", "simple"),
        ("cookie", "form"),
        ("cookie", "cookie"),
    ] {
        for explode in [false, true] {
            for schema in [&scalars, &strings, &object, &any, &mixed, &either] {
                let parameter =
                    json!({ "in": place, "style": style, "explode": explode, "schema": schema });
                let forms = request("3.1.0", &parameter);
                let relaxed: Vec<String> = forms
                    .relaxed()
                    .iter()
                    .map(|it| format!("{} {}", it.pointer().to_fragment(), it.keyword()))
                    .collect();
                assert_eq!(relaxed, Vec::<String>::new(), "{parameter}");
                count += 1;
            }
        }
    }
    assert_eq!(count, 108);
}
