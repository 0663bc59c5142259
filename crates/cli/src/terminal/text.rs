//! Lines that fit a terminal, and text that does nothing to it.

use std::borrow::Cow;

use foolproof_contract::{
    controls_terminal,
    wording::{abbreviate, percent},
};

/// How wide a line may be, in characters.
pub(crate) const WIDTH: usize = 100;

/// Starts a section with a title.
pub(crate) fn heading(out: &mut String, title: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    out.push_str(title);
    out.push('\n');
}

/// Writes `text` after `lead`, wrapped, with all lines indented by the width of `lead`. A word that is
/// longer than a line is cut.
pub(crate) fn sentence(out: &mut String, lead: &str, text: &str) {
    let indent = lead.chars().count();
    out.push_str(lead);
    let mut column = indent;
    for word in visible(text).split_whitespace() {
        let word = short(word, WIDTH - indent);
        let length = word.chars().count();
        if column > indent && column + 1 + length > WIDTH {
            out.push('\n');
            out.push_str(&" ".repeat(indent));
            column = indent;
        }
        if column > indent {
            out.push(' ');
            column += 1;
        }
        out.push_str(&word);
        column += length;
    }
    out.push('\n');
}

/// `text` on one line, cut to `longest` characters, without control characters.
pub(crate) fn short(text: &str, longest: usize) -> String {
    abbreviate(&visible(text), longest)
}

/// `text` on one line, without control characters.
fn visible(text: &str) -> String {
    let show = |char: char| match char {
        '\n' => ' ',
        char if controls_terminal(char) => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    text.chars().map(show).collect()
}

/// The report of an error without what a terminal would obey, which names in a contract may contain. Line breaks stay, and so
/// do its colours.
pub(super) fn harmless(text: &str) -> Cow<'_, str> {
    let is_allowed = |char: char| matches!(char, '\n' | '\t') || !controls_terminal(char);
    if text.chars().all(is_allowed) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len());
    for (index, char) in text.char_indices() {
        let stays = is_allowed(char) || starts_colour(&text[index..]);
        harmless.push(if stays { char } else { char::REPLACEMENT_CHARACTER });
    }
    Cow::Owned(harmless)
}

/// Whether `text` begins with the sequence that sets a colour: `ESC [ 1 ; 3 1 m`.
fn starts_colour(text: &str) -> bool {
    let Some(rest) = text.strip_prefix("\u{1b}[") else { return false };
    rest.trim_start_matches(|char: char| char.is_ascii_digit() || char == ';').starts_with('m')
}

/// A share as a percentage and as a bar.
pub(crate) fn bar(share: f64) -> String {
    const CELLS: usize = 20;
    let full = (0..CELLS).filter(|cell| (cell + 1) as f64 <= share * CELLS as f64 + 1e-9).count();
    let percent = percent(share);
    format!("{percent:>7} [{}{}]", "#".repeat(full), ".".repeat(CELLS - full))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_full_coverage_fills_the_bar() {
        assert_eq!(bar(0.999_999), " 99.9 % [###################.]");
        assert_eq!(bar(0.0), "  0.0 % [....................]");
        assert_eq!(bar(1.0), "100.0 % [####################]");
    }

    #[test]
    fn long_sentences_are_wrapped_and_indented() {
        let mut out = String::new();
        sentence(&mut out, "    ", &["word"; 40].join(" "));
        let lines: Vec<&str> = out.lines().collect();
        assert!(lines.len() == 3 && lines.iter().all(|line| line.starts_with("    word")), "{out}");
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{out}");
        assert_eq!(out.split_whitespace().count(), 40);
    }

    #[test]
    fn a_word_too_long_for_a_line_keeps_its_start_and_end() {
        let mut out = String::new();
        sentence(&mut out, "  ", &format!("a{}z", "ä".repeat(300)));
        assert_eq!(out.trim_end().chars().count(), WIDTH);
        assert!(out.starts_with("  aä") && out.ends_with("äz\n") && out.contains('…'), "{out}");
    }

    #[test]
    fn control_characters_do_not_reach_the_terminal() {
        assert_eq!(short("a\u{1b}[2Jb\nc", 20), "a\u{fffd}[2Jb c");
    }

    #[test]
    fn colours_and_line_breaks_are_all_that_text_may_do_to_a_terminal() {
        assert!(matches!(harmless("ordinary\n\ttext, é"), Cow::Borrowed(_)));
        assert_eq!(harmless("\u{1b}[1;31mred\u{1b}[0m\n"), "\u{1b}[1;31mred\u{1b}[0m\n");
        assert_eq!(
            harmless("a\u{1b}[2Jb\u{7}\rc\u{9b}d"),
            "a\u{fffd}[2Jb\u{fffd}\u{fffd}c\u{fffd}d"
        );
        assert_eq!(harmless("\u{1b}]0;title\u{202e}"), "\u{fffd}]0;title\u{fffd}");
    }
}
