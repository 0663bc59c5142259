//! Which names carry secrets: their values never enter a report.

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
