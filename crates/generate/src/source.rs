//! Sources of choices for draws.
//!
//! The generator leaves every choice to a [`Source`]: which of several, how many, yes or no.
//! [`Random`] chooses by a seeded stream; [`Recorder`] records the choices of another source, and
//! [`Replay`] repeats them.

/// Makes every choice of a draw.
///
/// The same choices give the same value. Implement [`below`](Self::below); the rest follows from it.
pub trait Source {
    /// A number below `limit`, which is at least one. Uniform, if the source is random.
    fn below(&mut self, limit: u64) -> u64;

    /// A number from `least` to `most`, both included.
    fn between(&mut self, least: u64, most: u64) -> u64 {
        match most.saturating_sub(least).checked_add(1) {
            Some(width) => least + self.below(width),
            // The whole range of `u64`.
            None => self.below(u64::MAX),
        }
    }

    /// `true` in `part` of `whole` cases.
    fn chance(&mut self, part: u64, whole: u64) -> bool {
        self.below(whole) < part
    }

    /// Notes that the last choices were one of about `2^bits` that are alike. [`Random`] adds them up, so that a value
    /// that is likely to be drawn again can be told from others; other sources need not.
    fn note_spread(&mut self, _bits: u32) {}

    /// The index of one of `weights`, each as likely as its share; zero if all are zero.
    fn weighted(&mut self, weights: &[u32]) -> usize {
        let total: u64 = weights.iter().copied().map(u64::from).sum();
        if total == 0 {
            return 0;
        }
        let mut left = self.below(total);
        for (index, weight) in weights.iter().enumerate() {
            match left.checked_sub(u64::from(*weight)) {
                Some(rest) => left = rest,
                None => return index,
            }
        }
        weights.len() - 1
    }

    /// One of `options`, which are not empty.
    fn pick<'a, T>(&mut self, options: &'a [T]) -> &'a T
    where
        Self: Sized,
    {
        &options[self.index(options.len())]
    }

    /// An index below `length`, which is at least one.
    fn index(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("an index below a length fits")
    }
}

impl<S: Source + ?Sized> Source for &mut S {
    fn below(&mut self, limit: u64) -> u64 {
        (**self).below(limit)
    }

    fn note_spread(&mut self, bits: u32) {
        (**self).note_spread(bits);
    }
}

/// Chooses at random, from a seeded stream. Created by [`Seed::random`](crate::Seed::random).
///
/// The words are those of `SplitMix64`. Every draw has a stream of its own, which starts at a hash of the seed and of what
/// is drawn, so a stream is short, and creating one must cost no more than a choice does.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
    spread: u32,
}

impl Random {
    pub(crate) fn new(state: u64) -> Self {
        Self { state, spread: 0 }
    }

    /// The sum of what was noted: choices that are alike, as a power of two.
    pub(crate) fn spread(&self) -> u32 {
        self.spread
    }
}

impl Source for Random {
    fn below(&mut self, limit: u64) -> u64 {
        // Lemire's multiplication, with rejection so that every result is equally likely.
        // Implemented here because the stream must not change with a library.
        let limit = limit.max(1);
        loop {
            self.state = self.state.wrapping_add(GOLDEN);
            let (low, high) = widening_mul(mixed(self.state), limit);
            if low >= limit || low >= limit.wrapping_neg() % limit {
                return high;
            }
        }
    }

    fn note_spread(&mut self, bits: u32) {
        self.spread = self.spread.saturating_add(bits);
    }
}

/// The step of `SplitMix64`: the golden ratio as a fraction of 2⁶⁴, odd.
pub(crate) const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;

/// The finalizer of `SplitMix64`: a bijection that spreads every bit over all.
pub(crate) fn mixed(mut word: u64) -> u64 {
    word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    word ^ (word >> 31)
}

/// The lower and the upper half of a product.
pub(crate) fn widening_mul(left: u64, right: u64) -> (u64, u64) {
    let product = u128::from(left) * u128::from(right);
    #[expect(clippy::cast_possible_truncation, reason = "the halves are what is needed")]
    let halves = (product as u64, (product >> 64) as u64);
    halves
}

/// Records the choices of another source.
#[derive(Clone, Debug)]
pub struct Recorder<S> {
    source: S,
    choices: Vec<u64>,
}

impl<S: Source> Recorder<S> {
    /// A recorder of the choices of `source`.
    pub fn new(source: S) -> Self {
        Self { source, choices: Vec::new() }
    }

    /// The choices so far.
    #[must_use]
    pub fn choices(&self) -> &[u64] {
        &self.choices
    }
}

impl<S: Source> Source for Recorder<S> {
    fn below(&mut self, limit: u64) -> u64 {
        let choice = self.source.below(limit);
        self.choices.push(choice);
        choice
    }

    fn note_spread(&mut self, bits: u32) {
        self.source.note_spread(bits);
    }
}

/// Repeats recorded choices. Where one is out of range, because the plan changed or it was edited, the
/// nearest in range is used; after the last the choice is zero, which is the simplest choice for the
/// generator.
///
/// ```
/// use foolproof_generate::{Recorder, Replay, Seed, Source};
///
/// let mut recorder = Recorder::new(Seed::from_number(1).random());
/// let drawn = (recorder.below(10), recorder.between(5, 9));
/// let mut replay = Replay::new(recorder.choices().to_vec());
/// assert_eq!((replay.below(10), replay.between(5, 9)), drawn);
/// assert_eq!(replay.below(10), 0);
/// ```
#[derive(Clone, Debug)]
pub struct Replay {
    choices: std::vec::IntoIter<u64>,
}

impl Replay {
    /// A source that repeats `choices`.
    #[must_use]
    pub fn new(choices: Vec<u64>) -> Self {
        Self { choices: choices.into_iter() }
    }
}

impl Source for Replay {
    fn below(&mut self, limit: u64) -> u64 {
        self.choices.next().unwrap_or(0).min(limit.saturating_sub(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seed;

    #[test]
    fn choices_are_spread_over_the_range() {
        let mut source = Seed::from_number(3).random();
        let mut counts = [0_u32; 7];
        for _ in 0..7_000 {
            counts[source.index(7)] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    #[test]
    fn weights_decide_how_often() {
        let mut source = Seed::from_number(3).random();
        let mut counts = [0_u32; 3];
        for _ in 0..4_000 {
            counts[source.weighted(&[3, 0, 1])] += 1;
        }
        assert!(counts[1] == 0 && (2_800..3_200).contains(&counts[0]), "{counts:?}");
    }

    #[test]
    fn the_whole_range_is_a_range() {
        let mut source = Seed::from_number(3).random();
        assert!((0..50).any(|_| source.between(0, u64::MAX) > u64::MAX / 2));
        assert_eq!(source.between(5, 5), 5);
    }
}
