//! Text that somebody else chose: names in a contract, values in data, all that a system under test says.
//!
//! Such text may contain what a terminal, a CI or a browser obeys. So it has a type that is printed through an escaper for
//! its medium and in no other way: the compiler shows every place. `Display` is the escaper for terminals.

use std::{borrow::Cow, fmt};

use serde::{Deserialize, Serialize};

use crate::wording::abbreviate;

mod shell;
mod terminal;

pub use terminal::controls_terminal;

/// Text that came from outside.
///
/// ```
/// use foolproof_contract::Untrusted;
///
/// let name = Untrusted::new("<b>\u{1b}[2J");
/// assert_eq!(name.to_string(), "<b>\u{fffd}[2J");
/// assert_eq!(name.html(), "&lt;b&gt;\u{fffd}[2J");
/// assert_eq!(name.shell(), r"'<b>'$'\x1b''[2J'");
/// // For comparing, and for JSON, which has escapes of its own.
/// assert_eq!(name.raw(), "<b>\u{1b}[2J");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Untrusted<T = String>(T);

impl<T: AsRef<str>> Untrusted<T> {
    /// `text`, which somebody else chose.
    #[must_use]
    pub fn new(text: T) -> Self {
        Self(text)
    }

    /// The text as it came: for comparing, for parsing, and for formats with escapes of their own, such as JSON. Not for
    /// printing.
    #[must_use]
    pub fn raw(&self) -> &str {
        self.0.as_ref()
    }

    /// Its lines.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = Untrusted<&str>> {
        self.raw().lines().map(Untrusted)
    }

    /// Its beginning and its end, if it is longer than `longest` characters.
    #[must_use]
    pub fn short(&self, longest: usize) -> Untrusted {
        Untrusted(abbreviate(self.raw(), longest))
    }

    /// The text on a terminal, with its line breaks.
    #[must_use]
    pub fn multiline(&self) -> Cow<'_, str> {
        terminal::lines(self.raw())
    }

    /// The text in HTML: in an element or in a quoted attribute.
    #[must_use]
    pub fn html(&self) -> String {
        self.markup("&#39;")
    }

    /// The text in XML: in an element or in a quoted attribute.
    #[must_use]
    pub fn xml(&self) -> String {
        self.markup("&apos;")
    }

    fn markup(&self, apostrophe: &str) -> String {
        let mut escaped = String::with_capacity(self.raw().len());
        for char in self.raw().chars() {
            match char {
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '"' => escaped.push_str("&quot;"),
                '\'' => escaped.push_str(apostrophe),
                '\n' | '\t' => escaped.push(char),
                // Neither has a way to write these.
                char if char.is_control() || matches!(char, '\u{fffe}' | '\u{ffff}') => {
                    escaped.push(char::REPLACEMENT_CHARACTER);
                }
                char => escaped.push(char),
            }
        }
        escaped
    }

    /// The text in a line or in a cell of a table of Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut escaped = String::with_capacity(self.raw().len());
        for char in self.raw().chars() {
            match char {
                '\n' | '\r' => escaped.push(' '),
                '&' => escaped.push_str("&amp;"),
                '<' => escaped.push_str("&lt;"),
                '>' => escaped.push_str("&gt;"),
                '|' | '*' | '_' | '[' | ']' | '\\' | '#' | '~' | '`' => {
                    escaped.push('\\');
                    escaped.push(char);
                }
                char => escaped.push(shown(char)),
            }
        }
        escaped
    }

    /// The text as code in a line or in a cell of a table of Markdown.
    #[must_use]
    pub fn markdown_code(&self) -> String {
        let text: String = self.raw().chars().map(|char| shown(one_line(char))).collect();
        let text = text.replace('|', "\\|");
        let fence = "`".repeat(longest_run_of_backticks(&text) + 1);
        let space = if text.starts_with('`') || text.ends_with('`') { " " } else { "" };
        format!("{fence}{space}{text}{space}{fence}")
    }

    /// The text as a block of code in Markdown, which begins and ends on a line of its own.
    #[must_use]
    pub fn markdown_block(&self) -> String {
        let keep = |char| if char == '\n' { char } else { shown(char) };
        let text: String = self.raw().chars().map(keep).collect();
        let fence = "`".repeat(longest_run_of_backticks(&text).max(2) + 1);
        format!("{fence}text\n{}\n{fence}\n", text.trim_end_matches('\n'))
    }

    /// The text as the message of a workflow command of GitHub Actions.
    #[must_use]
    pub fn workflow_data(&self) -> String {
        let mut escaped = String::with_capacity(self.raw().len());
        for char in self.raw().chars() {
            match char {
                '%' => escaped.push_str("%25"),
                '\r' => escaped.push_str("%0D"),
                '\n' => escaped.push_str("%0A"),
                char => escaped.push(shown(char)),
            }
        }
        escaped
    }

    /// The text as a property of a workflow command of GitHub Actions.
    #[must_use]
    pub fn workflow_property(&self) -> String {
        self.workflow_data().replace(':', "%3A").replace(',', "%2C")
    }

    /// The text as one word of a shell.
    #[must_use]
    pub fn shell(&self) -> String {
        shell::word(self.raw())
    }

    /// The text in a header of a Hurl file, whose own characters are escaped.
    #[must_use]
    pub fn hurl(&self) -> String {
        let mut escaped = String::with_capacity(self.raw().len());
        for char in self.raw().chars() {
            match char {
                '\\' | '#' => {
                    escaped.push('\\');
                    escaped.push(char);
                }
                char if char.is_control() || matches!(char, '{' | '}') => {
                    escaped.push_str(&format!("\\u{{{:x}}}", u32::from(char)));
                }
                char => escaped.push(char),
            }
        }
        escaped
    }
}

impl Untrusted {
    /// The text as it came.
    #[must_use]
    pub fn into_raw(self) -> String {
        self.0
    }
}

/// The text on a terminal: on one line, and without anything that a terminal or a CI obeys.
impl<T: AsRef<str>> fmt::Display for Untrusted<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(&terminal::line(self.raw()))
    }
}

impl<T: AsRef<str>> PartialEq<str> for Untrusted<T> {
    fn eq(&self, other: &str) -> bool {
        self.raw() == other
    }
}

impl<T: AsRef<str>> PartialEq<&str> for Untrusted<T> {
    fn eq(&self, other: &&str) -> bool {
        self.raw() == *other
    }
}

impl From<String> for Untrusted {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Untrusted {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}

impl From<&String> for Untrusted {
    fn from(text: &String) -> Self {
        Self(text.clone())
    }
}

impl From<Cow<'_, str>> for Untrusted {
    fn from(text: Cow<'_, str>) -> Self {
        Self(text.into_owned())
    }
}

/// `char`, unless somebody who looks at it would not see it as it is.
fn shown(char: char) -> char {
    if controls_terminal(char) { char::REPLACEMENT_CHARACTER } else { char }
}

/// `char`, or a space if it ends a line.
fn one_line(char: char) -> char {
    if matches!(char, '\n' | '\r' | '\t') { ' ' } else { char }
}

fn longest_run_of_backticks(text: &str) -> usize {
    text.split(|char| char != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What each medium would obey.
    const EVIL: &str = "\u{1b}[2J\n::error::x`|<script>'\"&%\u{202e}";

    #[test]
    fn no_medium_is_controlled() {
        let evil = Untrusted::new(EVIL);
        let escaped = [
            evil.to_string(),
            evil.html(),
            evil.xml(),
            evil.markdown(),
            evil.markdown_code(),
            evil.markdown_block(),
            evil.workflow_data(),
            evil.workflow_property(),
            evil.shell(),
            evil.hurl(),
        ];
        for text in &escaped {
            assert!(!text.contains('\u{1b}'), "{text:?}");
        }
        for text in [&escaped[0], &escaped[3], &escaped[4], &escaped[6], &escaped[7], &escaped[8]] {
            assert!(!text.contains('\n') && !text.contains('\u{202e}'), "{text:?}");
        }
        for text in &escaped[1..4] {
            assert!(!text.contains('<') || text.contains("\\<"), "{text:?}");
        }
    }

    #[test]
    fn text_is_no_markup() {
        let markdown = |text: &str| Untrusted::new(text).markdown();
        let code = |text: &str| Untrusted::new(text).markdown_code();
        assert_eq!(markdown("a|b <script> *x*\nnext"), "a\\|b &lt;script&gt; \\*x\\* next");
        assert_eq!(code("a|b\nc"), "`a\\|b c`");
        assert_eq!(code("`tick`"), "`` `tick` ``");
        let block = Untrusted::new("a\n```\nb\n").markdown_block();
        assert_eq!(block, "````text\na\n```\nb\n````\n");
        let html = Untrusted::new("<a b=\"c\" d='e'>&amp;\u{0}\u{1b}\u{85}\n");
        let expected = "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;amp;\u{fffd}\u{fffd}\u{fffd}\n";
        assert_eq!(html.html(), expected);
    }

    #[test]
    fn what_has_a_meaning_in_a_workflow_command_is_escaped() {
        let text = Untrusted::new("50 %: a,\nb");
        assert_eq!(text.workflow_data(), "50 %25: a,%0Ab");
        assert_eq!(text.workflow_property(), "50 %25%3A a%2C%0Ab");
    }

    #[test]
    fn width_counts_characters_and_any_length_is_fine() {
        assert_eq!(format!("{:<4}|", Untrusted::new("é")), "é   |");
        let long = Untrusted::new("x".repeat(70_000));
        assert_eq!(long.short(5).to_string(), "xx…xx");
        assert_eq!(long.to_string().len(), 70_000);
    }
}
