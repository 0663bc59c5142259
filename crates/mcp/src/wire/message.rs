//! JSON-RPC messages: what kind a JSON object is, and what is wrong with text that is none.
//!
//! Everything here is a pure function of one message. What it means for a connection is decided in
//! `session`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{finding::FindingKind, outcome::JsonRpcError};

/// The most characters that are quoted of a text that is no message.
const LONGEST_QUOTE: usize = 120;

/// A number with more characters than this is reported. The exact decimal expansion of a 64-bit float
/// has at most 1,075 digits after the point.
const LONGEST_NUMBER: usize = 1_100;

/// How far from the start and the end of an unreadable message its id is searched.
const ID_WINDOW: usize = 4 * 1024;

/// A message of a server.
pub(super) enum Message {
    Answer { id: Option<Value>, result: Option<Value>, error: Option<Value> },
    Request { id: Value, method: String, params: Option<Value> },
    Notification { method: String, params: Option<Value> },
    Invalid(&'static str),
}

impl Message {
    /// The kind of message that an object is.
    pub(super) fn from_object(object: Map<String, Value>) -> Self {
        let (mut id, mut method, mut params, mut result, mut error) =
            (None, None, None, None, None);
        for (key, value) in object {
            match key.as_str() {
                "id" => id = Some(value),
                "method" => method = Some(value),
                "params" => params = Some(value),
                "result" => result = Some(value),
                "error" => error = Some(value),
                _ => {}
            }
        }
        let Some(method) = method else {
            let id = id.filter(|id| !id.is_null());
            if id.is_none() && result.is_none() && error.is_none() {
                return Self::Invalid("it has no method, id, result or error");
            }
            return Self::Answer { id, result, error };
        };
        let Value::String(method) = method else { return Self::Invalid("`method` is no string") };
        match id {
            None => Self::Notification { method, params },
            Some(id @ (Value::String(_) | Value::Number(_))) => {
                Self::Request { id, method, params }
            }
            Some(_) => Self::Invalid("the id of a request is neither a string nor a number"),
        }
    }
}

/// Whether `jsonrpc` is as it must be.
pub(super) fn is_version_2(object: &Map<String, Value>) -> bool {
    object.get("jsonrpc").and_then(Value::as_str) == Some("2.0")
}

/// Parses a message. An error has the kind of finding and the reason.
pub(super) fn parse(text: &str) -> Result<Value, (FindingKind, String)> {
    serde_json::from_str(text).map_err(|error| {
        let reason = error.to_string();
        // The parser has no code for it, only this text.
        if reason.starts_with("recursion limit exceeded") {
            (FindingKind::NestedTooDeep, reason)
        } else {
            (FindingKind::NotJson, format!("{}: {reason}", quote(text)))
        }
    })
}

/// What a person recognises a text by: all of it, or its first words. A word is never cut, so that a secret in it is
/// still recognised and masked.
fn quote(text: &str) -> String {
    let text = text.trim();
    let Some((end, _)) = text.char_indices().nth(LONGEST_QUOTE) else { return format!("`{text}`") };
    match text[..end].rfind(char::is_whitespace) {
        Some(end) => format!("`{} …`", text[..end].trim_end()),
        None => format!("{} bytes", text.len()),
    }
}

/// The first number that no 64-bit float can hold, or that is far longer than any of them.
pub(super) fn bad_number(value: &Value) -> Option<&str> {
    match value {
        Value::Number(number) => {
            let text = number.as_str();
            let is_short = text.len() < 300 && !text.contains(['e', 'E']);
            let is_good = is_short || (text.len() <= LONGEST_NUMBER && is_finite(text));
            (!is_good).then_some(text)
        }
        Value::Array(items) => items.iter().find_map(bad_number),
        Value::Object(members) => members.values().find_map(bad_number),
        Value::Null | Value::Bool(_) | Value::String(_) => None,
    }
}

fn is_finite(number: &str) -> bool {
    number.parse::<f64>().is_ok_and(f64::is_finite)
}

/// Reads the `error` of an answer. What is missing gets a default, and is described.
pub(super) fn read_error(error: Value) -> (JsonRpcError, Option<&'static str>) {
    let Value::Object(mut object) = error else {
        let error = JsonRpcError { code: 0, message: String::new(), data: Some(error) };
        return (error, Some("`error` is no object"));
    };
    let code = object.get("code").and_then(Value::as_i64);
    let data = object.remove("data");
    let message = match object.remove("message") {
        Some(Value::String(message)) => Some(message),
        _ => None,
    };
    let problem = match (code, &message) {
        (None, _) => Some("`error.code` is no integer"),
        (_, None) => Some("`error.message` is no string"),
        (Some(_), Some(_)) => None,
    };
    let message = message.unwrap_or_default();
    (JsonRpcError { code: code.unwrap_or(0), message, data }, problem)
}

/// Whether a message that could not be parsed seems to answer request `id`: it starts like an object
/// and has both `"jsonrpc"` and this id near its start or end. Without this, a call whose answer
/// contains `NaN` or is too long would end only at its time limit.
pub(super) fn seems_to_answer(raw: &[u8], id: u64) -> bool {
    let starts_as_object = raw.trim_ascii_start().first() == Some(&b'{');
    let head = &raw[..raw.len().min(ID_WINDOW)];
    let tail = &raw[raw.len().saturating_sub(ID_WINDOW)..];
    let has = |wanted: fn(&[u8], u64) -> bool| wanted(head, id) || wanted(tail, id);
    starts_as_object && has(|part, _| find(part, b"\"jsonrpc\"").is_some()) && has(names_id)
}

fn names_id(part: &[u8], id: u64) -> bool {
    let digits = id.to_string();
    let mut rest = part;
    while let Some(start) = find(rest, b"\"id\"") {
        rest = &rest[start + 4..];
        let Some(value) = rest.trim_ascii_start().strip_prefix(b":") else { continue };
        let Some(after) = value.trim_ascii_start().strip_prefix(digits.as_bytes()) else {
            continue;
        };
        if after
            .first()
            .is_none_or(|byte| matches!(byte, b',' | b'}') || byte.is_ascii_whitespace())
        {
            return true;
        }
    }
    false
}

fn find(haystack: &[u8], needle: &[u8]) -> Option<usize> {
    haystack.windows(needle.len()).position(|window| window == needle)
}

/// A request of this client.
#[derive(Serialize)]
pub(super) struct OutgoingRequest<'a, P> {
    pub(super) jsonrpc: &'static str,
    pub(super) id: u64,
    pub(super) method: &'a str,
    pub(super) params: &'a P,
}

/// A notification of this client.
#[derive(Serialize)]
pub(super) struct OutgoingNotification<'a> {
    pub(super) jsonrpc: &'static str,
    pub(super) method: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) params: Option<Value>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn numbers_that_fit_a_float_are_fine() {
        let check = |text: &str| bad_number(&parse(text).unwrap()).map(str::to_owned);
        assert_eq!(check(r#"{"a": [1, -2.5, 1e308, 1e-400, 18446744073709551616]}"#), None);
        assert_eq!(check(r#"{"a": [1, {"b": 1e400}]}"#).as_deref(), Some("1e+400"));
        assert_eq!(check(&"9".repeat(400)), Some("9".repeat(400)));
        let long = format!("0.{}", "1".repeat(2_000));
        assert_eq!(check(&long), Some(long));
    }

    #[test]
    fn the_id_of_an_unreadable_answer_is_found() {
        assert!(seems_to_answer(br#"{"jsonrpc": "2.0", "id": 12, "result": NaN}"#, 12));
        assert!(seems_to_answer(br#"{"result": NaN, "jsonrpc": "2.0", "id" : 12}"#, 12));
        assert!(!seems_to_answer(br#"{"jsonrpc": "2.0", "id": 120, "result": NaN}"#, 12));
        assert!(!seems_to_answer(br#"{"jsonrpc": "2.0", "id": "12", "result": NaN}"#, 12));
        assert!(!seems_to_answer(br#"log: {"jsonrpc": "2.0", "id": 12}"#, 12));
    }

    #[test]
    fn the_members_decide_the_kind_of_message() {
        let kind = |value: Value| {
            let Value::Object(object) = value else { panic!("{value} is no object") };
            match Message::from_object(object) {
                Message::Answer { id, .. } => format!("answer {}", id.unwrap_or_default()),
                Message::Request { .. } => "request".to_owned(),
                Message::Notification { .. } => "notification".to_owned(),
                Message::Invalid(_) => "invalid".to_owned(),
            }
        };
        assert_eq!(kind(json!({"id": 1, "result": {}})), "answer 1");
        assert_eq!(kind(json!({"id": null, "error": {}})), "answer null");
        assert_eq!(kind(json!({"id": 1})), "answer 1");
        assert_eq!(kind(json!({"id": "a", "method": "ping"})), "request");
        assert_eq!(kind(json!({"id": null, "method": "ping"})), "invalid");
        assert_eq!(kind(json!({"method": "ping"})), "notification");
        assert_eq!(kind(json!({"method": 1})), "invalid");
        assert_eq!(kind(json!({})), "invalid");
    }

    #[test]
    fn what_is_no_message_is_quoted_by_whole_words() {
        let reason = |text: &str| parse(text).unwrap_err().1;
        assert_eq!(reason(" ready\n"), "`ready`: expected value at line 1 column 2");
        let long = format!("{} token-{}", "word ".repeat(20), "x".repeat(40));
        assert!(reason(&long).starts_with("`word word") && reason(&long).contains("word …`: "));
        assert!(!reason(&long).contains("token"), "{}", reason(&long));
        assert!(reason(&"é".repeat(200)).starts_with("400 bytes: "));
    }
}
