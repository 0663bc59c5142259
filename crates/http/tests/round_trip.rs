//! The law of whole requests: what is built from an admitted value is read back from an archive equal.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{
    Document, FormatPolicy, Oracle, json_equal,
    openapi::{Api, Content, EntryOptions, Operation, Side},
};
use foolproof_http::{BodyState, Traffic, TrafficReader, build_request, read_har, to_har};
use proptest::{
    prelude::*,
    strategy::ValueTree as _,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

/// An operation with parameters of every place and a body of each media type.
fn api() -> Api {
    let any = json!({ "type": ["string", "number", "boolean", "array", "object"] });
    let operation = |media_type: &str, encoding: Value| {
        let media_type = json!({ media_type: {
            "schema": { "type": "object", "properties": {
                "text": { "type": "string" }, "count": { "type": "integer" },
                "tags": { "type": "array", "items": { "type": "string" } },
                "mixed": any, "nested": { "type": "object" }, "deep": { "type": "object" },
                "piped": { "type": "array", "items": { "type": "integer" } }, "raw": {},
                "file": { "type": "string", "format": "binary" }
            } },
            "encoding": encoding
        } });
        let body = json!({ "content": media_type });
        json!({ "requestBody": body, "parameters": [
            { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
            { "name": "coordinates", "in": "path", "required": true, "style": "matrix",
              "schema": { "type": "array", "items": { "type": "number" } } },
            { "name": "filter", "in": "query", "style": "deepObject", "schema": { "type": "object" } },
            { "name": "page", "in": "query", "schema": { "type": "object", "properties": {
                "size": { "type": "integer" }, "filter": { "type": "string" }
            } } },
            { "name": "sort", "in": "query", "schema": { "type": "object", "properties": {
                "size": { "type": "integer" }, "order": { "type": "string" }
            } } },
            { "name": "ids", "in": "query", "explode": false, "schema": any },
            { "name": "q", "in": "query", "content": { "application/json": { "schema": {} } } },
            { "name": "X-Trace", "in": "header", "schema": any },
            { "name": "X-Json", "in": "header", "content": { "application/json": {} } },
            { "name": "theme", "in": "cookie", "schema": any },
            { "name": "raw", "in": "cookie", "style": "cookie", "schema": { "type": "string" } }
        ] })
    };
    let encoding = json!({
        "deep": { "style": "deepObject", "explode": true },
        "piped": { "style": "pipeDelimited", "explode": false },
        "raw": { "contentType": "application/json" }
    });
    let document = json!({
        "openapi": "3.1.0", "info": {}, "servers": [{ "url": "https://example.org/v1" }],
        "paths": { "/a b/{id}/at{coordinates}": {
            "post": operation("application/json", json!({})),
            "put": operation("application/x-www-form-urlencoded", encoding.clone()),
            "patch": operation("multipart/form-data", encoding)
        } }
    });
    Api::of(&Document::from_value(document).unwrap()).unwrap()
}

fn strings() -> impl Strategy<Value = String> {
    let special: Vec<char> = ",.;=&|% +/#?[]\"'\\\t\r\n{}:é😀\0-".chars().collect();
    prop_oneof![
        "[a-z]{0,4}",
        prop::collection::vec(prop::sample::select(special), 0..4)
            .prop_map(|all| all.into_iter().collect()),
        prop::sample::select(vec!["true", "1.5", "null", "{}", "[1]", "..", "size", "filter"])
            .prop_map(str::to_owned),
    ]
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => strings().prop_map(Value::String),
        1 => any::<i32>().prop_map(Value::from),
        1 => any::<f32>().prop_map(|it| json!(it)),
        1 => any::<bool>().prop_map(Value::Bool),
        1 => Just(Value::Null),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        let members = prop::collection::btree_map(strings(), inner.clone(), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Every part is drawn until the entry admits it alone, so that whole requests are admitted.
struct Drawer<'o> {
    oracle: &'o Oracle,
    runner: TestRunner,
    request: Value,
}

impl Drawer<'_> {
    fn add(&mut self, part: &str, name: &str) {
        for _ in 0..12 {
            let value = values().new_tree(&mut self.runner).unwrap().current();
            let mut request = self.request.clone();
            request[part][name] = value;
            if self.oracle.is_valid(&request) {
                self.request = request;
                return;
            }
        }
    }
}

/// Builds and reads `rounds` requests of each operation; how many parameters and members they had.
fn check(api: &Api, rounds: usize) -> usize {
    let mut reader = TrafficReader::new(api, None).unwrap();
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[3; 32]);
    let mut runner = TestRunner::new_with_rng(ProptestConfig::default(), rng);
    let mut parts = 0;
    for (index, operation) in api.operations().iter().enumerate() {
        let entry = api.entry(index, Side::Request, &EntryOptions::default()).unwrap().unwrap();
        let oracle = Oracle::new(&entry.document, FormatPolicy::Assert).unwrap();
        for _ in 0..rounds {
            let mut drawer = Drawer { oracle: &oracle, runner, request: start(operation) };
            assert!(oracle.is_valid(&drawer.request), "{}", drawer.request);
            for parameter in &operation.parameters {
                let place = parameter.place.as_str();
                let part = if place == "querystring" { "query" } else { place };
                drawer.add(part, &parameter.name);
            }
            let has_body = operation.body.is_some();
            for name in FIELDS.iter().filter(|_| has_body) {
                drawer.add("body", name);
            }
            let value = drawer.request;
            runner = drawer.runner;
            let label = format!("{} {value}", operation.key);
            let request = build_request(api, index, &value, None)
                .unwrap_or_else(|error| panic!("{label}: {error}"));
            let archive = to_har(&[request]).to_string();
            let entries = read_har(archive.as_bytes()).unwrap();
            let Traffic::Matched(exchange) = reader.archived(&entries[0]) else {
                panic!("{label}")
            };
            assert_eq!(exchange.operation, index, "{label}");
            let read = exchange.request.unwrap();
            let expected = if has_body { BodyState::Read } else { BodyState::Absent };
            assert_eq!(read.body, expected, "{label}");
            let [read_value] = read.values.as_slice() else { panic!("{label}: {read:?}") };
            assert!(json_equal(read_value, &value), "{label}\n{read_value}\n{}", entries[0].url);
            assert_eq!(read.undeclared, Vec::<String>::new(), "{label}");
            let members = value.as_object().unwrap().values();
            parts += members.map(|it| it.as_object().unwrap().len()).sum::<usize>();
        }
    }
    parts
}

/// The members of bodies that are drawn.
const FIELDS: [&str; 10] =
    ["text", "count", "tags", "mixed", "nested", "deep", "piped", "raw", "file", "x"];

/// A request with what every request has.
fn start(operation: &Operation) -> Value {
    let mut request = json!({});
    for parameter in &operation.parameters {
        let place = parameter.place.as_str();
        let part = if place == "querystring" { "query" } else { place };
        if request.get(part).is_none() {
            request[part] = json!({});
        }
        if part == "path" {
            let is_list = parameter.name == "coordinates";
            request[part][&parameter.name] = if is_list { json!([1.5]) } else { json!("x") };
        }
    }
    if let Some(body) = &operation.body {
        assert!(!matches!(body.media_types[0].content, Content::Items(_)));
        request["body"] = json!({});
    }
    request
}

#[test]
fn requests_of_version_3_1_are_read_back() {
    let parts = check(&api(), 150);
    println!("{parts} parameters and members");
    assert!(parts > 4_000);
}

#[test]
fn requests_of_version_2_are_read_back() {
    let list = |name: &str, place: &str, format: &str| {
        json!({ "name": name, "in": place, "type": "array", "items": { "type": "string" },
            "collectionFormat": format, "required": place == "path" })
    };
    let scalar =
        |name: &str, place: &str, kind: &str| json!({ "name": name, "in": place, "type": kind });
    let operation = json!({
        "consumes": ["application/x-www-form-urlencoded"],
        "parameters": [
            list("coordinates", "path", "pipes"), list("a", "query", "csv"), list("b", "query", "ssv"),
            list("c", "query", "tsv"), list("d", "query", "pipes"), list("e", "query", "multi"),
            list("X-A", "header", "csv"), list("X-B", "header", "ssv"), list("X-C", "header", "tsv"),
            list("tags", "formData", "csv"), list("mixed", "formData", "multi"),
            scalar("text", "formData", "string"), scalar("count", "formData", "integer"),
            scalar("f", "query", "boolean"), scalar("g", "query", "number")
        ]
    });
    let document = json!({
        "swagger": "2.0", "info": {}, "host": "example.org", "basePath": "/v1",
        "paths": { "/at/{coordinates}": { "post": operation } }
    });
    let mut document = document;
    document["paths"]["/at/{coordinates}"]["post"]["parameters"][0]["items"]["type"] =
        json!("number");
    let api = Api::of(&Document::from_value(document).unwrap()).unwrap();
    let parts = check(&api, 300);
    println!("{parts} parameters and members");
    assert!(parts > 1_500);
}

#[test]
fn requests_of_version_3_2_are_read_back() {
    let whole = |media_type: &str| {
        json!({ "parameters": [{ "name": "q", "in": "querystring", "content": { media_type: { "schema": {
            "type": "object", "properties": { "a": { "type": "integer" } }
        } } } }] })
    };
    let document = json!({
        "openapi": "3.2.0", "info": {}, "paths": {
            "/form": { "query": whole("application/x-www-form-urlencoded") },
            "/json": { "get": whole("application/json") },
            "/reserved": { "get": { "parameters": [
                { "name": "a", "in": "query", "allowReserved": true, "schema": { "type": "string" } },
                { "name": "b", "in": "cookie", "style": "cookie", "explode": true,
                  "schema": { "type": "object" } },
                { "name": "c", "in": "cookie", "style": "cookie", "schema": { "type": "integer" } }
            ] } }
        }
    });
    let parts = check(&Api::of(&Document::from_value(document).unwrap()).unwrap(), 300);
    println!("{parts} parameters and members");
    assert!(parts > 700);
}

/// Several parameters in one segment, with text between them.
#[test]
fn parameters_that_share_a_segment_are_read_back() {
    let path = |name: &str| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } });
    let mut label = path("label");
    label["style"] = json!("label");
    let document = json!({
        "openapi": "3.1.0", "info": {}, "paths": {
            "/{x},{y}": { "get": { "parameters": [path("x"), path("y")] } },
            "/a/{x}-{y}": { "get": { "parameters": [path("x"), path("y")] } },
            "/b/{x}...{y}.json": { "get": { "parameters": [path("x"), path("y")] } },
            "/c/report{label}": { "get": { "parameters": [label] } }
        }
    });
    let parts = check(&Api::of(&Document::from_value(document).unwrap()).unwrap(), 300);
    assert!(parts > 2_000);
}
