//! The least natural number that still works, found in few questions.
//!
//! First zero, then how many of the leading bits are needed, then the rest by halving; a last look
//! just below finds what halving steps over (every second number, say). Answers need not be
//! monotone: whatever they are, the search ends and what it holds is the last that worked.

use num_bigint::BigUint;
use num_traits::Zero;

#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The greatest number known not to work, as far as the search was told.
    low: BigUint,
    /// The least number known to work.
    high: BigUint,
    phase: Phase,
}

#[derive(Clone, Debug)]
enum Phase {
    Zero,
    /// Leading bits of `of`: too few, and enough.
    Bits {
        of: BigUint,
        low: u64,
        high: u64,
    },
    Halves,
    /// This far below, in steps that began with `step`.
    Near {
        step: u32,
        distance: BigUint,
    },
    Done,
}

/// The steps of the last look. One is what halving ends with.
const NEAR: std::ops::RangeInclusive<u32> = 2..=3;

impl Search {
    /// A search below `high`, which works.
    pub(super) fn below(high: BigUint) -> Self {
        Self { low: BigUint::zero(), high, phase: Phase::Zero }
    }

    /// What to ask next; always below what works.
    pub(super) fn next(&mut self) -> Option<BigUint> {
        loop {
            if let Some(question) = self.question().filter(|question| *question < self.high) {
                return Some(question);
            }
            self.phase = match &self.phase {
                Phase::Zero => {
                    let high = self.high.bits();
                    Phase::Bits { of: self.high.clone(), low: 0, high }
                }
                Phase::Bits { .. } => Phase::Halves,
                Phase::Halves => near(*NEAR.start()),
                // The distance has outgrown what is left.
                Phase::Near { step, distance }
                    if *distance > BigUint::from(*step) && self.high > BigUint::from(*step) =>
                {
                    near(*step)
                }
                Phase::Near { step, .. } => after(*step),
                Phase::Done => return None,
            };
        }
    }

    fn question(&self) -> Option<BigUint> {
        match &self.phase {
            Phase::Zero => Some(BigUint::zero()),
            Phase::Bits { of, low, high } => {
                (high - low > 1).then(|| of >> (of.bits() - middle(*low, *high)))
            }
            Phase::Halves => {
                (self.high > &self.low + 1_u32).then(|| (&self.low + &self.high) >> 1_u32)
            }
            Phase::Near { distance, .. } => {
                // Zero was the first question of all.
                (self.high > *distance).then(|| &self.high - distance)
            }
            Phase::Done => None,
        }
    }

    /// Takes the answer to the last question.
    pub(super) fn heard(&mut self, worked: bool) {
        let Some(asked) = self.question() else { return };
        match &mut self.phase {
            Phase::Zero => {
                let high = self.high.bits();
                self.phase = Phase::Bits { of: self.high.clone(), low: 0, high };
            }
            Phase::Bits { low, high, .. } => {
                let bits = middle(*low, *high);
                *(if worked { high } else { low }) = bits;
            }
            Phase::Halves | Phase::Done => {}
            Phase::Near { step, distance } => match worked {
                true => *distance <<= 1_u32,
                false if *distance > BigUint::from(*step) => *distance = BigUint::from(*step),
                false => self.phase = after(*step),
            },
        }
        if worked {
            self.high = asked;
        } else if asked > self.low {
            self.low = asked;
        }
    }
}

/// The phase after a look in steps of `step`.
fn after(step: u32) -> Phase {
    if step < *NEAR.end() { near(step + 1) } else { Phase::Done }
}

fn near(step: u32) -> Phase {
    Phase::Near { step, distance: BigUint::from(step) }
}

fn middle(low: u64, high: u64) -> u64 {
    low + (high - low) / 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a search from `high` ends with, and how many questions it took.
    fn least(high: u128, works: impl Fn(u128) -> bool) -> (u128, usize) {
        let mut search = Search::below(high.into());
        let (mut least, mut questions) = (high, 0);
        while let Some(question) = search.next() {
            let question = u128::try_from(question).unwrap();
            assert!(question < least, "only less is asked for");
            if works(question) {
                least = question;
            }
            search.heard(works(question));
            questions += 1;
        }
        (least, questions)
    }

    #[test]
    fn a_threshold_is_found_exactly_and_soon() {
        for threshold in [0, 1, 2, 3, 10, 1000, 123_456, 1 << 40] {
            for high in [threshold, threshold + 1, threshold + 7, 1 << 50, u128::MAX] {
                let (least, questions) = least(high, |number| number >= threshold);
                assert_eq!(least, threshold, "from {high}");
                assert!(questions < 60, "{questions} questions from {high} to {threshold}");
            }
        }
    }

    #[test]
    fn every_second_number_is_no_obstacle() {
        for high in [101, 4711, 99_999, (1 << 40) + 1] {
            let (least, questions) = least(high, |number| number >= 11 && number % 2 == 1);
            assert_eq!(least, 11, "from {high}");
            assert!(questions < 600, "{questions} questions from {high}");
        }
    }

    #[test]
    fn nothing_below_zero_is_asked_for() {
        assert_eq!(least(0, |_| true), (0, 0));
        assert_eq!(least(5, |_| false).0, 5);
    }
}
