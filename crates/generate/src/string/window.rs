//! How many characters a string may have.

use foolproof_contract::StringShape;

use crate::size::size;

/// The longest string that is drawn. Those of guided runs for bounds of lengths are as long.
pub(super) const LONGEST: usize = 2_000_000;

/// An interval of lengths, both ends included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub(super) least: usize,
    /// `usize::MAX` where nothing bounds it.
    pub(super) most: usize,
}

impl Window {
    pub(super) fn of(shape: &StringShape) -> Self {
        Self {
            least: shape.min_length.as_ref().map_or(0, size),
            most: shape.max_length.as_ref().map_or(usize::MAX, size),
        }
    }

    pub(super) fn is_empty(self) -> bool {
        self.least > self.most
    }

    pub(super) fn admits(self, text: &str) -> bool {
        // Bytes bound characters from both sides, which spares most texts the count.
        let bytes = text.len();
        if bytes < self.least || bytes.div_ceil(4) > self.most {
            return false;
        }
        (bytes.div_ceil(4) >= self.least && bytes <= self.most)
            || (self.least..=self.most).contains(&text.chars().count())
    }
}
