//! Which operation a URL belongs to.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::{Document, openapi::Api};
use foolproof_http::{RequestError, Router};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn api(servers: &[&str], paths: &[&str]) -> Api {
    let path = |path: &&str| {
        let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let parameters: Vec<Value> =
            names.map(|name| json!({ "name": name, "in": "path", "schema": {} })).collect();
        ((*path).to_owned(), json!({ "get": { "parameters": parameters } }))
    };
    let servers: Vec<Value> = servers.iter().map(|url| json!({ "url": url })).collect();
    let paths: Map<String, Value> = paths.iter().map(path).collect();
    let document = json!({ "openapi": "3.1.0", "info": {}, "servers": servers, "paths": paths });
    Api::of(&Document::from_value(document).unwrap()).unwrap()
}

/// The template that `url` matches, with its variables.
fn routed(api: &Api, router: &Router, url: &str) -> Option<String> {
    let found = router.route("GET", url)?;
    let variables: Vec<String> =
        found.variables.iter().map(|(name, text)| format!("{name}={text}")).collect();
    Some(format!("{} {}", api.operations()[found.operation].path, variables.join(" ")))
}

#[test]
fn the_most_specific_template_matches() {
    let api = api(
        &[],
        &[
            "/pets/{id}",
            "/pets/mine",
            "/{kind}/mine",
            "/pets/{id}.json",
            "/pets/{a}-{b}",
            "/{x},{y}",
            "/{name}",
            "/",
            "/a/{b}/c",
            "/{a}/b/{c}",
            "/files/v{n}",
            "/files/{any}",
        ],
    );
    let router = Router::new(&api);
    for (url, expected) in [
        ("/pets/1", "/pets/{id} id=1"),
        ("/pets/mine", "/pets/mine "),
        ("/cats/mine", "/{kind}/mine kind=cats"),
        ("/pets/x.json", "/pets/{id}.json id=x"),
        ("/pets/x.json.json", "/pets/{id}.json id=x.json"),
        ("/pets/x-y-z", "/pets/{a}-{b} a=x b=y-z"),
        ("/pets/.json", "/pets/{id} id=.json"),
        ("/1,2", "/{x},{y} x=1 y=2"),
        ("/1%2C2", "/{name} name=1%2C2"),
        ("/", "/ "),
        ("", "/ "),
        // Both match; literal text that comes first is more specific.
        ("/a/b/c", "/a/{b}/c b=b"),
        ("/z/b/c", "/{a}/b/{c} a=z c=c"),
        ("/files/v2", "/files/v{n} n=2"),
        ("/files/2", "/files/{any} any=2"),
        // A decoded slash or dot changes nothing about the segments.
        ("/pets/a%2Fmine", "/pets/{id} id=a%2Fmine"),
        ("/pets/%2e%2e", "/pets/{id} id=%2e%2e"),
        ("/p%65ts/mine", "/pets/mine "),
        ("https://user@host:8080/pets/1?x=/pets/mine#/x", "/pets/{id} id=1"),
    ] {
        assert_eq!(routed(&api, &router, url).as_deref(), Some(expected), "{url}");
    }
    for url in ["/pets/", "/pets//mine", "//", "/pets/1/2"] {
        assert_eq!(routed(&api, &router, url), None, "{url}");
    }
    assert!(router.route("POST", "/pets/1").is_none());
    assert!(router.route("get", "/pets/1").is_some());
}

#[test]
fn paths_are_below_the_servers() {
    let api = api(
        &["https://example.org/v1/", "/v2", "//cdn.example.org/v3", "https://example.org"],
        &["/pets", "/v1/pets/{id}"],
    );
    let router = Router::new(&api);
    for (url, expected) in [
        ("https://example.org/v1/pets", Some("/pets ")),
        ("http://localhost:3000/v2/pets", Some("/pets ")),
        ("http://localhost/v3/pets", Some("/pets ")),
        ("http://localhost/pets", Some("/pets ")),
        ("http://localhost/v4/pets", None),
        ("http://localhost/v1/v1/pets/1", Some("/v1/pets/{id} id=1")),
        ("http://localhost/v1/pets/1", Some("/v1/pets/{id} id=1")),
    ] {
        assert_eq!(routed(&api, &router, url).as_deref(), expected, "{url}");
    }
}

#[test]
fn a_base_url_replaces_the_servers() {
    let api = api(&["https://example.org/v1"], &["/pets"]);
    let router = Router::below(&api, "http://localhost:80/api/").unwrap();
    let matches = |url: &str| router.route("GET", url).is_some();
    assert!(matches("http://LOCALHOST/api/pets"));
    assert!(!matches("https://localhost/api/pets"));
    assert!(!matches("http://localhost/pets"));
    assert!(!matches("https://example.org/v1/pets"));
    for url in ["localhost/api", "/api", "http://a/?b=c", ""] {
        let error = Router::below(&api, url).unwrap_err();
        assert_eq!(error, RequestError::InvalidBaseUrl { url: url.to_owned() });
    }
}

/// Documents of AWS tell operations apart by the query of their paths.
#[test]
fn a_query_in_a_template_is_part_of_it() {
    let api = api(&[], &["/?Action=A", "/?Action=B", "/#Action=C"]);
    let router = Router::new(&api);
    let found = router.route("GET", "/?x=1&Action=B").unwrap();
    assert_eq!(api.operations()[found.operation].path, "/?Action=B");
    assert_eq!(found.query, ["x=1"]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_url_and_no_template_is_too_odd(url in any::<String>(), path in any::<String>()) {
        let api = api(&["/"], &["/a/{b}{c}x{d}", "/{a}"]);
        let _ = Router::new(&api).route("GET", &url);
        let document = json!({ "openapi": "3.1.0", "info": {}, "paths": { path: { "get": {} } } });
        if let Ok(document) = Document::from_value(document) {
            let _ = Router::new(&Api::of(&document).unwrap()).route("GET", &url);
        }
    }

    /// Many variables in one segment do not take more than quadratic time.
    #[test]
    fn ambiguous_segments_end(text in "[ab]{0,300}") {
        let api = api(&[], &["/{a}a{b}a{c}a{d}a{e}a{f}a{g}a{h}a{i}x"]);
        let url = format!("/{text}");
        prop_assert!(Router::new(&api).route("GET", &url).is_none());
    }
}
