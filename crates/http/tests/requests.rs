//! Requests: how they are built, and that other tools get them as they are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::process::Command;

use foolproof_contract::{
    Document,
    openapi::{Api, EntryOptions, Side},
};
use foolproof_http::{
    BodyState, Envelope, HttpRequest, RequestError, Traffic, TrafficReader, build_request,
    read_envelopes, read_har, to_curl, to_har, to_hurl,
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

#[test]
fn a_url_starts_with_the_server_or_the_base_url() {
    let build = |servers: Value, base: Option<&str>| {
        let document = json!({ "openapi": "3.1.0", "info": {}, "servers": servers, "paths": {
            "/a": { "get": {} }
        } });
        let api = Api::of(&Document::from_value(document).unwrap()).unwrap();
        build_request(&api, 0, &json!({}), base).map(|request| request.url)
    };
    let server = json!([{ "url": "https://example.org/v1/" }]);
    assert_eq!(build(server.clone(), None).unwrap(), "https://example.org/v1/a");
    assert_eq!(build(server, Some("http://localhost:8080/")).unwrap(), "http://localhost:8080/a");
    assert_eq!(build(json!([]), None).unwrap(), "http://localhost/a");
    assert_eq!(build(json!([{ "url": "/v1" }]), None).unwrap(), "http://localhost/v1/a");
    assert_eq!(build(json!([{ "url": "//example.org/" }]), None).unwrap(), "http://example.org/a");
    for url in ["localhost", "http://a?b", ""] {
        let error = build(json!([]), Some(url)).unwrap_err();
        assert_eq!(error, RequestError::InvalidBaseUrl { url: url.to_owned() });
    }
}

#[test]
fn what_cannot_be_sent_is_an_error() {
    let api = api();
    let error = |value: Value| build_request(&api, 0, &value, None).unwrap_err().to_string();
    let path = json!({ "id": "x", "coordinates": [1] });
    assert_eq!(
        error(json!({ "path": { "id": "x" } })),
        "the path parameter `coordinates` is missing"
    );
    assert_eq!(
        error(json!({ "path": path, "header": { "X-Trace": "a\r\nb: c" } })),
        "`X-Trace` in `header` cannot be sent: the text has characters that its place does not transmit"
    );
    assert_eq!(
        error(json!({ "path": path, "query": { "z": 1 } })),
        "the operation has no `z` in `query`"
    );
    assert_eq!(error(json!([])), "`` of a request must be an object");
    assert!(build_request(&api, 9, &json!({}), None).is_err());
}

#[test]
fn no_name_of_a_document_breaks_out_of_its_line() {
    let request = |name: &str, media_type: &str, server: &str| {
        let parameter = json!({ "name": name, "in": "header", "schema": { "type": "string" } });
        let content = json!({ media_type: { "schema": { "type": "string" } } });
        let document = Document::from_value(json!({
            "openapi": "3.1.0", "info": {}, "servers": [{ "url": server }],
            "paths": { "/a": { "post": {
                "parameters": [parameter], "requestBody": { "content": content },
                "responses": { "200": { "description": "", "content": content } }
            } } }
        }));
        let api = Api::of(&document.unwrap()).unwrap();
        build_request(&api, 0, &json!({ "header": { name: "x" }, "body": "text" }), None)
    };
    let (json, host) = ("application/json", "http://example.org");
    assert!(request("X-Id", json, host).is_ok());
    for (name, media_type, server) in [
        ("X-Id\r\nEvil: 1", json, host),
        ("X Id", json, host),
        ("X-Id", "application/json\r\nEvil: 1", host),
        ("X-Id", json, "http://example.org/\r\nEvil: 1"),
    ] {
        let refused = request(name, media_type, server).unwrap_err();
        assert_eq!(refused.code(), "http::not-transmittable", "{name:?} {media_type:?}");
        let message = refused.to_string();
        assert!(!message.contains(['\r', '\n']), "{message:?}");
    }
}

fn posted(body: &[u8]) -> HttpRequest {
    let mut request = HttpRequest::new("POST", "http://localhost/a'b?x={1}&y=$HOME");
    request.headers.push(("X-Quote".to_owned(), "it's `here` $(x)".to_owned()));
    request.headers.push(("Content-Type".to_owned(), "text/plain".to_owned()));
    request.body = Some(body.to_vec());
    request
}

/// A shell with a `curl` that prints its arguments and its input gets what was meant.
#[test]
fn a_shell_gives_curl_the_request_as_it_is() {
    let bodies: [&[u8]; 7] = [
        b"plain",
        b"@file",
        b"-n 'quoted' \\ %s",
        b"line\nline\r\n",
        b"\0\xff\x80\x01",
        b"",
        "é".as_bytes(),
    ];
    for body in bodies {
        let line = to_curl(&posted(body));
        assert!(!line.contains('\n'), "{line}");
        let fake =
            "curl() { printf '%s\\n' \"$@\"; case \"$*\" in *@-*) printf 'input:'; cat;; esac; }";
        let output = Command::new("sh").arg("-c").arg(format!("{fake}\n{line}")).output().unwrap();
        let printed = output.stdout;
        let text = String::from_utf8_lossy(&printed);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.contains(&"http://localhost/a'b?x={1}&y=$HOME"), "{text}");
        assert!(lines.contains(&"X-Quote: it's `here` $(x)"), "{text}");
        let is_argument = lines.windows(2).any(|pair| {
            pair[0] == "--data-binary" && pair[1] != "@-" && pair[1].as_bytes() == body
        });
        let marker = b"input:";
        let at = printed.windows(marker.len()).position(|window| window == marker);
        let is_input = at.is_some_and(|at| &printed[at + marker.len()..] == body);
        assert!(is_argument || is_input, "{line}\n{text}");
    }
}

#[test]
fn curl_and_hurl_are_written_as_expected() {
    let mut request = HttpRequest::new("PUT", "https://example.org/a/%2E%2E?b=%20");
    request.headers.push(("X-A".to_owned(), String::new()));
    request.headers.push(("X-B".to_owned(), r"a # {{b}} \".to_owned()));
    request.body = Some(b"{\"a\":1}".to_vec());
    assert_eq!(
        to_curl(&request),
        r#"curl --path-as-is --globoff -X PUT -H 'X-A;' -H 'X-B: a # {{b}} \' -H 'Content-Type:' --data-binary '{"a":1}' https://example.org/a/%2E%2E?b=%20"#
            .replace("https://example.org/a/%2E%2E?b=%20", "'https://example.org/a/%2E%2E?b=%20'")
    );
    let hurl = to_hurl(&request);
    assert_eq!(
        hurl,
        "PUT https://example.org/a/%2E%2E?b=%20\nX-A: \nX-B: a \\# \\u{7b}\\u{7b}b\\u{7d}\\u{7d} \\\\\n\
         [Options]\npath-as-is: true\n{\"a\":1}\n"
    );
    request.body = Some(b"\xff\0".to_vec());
    assert!(to_hurl(&request).ends_with("base64,/wA=;\n"));
    request.body = Some(b"[\"a\",7]".to_vec());
    assert!(to_hurl(&request).ends_with("true\n[\"a\",7]\n"));
    request.body = Some(b"[7]".to_vec());
    assert!(to_hurl(&request).ends_with("base64,Wzdd;\n"), "`[7]` would be a section");
    request.body = Some(b"{\"a\":\"{{b}}\"}".to_vec());
    assert!(to_hurl(&request).ends_with("base64,eyJhIjoie3tifX0ifQ==;\n"));
    assert!(to_curl(&HttpRequest::new("HEAD", "http://a")).contains(" --head "));
}

#[test]
fn texts_are_sent_and_read_as_they_are() {
    let document = Document::from_value(json!({ "openapi": "3.0.3", "info": {}, "paths": { "/a": {
        "put": { "requestBody": { "required": true, "content": { "text/csv": { "schema": { "type": "string" } } } } },
        "post": { "requestBody": { "required": true, "content": { "*/*": {} } } }
    } } }));
    let api = Api::of(&document.unwrap()).unwrap();
    for (index, media_type) in [(0, "text/csv"), (1, "text/plain")] {
        let value = json!({ "body": "a,b\n\"c\"" });
        let request = build_request(&api, index, &value, None).unwrap();
        assert_eq!(request.headers, [("Content-Type".to_owned(), media_type.to_owned())]);
        assert_eq!(request.body.as_deref(), Some(&b"a,b\n\"c\""[..]));
        let archive = to_har(&[request]).to_string();
        let entry = read_har(archive.as_bytes()).unwrap().remove(0);
        let mut reader = TrafficReader::new(&api, None).unwrap();
        let Traffic::Matched(exchange) = reader.archived(&entry) else { panic!("it matches") };
        assert_eq!(exchange.request.unwrap().values, [value]);
    }
}

#[test]
fn envelopes_are_written_and_read() {
    let api = api();
    let entry = api.entry(0, Side::Request, &EntryOptions::default()).unwrap().unwrap();
    let envelope = Envelope::of(&api, &entry, json!({ "path": { "id": "x" } })).unwrap();
    let line = envelope.to_string();
    assert_eq!(
        line,
        r#"{"operationKey":"PUT /a b/{id}/at{coordinates}","method":"PUT","path":"/a b/{id}/at{coordinates}","part":"request","mediaType":"application/x-www-form-urlencoded","value":{"path":{"id":"x"}}}"#
    );
    let two = format!("{line}\n{line}\n");
    assert_eq!(read_envelopes(two.as_bytes()).unwrap(), [envelope.clone(), envelope.clone()]);
    let array = format!("[{line},{line}]");
    assert_eq!(read_envelopes(array.as_bytes()).unwrap().len(), 2);
    let error = read_envelopes(format!("{line}\n{{").as_bytes()).unwrap_err();
    assert_eq!(error.to_string(), "invalid JSON at line 2, column 1: EOF while parsing an object");
    assert!(read_envelopes(b"{}").unwrap_err().to_string().contains("value 0 is not an envelope"));
    let reader = TrafficReader::new(&api, None).unwrap();
    let Traffic::Matched(exchange) = reader.enveloped(&envelope) else { panic!("it matches") };
    assert_eq!((exchange.operation, exchange.request.unwrap().body), (0, BodyState::Absent));
}
