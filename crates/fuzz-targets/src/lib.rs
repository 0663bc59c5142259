//! Laws that hold for any input, each for one part of foolproof that reads what strangers write.
//!
//! A [`Target`] is a function from bytes. It panics if a law is broken, and says otherwise whether the input was one that the
//! laws had something to say about. Two drivers run it: `cargo fuzz`, whose targets in `fuzz/` call these functions
//! and are guided by the branches that inputs reach, and `cargo xtask fuzz-targets`, which needs no nightly
//! compiler and no instrumentation: its inputs are mutants of the seeds, each a function of seed, target and number
//! ([`Inputs`]).
#![expect(clippy::must_use_candidate, reason = "a target is run for its panics")]

mod inputs;
mod mutate;
mod seeds;
mod target;
mod targets;

pub use inputs::{Inputs, MAX_INPUT};
pub use target::{Reached, Target};
pub use targets::{
    canonical, draw, graph, har, messages, observe, report, repro, server_sent_events, text,
};
