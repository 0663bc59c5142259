//! Lines that fit a terminal.

use foolproof_contract::wording::{abbreviate, percent};

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

/// `text` without control characters, which a name in a contract may contain.
fn visible(text: &str) -> String {
    let show = |char: char| match char {
        '\n' => ' ',
        char if char.is_control() => char::REPLACEMENT_CHARACTER,
        char => char,
    };
    text.chars().map(show).collect()
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
}
