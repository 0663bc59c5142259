//! Requests as entries of a Hurl file (<https://hurl.dev>).

use base64::{Engine as _, engine::general_purpose::STANDARD};
use foolproof_contract::Untrusted;
use serde_json::Value;

use crate::HttpRequest;

/// The entry of `request`; entries are separated by an empty line.
///
/// ```
/// use foolproof_http::{HttpRequest, to_hurl};
///
/// let request = HttpRequest::new("GET", "https://example.org/a");
/// assert_eq!(to_hurl(&request), "GET https://example.org/a\n[Options]\npath-as-is: true\n");
/// ```
#[must_use]
pub fn to_hurl(request: &HttpRequest) -> String {
    let mut entry = format!("{} {}\n", request.method, url(&request.url));
    for (name, value) in &request.headers {
        entry.push_str(&format!(
            "{}: {}\n",
            Untrusted::new(name).hurl(),
            Untrusted::new(value).hurl()
        ));
    }
    // Hurl removes dot segments otherwise.
    entry.push_str("[Options]\npath-as-is: true\n");
    if let Some(body) = &request.body {
        entry.push_str(&self::body(body));
        entry.push('\n');
    }
    entry
}

/// A body: JSON as it is, everything else in Base64.
fn body(bytes: &[u8]) -> String {
    // Hurl reads `[7]` and `[true]` as the name of a section.
    let starts = ["{", "[{", "[[", "[\""];
    let is_json = |text: &&str| {
        starts.iter().any(|start| text.starts_with(start))
            && !text.contains("{{")
            && serde_json::from_str::<Value>(text).is_ok()
    };
    match std::str::from_utf8(bytes).ok().filter(is_json) {
        Some(text) => text.to_owned(),
        None => format!("base64,{};", STANDARD.encode(bytes)),
    }
}

/// A URL has no character that Hurl reads as its own but the start of a template.
fn url(url: &str) -> String {
    url.replace("{{", "%7B%7B").replace('#', "%23")
}
