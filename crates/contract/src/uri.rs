//! Percent-encoding of paths and fragments in URIs.

use std::borrow::Cow;

use percent_encoding::{
    AsciiSet, CONTROLS, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode,
};
use referencing::UriRef;

/// The characters that are percent-encoded in paths and fragments that we write.
const ENCODED: AsciiSet =
    NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'$');

/// `text` as a path or a fragment.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, &ENCODED).to_string()
}

/// The characters that a fragment may not contain unencoded.
const ILLEGAL: AsciiSet = CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'#')
    .add(b'<')
    .add(b'>')
    .add(b'[')
    .add(b'\\')
    .add(b']')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// `reference` with its fragment percent-encoded where it is no URI reference as written:
/// generators of schemas write `#/definitions/Map<string>`.
pub(crate) fn repair_reference(reference: &str) -> Option<String> {
    if UriRef::parse(reference).is_ok() {
        return None;
    }
    let (document, fragment) = reference.split_once('#')?;
    let repaired = format!("{document}#{}", utf8_percent_encode(fragment, &ILLEGAL));
    UriRef::parse(repaired.as_str()).is_ok().then_some(repaired)
}

/// The text that an encoded path or fragment represents; bytes that are no UTF-8 are replaced.
pub(crate) fn decode(encoded: &str) -> Cow<'_, str> {
    percent_decode_str(encoded).decode_utf8_lossy()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encoded_text_decodes_to_itself() {
        for text in ["/$defs/a b", "/ä/~1%", "/x-y_z.0", "/"] {
            assert_eq!(decode(&encode(text)), text);
        }
        assert_eq!(encode("/a b%"), "/a%20b%25");
    }

    #[test]
    fn only_invalid_references_are_repaired() {
        assert_eq!(repair_reference("#/definitions/a%20b"), None);
        let repaired = repair_reference("#/definitions/Map<(a|b)[]>").unwrap();
        assert_eq!(repaired, "#/definitions/Map%3C(a%7Cb)%5B%5D%3E");
        assert_eq!(repair_reference("a b"), None);
    }
}
