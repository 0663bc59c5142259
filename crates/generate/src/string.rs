//! Strings: patterns, formats and lengths, compiled once and drawn from many times.
//!
//! Patterns become one automaton that is walked at random; formats are built by construction; free
//! text is made of words. What is not correct by construction is checked by the library that the
//! oracle uses, and tried again within bounds.

mod append;
mod content;
mod format;
mod letter;
mod levels;
mod plan;
mod retry;
mod sketch;
mod text;
mod walk;
mod window;

use std::collections::BTreeSet;

use foolproof_contract::{StringCheck, StringShape};

use crate::{Replay, Seed, Source};
use plan::Way;
pub(crate) use plan::is_costly;
use retry::Retry;
use window::Window;

/// The spread of a string that was drawn again, as a power of two: what it is is not known.
const RETRY_SPREAD: u32 = 12;

/// How many strings are drawn for each one of a list.
const DRAWS_LISTED: usize = 4;

/// A set of strings to draw from.
///
/// ```
/// use foolproof_contract::StringShape;
/// use foolproof_generate::{Seed, Strings};
///
/// let shape = StringShape {
///     patterns: vec![r"^[A-Z]{3}-\d{4}$".to_owned()],
///     ..StringShape::default()
/// };
/// let strings = Strings::compile(&shape);
/// let drawn = strings.draw(&mut Seed::from_number(1).random()).unwrap();
/// assert_eq!(drawn.len(), 8);
/// assert_eq!(strings.simplest().as_deref(), Some("AAA-0000"));
/// ```
#[derive(Debug)]
pub struct Strings {
    window: Window,
    ways: Vec<Way>,
    check: StringCheck,
    least_length: usize,
}

impl Strings {
    /// Prepares everything that does not depend on a choice. Never fails: what cannot be compiled
    /// is left to the draws, which are then checked or, where nothing can check them, unchecked.
    #[must_use]
    pub fn compile(shape: &StringShape) -> Self {
        let window = Window::of(shape);
        let check = StringCheck::of(shape);
        let ways = if window.is_empty() { Vec::new() } else { plan::ways(shape, window, &check) };
        let least_length = plan::least_length(shape, window);
        Self { window, ways, check, least_length }
    }

    /// A string of the set; nothing if none was found within bounds.
    pub fn draw(&self, source: &mut impl Source) -> Option<String> {
        let mut text = String::new();
        self.draw_to(&mut text, source).then_some(text)
    }

    /// Replaces `text` by a string of the set; `false` if none was found within bounds.
    pub(crate) fn draw_to(&self, text: &mut String, source: &mut impl Source) -> bool {
        self.ways.iter().any(|way| self.draw_by(way, text, source))
    }

    /// A number of bytes that no string of the set is shorter than.
    pub(crate) fn least_length(&self) -> usize {
        self.least_length
    }

    /// Whether `text` belongs to the set.
    #[must_use]
    pub fn admits(&self, text: &str) -> bool {
        self.window.admits(text) && self.check.includes(text) && self.check.admits(text)
    }

    /// The string that a source without opinions gets.
    #[must_use]
    pub fn simplest(&self) -> Option<String> {
        self.draw(&mut Replay::new(Vec::new()))
    }

    /// At most `most` different strings of the set: those along its patterns in their order, or else what draws give.
    pub(crate) fn listed(&self, most: usize) -> Vec<String> {
        let walks = self.ways.iter().flat_map(|way| way.texts(most));
        let mut found: BTreeSet<String> =
            walks.filter(|text| self.admits(text)).take(most).collect();
        let mut source = Seed::from_number(0).child("listing", 0).random();
        for _ in 0..most.saturating_mul(DRAWS_LISTED) {
            if found.len() >= most {
                break;
            }
            found.extend(self.draw(&mut source));
        }
        found.into_iter().collect()
    }

    fn draw_by(&self, way: &Way, text: &mut String, source: &mut impl Source) -> bool {
        // Asked so that the simplest answer leads to the simplest string.
        if way.is_optional && source.below(4) == 0 {
            return false;
        }
        if way.attempt(text, self.window, &self.check, source) {
            return true;
        }
        if way.tries < 2 {
            return false;
        }
        let key = source.below(1 << 32);
        source.note_spread(RETRY_SPREAD);
        (1..way.tries).any(|attempt| {
            way.attempt(text, self.window, &self.check, &mut Retry::new(key, attempt))
        })
    }
}

#[cfg(test)]
mod tests;
