//! Contracts for tests and surveys, and the one place that knows what a checkout may lack.
//!
//! - [`Contracts`]: the corpus of real contracts in `../shared/corpus` if it is there, else the
//!   contracts of our own in `contracts/`, which are always there.
//! - [`suite`]: the official JSON Schema Test Suite. It has no replacement.
//! - [`ajv`]: AJV as the repository pins it. It has no replacement either.
//! - [`browser`]: the browser that opens HTML reports, with the packages that the repository pins.
//! - [`mcp_servers`]: released MCP servers with known bugs, as the repository pins them.
//! - [`skip`]: what a test calls that cannot run without something absent.
//! - [`runs_in_full`] and [`makes_tables`]: what a test asks that takes long.
//!
//! A checkout that lacks some of it passes its tests all the same. With `FOOLPROOF_REQUIRE_ALL=1`,
//! which `.ci/run` sets, whatever is absent is a failure instead. `FOOLPROOF_CORPUS`,
//! `FOOLPROOF_AJV`, `FOOLPROOF_HTML` and `FOOLPROOF_MCP_SERVERS` name other folders for the corpus, for
//! AJV's packages, for those of the browser and for the servers; one that does not exist hides them.
//!
//! This crate only reads; no product code depends on it.

mod absent;
pub mod ajv;
pub mod browser;
mod contracts;
pub mod mcp_servers;
pub mod suite;

pub use absent::{makes_tables, runs_in_full, skip};
pub use contracts::{Contracts, Entry, Origin};
