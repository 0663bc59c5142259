//! Requests as an HTTP archive. Nothing was sent, so the responses have the status 0 and the times are
//! those of the epoch: output does not depend on the clock.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::{HttpRequest, base_url, escape::decode_plus};

/// The archive of `requests`.
///
/// ```
/// use foolproof_http::{HttpRequest, read_har, to_har};
///
/// let request = HttpRequest::new("GET", "https://example.org/a?b=c");
/// let archive = to_har(&[request]).to_string();
/// assert_eq!(read_har(archive.as_bytes()).unwrap()[0].url, "https://example.org/a?b=c");
/// ```
#[must_use]
pub fn to_har(requests: &[HttpRequest]) -> Value {
    let entries: Vec<Value> = requests.iter().map(entry).collect();
    let version = env!("CARGO_PKG_VERSION");
    json!({ "log": {
        "version": "1.2",
        "creator": { "name": "foolproof", "version": version },
        "entries": entries,
    } })
}

fn entry(request: &HttpRequest) -> Value {
    json!({
        "startedDateTime": "1970-01-01T00:00:00.000Z",
        "time": 0,
        "request": self::request(request),
        "response": {
            "status": 0, "statusText": "", "httpVersion": "HTTP/1.1", "cookies": [], "headers": [],
            "content": { "size": 0, "mimeType": "x-unknown" },
            "redirectURL": "", "headersSize": -1, "bodySize": -1
        },
        "cache": {},
        "timings": { "send": 0, "wait": 0, "receive": 0 }
    })
}

fn request(request: &HttpRequest) -> Value {
    let pair = |name: &str, value: &str| json!({ "name": name, "value": value });
    let headers: Vec<Value> =
        request.headers.iter().map(|(name, value)| pair(name, value)).collect();
    let header = |wanted: &str| {
        request.headers.iter().find(|(name, _)| name.eq_ignore_ascii_case(wanted)).map(|it| &it.1)
    };
    let cookies: Vec<Value> = header("cookie")
        .iter()
        .flat_map(|cookies| cookies.split("; "))
        .map(|cookie| cookie.split_once('=').unwrap_or((cookie, "")))
        .map(|(name, value)| pair(name, value))
        .collect();
    let query: Vec<Value> = base_url::split(&request.url)
        .query
        .split('&')
        .filter(|piece| !piece.is_empty())
        .map(|piece| piece.split_once('=').unwrap_or((piece, "")))
        .map(|(name, value)| pair(&decode_plus(name), &decode_plus(value)))
        .collect();
    let mut written = json!({
        "method": request.method, "url": request.url, "httpVersion": "HTTP/1.1",
        "cookies": cookies, "headers": headers, "queryString": query,
        "headersSize": -1,
        "bodySize": request.body.as_ref().map_or(0, Vec::len),
    });
    if let Some(body) = &request.body {
        let mut post = json!({ "mimeType": header("content-type").map_or("", String::as_str) });
        if let Ok(text) = std::str::from_utf8(body) {
            post["text"] = json!(text);
        } else {
            // HAR 1.2 has no way to say this for requests; readers that know `content.encoding` know it.
            post["text"] = json!(STANDARD.encode(body));
            post["encoding"] = json!("base64");
        }
        written["postData"] = post;
    }
    written
}
