//! Patterns of the texts that a place transmits.

use serde_json::json;

use super::rule::Rule;
use crate::{JsonType, TypeSet, openapi::wire_format::Charset};

/// The types whose values are one text.
pub(super) fn scalars() -> TypeSet {
    [JsonType::Boolean, JsonType::Number, JsonType::String].into_iter().collect()
}

/// The grammar of numbers (RFC 8259 §6).
const NUMBER: &str = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$";

/// Excludes strings that the parse of a text would take for another type that is admitted.
pub(super) fn exclude_ambiguous_strings(rule: &mut Rule, types: TypeSet) {
    if !types.contains(JsonType::String) {
        return;
    }
    if types.overlaps(TypeSet::NUMBER) {
        rule.exclude_strings(NUMBER);
    }
    if types.contains(JsonType::Boolean) {
        rule.exclude(json!({ "enum": ["true", "false"] }));
    }
}

/// Restricts strings to the characters of `charset` without those of `excluded`.
pub(super) fn restrict_strings(rule: &mut Rule, charset: Charset, excluded: &str) {
    if let Some(pattern) = string_pattern(charset, excluded) {
        rule.set("pattern", json!(pattern));
    }
}

fn string_pattern(charset: Charset, excluded: &str) -> Option<String> {
    match charset {
        Charset::Header => {
            let inner = class(' '..='~', excluded);
            let outer = class('!'..='~', excluded);
            Some(format!("^[{outer}]([{inner}]*[{outer}])?$"))
        }
        Charset::RawCookie => Some(format!("^[{}]*$", class(cookie_octets(), excluded))),
        Charset::Path | Charset::Query | Charset::WholeQuery | Charset::Cookie
            if excluded.is_empty() =>
        {
            None
        }
        Charset::Path | Charset::Query | Charset::WholeQuery | Charset::Cookie => {
            Some(format!("^[^{}]*$", excluded.chars().map(escaped).collect::<String>()))
        }
    }
}

/// A pattern that matches the names of members that `charset` does not transmit, or that contain a
/// character of `excluded`.
pub(super) fn bad_names(charset: Charset, excluded: &str) -> Option<String> {
    let excluded: String = excluded.chars().map(escaped).collect();
    let any_of = |class: String| format!("[{class}]");
    let mut patterns = Vec::new();
    match charset {
        Charset::Header => {
            patterns.extend(["^$", "^ ", " $", "[^ -~]"].map(str::to_owned));
        }
        Charset::RawCookie => {
            let token = class(token_characters(), "");
            patterns.extend(["^$".to_owned(), any_of(format!("^{token}"))]);
        }
        Charset::Cookie => patterns.push("^$".to_owned()),
        Charset::Path | Charset::Query | Charset::WholeQuery => {}
    }
    if !excluded.is_empty() {
        patterns.push(any_of(excluded));
    }
    (!patterns.is_empty()).then(|| patterns.join("|"))
}

/// RFC 6265 §4.1.1, `cookie-octet`.
fn cookie_octets() -> impl Iterator<Item = char> {
    ('!'..='~').filter(|character| !"\",;\\".contains(*character))
}

/// RFC 9110 §5.6.2, `token`.
fn token_characters() -> impl Iterator<Item = char> {
    ('!'..='~').filter(|it| it.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(*it))
}

/// The inside of a character class: `characters`, which ascend, without `excluded`.
fn class(characters: impl IntoIterator<Item = char>, excluded: &str) -> String {
    let mut ranges: Vec<(char, char)> = Vec::new();
    for character in characters.into_iter().filter(|it| !excluded.contains(*it)) {
        match ranges.last_mut() {
            Some((_, last)) if u32::from(*last) + 1 == u32::from(character) => *last = character,
            _ => ranges.push((character, character)),
        }
    }
    let range = |(first, last): (char, char)| {
        if first == last { escaped(first) } else { format!("{}-{}", escaped(first), escaped(last)) }
    };
    ranges.into_iter().map(range).collect()
}

/// A character as a pattern, inside and outside of a class.
fn escaped(character: char) -> String {
    match character {
        '\t' => "\\t".to_owned(),
        '\r' => "\\r".to_owned(),
        '\n' => "\\n".to_owned(),
        _ if r"^$\.*+?()[]{}|/".contains(character) => format!("\\{character}"),
        // Only a class knows an escaped hyphen in every flavour; outside it is a literal anyway.
        '-' => "\\-".to_owned(),
        _ => character.to_string(),
    }
}

/// A text as a pattern that matches it.
pub(super) fn literal(text: &str) -> String {
    text.chars().map(|it| if it == '-' { "-".to_owned() } else { escaped(it) }).collect()
}

/// A pattern of the texts in which a reader finds `end` too early: inside, or across their own end. A text
/// has at least one character, so the first one is never part of what ends it.
pub(super) fn ends_early(end: &str) -> String {
    let any = "[\\s\\S]";
    let mut patterns = vec![format!("{any}{}", literal(end))];
    // Where `end` overlaps itself, it also starts in a text that ends with the first part of it.
    let starts = end.char_indices().map(|(at, _)| at).skip(1);
    let overlapping = starts.filter(|at| end.starts_with(&end[*at..]));
    patterns.extend(overlapping.map(|at| format!("{any}{}$", literal(&end[..at]))));
    patterns.join("|")
}
