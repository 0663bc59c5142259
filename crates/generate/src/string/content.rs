//! Texts with content inside: JSON documents and encoded bytes.

use super::{text, window::Window};
use crate::Source;

/// What the text has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Content {
    json: bool,
    base64: bool,
}

impl Content {
    /// The content of these kinds; nothing if none of them is known.
    pub(super) fn of(media_types: &[String], encodings: &[String]) -> Option<Self> {
        let json = media_types.iter().any(|it| it == "application/json" || it.ends_with("+json"));
        let base64 = encodings.iter().any(|it| it == "base64");
        (json || base64).then_some(Self { json, base64 })
    }

    /// Writes a text to `text`, which is empty; `false` if it would be too long to build.
    pub(super) fn draw(self, text: &mut String, window: Window, source: &mut impl Source) -> bool {
        let inner = match (self.base64, self.json) {
            // Four characters hold three bytes; the window is met from inside.
            (true, false) => {
                Window { least: window.least.div_ceil(4) * 3, most: window.most / 4 * 3 }
            }
            _ => Window { least: 0, most: window.most.saturating_sub(2) },
        };
        if !text::draw(text, inner, source) {
            return false;
        }
        if self.json {
            *text = match source.below(4) {
                0 => serde_json::Value::from(text.as_str()).to_string(),
                1 => source.below(1000).to_string(),
                2 => serde_json::json!({ "name": text }).to_string(),
                _ => serde_json::json!([text, source.below(100)]).to_string(),
            };
        }
        if self.base64 {
            *text = encode(text.as_bytes());
        }
        true
    }
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// RFC 4648 §4.
fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or(0));
        let word = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let digit = DIGITS[(word >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= chunk.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::encode;

    #[test]
    fn base64_is_that_of_the_standard() {
        for (bytes, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foobar", "Zm9vYmFy")] {
            assert_eq!(encode(bytes.as_bytes()), text);
        }
    }
}
