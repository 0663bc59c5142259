//! Text as it reads once an encoding is undone, with the places in the text that each byte comes from.

use std::ops::Range;

use base64::{Engine as _, engine::general_purpose::STANDARD_NO_PAD};

/// How often escapes of JSON are undone: JSON inside JSON inside JSON.
const JSON_LEVELS: usize = 3;

/// A text with an encoding undone.
pub(super) struct View {
    bytes: Vec<u8>,
    /// Where each byte begins in the text, and where the text ends.
    places: Vec<usize>,
}

impl View {
    /// Calls `look` with the text as it is, and with each encoding undone that it may have. One view is kept at a time, since
    /// texts may be large.
    pub(super) fn each(text: &str, mut look: impl FnMut(&Self)) {
        let mut view = Self::plain(text);
        for _ in 0..JSON_LEVELS {
            view.look_closer(&mut look);
            if !view.bytes.contains(&b'\\') {
                return;
            }
            view = view.decoded(json_escape);
        }
        view.look_closer(&mut look);
    }

    /// Calls `look` with this view, and with what is left to undo in it.
    fn look_closer(&self, look: &mut impl FnMut(&Self)) {
        look(self);
        let has = |byte: u8| self.bytes.contains(&byte);
        if has(b'%') || has(b'+') {
            let decoded = self.decoded(percent);
            look(&decoded);
            look(&self.map_bytes(|byte| if byte == b'+' { b' ' } else { byte }).decoded(percent));
        }
        if has(b'&') {
            look(&self.decoded(entity));
        }
    }

    fn plain(text: &str) -> Self {
        Self { bytes: text.as_bytes().to_vec(), places: (0..=text.len()).collect() }
    }

    /// The text without line breaks, with which long lines of encoded text are wrapped.
    pub(super) fn flat(text: &str) -> Self {
        let mut view = Self { bytes: Vec::with_capacity(text.len()), places: Vec::new() };
        for (place, byte) in text.bytes().enumerate() {
            if byte != b'\n' && byte != b'\r' {
                view.bytes.push(byte);
                view.places.push(place);
            }
        }
        view.places.push(text.len());
        view
    }

    /// The same with each byte replaced.
    pub(super) fn map_bytes(&self, map: impl Fn(u8) -> u8) -> Self {
        let bytes = self.bytes.iter().map(|byte| map(*byte)).collect();
        Self { bytes, places: self.places.clone() }
    }

    /// The same with an encoding undone: `decode` gives what stands at the beginning of the bytes, and how long it is.
    fn decoded(&self, decode: impl Fn(&[u8]) -> Option<(Decoded, usize)>) -> Self {
        let mut view = Self { bytes: Vec::with_capacity(self.bytes.len()), places: Vec::new() };
        let mut at = 0;
        while at < self.bytes.len() {
            let (decoded, length) =
                decode(&self.bytes[at..]).unwrap_or((Decoded::Byte(self.bytes[at]), 1));
            let before = view.bytes.len();
            match decoded {
                Decoded::Byte(byte) => view.bytes.push(byte),
                Decoded::Char(char) => {
                    view.bytes.extend_from_slice(char.encode_utf8(&mut [0; 4]).as_bytes());
                }
            }
            view.places.resize(view.places.len() + view.bytes.len() - before, self.places[at]);
            at += length;
        }
        view.places.push(self.places[self.bytes.len()]);
        view
    }

    /// The places in the text where `secret` is.
    pub(super) fn find<'v>(&'v self, secret: &'v str) -> impl Iterator<Item = Range<usize>> + 'v {
        memchr::memmem::find_iter(&self.bytes, secret).map(move |start| {
            let end = start + secret.len();
            self.places[start]..self.places[end]
        })
    }
}

impl View {
    /// The part of `secret` that the text ends with, and the part that it begins with, if they have at least `least` bytes.
    pub(super) fn cut_off(&self, secret: &str, least: usize) -> impl Iterator<Item = Range<usize>> {
        let secret = secret.as_bytes();
        let length = self.bytes.len();
        let mut sizes = (least..secret.len()).rev().filter(|size| *size <= length);
        let at_end = sizes.clone().find(|size| self.bytes.ends_with(&secret[..*size]));
        let at_start = sizes.find(|size| self.bytes.starts_with(&secret[secret.len() - *size..]));
        let last = at_end.map(|size| self.places[length - size]..self.places[length]);
        let first = at_start.map(|size| self.places[0]..self.places[size]);
        last.into_iter().chain(first)
    }
}

/// What an escape stands for.
enum Decoded {
    Byte(u8),
    Char(char),
}

/// `%41`.
fn percent(bytes: &[u8]) -> Option<(Decoded, usize)> {
    let [b'%', high, low, ..] = bytes else { return None };
    let digit = |byte: u8| char::from(byte).to_digit(16);
    let byte = u8::try_from(digit(*high)? * 16 + digit(*low)?).ok()?;
    Some((Decoded::Byte(byte), 3))
}

/// `\n`, `\"`, `\u00e9`.
fn json_escape(bytes: &[u8]) -> Option<(Decoded, usize)> {
    let [b'\\', kind, rest @ ..] = bytes else { return None };
    let byte = match kind {
        b'"' | b'\\' | b'/' => *kind,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'u' => {
            let first = unit(rest)?;
            if let Some(char) = char::from_u32(first) {
                return Some((Decoded::Char(char), 6));
            }
            let second = unit(rest.get(4..)?.strip_prefix(b"\\u")?)?;
            let pair = [u16::try_from(first).ok()?, u16::try_from(second).ok()?];
            let char = char::decode_utf16(pair).next()?.ok()?;
            return Some((Decoded::Char(char), 12));
        }
        _ => return None,
    };
    Some((Decoded::Byte(byte), 2))
}

fn unit(bytes: &[u8]) -> Option<u32> {
    let digits = str::from_utf8(bytes.get(..4)?).ok()?;
    u32::from_str_radix(digits, 16).ok()
}

/// `&amp;`, `&#39;`, `&#x27;`.
fn entity(bytes: &[u8]) -> Option<(Decoded, usize)> {
    const LONGEST: usize = 10;
    let rest = bytes.strip_prefix(b"&")?;
    let end = rest.iter().take(LONGEST).position(|byte| *byte == b';')?;
    let name = str::from_utf8(&rest[..end]).ok()?;
    let char = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        _ => {
            let number = name.strip_prefix('#')?;
            let number = match number.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16),
                None => number.parse(),
            };
            char::from_u32(number.ok()?)?
        }
    };
    Some((Decoded::Char(char), end + 2))
}

/// In lower-case hexadecimal digits.
pub(super) fn hex(secret: &str) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = secret.bytes().flat_map(|byte| [byte >> 4, byte & 15]);
    digits.map(|digit| char::from(DIGITS[usize::from(digit)])).collect()
}

/// The characters of Base64 that depend on `secret` alone, if it begins `offset` bytes after a group of three.
pub(super) fn base64(secret: &str, offset: usize) -> String {
    let bytes: Vec<u8> = std::iter::repeat_n(0, offset).chain(secret.bytes()).collect();
    let encoded = STANDARD_NO_PAD.encode(&bytes);
    let (first, last) = ((offset * 8).div_ceil(6), bytes.len() * 8 / 6);
    encoded[first..last].to_owned()
}

/// A byte of the other alphabet, which URLs have, as one of the standard alphabet.
pub(super) fn standard_base64(byte: u8) -> u8 {
    match byte {
        b'-' => b'+',
        b'_' => b'/',
        byte => byte,
    }
}

/// `span` with the characters beside it that have bits of the secret too.
pub(super) fn widened(text: &str, span: &Range<usize>) -> Range<usize> {
    let bytes = text.as_bytes();
    let is_base64 = |byte: Option<&u8>| {
        byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte))
    };
    let start = span.start - usize::from(span.start > 0 && is_base64(bytes.get(span.start - 1)));
    let end = span.end + usize::from(is_base64(bytes.get(span.end)));
    start..end
}
