//! The least natural number that still works, found with few probes.
//!
//! First zero, then how many of the leading bits are needed, then the rest by bisection; a last phase
//! just below finds numbers that bisection misses (every second number, for example). Outcomes need not
//! be monotone: whatever they are, the search ends with the last number that worked.

use num_bigint::BigUint;
use num_traits::Zero;

#[derive(Clone, Debug)]
pub(super) struct Search {
    /// The greatest number that is recorded not to work.
    low: BigUint,
    /// The least number that is recorded to work.
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
    Bisection,
    /// This far below `high`; the distance doubles from `step`.
    Near {
        step: u32,
        distance: BigUint,
    },
    Done,
}

/// The steps of the last phase. Bisection ends with a step of one.
const NEAR: std::ops::RangeInclusive<u32> = 2..=3;

impl Search {
    /// A search below `high`, which is known to work.
    pub(super) fn below(high: BigUint) -> Self {
        Self { low: BigUint::zero(), high, phase: Phase::Zero }
    }

    /// The next number to try; always below the least that works.
    pub(super) fn next(&mut self) -> Option<BigUint> {
        loop {
            if let Some(probe) = self.probe().filter(|probe| *probe < self.high) {
                return Some(probe);
            }
            self.phase = match &self.phase {
                Phase::Zero => {
                    let high = self.high.bits();
                    Phase::Bits { of: self.high.clone(), low: 0, high }
                }
                Phase::Bits { .. } => Phase::Bisection,
                Phase::Bisection => near(*NEAR.start()),
                // The distance is larger than the numbers that are left.
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

    fn probe(&self) -> Option<BigUint> {
        match &self.phase {
            Phase::Zero => Some(BigUint::zero()),
            Phase::Bits { of, low, high } => {
                (high - low > 1).then(|| of >> (of.bits() - middle(*low, *high)))
            }
            Phase::Bisection => {
                (self.high > &self.low + 1_u32).then(|| (&self.low + &self.high) >> 1_u32)
            }
            Phase::Near { distance, .. } => {
                // Zero was the first probe.
                (self.high > *distance).then(|| &self.high - distance)
            }
            Phase::Done => None,
        }
    }

    /// Records whether the last probe worked.
    pub(super) fn record(&mut self, worked: bool) {
        let Some(probe) = self.probe() else { return };
        match &mut self.phase {
            Phase::Zero => {
                let high = self.high.bits();
                self.phase = Phase::Bits { of: self.high.clone(), low: 0, high };
            }
            Phase::Bits { low, high, .. } => {
                let bits = middle(*low, *high);
                *(if worked { high } else { low }) = bits;
            }
            Phase::Bisection | Phase::Done => {}
            Phase::Near { step, distance } => match worked {
                true => *distance <<= 1_u32,
                false if *distance > BigUint::from(*step) => *distance = BigUint::from(*step),
                false => self.phase = after(*step),
            },
        }
        if worked {
            self.high = probe;
        } else if probe > self.low {
            self.low = probe;
        }
    }
}

/// The phase after the one with `step`.
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

    /// The result of a search from `high`, and its number of probes.
    fn least(high: u128, works: impl Fn(u128) -> bool) -> (u128, usize) {
        let mut search = Search::below(high.into());
        let (mut least, mut probes) = (high, 0);
        while let Some(probe) = search.next() {
            let probe = u128::try_from(probe).unwrap();
            assert!(probe < least, "only lower numbers are tried");
            if works(probe) {
                least = probe;
            }
            search.record(works(probe));
            probes += 1;
        }
        (least, probes)
    }

    #[test]
    fn a_threshold_is_found_exactly_with_few_probes() {
        for threshold in [0, 1, 2, 3, 10, 1000, 123_456, 1 << 40] {
            for high in [threshold, threshold + 1, threshold + 7, 1 << 50, u128::MAX] {
                let (least, probes) = least(high, |number| number >= threshold);
                assert_eq!(least, threshold, "from {high}");
                assert!(probes < 60, "{probes} probes from {high} to {threshold}");
            }
        }
    }

    #[test]
    fn the_least_odd_number_is_found() {
        for high in [101, 4711, 99_999, (1 << 40) + 1] {
            let (least, probes) = least(high, |number| number >= 11 && number % 2 == 1);
            assert_eq!(least, 11, "from {high}");
            assert!(probes < 600, "{probes} probes from {high}");
        }
    }

    #[test]
    fn nothing_below_zero_is_tried() {
        assert_eq!(least(0, |_| true), (0, 0));
        assert_eq!(least(5, |_| false).0, 5);
    }
}
