//! Which names carry secrets: their values never enter a report.

use serde_json::Value;

/// Words that make a name secret.
const WORDS: [&str; 9] = [
    "token",
    "secret",
    "password",
    "passwd",
    "api-key",
    "apikey",
    "api_key",
    "credential",
    "session",
];

/// Headers that carry credentials.
const HEADERS: [&str; 6] =
    ["authorization", "proxy-authorization", "cookie", "set-cookie", "www-authenticate", "x-csrf"];

/// Whether values under `name`, a header, a cookie or another parameter, may be secret.
///
/// ```
/// use foolproof_http::is_secret_name;
///
/// assert!(is_secret_name("Authorization") && is_secret_name("X-Auth-Token"));
/// assert!(!is_secret_name("Accept"));
/// ```
#[must_use]
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    HEADERS.contains(&name.as_str()) || WORDS.iter().any(|word| name.contains(word))
}

/// What stands for a value that is not shown.
const REDACTED: &str = "[redacted]";

/// A request without secrets: no value of a cookie, and none whose name is secret among the other
/// parameters. Bodies are left as they are.
///
/// ```
/// use foolproof_http::redact_request;
/// use serde_json::json;
///
/// let request = json!({ "header": { "X-Api-Key": "k", "X-Page": 1 }, "cookie": { "a": "b" } });
/// assert_eq!(
///     redact_request(request),
///     json!({ "header": { "X-Api-Key": "[redacted]", "X-Page": 1 }, "cookie": { "a": "[redacted]" } })
/// );
/// ```
#[must_use]
pub fn redact_request(mut request: Value) -> Value {
    for part in ["path", "query", "header", "cookie"] {
        let Some(Value::Object(values)) = request.get_mut(part) else { continue };
        for (name, value) in values {
            if part == "cookie" || is_secret_name(name) {
                *value = Value::String(REDACTED.to_owned());
            }
        }
    }
    request
}
