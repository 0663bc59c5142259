//! Text from contracts and data, written so that it cannot become markup.

use std::{fmt, fmt::Write as _};

use foolproof_contract::Untrusted;

/// `content` as the text of an element or as the value of a quoted attribute.
pub(super) fn text(content: &str) -> impl fmt::Display {
    Untrusted::new(content).html()
}

/// `id` as the id of an element and, after a `#`, as a link to it. Ids of elements have no spaces, and a
/// link is read by people and by other programs, so all but a few characters are percent-encoded.
pub(super) fn fragment(id: &str) -> Fragment<'_> {
    Fragment(id)
}

pub(super) struct Fragment<'a>(&'a str);

impl fmt::Display for Fragment<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for byte in self.0.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => formatter.write_char(byte.into())?,
                b':' | b'/' | b'.' | b'-' | b'_' | b'~' | b'$' | b'+' | b'*' | b'@' => {
                    formatter.write_char(byte.into())?;
                }
                _ => write!(formatter, "%{byte:02X}")?,
            }
        }
        Ok(())
    }
}

/// `content`, cut after at most `longest` bytes, and whether something was cut.
pub(super) fn cut(content: &str, longest: usize) -> (&str, bool) {
    let mut end = longest.min(content.len());
    while !content.is_char_boundary(end) {
        end -= 1;
    }
    (&content[..end], end < content.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_percent_encoded() {
        assert_eq!(fragment("op:GET /a{b}:\"é").to_string(), "op:GET%20/a%7Bb%7D:%22%C3%A9");
    }

    #[test]
    fn text_is_cut_between_characters() {
        assert_eq!(cut("aé", 2), ("a", true));
        assert_eq!(cut("aé", 3), ("aé", false));
    }
}
