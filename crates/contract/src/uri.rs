//! The little that we do to URIs ourselves: percent-encoding.

use std::borrow::Cow;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// What paths and fragments may hold as it is, of all that we ever write into one.
const PLAIN: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'$');

/// `text` as a path or a fragment.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, &PLAIN).to_string()
}

/// The text that a path or a fragment stands for; bytes that are no UTF-8 are replaced.
pub(crate) fn decode(encoded: &str) -> Cow<'_, str> {
    percent_decode_str(encoded).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_encoded_decodes_to_itself() {
        for text in ["/$defs/a b", "/ä/~1%", "/x-y_z.0", "/"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(encode("/a b%"), "/a%20b%25");
    }
}
