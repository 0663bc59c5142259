//! Text on a terminal, and in the log of a CI, which obeys commands in it.

use std::borrow::Cow;

/// Whether a terminal obeys `char` instead of showing it, or shows something else at its sight: control characters, those
/// that change the direction of text, and other ends of lines.
#[must_use]
pub fn controls_terminal(char: char) -> bool {
    char.is_control()
        || matches!(char, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

/// `text` on one line, without what a terminal or a CI obeys.
pub(super) fn line(text: &str) -> Cow<'_, str> {
    let is_plain = |char: char| !controls_terminal(char) && char != '#' && char != ':';
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut line: String = text
        .chars()
        .map(|char| match char {
            '\n' | '\r' | '\t' => ' ',
            char if controls_terminal(char) => char::REPLACEMENT_CHARACTER,
            char => char,
        })
        .collect();
    disarm(&mut line);
    Cow::Owned(line)
}

/// `text` without what a terminal or a CI obeys, but for line breaks and tabs.
pub(super) fn lines(text: &str) -> Cow<'_, str> {
    let is_plain = |char: char| !controls_terminal(char) && char != '#' && char != ':';
    if text.chars().all(|char| is_plain(char) || matches!(char, '\n' | '\t')) {
        return Cow::Borrowed(text);
    }
    let mut lines = String::with_capacity(text.len());
    for part in text.split_inclusive('\n') {
        let (content, end) = part.strip_suffix('\n').map_or((part, ""), |content| (content, "\n"));
        let show = |char: char| match char {
            '\t' => char,
            char if controls_terminal(char) => char::REPLACEMENT_CHARACTER,
            char => char,
        };
        let mut shown: String = content.chars().map(show).collect();
        disarm(&mut shown);
        lines.push_str(&shown);
        lines.push_str(end);
    }
    Cow::Owned(lines)
}

/// Replaces the first character of what a CI takes for a command: `::error::…` at the beginning of a line for GitHub,
/// and `##[…` or `##vso[…` anywhere for others.
fn disarm(line: &mut String) {
    let start = line.len() - line.trim_start().len();
    let rest = &line[start..];
    if rest.starts_with("::")
        && rest[2..].starts_with(|char: char| char.is_ascii_alphabetic())
        && rest[2..].contains("::")
    {
        line.replace_range(start..=start, "\u{fffd}");
    }
    let mut from = 0;
    while let Some(found) = line[from..].find("##") {
        let place = from + found;
        let after = line[place + 2..].trim_start_matches(|char: char| char.is_ascii_alphabetic());
        if after.starts_with('[') {
            line.replace_range(place..=place, "\u{fffd}");
        }
        from = place + 1;
        while !line.is_char_boundary(from) {
            from += 1;
        }
    }
}

#[test]
fn text_is_on_one_line_and_commands_nothing() {
    for (text, expected) in [
        ("ordinary: text, é ##", "ordinary: text, é ##"),
        ("a\u{1b}[2Jb\nc\u{202e}", "a\u{fffd}[2Jb c\u{fffd}"),
        ("std::io and ::1 and ::ffff:1.2.3.4", "std::io and ::1 and ::ffff:1.2.3.4"),
        ("::1", "::1"),
        ("x\n::error file=a::b", "x ::error file=a::b"),
        ("::error file=a::b", "\u{fffd}:error file=a::b"),
        ("  ::stop-commands::x", "  \u{fffd}:stop-commands::x"),
        ("a ##[error]b ###vso[task] ## [x]", "a \u{fffd}#[error]b #\u{fffd}#vso[task] ## [x]"),
        ("##teamcity[x", "\u{fffd}#teamcity[x"),
    ] {
        assert_eq!(line(text), expected, "{text:?}");
    }
}

#[test]
fn every_line_is_disarmed() {
    assert!(matches!(lines("plain\n\ttext\n"), Cow::Borrowed(_)));
    assert_eq!(lines("a\n::error::b\r\n\tc: d\n"), "a\n\u{fffd}:error::b\u{fffd}\n\tc: d\n");
}
