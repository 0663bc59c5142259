//! HTTP archives.
//!
//! - Entries are those of the archive that have a URL, in their order, with what stands there.
//! - A request that is written as an archive reads the same.
//! - Traffic belongs to an operation of the API or to none, the same twice; a value that the operation admits is
//!   read again from the request that is built of it.

use std::sync::OnceLock;

use foolproof_contract::{
    Document, FormatPolicy, Oracle,
    openapi::{Api, EntryOptions, Side},
};
use foolproof_http::{
    HarEntry, HttpRequest, RecordedBody, Traffic, TrafficReader, build_request, read_har, to_har,
};
use serde_json::Value;

use crate::Reached;

/// Checks the laws of archives.
pub fn har(data: &[u8]) -> Reached {
    let Ok(entries) = read_har(data) else { return Reached::Refused };
    assert_eq!(Ok(&entries), read_har(data).as_ref(), "reading twice");
    check_entries(data, &entries);
    let mut reader = TrafficReader::new(api(), None).expect("no base URL is valid");
    for entry in &entries {
        check_written(entry);
        let traffic = reader.archived(entry);
        let again = TrafficReader::new(api(), None).map(|mut reader| reader.archived(entry));
        assert_eq!(Ok(&traffic), again.as_ref(), "reading traffic twice");
        check_traffic(&traffic, &mut reader);
    }
    if entries.is_empty() { Reached::Refused } else { Reached::Checked }
}

fn check_entries(data: &[u8], entries: &[HarEntry]) {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    // What is skipped in an entry need not be valid text, and an array may stand for an object.
    let archive: Value = serde_json::from_slice(data).unwrap_or_default();
    if archive["log"].is_object() {
        let requests = archive["log"]["entries"].as_array().into_iter().flatten();
        let urls = requests.filter_map(|entry| entry["request"]["url"].as_str());
        assert!(urls.eq(entries.iter().map(|entry| entry.url.as_str())), "the URLs");
    }
    for entry in entries {
        let responses = entry.response.iter().map(|response| &response.headers);
        for (name, _) in responses.chain([&entry.headers]).flatten() {
            assert!(!name.starts_with(':'), "`{name}` is no header");
        }
        assert!(entry.response.iter().all(|response| response.status >= 100));
    }
}

fn request_of(entry: &HarEntry) -> HttpRequest {
    let mut request = HttpRequest::new(&entry.method, &entry.url);
    request.headers.clone_from(&entry.headers);
    if let RecordedBody::Bytes { bytes, .. } = &entry.body {
        request.body = Some(bytes.clone());
    }
    request
}

fn read_back(request: &HttpRequest) -> HarEntry {
    let archive = to_har(std::slice::from_ref(request)).to_string();
    let mut entries = read_har(archive.as_bytes()).expect("an archive that was written is read");
    assert_eq!(entries.len(), 1);
    entries.remove(0)
}

fn check_written(entry: &HarEntry) {
    let request = request_of(entry);
    let again = read_back(&request);
    assert_eq!((&again.method, &again.url), (&entry.method, &entry.url));
    assert_eq!(again.headers, entry.headers);
    if let Some(body) = request.body.as_ref().filter(|body| !body.is_empty()) {
        let RecordedBody::Bytes { bytes, .. } = again.body else { panic!("{:?}", again.body) };
        assert_eq!(*body, bytes, "a body that was written");
    }
}

fn check_traffic(traffic: &Traffic, reader: &mut TrafficReader<'_>) {
    let exchange = match traffic {
        Traffic::Matched(exchange) => exchange,
        Traffic::Unmatched { path, .. } => {
            assert!(!path.contains(['?', '#']), "`{path}` has a query");
            return;
        }
        _ => return,
    };
    let index = exchange.operation;
    assert!(index < api().operations().len());
    for value in exchange.request.iter().flat_map(|request| &request.values) {
        let admits = |oracle: &Oracle| oracle.is_valid(value);
        if !requests()[index].as_ref().is_some_and(admits) {
            continue;
        }
        let Ok(request) = build_request(api(), index, value, None) else { continue };
        let Traffic::Matched(again) = reader.archived(&read_back(&request)) else {
            panic!("{} {} matches nothing", request.method, request.url)
        };
        let read = again.request.expect("it was recorded").values;
        assert_eq!((again.operation, &read[..]), (index, std::slice::from_ref(value)));
    }
}

/// An API with parameters in all places and bodies of several kinds.
fn api() -> &'static Api {
    static API: OnceLock<Api> = OnceLock::new();
    API.get_or_init(|| {
        let document = Document::from_text("api.yaml", include_str!("har/api.yaml"));
        Api::of(&document.expect("it is a contract")).expect("it is an API")
    })
}

/// What decides whether the value of a request may be sent, for each operation.
fn requests() -> &'static [Option<Oracle>] {
    static ORACLES: OnceLock<Vec<Option<Oracle>>> = OnceLock::new();
    ORACLES.get_or_init(|| {
        let oracle = |index| {
            let entry = api().entry(index, Side::Request, &EntryOptions::default())?.ok()?;
            Oracle::of_entry(&entry, FormatPolicy::Assert).ok()
        };
        (0..api().operations().len()).map(oracle).collect()
    })
}
