//! Positions in a text, counted as editors do.

use std::fmt;

/// A position in a text: line and column, both counted from one, columns in characters.
///
/// ```
/// use foolproof_contract::Position;
///
/// let position = Position::of("{\n  \"a\": 1 }", 9);
/// assert_eq!((position.line(), position.column()), (2, 8));
/// assert_eq!(position.to_string(), "2:8");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    line: usize,
    column: usize,
    offset: usize,
}

impl Position {
    /// The position of byte `offset` in `text`; an offset past the end or inside a character means
    /// the nearest character before it.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let before = &text[..offset];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Self {
            line: before.bytes().filter(|byte| *byte == b'\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            offset,
        }
    }

    /// The line, from one.
    #[must_use]
    pub fn line(self) -> usize {
        self.line
    }

    /// The column in characters, from one.
    #[must_use]
    pub fn column(self) -> usize {
        self.column
    }

    /// The byte offset in the text, from zero.
    #[must_use]
    pub fn offset(self) -> usize {
        self.offset
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}
