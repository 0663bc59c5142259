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
    const START: Self = Self { line: 1, column: 1, offset: 0 };

    /// The position of byte `offset` in `text`; an offset past the end or inside a character means
    /// the nearest character before it.
    #[must_use]
    pub fn of(text: &str, offset: usize) -> Self {
        Self::START.advanced(text, offset.min(text.len()))
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

    /// The position of byte `offset`, which is not before this one.
    fn advanced(self, text: &str, offset: usize) -> Self {
        let mut offset = offset;
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let between = &text[self.offset..offset];
        let lines = between.bytes().filter(|byte| *byte == b'\n').count();
        let (start, column) = match between.rfind('\n') {
            Some(newline) => (newline + 1, 1),
            None => (0, self.column),
        };
        let column = column + between[start..].chars().count();
        Self { line: self.line + lines, column, offset }
    }
}

/// The positions in one text, each found without reading the text from its start: a text may have one line, and a
/// report thousands of positions.
#[derive(Debug)]
pub(crate) struct PositionTable {
    /// The positions of the characters at or before each multiple of [`STEP`].
    marks: Vec<Position>,
}

/// The bytes between two marks, which is how much is read for one position.
const STEP: usize = 4_096;

impl PositionTable {
    pub(crate) fn of(text: &str) -> Self {
        let mut last = Position::START;
        let further = (STEP..=text.len()).step_by(STEP).map(|offset| {
            last = last.advanced(text, offset);
            last
        });
        Self { marks: std::iter::once(Position::START).chain(further).collect() }
    }

    /// The same as [`Position::of`] for the text that the table was made of.
    pub(crate) fn position(&self, text: &str, offset: usize) -> Position {
        let offset = offset.min(text.len());
        self.marks[offset / STEP].advanced(text, offset)
    }
}

impl fmt::Display for Position {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}", self.line, self.column)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_has_the_positions_that_the_whole_text_gives() {
        let line = "key: äöü€𝄞 and more\n";
        let texts =
            [line.repeat(900), line.replace('\n', " ").repeat(900), String::new(), line.to_owned()];
        for text in texts {
            let table = PositionTable::of(&text);
            for offset in (0..text.len() + 10).step_by(7) {
                assert_eq!(table.position(&text, offset), Position::of(&text, offset), "{offset}");
            }
        }
    }
}
