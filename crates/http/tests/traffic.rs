//! Recorded traffic: archives as tools write them, and what is read from them.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, openapi::Api};
use foolproof_http::{
    BodyState, Exchange, Form, ReadError, RecordedBody, Traffic, TrafficReader, parse,
    read_envelopes, read_har,
};
use proptest::prelude::*;
use serde_json::{Value, json};

fn api() -> Api {
    let json_body =
        json!({ "content": { "application/json": { "schema": { "type": "object" } } } });
    let document = json!({
        "openapi": "3.0.3", "info": { "title": "", "version": "" },
        "servers": [{ "url": "https://api.example.org/v1" }],
        "paths": {
            "/pets": {
                "get": {
                    "parameters": [
                        { "name": "ids", "in": "query", "explode": false,
                          "schema": { "type": "array", "items": { "type": "integer" } } },
                        { "name": "X-Tags", "in": "header",
                          "schema": { "type": "array", "items": { "type": "string" } } },
                        { "name": "session", "in": "cookie", "schema": { "type": "string" } }
                    ],
                    "responses": {
                        "200": json_body, "2XX": json_body, "404": { "description": "" },
                        "default": { "content": { "application/problem+json": {} } }
                    }
                },
                "post": { "requestBody": json_body, "responses": { "201": json_body } },
                "put": { "requestBody": { "content": { "application/x-www-form-urlencoded": { "schema": {
                    "type": "object", "properties": { "age": { "type": "integer" } }
                } } } } }
            },
            "/pets/{id}": { "get": { "parameters": [
                { "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }
            ] } },
            "/events": { "get": { "responses": { "200": { "content": { "application/jsonl": {} } } } } }
        }
    });
    Api::of(&Document::from_value(document).unwrap()).unwrap()
}

fn traffic(api: &Api, request: &Value, response: &Value) -> Traffic {
    let entry = json!({ "request": request, "response": response, "timings": {}, "_extra": [1] });
    let archive = json!({ "log": { "version": "1.2", "entries": [entry] } });
    let entries = read_har(archive.to_string().as_bytes()).unwrap();
    TrafficReader::new(api, None).unwrap().archived(&entries[0])
}

fn exchange(api: &Api, request: &Value, response: &Value) -> Exchange {
    let Traffic::Matched(exchange) = traffic(api, request, response) else {
        panic!("{request} matches nothing")
    };
    exchange
}

#[test]
fn parameters_are_read_by_style() {
    let request = json!({
        "method": "GET", "url": "https://api.example.org/v1/pets?ids=1%2C2&utm_source=x",
        "headers": [
            { "name": ":path", "value": "/v1/pets" }, { "name": "x-tags", "value": "a, b" },
            { "name": "X-TAGS", "value": "c" }, { "name": "cookie", "value": "a=b; session=s%20t" }
        ]
    });
    let request = exchange(&api(), &request, &json!(null)).request.unwrap();
    assert_eq!(
        request.values,
        [json!({
            "query": { "ids": [1, 2] }, "header": { "X-Tags": ["a", "b", "c"] },
            "cookie": { "session": "s t" }
        })]
    );
    assert_eq!(
        (request.body, request.undeclared),
        (BodyState::Absent, vec!["utm_source".to_owned()])
    );
    let listed = json!({
        "method": "GET", "url": "http://localhost/v1/pets",
        "cookies": [{ "name": "session", "value": "x" }]
    });
    let listed = exchange(&api(), &listed, &json!(null)).request.unwrap();
    assert_eq!(listed.values, [json!({ "query": {}, "header": {}, "cookie": { "session": "x" } })]);
    let path = exchange(&api(), &json!({ "method": "GET", "url": "/v1/pets/x" }), &json!(null));
    assert_eq!(path.request.unwrap().values, [json!({ "path": { "id": "x" } })]);
}

#[test]
fn what_matches_nothing_is_named_without_its_query() {
    let request = json!({ "method": "GET", "url": "https://other.org/login?password=x" });
    let expected =
        Traffic::Unmatched { method: "GET".to_owned(), path: "https://other.org/login".to_owned() };
    assert_eq!(traffic(&api(), &request, &json!(null)), expected);
}

#[test]
fn bodies_of_requests_are_read_or_said_to_be_absent() {
    let state = |method: &str, post: Value, size: i64| {
        let request = json!({
            "method": method, "url": "/v1/pets", "bodySize": size, "postData": post
        });
        let request = exchange(&api(), &request, &json!(null)).request.unwrap();
        let body = request.values[0].get("body").cloned();
        (request.body, body)
    };
    let json_type = "application/json; charset=utf-8";
    let post = |text: &str| json!({ "mimeType": json_type, "text": text });
    assert_eq!(state("POST", post("{\"a\":1}"), 7), (BodyState::Read, Some(json!({ "a": 1 }))));
    let base64 = json!({ "mimeType": json_type, "text": "eyJhIjox\nfQ==", "encoding": "base64" });
    assert_eq!(state("POST", base64, 7), (BodyState::Read, Some(json!({ "a": 1 }))));
    assert_eq!(state("POST", json!(null), 7), (BodyState::NotRecorded, None));
    assert_eq!(state("POST", post(""), 7), (BodyState::NotRecorded, None));
    assert_eq!(state("POST", json!(null), 0), (BodyState::Absent, None));
    assert_eq!(state("POST", json!("odd"), -1), (BodyState::Absent, None));
    assert!(matches!(state("POST", post("{"), 1).0, BodyState::Malformed(_)));
    let other = json!({ "mimeType": "text/csv", "text": "a,b" });
    assert_eq!(state("POST", other, 3).0, BodyState::OtherMediaType("text/csv".to_owned()));
    assert_eq!(state("GET", post("{}"), 2), (BodyState::Undocumented, None));
    let form = "application/x-www-form-urlencoded";
    let params = json!({ "mimeType": form, "params": [
        { "name": "age", "value": "3" }, { "name": "x", "value": "a" }
    ] });
    let expected = (BodyState::Read, Some(json!({ "age": 3, "x": "a" })));
    assert_eq!(state("PUT", params, 9), expected);
    let text = json!({ "mimeType": form, "text": "age=3&x=a" });
    assert_eq!(state("PUT", text, 9), expected);
}

#[test]
fn responses_are_found_by_status_and_media_type() {
    let observed = |status: Value, content: Value| {
        let request = json!({ "method": "GET", "url": "/v1/pets" });
        let response = json!({ "status": status, "content": content });
        exchange(&api(), &request, &response).response
    };
    let content = |media_type: &str, text: &str| json!({ "mimeType": media_type, "text": text, "size": text.len() });
    let ok = observed(json!(200), content("application/json", "{}")).unwrap();
    assert_eq!((ok.documented_status.as_deref(), ok.is_selected), (Some("200"), true));
    assert_eq!((ok.values, ok.body), (vec![json!({})], BodyState::Read));
    let range = observed(json!("202"), content("application/json", "[1]")).unwrap();
    assert_eq!((range.documented_status.as_deref(), range.is_selected), (Some("2XX"), false));
    assert_eq!(range.values, [json!([1])]);
    let problem = observed(json!(500), content("application/json", "1")).unwrap();
    assert_eq!(
        (problem.documented_status.as_deref(), problem.values),
        (Some("default"), vec![json!(1)])
    );
    let missing = observed(json!(404), content("text/html", "<p>")).unwrap();
    assert_eq!((missing.body, missing.is_selected), (BodyState::Undocumented, false));
    let html = observed(json!(200), content("text/html", "<p>")).unwrap();
    assert_eq!(html.body, BodyState::OtherMediaType("text/html".to_owned()));
    assert!(!html.is_selected);
    let lost = observed(json!(200), json!({ "mimeType": "application/json", "size": 10 })).unwrap();
    assert_eq!((lost.body, lost.is_selected), (BodyState::NotRecorded, true));
    let empty = observed(json!(204), json!({ "size": 0 })).unwrap();
    assert_eq!(empty.body, BodyState::Absent);
    assert_eq!(observed(json!(0), json!(null)), None);
    assert_eq!(observed(json!("?"), json!(7)), None);
}

#[test]
fn archives_that_are_none_are_errors_with_a_position() {
    let error = read_har(b"{\"log\": {\n  \"entries\": [}").unwrap_err();
    assert_eq!(error.to_string(), "invalid JSON at line 2, column 15: expected value");
    for text in ["{}", "[]", "1", r#"{"log":{}}"#, r#"{"log":{"entries":{}}}"#, r#"{"log":null}"#] {
        assert_eq!(read_har(text.as_bytes()), Err(ReadError::NotAnArchive), "{text}");
    }
    assert_eq!(read_har(b"\xef\xbb\xbf{\"log\":{\"entries\":[]}}"), Ok(Vec::new()));
    assert!(matches!(read_har(b"\xff"), Err(ReadError::Syntax { .. })));
}

/// What is odd in one entry does not cost the others.
#[test]
fn odd_entries_are_read_as_far_as_they_go() {
    let odd = json!([
        { "request": null }, { "request": { "url": 7 } }, {},
        { "request": { "url": "/a", "headers": "x", "cookies": [1, { "name": 2 }], "postData": [1] },
          "response": { "status": 200, "headers": {}, "content": "text" } },
        { "request": { "url": "/b", "method": null, "bodySize": "12" }, "response": [] }
    ]);
    let archive = json!({ "log": { "entries": odd } }).to_string();
    let entries = read_har(archive.as_bytes()).unwrap();
    assert_eq!(entries.iter().map(|it| it.url.as_str()).collect::<Vec<_>>(), ["/a", "/b"]);
    assert_eq!(entries[0].response.as_ref().unwrap().body, RecordedBody::Absent);
    assert_eq!(entries[1].body, RecordedBody::NotRecorded);
}

fn any_json() -> impl Strategy<Value = Value> {
    let keys = prop::sample::select(vec![
        "log", "entries", "request", "response", "url", "method", "headers", "cookies", "postData",
        "text", "params", "mimeType", "encoding", "content", "status", "name", "value", "size",
        "bodySize",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::String),
        prop::sample::select(vec!["/v1/pets", "base64", "POST", "application/json", "200"])
            .prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, move |inner| {
        let members =
            prop::collection::btree_map(keys.clone().prop_map(str::to_owned), inner.clone(), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(Value::Array),
            members.prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_bytes_are_too_odd(bytes in any::<Vec<u8>>(), text in any::<String>()) {
        let _ = read_har(&bytes);
        let _ = read_envelopes(&bytes);
        let api = api();
        let put = api.operations().iter().find(|it| it.method == "PUT").unwrap();
        let form = Form::of(&api, &put.body.as_ref().unwrap().media_types[0]);
        let _ = form.parse_urlencoded(&text);
        let _ = form.parse_multipart(&bytes, &text);
        let body = [b"--x\r\n".as_slice(), &bytes, b"\r\n--x--"].concat();
        let _ = form.parse_multipart(&body, "multipart/form-data; boundary=x");
    }

    #[test]
    fn no_archive_is_too_odd(request in any_json(), response in any_json(), entry in any_json()) {
        let api = api();
        let mut reader = TrafficReader::new(&api, None).unwrap();
        let mut request = request;
        if let Value::Object(request) = &mut request {
            request.insert("url".to_owned(), json!("/v1/pets?ids=1"));
        }
        let archive = json!({ "log": { "entries": [{ "request": request, "response": response }] } });
        for entry in read_har(archive.to_string().as_bytes()).unwrap() {
            let _ = reader.archived(&entry);
        }
        let _ = read_har(json!({ "log": { "entries": [entry] } }).to_string().as_bytes());
    }

    #[test]
    fn no_text_of_a_parameter_is_too_odd(pieces in prop::collection::vec(any::<String>(), 0..3)) {
        let api = api();
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        for operation in api.operations() {
            for parameter in &operation.parameters {
                let types = api.value_types(parameter.schema.as_ref());
                let _ = parse(&parameter.name, parameter.wire_format(), &pieces, &types);
            }
        }
    }
}
