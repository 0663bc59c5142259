//! Seeds: the origin of all randomness.
//!
//! A [`Seed`] names a run. Nothing advances a shared generator: a child seed is derived from a label
//! that says *what* is drawn and from its index, so the draws of one part never depend on those of
//! another, and neither order nor threads matter.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use crate::{
    Random,
    source::{GOLDEN, mixed},
};

/// Bumped whenever the same seed may give different data. Part of every report.
pub const STREAM_VERSION: u32 = 4;

/// A name for a run, or for one part of it.
///
/// ```
/// use foolproof_generate::{Seed, Source};
///
/// let first = Seed::from_number(42).child("instance", 0);
/// let again = Seed::from_number(42).child("instance", 0);
/// assert_eq!(first.random().below(1000), again.random().below(1000));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seed {
    bytes: [u8; 32],
    /// All of the bytes in one word, which every draw begins with.
    hash: u64,
}

impl Seed {
    /// The seed that a user writes as a number.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self::from_bytes(bytes)
    }

    /// The seed for one part of what this seed is for: the label says what is being decided.
    #[must_use]
    pub fn child(self, label: &str, index: u64) -> Self {
        // The label and the index select a stream of the parent's generator; ChaCha keeps streams of
        // one key independent. FNV-1a spreads the label, which only has to distinguish our own labels.
        let mut hash = 0xcbf2_9ce4_8422_2325_u64;
        for byte in label.bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
        let mut generator = ChaCha8Rng::from_seed(self.bytes);
        generator.set_stream(hash);
        // Eight words a child, so that children do not overlap.
        generator.set_word_pos(u128::from(index) * 8);
        let mut bytes = [0; 32];
        generator.fill_bytes(&mut bytes);
        Self::from_bytes(bytes)
    }

    /// The source of choices for draw number `attempt` of the instance `index`.
    #[must_use]
    pub(crate) fn of_draw(self, index: u64, attempt: u32) -> Random {
        let place = mixed(index.wrapping_add(GOLDEN)) ^ u64::from(attempt).wrapping_mul(GOLDEN);
        Random::new(mixed(self.hash ^ place))
    }

    fn from_bytes(bytes: [u8; 32]) -> Self {
        let mut hash = 0;
        for bytes in bytes.chunks_exact(8) {
            let mut word = [0; 8];
            word.copy_from_slice(bytes);
            hash = mixed(hash ^ u64::from_le_bytes(word)).wrapping_add(GOLDEN);
        }
        Self { bytes, hash }
    }

    /// The first 64 bits of the seed: of a seed that a user wrote, the number.
    ///
    /// ```
    /// use foolproof_generate::Seed;
    ///
    /// assert_eq!(Seed::from_number(42).number(), 42);
    /// ```
    #[must_use]
    pub fn number(self) -> u64 {
        let mut first = [0; 8];
        first.copy_from_slice(&self.bytes[..8]);
        u64::from_le_bytes(first)
    }

    /// A source of choices. Short-lived: create one where it is used.
    #[must_use]
    pub fn random(self) -> Random {
        Random::new(self.hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Source;

    #[test]
    fn draws_are_pinned() {
        let mut source = Seed::from_number(42).child("instance", 7).random();
        let draws: Vec<u64> = (0..6).map(|_| source.below(100)).collect();
        assert_eq!(draws, [14, 60, 43, 97, 14, 76]);
    }

    #[test]
    fn every_draw_has_choices_of_its_own() {
        let seed = Seed::from_number(42);
        let draws = |index, attempt| {
            let mut source = seed.of_draw(index, attempt);
            (0..6).map(|_| source.below(100)).collect::<Vec<u64>>()
        };
        assert_eq!(draws(7, 0), [64, 53, 91, 11, 38, 71]);
        let all = [draws(0, 0), draws(1, 0), draws(0, 1), draws(1, 1), draws(0, 31)];
        for (index, drawn) in all.iter().enumerate() {
            assert!(!all[..index].contains(drawn));
        }
    }

    #[test]
    fn children_differ_by_label_and_by_index() {
        let seed = Seed::from_number(1);
        let children = [seed.child("a", 0), seed.child("a", 1), seed.child("b", 0), seed];
        for (index, child) in children.iter().enumerate() {
            assert!(!children[..index].contains(child));
        }
    }
}
