//! What decides when a draw was refused and has to be repeated.
//!
//! The first try asks the caller's source. Later ones take one answer from it and stretch that, so
//! that a source which always says the same does not lead to the same refused string, and so that
//! refused tries do not fill a recording.

use crate::{
    Source,
    source::{GOLDEN, mixed, widening_mul},
};

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
        self.0 = self.0.wrapping_add(GOLDEN);
        widening_mul(mixed(self.0), limit.max(1)).1
    }
}
