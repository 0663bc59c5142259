//! Requests as command lines of curl.

use foolproof_contract::Untrusted;

use crate::HttpRequest;

/// Longer arguments are not accepted by every system (Linux: 128 KiB).
const MAX_ARGUMENT: usize = 100_000;

/// One line for a POSIX shell that sends `request` as it is.
///
/// ```
/// use foolproof_http::{HttpRequest, to_curl};
///
/// let request = HttpRequest::new("GET", "https://example.org/a/%2E%2E?q='");
/// let line = to_curl(&request);
/// assert_eq!(line, r"curl --path-as-is --globoff -X GET 'https://example.org/a/%2E%2E?q='\'''");
/// ```
#[must_use]
pub fn to_curl(request: &HttpRequest) -> String {
    // Without the first option curl removes dot segments, without the second it expands brackets.
    let mut line = "curl --path-as-is --globoff".to_owned();
    // With `-X HEAD`, curl would wait for a body.
    let method = match request.method.as_str() {
        "HEAD" => " --head".to_owned(),
        method => format!(" -X {}", Untrusted::new(method).shell()),
    };
    line.push_str(&method);
    for (name, value) in &request.headers {
        // A header without a value is written with a semicolon; with a colon it would be removed.
        let header = if value.is_empty() { format!("{name};") } else { format!("{name}: {value}") };
        line.push_str(&format!(" -H {}", Untrusted::new(&header).shell()));
    }
    let mut before = String::new();
    if let Some(body) = &request.body {
        if !request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
            line.push_str(" -H 'Content-Type:'");
        }
        match std::str::from_utf8(body) {
            Ok(text) if is_plain(text) => {
                line.push_str(&format!(" --data-binary {}", Untrusted::new(text).shell()));
            }
            _ => {
                before = format!("printf {} | ", printf_format(body));
                line.push_str(" --data-binary @-");
            }
        }
    }
    format!("{before}{line} {}", Untrusted::new(&request.url).shell())
}

/// Whether a body can be an argument on one line: `@` would name a file.
fn is_plain(text: &str) -> bool {
    text.len() <= MAX_ARGUMENT && !text.starts_with('@') && !text.chars().any(char::is_control)
}

/// The format of `printf` that prints `bytes`: all but plain characters as octal escapes.
fn printf_format(bytes: &[u8]) -> String {
    let mut format = "'".to_owned();
    for byte in bytes {
        match byte {
            b' '..=b'~' if !b"\\%'".contains(byte) => format.push(char::from(*byte)),
            _ => format.push_str(&format!("\\{byte:03o}")),
        }
    }
    // An option is not a format.
    if format.starts_with("'-") {
        format.replace_range(..2, "'\\055");
    }
    format.push('\'');
    format
}
