//! Decodes the Base64 of header values (RFC 4648 §4, with padding).

/// The bytes that `text` encodes, or `None` if it is not valid.
pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for group in digits.as_bytes().chunks(4) {
        let mut bits = 0;
        for digit in group {
            bits = bits << 6 | value(*digit)?;
        }
        // A group of n digits holds n − 1 bytes; the bits of absent digits are zero.
        bits <<= 6 * (4 - group.len());
        let [_, three @ ..] = bits.to_be_bytes();
        bytes.extend_from_slice(three.get(..group.len() - 1)?);
    }
    Some(bytes)
}

fn value(digit: u8) -> Option<u32> {
    let value = match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    };
    Some(u32::from(value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn examples_of_the_specification_are_decoded() {
        let cases = [
            ("", Some("")),
            ("SGVsbG8sIOS4lueVjA==", Some("Hello, 世界")),
            ("IHBhZGRlZCA=", Some(" padded ")),
            ("bGluZTEKbGluZTI=", Some("line1\nline2")),
            ("PT9iYXNlNjQ/bGl0ZXJhbD89", Some("=?base64?literal?=")),
            ("A", None),
            ("A===", None),
            ("====", None),
            ("ab-c", None),
        ];
        for (text, expected) in cases {
            let decoded = decode(text).map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(decoded.as_deref(), expected, "{text}");
        }
    }
}
