//! What decides when a draw was refused and has to be repeated.
//!
//! The first try asks the caller's source. Later ones take one answer from it and stretch that, so
//! that a source which always says the same does not lead to the same refused string, and so that
//! refused tries do not fill a recording.

use crate::{Source, source::widening_mul};

/// `SplitMix64`, from one answer of the caller's source and the number of the try.
#[derive(Clone, Debug)]
pub(super) struct Retry(u64);

impl Retry {
    pub(super) fn new(key: u64, attempt: u64) -> Self {
        Self(key ^ attempt.wrapping_mul(0xD134_2543_DE82_EF95))
    }
}

impl Source for Retry {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        widening_mul(word ^ (word >> 31), limit.max(1)).1
    }
}
