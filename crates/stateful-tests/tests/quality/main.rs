//! Planted bugs: how often they are found, how small their sequences get, and that none is shorter.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod finding;
mod lengths;
#[path = "../planted/mod.rs"]
mod planted;
mod shrinking;
