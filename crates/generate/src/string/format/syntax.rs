//! Identifiers and small languages: UUIDs, JSON pointers, URI templates, regular expressions.

use super::super::window::Window;
use crate::{Source, words::WORDS};

pub(super) const UUID: &str =
    "[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}";
pub(super) const JSON_POINTER: &str = "(?:/(?:[^/~]|~[01])*)*";
pub(super) const URI_TEMPLATE: &str = "(?:[A-Za-z0-9/_.~:-]|\
    \\{[+#./;?&]?[A-Za-z0-9_]+(?:,[A-Za-z0-9_]+)*\\*?\\})*";
/// Literal text, classes and simple repetitions.
pub(super) const REGEX: &str =
    "\\^?(?:(?:[A-Za-z0-9 _-]|\\[[a-z]+\\]|\\([a-z]+\\)|\\\\[dws])[+*?]?)*\\$?";

pub(super) fn uuid(source: &mut impl Source) -> String {
    let high = source.below(1 << 32);
    let middle = source.below(1 << 28);
    let low = source.below(1 << 62) | 1 << 63;
    // Version 4, variant 1 (RFC 9562 §5.4), as most are.
    let text = format!(
        "{high:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        middle >> 12,
        middle & 0xfff,
        low >> 48,
        low & 0xffff_ffff_ffff
    );
    if source.below(12) == 11 { text.to_uppercase() } else { text }
}

pub(super) fn json_pointer(window: Window, source: &mut impl Source) -> String {
    let tokens = source.below(5);
    let mut text = String::new();
    let mut done = 0;
    while done < tokens || (text.len() < window.least && text.len() < 10_000) {
        text.push('/');
        match source.below(10) {
            7 => text += &source.below(20).to_string(),
            8 => text += &format!("{}~1{}", source.pick(WORDS), source.pick(WORDS)),
            9 => text += &format!("{}~0", source.pick(WORDS)),
            _ => text.push_str(WORDS[source.index(WORDS.len())]),
        }
        done += 1;
    }
    text
}

pub(super) fn relative_json_pointer(window: Window, source: &mut impl Source) -> String {
    let up = source.below(20);
    if source.below(4) == 3 {
        return format!("{up}#");
    }
    let window = Window { least: window.least.saturating_sub(1), ..window };
    format!("{up}{}", json_pointer(window, source))
}

pub(super) fn uri_template(window: Window, source: &mut impl Source) -> String {
    let mut text = match source.below(3) {
        0 => String::new(),
        1 => format!("https://{}.example", source.pick(WORDS)),
        _ => "/api".to_owned(),
    };
    let parts = source.between(1, 3);
    let mut done = 0;
    while done < parts || (text.len() < window.least && text.len() < 10_000) {
        match source.below(3) {
            0 => text += &format!("/{}", source.pick(WORDS)),
            1 => text += &format!("/{{{}}}", source.pick(WORDS)),
            _ => text += &format!("/{}/{{{}}}", source.pick(WORDS), source.pick(WORDS)),
        }
        done += 1;
    }
    match source.below(6) {
        3 => text += &format!("{{?{},{}}}", source.pick(WORDS), source.pick(WORDS)),
        4 => text += &format!("{{#{}}}", source.pick(WORDS)),
        5 => text += &format!("{{/{}*}}", source.pick(WORDS)),
        _ => {}
    }
    text
}

pub(super) fn regex(source: &mut impl Source) -> String {
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
    let word = source.pick(WORDS);
    match source.below(3) {
        0 => format!("{word}{pieces}"),
        1 => format!("^{word}{pieces}$"),
        _ => format!("^{pieces}{}", source.pick(WORDS)),
    }
}
