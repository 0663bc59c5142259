//! Values out: valid, varied, deterministic instances of a contract.
//!
//! Every open choice goes through a [`Source`], so that random data and data drawn from elsewhere
//! share one generator, and a draw can be repeated from what was chosen.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod seed;
mod source;

pub use seed::{STREAM_VERSION, Seed};
pub use source::{Random, Recorder, Replay, Source};
