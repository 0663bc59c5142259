//! Values as compact JSON text: what `serde_json` writes, byte for byte.
//!
//! Serializing is a large part of what a small instance costs. Text that needs no escape, which is nearly all of it, is
//! recognised eight bytes at a time and copied as a whole; numbers are copied as they are written.

use serde_json::{Number, Value};

use super::{
    JsonArena, JsonView, Place,
    arena::{Node, Slot},
};

/// Appends `value` to `out` as compact JSON.
///
/// ```
/// use foolproof_contract::write_json;
/// use serde_json::json;
///
/// let mut text = Vec::new();
/// write_json(&json!({ "name": "\"A\"", "sizes": [1, 2.50] }), &mut text);
/// assert_eq!(text, br#"{"name":"\"A\"","sizes":[1,2.5]}"#);
/// ```
pub fn write_json<'v>(value: impl Into<JsonView<'v>>, out: &mut Vec<u8>) {
    match value.into().0 {
        Place::Value(value) => write_value(value, out),
        Place::Text(text) => write_string(text, out),
        Place::Slot(arena, slot) => write_slot(arena, slot, out),
    }
}

fn write_value(value: &Value, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(is) => write_bool(*is, out),
        Value::Number(number) => write_number(number, out),
        Value::String(text) => write_string(text, out),
        Value::Array(items) => {
            let start = out.len();
            for item in items {
                out.push(b',');
                write_value(item, out);
            }
            end_container(start, *b"[]", out);
        }
        Value::Object(members) => {
            let start = out.len();
            for (name, member) in members {
                out.push(b',');
                write_string(name, out);
                out.push(b':');
                write_value(member, out);
            }
            end_container(start, *b"{}", out);
        }
    }
}

fn write_slot(arena: &JsonArena<'_>, slot: &Slot<'_>, out: &mut Vec<u8>) {
    match slot.value {
        Node::Null => out.extend_from_slice(b"null"),
        Node::Bool(is) => write_bool(is, out),
        Node::Integer(integer) => {
            out.extend_from_slice(itoa::Buffer::new().format(integer).as_bytes());
        }
        Node::Number(number) => write_number(number, out),
        Node::Digits(span) => out.extend_from_slice(arena.text_at(span).as_bytes()),
        Node::Text(span) => write_string(arena.text_at(span), out),
        Node::Listed(value) => write_value(value, out),
        Node::Owned(number) => write_value(arena.owned(number), out),
        Node::Array(span) => {
            let start = out.len();
            for item in arena.slots(span) {
                out.push(b',');
                write_slot(arena, item, out);
            }
            end_container(start, *b"[]", out);
        }
        Node::Object(span) => {
            let start = out.len();
            for member in arena.slots(span) {
                out.extend_from_slice(member.written_name());
                write_slot(arena, member, out);
            }
            end_container(start, *b"{}", out);
        }
    }
}

/// Ends a container whose parts, each after a comma, are written from `start` on.
fn end_container(start: usize, [open, close]: [u8; 2], out: &mut Vec<u8>) {
    match out.get_mut(start) {
        Some(first_comma) => *first_comma = open,
        None => out.push(open),
    }
    out.push(close);
}

fn write_bool(is: bool, out: &mut Vec<u8>) {
    out.extend_from_slice(if is { b"true" } else { b"false" });
}

fn write_number(number: &Number, out: &mut Vec<u8>) {
    out.extend_from_slice(number.as_str().as_bytes());
}

pub(super) fn write_string(text: &str, out: &mut Vec<u8>) {
    let bytes = text.as_bytes();
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    if is_plain(bytes) {
        out.extend_from_slice(bytes);
    } else {
        write_escaped(bytes, out);
    }
    out.push(b'"');
}

/// The bytes of a word.
const WORD: usize = size_of::<u64>();

/// Whether no byte has to be escaped.
fn is_plain(bytes: &[u8]) -> bool {
    let Some(last) = bytes.last_chunk::<WORD>() else {
        return bytes.iter().all(|byte| !must_be_escaped(*byte));
    };
    // The last word overlaps the one before it, so that no bytes are left over.
    let (words, _) = bytes.as_chunks::<WORD>();
    words.iter().chain([last]).all(|word| is_plain_word(u64::from_le_bytes(*word)))
}

/// Whether no byte of `word` has to be escaped. All eight are compared at once: the highest bit of a byte of a mask is set
/// if the byte is below a space, a quotation mark or a backslash. A borrow may set it for the byte after such a one,
/// which changes nothing.
fn is_plain_word(word: u64) -> bool {
    const ONES: u64 = u64::MAX / 0xFF;
    const HIGHEST: u64 = ONES << 7;
    let zero_bytes = |word: u64| word.wrapping_sub(ONES) & !word;
    let below_space = word.wrapping_sub(ONES * 0x20) & !word;
    let quotation_marks = zero_bytes(word ^ (ONES * u64::from(b'"')));
    let backslashes = zero_bytes(word ^ (ONES * u64::from(b'\\')));
    (below_space | quotation_marks | backslashes) & HIGHEST == 0
}

fn must_be_escaped(byte: u8) -> bool {
    byte < 0x20 || byte == b'"' || byte == b'\\'
}

fn write_escaped(bytes: &[u8], out: &mut Vec<u8>) {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    for byte in bytes {
        let short = match byte {
            b'"' | b'\\' => *byte,
            0x08 => b'b',
            b'\t' => b't',
            b'\n' => b'n',
            0x0C => b'f',
            b'\r' => b'r',
            0..0x20 => {
                let digits = [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]];
                out.extend_from_slice(b"\\u00");
                out.extend_from_slice(&digits);
                continue;
            }
            _ => {
                out.push(*byte);
                continue;
            }
        };
        out.extend_from_slice(&[b'\\', short]);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Map, Value, json};

    use super::write_json;

    fn text(value: &Value) -> String {
        let mut out = Vec::new();
        write_json(value, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_byte_is_escaped_as_serde_json_does_it() {
        for code in (0..0x180).chain([0x2028, 0xFFFD, 0x1F600]) {
            let char = char::from_u32(code).unwrap();
            // At every place in a word, and alone.
            for before in 0..12 {
                let value = json!(format!("{}{char}", "x".repeat(before)));
                assert_eq!(text(&value), value.to_string());
                let value = json!(format!("{char}{}", "x".repeat(before)));
                assert_eq!(text(&value), value.to_string());
            }
        }
    }

    #[test]
    fn empty_and_exact_values_are_written_as_serde_json_does_it() {
        let number: Value = serde_json::from_str("-1.50e+400").unwrap();
        for value in [json!([]), json!({}), json!([[], {}, null, true, false]), number] {
            assert_eq!(text(&value), value.to_string());
        }
    }

    fn values() -> impl Strategy<Value = Value> {
        let scalar = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
            "[a-z\"\\\\\n ]{0,40}".prop_map(Value::from),
        ];
        scalar.prop_recursive(4, 40, 6, |inner| {
            let members = proptest::collection::vec((any::<String>(), inner.clone()), 0..6);
            prop_oneof![
                proptest::collection::vec(inner, 0..6).prop_map(Value::Array),
                members
                    .prop_map(|members| Value::Object(members.into_iter().collect::<Map<_, _>>())),
            ]
        })
    }

    proptest! {
        #[test]
        fn values_are_written_as_serde_json_does_it(value in values()) {
            prop_assert_eq!(text(&value), value.to_string());
        }
    }
}
