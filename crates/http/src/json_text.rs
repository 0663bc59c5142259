//! JSON text for places that transmit ASCII only.

use serde_json::Value;

/// `value` as JSON whose characters are all printable ASCII: others are escaped.
pub(crate) fn ascii(value: &Value) -> String {
    let text = value.to_string();
    let mut escaped = String::with_capacity(text.len());
    let mut units = [0; 2];
    for character in text.chars() {
        // Outside of strings compact JSON is printable ASCII, so an escape is always inside of one.
        if (' '..='~').contains(&character) {
            escaped.push(character);
        } else {
            for unit in character.encode_utf16(&mut units) {
                escaped.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn characters_outside_of_ascii_are_escaped() {
        let value = json!({ "ü": "😀\u{7f}\n" });
        let text = ascii(&value);
        assert_eq!(text, r#"{"\u00fc":"\ud83d\ude00\u007f\n"}"#);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), value);
    }
}
