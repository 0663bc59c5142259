//! How many characters a string may have.

use foolproof_contract::StringShape;
use serde_json::Number;

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
            least: shape.min_length.as_ref().map_or(0, length),
            most: shape.max_length.as_ref().map_or(usize::MAX, length),
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

/// A bound as a length; what does not fit is beyond every string.
fn length(bound: &Number) -> usize {
    if let Some(exact) = bound.as_u64() {
        return usize::try_from(exact).unwrap_or(usize::MAX);
    }
    // `2.0` and `1e3` are lengths too, and the cast saturates.
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a bound is not negative, and one beyond `usize` saturates"
    )]
    bound.as_f64().map_or(usize::MAX, |bound| bound as usize)
}
