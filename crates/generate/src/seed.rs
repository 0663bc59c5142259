//! Seeds: the origin of all randomness.
//!
//! A [`Seed`] names a run. Nothing advances a shared generator: a child seed is derived from a label
//! that says *what* is drawn and from its index, so the draws of one part never depend on those of
//! another, and neither order nor threads matter.

use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};

use crate::Random;

/// Bumped whenever the same seed may give different data. Part of every report.
pub const STREAM_VERSION: u32 = 3;

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
pub struct Seed([u8; 32]);

impl Seed {
    /// The seed that a user writes as a number.
    #[must_use]
    pub fn from_number(number: u64) -> Self {
        let mut bytes = [0; 32];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        Self(bytes)
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
        let mut generator = ChaCha8Rng::from_seed(self.0);
        generator.set_stream(hash);
        // Eight words a child, so that children do not overlap.
        generator.set_word_pos(u128::from(index) * 8);
        let mut bytes = [0; 32];
        generator.fill_bytes(&mut bytes);
        Self(bytes)
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
        first.copy_from_slice(&self.0[..8]);
        u64::from_le_bytes(first)
    }

    /// A source of choices. Short-lived: create one where it is used.
    #[must_use]
    pub fn random(self) -> Random {
        Random::new(ChaCha8Rng::from_seed(self.0))
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
        assert_eq!(draws, [44, 86, 6, 99, 83, 33]);
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
