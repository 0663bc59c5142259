//! Percent-encoding, by place.
//!
//! Unreserved characters (RFC 3986 §2.3) are never encoded, all others are, as UTF-8. With reserved
//! characters allowed, those stay that neither end the place nor delimit its parts. A `%` is always
//! encoded: RFC 6570 lets encoded triplets pass in reserved expansion, which could not be read back.

use std::borrow::Cow;

use foolproof_contract::openapi::Charset;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Without `/`, `?` and `#`, which end a segment, `;`, which starts a matrix parameter, and brackets,
/// which no path has.
const PATH_RESERVED: &AsciiSet = &UNRESERVED
    .remove(b'!')
    .remove(b'$')
    .remove(b'&')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')')
    .remove(b'*')
    .remove(b'+')
    .remove(b',')
    .remove(b'=')
    .remove(b':')
    .remove(b'@');

/// Without `#` and `&`, which end a part, `+`, which is read as a blank, and brackets.
const QUERY_RESERVED: &AsciiSet =
    &PATH_RESERVED.add(b'&').add(b'+').remove(b';').remove(b'/').remove(b'?');

/// Without `;` and `,`, which end a cookie.
const COOKIE_RESERVED: &AsciiSet = &PATH_RESERVED.add(b',').remove(b'/').remove(b'?');

/// How texts of one place are encoded.
#[derive(Clone, Copy)]
pub(crate) struct Escape {
    pub(crate) charset: Charset,
    pub(crate) allows_reserved: bool,
}

impl Escape {
    pub(crate) fn new(charset: Charset) -> Self {
        Self { charset, allows_reserved: false }
    }

    /// `text` as it is transmitted.
    pub(crate) fn encode(self, text: &str) -> String {
        let set = match (self.charset, self.allows_reserved) {
            (Charset::Header | Charset::RawCookie, _) => return text.to_owned(),
            (_, false) => UNRESERVED,
            (Charset::Path, true) => PATH_RESERVED,
            (Charset::Query | Charset::WholeQuery, true) => QUERY_RESERVED,
            (Charset::Cookie, true) => COOKIE_RESERVED,
        };
        utf8_percent_encode(text, set).to_string()
    }

    /// What `text` was before it was encoded. Bytes that are not UTF-8 become U+FFFD.
    pub(crate) fn decode(self, text: &str) -> String {
        match self.charset {
            Charset::Header | Charset::RawCookie => text.to_owned(),
            Charset::Path | Charset::Cookie => decode(text),
            Charset::Query | Charset::WholeQuery => decode_plus(text),
        }
    }
}

/// Percent-decodes `text`.
pub(crate) fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// Percent-decodes `text`, in which `+` is a blank (`application/x-www-form-urlencoded`).
pub(crate) fn decode_plus(text: &str) -> String {
    let text: Cow<'_, str> =
        if text.contains('+') { text.replace('+', " ").into() } else { text.into() };
    decode(&text)
}

/// Percent-encodes everything but unreserved characters.
pub(crate) fn encode(text: &str) -> String {
    utf8_percent_encode(text, UNRESERVED).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reserved_characters_stay_where_they_do_no_harm() {
        let reserved = |charset| Escape { charset, allows_reserved: true };
        assert_eq!(reserved(Charset::Path).encode("a/b?c#d,e;f%"), "a%2Fb%3Fc%23d,e%3Bf%25");
        assert_eq!(reserved(Charset::Query).encode("a/b?c#d&e+f[g]"), "a/b?c%23d%26e%2Bf%5Bg%5D");
        assert_eq!(reserved(Charset::Cookie).encode("a;b,c=d e"), "a%3Bb%2Cc=d%20e");
        assert_eq!(Escape::new(Charset::Query).encode("ü €"), "%C3%BC%20%E2%82%AC");
    }

    #[test]
    fn a_plus_is_a_blank_in_the_query_alone() {
        assert_eq!(Escape::new(Charset::Query).decode("a+b%2Bc"), "a b+c");
        assert_eq!(Escape::new(Charset::Path).decode("a+b"), "a+b");
        assert_eq!(decode("%FF%zz%"), "\u{fffd}%zz%");
    }
}
