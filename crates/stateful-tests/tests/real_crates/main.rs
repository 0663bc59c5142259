//! Published crates against models: one file for each, written as a user of the crate would.
//!
//! All pass, except `im`, whose vector has two bugs that are found and shrunk.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod async_channel;
mod im;
mod indexmap;
mod lru;
mod petgraph;
mod redb;
mod slotmap;

use foolproof_stateful::Config;

/// The configuration of every test that passes.
fn config() -> Config {
    Config { num_runs: 200, seed: Some(1), require_all_commands: true, ..Config::default() }
}
