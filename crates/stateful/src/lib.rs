//! Model-based tests of any Rust system, over proptest strategies.
//!
//! A test has a *model*, which is simple and correct, and a *system under test*. Commands act on both;
//! postconditions and invariants say what must hold. Each step of a sequence is chosen among the commands
//! that can run in the current state. A sequence that fails is shrunk to the smallest one that fails in
//! the same way.
//!
//! This page is an overview. The [guide] explains every topic with examples.
//!
//! # A first test
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use foolproof_stateful::{Config, stateful};
//!
//! /// The system: pairs in the order of their keys.
//! #[derive(Default)]
//! struct Sorted(Vec<(u8, String)>);
//!
//! impl Sorted {
//!     fn put(&mut self, key: u8, value: String) {
//!         match self.0.binary_search_by_key(&key, |(known, _)| *known) {
//!             Ok(index) => self.0[index].1 = value,
//!             Err(index) => self.0.insert(index, (key, value)),
//!         }
//!     }
//!
//!     fn get(&self, key: u8) -> Option<&str> {
//!         let index = self.0.binary_search_by_key(&key, |(known, _)| *known).ok()?;
//!         Some(&self.0[index].1)
//!     }
//! }
//!
//! stateful::<BTreeMap<u8, String>, Sorted>()
//!     .model(BTreeMap::new)
//!     .sut(Sorted::default)
//!     .command("put", |c| {
//!         c.forall("key", 0..10_u8).forall("value", "[a-z]{1,6}").run(
//!             |(key, value), model, sorted| {
//!                 model.insert(key, value.clone());
//!                 sorted.put(key, value);
//!             },
//!         )
//!     })
//!     .command("get", |c| {
//!         c.forall("key", 0..10_u8)
//!             .run(|key, _, sorted| sorted.get(key).map(str::to_owned))
//!             .post(|key, model, _, found| model.get(&key) == found.as_ref())
//!     })
//!     .invariant("same length", |model, sorted| model.len() == sorted.0.len())
//!     .check(Config::default())
//!     .unwrap();
//! ```
//!
//! [`model`](Stateful::model) and [`sut`](Stateful::sut) create a fresh model and a fresh system for every
//! sequence. [`run`](CommandBuilder::run) acts on both; [`post`](CommandParts::post) compares. Closures need no
//! type annotations, since the arguments of a command come before its action. No argument is `()`, one is
//! passed as itself, several are a tuple.
//!
//! # What a failure looks like
//!
//! A false postcondition or invariant, an answer that was not predicted, an `Err` from a command, a panic, a
//! step that exceeds its timeout, and a process that ends are failures. `check` returns a [`Failure`], whose
//! text is the report, so `unwrap` is all that a test needs. `examples/buggy.rs` tests a cache that does not
//! refresh an entry when it is put again, and prints:
//!
//! ```text
#![doc = include_str!("../examples/buggy.txt")]
//! ```
//!
//! # Topics
//!
//! | topic | items |
//! |---|---|
//! | a failure as a value | [`Failure::minimal`], [`Failure::original`], [`Failure::fault`], [`Failure::shrinking`], [`Failure::is_flaky`]; [`Failure::to_rust`], [`Failure::to_mermaid`] |
//! | repeating a failure | [`Config::seed`], [`Config::replay`], [`Config::regressions`] |
//! | arguments from strategies | [`forall`](CommandBuilder::forall), [`forall_with`](CommandBuilder::forall_with) |
//! | arguments from the model | [`pick`](CommandBuilder::pick) |
//! | arguments from earlier steps | [`yields`](CommandParts::yields), [`returned`](CommandBuilder::returned), [`consumed`](CommandBuilder::consumed) |
//! | generated initial states | [`given`](Stateful::given), [`sut_from`](Stateful::sut_from), [`setup`](Stateful::setup), [`teardown`](Stateful::teardown) |
//! | conditions | [`pre`](CommandBuilder::pre), [`post`](CommandParts::post), [`invariant`](Stateful::invariant), [`oracle`](CommandBuilder::oracle), [`show`](Stateful::show) |
//! | commands and tests as values | [`Command`], [`Stateful`], [`Test`] |
//! | errors | [`try_run`](CommandBuilder::try_run), [`Fault`], [`Config::keep_going`] |
//! | asynchronous systems | [`check_async`](Stateful::check_async), [`run_async`](CommandBuilder::run_async), [`oracle_async`](CommandBuilder::oracle_async), [`check_detached`](Stateful::check_detached) |
//! | time limits and crashes | [`Config::step_timeout`], [`Config::isolation`] |
//! | several threads | [`stateful_shared`], [`Config::threads`] |
//! | did it test anything? | [`Statistics`], [`Config::require_all_commands`], [`label`](CommandParts::label), [`weight`](CommandParts::weight) |
//! | what shrinking does | [`Config::max_shrink_runs`], [`Config::max_shrink_time`], [`Config::confirmations`] |
//! | other machines | [`Machine`], [`StepRecord`], [`check_machine`] |
//!
//! # Features
//!
//! Both are off by default.
//!
//! | feature | |
//! |---|---|
//! | `serde` | [`Failure`], [`Fault`], [`StepReport`] and [`Statistics`] implement `serde::Serialize`; the names of fields are stable |
//! | `proptest-state-machine` | `from_state_machine` runs tests written for that crate |
//!
//! # Limits
//!
//! - The system must be deterministic. Its own threads, clocks and random numbers make failures flaky; pass
//!   them in as arguments.
//! - Commands run one after the other. Races between them are not explored.
//! - A panic is caught on the thread that runs the command, not in threads or tasks that the system starts, and
//!   not under `panic = "abort"`, unless sequences run in a [process of their own](Isolation::Process).
//! - Postconditions, invariants and predictions are synchronous. Query the system in `run_async`, and return
//!   what is to be compared.
//! - A command has at most ten arguments; the value of a strategy can be a tuple.
//!
//! # More examples
//!
//! `cargo run --package foolproof-stateful --example` with `queue` (a bounded channel), `expiry` (a store
//! whose entries expire), `sqlite` (a table with constraints and savepoints), `tcp` (a service with
//! several clients) and `buggy` (the report above).
//!
//! [guide]: https://github.com/foolproof-rs/foolproof/blob/main/docs/stateful.md

// The fluent builder: from a test to a machine.
mod action;
mod argument;
mod arguments;
mod builder;
mod command;
mod lifecycle;
mod maybe_future;
mod results;
mod session;
mod thread_safety;
mod threading;

// The runner: from a machine to sequences.
mod async_timeout;
mod config;
mod execution;
mod executor;
mod exploration;
mod feedback;
mod machine;
mod panics;
mod process;
mod rng;
mod runner;
mod shrink;
mod step;
mod step_syntax;
mod stop;
mod wire;

// Results: from sequences to statistics and failures.
mod failure;
mod fault;
mod regressions;
mod reporting;
mod statistics;

#[cfg(feature = "proptest-state-machine")]
mod state_machine;

pub use builder::{Absent, GivenBuilder, Present, Stateful, Test, stateful, stateful_shared};
pub use command::{Command, CommandBuilder, CommandParts, Verdict};
pub use config::{Config, Isolation, Lengths, Regressions, ShrinkEffort};
pub use failure::{Failure, PassStatistics, ShrinkStatistics, StepReport};
pub use fault::{Fault, FaultKind};
pub use machine::{
    Argument, FailedStep, Machine, Phase, SessionContext, StateText, StepNotes, StepOutcome,
    StepRecord, StepRequest,
};
pub use results::Producers;
pub use rng::Rng;
pub use runner::{check_machine, check_machine_async};
#[cfg(feature = "proptest-state-machine")]
pub use state_machine::{StateMachineAdapter, from_state_machine};
pub use statistics::{
    CommandStatistics, LabelStatistics, RegressionStatistics, Statistics, Warning,
};
pub use step::ShrinkStep;
pub use stop::StopSignal;
pub use threading::{Local, Shared, Threading};
