//! Identifiers and small languages: UUIDs, JSON pointers, URI templates, regular expressions.

use super::super::{append::Append, window::Window};
use crate::{
    Source,
    words::{WORDS, any_of},
};

pub(super) const UUID: &str =
    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
pub(super) const JSON_POINTER: &str = "(?:/(?:[^/~]|~[01])*)*";
pub(super) const URI_TEMPLATE: &str = "(?:[A-Za-z0-9/_.~:-]|\
    \\{[+#./;?&]?[A-Za-z0-9_]+(?:,[A-Za-z0-9_]+)*\\*?\\})*";
/// Literal text, classes and simple repetitions.
pub(super) const REGEX: &str =
    "\\^?(?:(?:[A-Za-z0-9 _-]|\\[[a-z]+\\]|\\([a-z]+\\)|\\\\[dws])[+*?]?)*\\$?";

pub(super) fn uuid(text: &mut String, source: &mut impl Source) {
    let start = text.len();
    let high = source.below(1 << 32);
    let middle = source.below(1 << 28);
    let low = source.below(1 << 62) | 1 << 63;
    // Version 4, variant 1 (RFC 9562 §5.4), as most are.
    text.push_hex(high, 8);
    text.push('-');
    text.push_hex(middle >> 12, 4);
    text.push_str("-4");
    text.push_hex(middle, 3);
    text.push('-');
    text.push_hex(low >> 48, 4);
    text.push('-');
    text.push_hex(low, 12);
    if source.below(12) == 11 {
        text[start..].make_ascii_uppercase();
    }
}

pub(super) fn json_pointer(text: &mut String, window: Window, source: &mut impl Source) {
    let start = text.len();
    let tokens = source.below(5);
    let mut done = 0;
    while done < tokens || (text.len() - start < window.least && text.len() < 10_000) {
        text.push('/');
        match source.below(10) {
            7 => text.push_number(source.below(20)),
            8 => text.push_all(&[any_of(WORDS, source), "~1", any_of(WORDS, source)]),
            9 => text.push_all(&[any_of(WORDS, source), "~0"]),
            _ => text.push_str(any_of(WORDS, source)),
        }
        done += 1;
    }
}

pub(super) fn relative_json_pointer(text: &mut String, window: Window, source: &mut impl Source) {
    text.push_number(source.below(20));
    if source.below(4) == 3 {
        return text.push('#');
    }
    let window = Window { least: window.least.saturating_sub(1), ..window };
    json_pointer(text, window, source);
}

pub(super) fn uri_template(text: &mut String, window: Window, source: &mut impl Source) {
    match source.below(3) {
        0 => {}
        1 => text.push_all(&["https://", any_of(WORDS, source), ".example"]),
        _ => text.push_str("/api"),
    }
    let parts = source.between(1, 3);
    let mut done = 0;
    while done < parts || (text.len() < window.least && text.len() < 10_000) {
        match source.below(3) {
            0 => text.push_all(&["/", any_of(WORDS, source)]),
            1 => text.push_all(&["/{", any_of(WORDS, source), "}"]),
            _ => text.push_all(&["/", any_of(WORDS, source), "/{", any_of(WORDS, source), "}"]),
        }
        done += 1;
    }
    match source.below(6) {
        3 => text.push_all(&["{?", any_of(WORDS, source), ",", any_of(WORDS, source), "}"]),
        4 => text.push_all(&["{#", any_of(WORDS, source), "}"]),
        5 => text.push_all(&["{/", any_of(WORDS, source), "*}"]),
        _ => {}
    }
}

pub(super) fn regex(text: &mut String, source: &mut impl Source) {
    const PIECES: &[&str] = &[
        "[a-z]+",
        "\\d{2,4}",
        "\\w+",
        "[A-Z][a-z]*",
        ".*",
        "(foo|bar)",
        "[^,]+",
        "\\s*",
        "-?",
        "[0-9a-f]{8}",
        "(?:x|y)?",
        "\\.",
    ];
    let pieces: String = (0..source.below(4)).map(|_| *source.pick(PIECES)).collect();
    let word = any_of(WORDS, source);
    match source.below(3) {
        0 => text.push_all(&[word, &pieces]),
        1 => text.push_all(&["^", word, &pieces, "$"]),
        _ => text.push_all(&["^", &pieces, any_of(WORDS, source)]),
    }
}
