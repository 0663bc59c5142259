//! Texts of contracts: JSON and YAML.
//!
//! - JSON is read as `serde_json` reads it. What only that one accepts is refused for a documented reason.
//! - Every value of a JSON text is found where it stands; every position is inside the text.
//! - What YAML gives can be written as JSON, and reads the same from there as JSON and as YAML.

use foolproof_contract::{
    Pointer, Position, Syntax,
    fuzz::{decode, parse, source_text},
    with_large_stack,
};
use serde_json::Value;

use crate::Reached;

/// Why text that is JSON is refused: readers would disagree on it, or it is too much work.
const REFUSALS: [&str; 3] =
    ["contract::duplicate-key", "contract::too-deep", "contract::number-too-long"];

/// The most values that are located; each is parsed again.
const MOST_LOCATED: usize = 100;

/// Checks the laws of texts.
pub fn text(data: &[u8]) -> Reached {
    match decode(data) {
        Ok(text) => with_large_stack(|| check(&text)),
        Err(error) => {
            let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
            let invalid = std::str::from_utf8(data).map_err(|error| error.valid_up_to());
            let offset = error.position().map(Position::offset);
            assert_eq!(offset, invalid.err(), "the position of {error}");
            Reached::Refused
        }
    }
}

fn check(text: &str) -> Reached {
    let json = read(text, Syntax::Json);
    let expected = serde_json::from_str::<Value>(text);
    match (&json, &expected) {
        (Ok(value), Ok(expected)) => assert_eq!(value, expected, "JSON is read as another value"),
        (Ok(_), Err(error)) => {
            assert!(error.to_string().starts_with("recursion limit"), "accepted: {error}");
        }
        (Err(code), Ok(_)) => assert!(REFUSALS.contains(code), "JSON is refused: {code}"),
        (Err(_), Err(_)) => {}
    }
    if let Ok(value) = &json {
        check_offsets(text, value);
    }
    let yaml = read(text, Syntax::Yaml);
    if let (Ok(json), Ok(yaml)) = (&json, &yaml) {
        assert_eq!(json, yaml, "JSON is read as another value if it is called YAML");
    }
    if let Ok(value) = &yaml {
        check_yaml(text, value);
    }
    if json.is_ok() || yaml.is_ok() { Reached::Checked } else { Reached::Refused }
}

/// The value of a text, or the code of the error, whose position is inside the text.
fn read(text: &str, syntax: Syntax) -> Result<Value, &'static str> {
    match parse(text, Some(syntax)) {
        Ok((value, _)) => Ok(value),
        Err(error) => {
            if let Some(position) = error.position() {
                assert!(position.offset() <= text.len(), "{error} is behind the text");
                assert_eq!(position, Position::of(text, position.offset()));
            }
            Err(error.code())
        }
    }
}

/// Every value stands where it is said to.
fn check_offsets(text: &str, value: &Value) {
    let places = places(value);
    let offsets = source_text(text, Syntax::Json).offsets(&places);
    for place in &places {
        let offset = offsets.get(place).unwrap_or_else(|| panic!("{place} is not found"));
        let mut values = serde_json::Deserializer::from_str(&text[*offset..]).into_iter();
        let expected = place.resolve(value);
        match values.next() {
            Some(Ok(found)) => assert_eq!(Some(&found), expected, "at {place}"),
            Some(Err(error)) if error.to_string().starts_with("recursion limit") => {}
            other => panic!("at {place}: {other:?}"),
        }
    }
}

fn check_yaml(text: &str, value: &Value) {
    let places = places(value);
    let offsets = source_text(text, Syntax::Yaml).offsets(&places);
    for (place, offset) in offsets {
        assert!(text.is_char_boundary(offset), "{place} is inside a character, or behind the text");
    }
    let written = value.to_string();
    match read(&written, Syntax::Json) {
        Ok(again) => assert_eq!(*value, again, "JSON of YAML"),
        // Alone among numbers, one of the greatest length can get longer: `1e5` is written as `1e+5`.
        Err(code) => assert_eq!(code, "contract::number-too-long", "JSON of YAML"),
    }
    // The line before it keeps the reader from taking it for JSON. Keys longer than 1,024 characters and some
    // characters are not allowed.
    if let Ok(again) = read(&format!("---\n{written}"), Syntax::Yaml) {
        assert_eq!(*value, again, "YAML of YAML");
    }
}

/// The pointers of values in `document`, its own first.
fn places(document: &Value) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut pending = vec![(Pointer::root(), document)];
    while let Some((at, value)) = pending.pop() {
        if found.len() == MOST_LOCATED {
            break;
        }
        match value {
            Value::Object(members) => {
                pending.extend(members.iter().map(|(key, value)| (at.key(key), value)));
            }
            Value::Array(items) => {
                pending
                    .extend(items.iter().enumerate().map(|(index, item)| (at.index(index), item)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        found.push(at);
    }
    found
}
