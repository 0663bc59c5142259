//! Identifiers that look random: a generator that starts from a seed of its own in every session.

use std::hash::{BuildHasher, RandomState};

/// A generator of 64-bit words. Equal seeds give equal words.
#[derive(Debug)]
pub(super) struct IdGenerator(u64);

impl IdGenerator {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// The identifier of a task.
    pub(super) fn task(&mut self) -> String {
        // 48 bits: as long as identifiers of real services are, and unlikely to repeat.
        format!("task-{:012x}", self.word() >> 16)
    }

    /// The identifier of an HTTP session.
    pub(super) fn session(&mut self) -> String {
        format!("{:016x}{:016x}", self.word(), self.word())
    }

    /// The next 64 bits (`SplitMix64`).
    pub(super) fn word(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let bits = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        bits ^ (bits >> 31)
    }
}

/// A seed that differs in every process and every call.
pub(super) fn fresh_seed() -> u64 {
    RandomState::new().hash_one("example server")
}

/// The seed of session number `session` of a server with this seed.
pub(super) fn session_seed(seed: u64, session: u64) -> u64 {
    let session = IdGenerator::new(session).word();
    IdGenerator::new(seed ^ session).word()
}
