//! Model-based tests of any Rust system, over proptest strategies.
//!
//! A test has a *model*, which is simple and right, and a *system*, which is neither to be taken for
//! granted. Commands do the same to both; postconditions and invariants say what must hold. Sequences
//! of commands are made step by step from the state that the last step led to, and one that fails is
//! shrunk to the smallest that fails in the same way.

mod action;
mod argument;
mod arguments;
#[cfg(feature = "proptest-state-machine")]
mod bridge;
mod builder;
mod command;
mod config;
mod failure;
mod fault;
mod kind;
mod limited;
mod machine;
mod panics;
mod record;
mod regressions;
mod report;
mod rng;
mod runner;
mod session;
mod shrink;
mod start;
mod statistics;
mod step;
mod timed;

#[cfg(feature = "proptest-state-machine")]
pub use bridge::{Bridge, Bridged, from_state_machine};
pub use builder::{Stateful, stateful};
pub use command::{CommandBuilder, Ready};
pub use config::Config;
pub use failure::{Failure, ShownStep};
pub use fault::{Fault, FaultKind};
pub use machine::{Machine, Ran};
pub use rng::Rng;
pub use runner::{check_machine, check_machine_async};
pub use statistics::{CommandStatistics, Statistics};
pub use step::Turn;
