//! Model-based tests of any Rust system, over proptest strategies.
//!
//! A test has a *model*, which is simple and correct, and a *system under test*. Commands act on both;
//! postconditions and invariants say what must hold. Each step of a sequence is chosen among the commands
//! that can run in the current state. A sequence that fails is shrunk to the smallest one that fails in
//! the same way.
//!
//! # When it is worth it
//!
//! A property test checks a function of one value. Queues, caches, stores, sessions and protocols depend
//! on their *history*: a bug may appear on the fourth call, and only after a certain third one. If a few
//! lines with a `Vec`, a `BTreeMap` or a counter can say what the system should do, a stateful test finds
//! such sequences. If the model would have to be as complex as the system, use invariants alone, or a
//! plain property test.
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
//! A false postcondition or invariant, an `Err` from a command, a panic, and a step that exceeds its
//! timeout are failures. `check` returns a [`Failure`], whose text is the report, so `unwrap` is all that a
//! test needs. `examples/buggy.rs` tests a cache that does not refresh an entry when it is put again, and
//! prints:
//!
//! ```text
#![doc = include_str!("../examples/buggy.txt")]
//! ```
//!
//! Programs read a `Failure` by its methods: [`minimal`](Failure::minimal), [`fault`](Failure::fault),
//! [`is_flaky`](Failure::is_flaky) and others.
//!
//! # Preconditions
//!
//! [`pre`](CommandBuilder::pre) receives the model and the arguments. A command whose precondition is
//! false does not run: its arguments are drawn a few more times, then another command is chosen. A state
//! in which no command can run ends the sequence, which is not a failure. Arguments come before `pre`.
//!
//! ```
//! # use foolproof_stateful::{Config, stateful};
//! stateful::<u8, u8>()
//!     .model(|| 100)
//!     .sut(|| 100)
//!     .command("withdraw", |c| {
//!         c.forall("amount", 1..50_u8)
//!             .pre(|balance, amount| amount <= balance)
//!             .run(|amount, model, account| (*model, *account) = (*model - amount, *account - amount))
//!     })
//!     .invariant("same balance", |model, account| model == account)
//!     .check(Config::default())
//!     .unwrap();
//! ```
//!
//! # Arguments
//!
//! | source | method |
//! |---|---|
//! | any proptest strategy | [`forall`](CommandBuilder::forall) |
//! | a strategy that depends on the current model | [`forall_with`](CommandBuilder::forall_with) |
//! | a candidate of the current model | [`pick`](CommandBuilder::pick) |
//! | a result of an earlier step | [`returned`](CommandBuilder::returned), [`yields`](CommandParts::yields) |
//!
//! The last is for values that a model cannot predict: handles, tokens, ids that the system creates. The
//! argument is bound to the step that yielded it. If shrinking removes that step, it removes the step that
//! refers to it too, and never confuses two handles.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use foolproof_stateful::{Config, stateful};
//!
//! /// Seats, identified by tickets that the system creates.
//! #[derive(Default)]
//! struct Seats(BTreeMap<u64, u8>, u64);
//!
//! stateful::<Vec<u8>, Seats>()
//!     .model(Vec::new)
//!     .sut(Seats::default)
//!     .command("enter", |c| {
//!         c.forall("guest", 0..9_u8)
//!             .run(|guest, model, seats| {
//!                 model.push(guest);
//!                 seats.1 += 7;
//!                 seats.0.insert(seats.1, guest);
//!                 seats.1
//!             })
//!             .yields(|ticket| Some(*ticket))
//!     })
//!     .command("show", |c| {
//!         c.returned::<u64>("ticket", "enter")
//!             .run(|ticket, _, seats| seats.0.get(&ticket).copied())
//!             .post(|_, model, _, guest| guest.is_some_and(|guest| model.contains(&guest)))
//!     })
//!     .command("inspect", |c| {
//!         // The range depends on the state. It is created before the precondition is checked, so it
//!         // must not be empty.
//!         c.forall_with("index", |model| 0..model.len().max(1))
//!             .pre(|model, index| *index < model.len())
//!             .run(|index, _, seats| seats.0.values().nth(index).copied())
//!             .post(|index, model, _, guest| guest.as_ref() == model.get(index))
//!     })
//!     .command("find", |c| {
//!         c.pick("guest", |model| model.clone())
//!             .run(|guest, _, seats| seats.0.values().any(|seated| *seated == guest))
//!             .post(|_, _, _, is_there| *is_there)
//!     })
//!     .check(Config { require_all_commands: true, ..Config::default() })
//!     .unwrap();
//! ```
//!
//! # Oracles
//!
//! If the model can predict the answer of the system, [`oracle`](CommandBuilder::oracle) replaces `run` and
//! `post` by two closures: the prediction and the answer. A difference is a failure that shows both.
//!
//! ```
//! # use std::collections::BTreeSet;
//! # use foolproof_stateful::{Config, stateful};
//! stateful::<Vec<u8>, BTreeSet<u8>>()
//!     .model(Vec::new)
//!     .sut(BTreeSet::new)
//!     .command("insert", |c| {
//!         c.forall("item", 0..20_u8).oracle(
//!             |item, model| {
//!                 let is_new = !model.contains(item);
//!                 model.extend(is_new.then_some(*item));
//!                 is_new
//!             },
//!             |item, set| set.insert(*item),
//!         )
//!     })
//!     .command("least", |c| {
//!         c.oracle(|(), model| model.iter().min().copied(), |(), set| set.first().copied())
//!     })
//!     .check(Config::default())
//!     .unwrap();
//! ```
//!
//! # Invariants, setup, teardown
//!
//! An [`invariant`](Stateful::invariant) is checked after every step. Several are checked in their order,
//! and the report names the first that is false. [`setup`](Stateful::setup) runs before the first step,
//! [`teardown`](Stateful::teardown) after the last one, also if that failed or panicked.
//!
//! ```
//! # use foolproof_stateful::{Config, stateful};
//! use std::{collections::BTreeSet, fs};
//!
//! use tempfile::{TempDir, tempdir};
//!
//! stateful::<BTreeSet<u8>, TempDir>()
//!     .model(BTreeSet::new)
//!     .sut(|| tempdir().unwrap())
//!     .setup(|model, folder| {
//!         model.insert(0);
//!         fs::write(folder.path().join("0"), "").unwrap();
//!     })
//!     .command("create", |c| {
//!         c.forall("name", 0..5_u8).run(|name, model, folder| {
//!             model.insert(name);
//!             fs::write(folder.path().join(name.to_string()), "")
//!         })
//!     })
//!     .command("delete", |c| {
//!         c.pick("name", |model| model.clone()).run(|name, model, folder| {
//!             model.remove(&name);
//!             fs::remove_file(folder.path().join(name.to_string()))
//!         })
//!     })
//!     .invariant("as many files", |model, folder| {
//!         fs::read_dir(folder.path()).is_ok_and(|files| files.count() == model.len())
//!     })
//!     .teardown(|_, folder| fs::remove_dir_all(folder.path()).unwrap())
//!     .check(Config { num_runs: 20, ..Config::default() })
//!     .unwrap();
//! ```
//!
//! # Asynchronous systems
//!
//! [`sut_async`](Stateful::sut_async), [`run_async`](CommandBuilder::run_async) and
//! [`teardown_async`](Stateful::teardown_async) take asynchronous closures, and
//! [`check_async`](Stateful::check_async) runs on any runtime. Asynchronous and other commands can be
//! mixed. `examples/tcp.rs` tests a service on a socket.
//!
//! ```
//! # use foolproof_stateful::{Config, stateful};
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() {
//! use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, DuplexStream, duplex};
//!
//! stateful::<Vec<u8>, (DuplexStream, DuplexStream)>()
//!     .model(Vec::new)
//!     .sut_async(async || duplex(64))
//!     .command("write", |c| {
//!         c.forall("byte", 0..9_u8).pre(|model, _| model.len() < 64).run_async(
//!             async |byte, model, (near, _)| {
//!                 model.push(byte);
//!                 near.write_u8(byte).await
//!             },
//!         )
//!     })
//!     .command("read", |c| {
//!         c.pre(|model, ()| !model.is_empty())
//!             .run_async(async |(), model, (_, far)| (model.remove(0), far.read_u8().await.ok()))
//!             .post(|(), _, _, (expected, found)| Some(*expected) == *found)
//!     })
//!     .check_async(Config::default())
//!     .await
//!     .unwrap();
//! # }
//! ```
//!
//! # Configuration, seeds, replay
//!
//! [`Config`] sets the number of sequences, their length, and limits. Sequence `i` depends on the seed and
//! `i` alone, so a seed repeats a run, with any number of threads. Without one, a seed is derived from the
//! time of day. A failure reports the seed, and a `replay` that runs the minimal sequence alone, without
//! search and shrinking.
//!
//! ```
//! # use foolproof_stateful::{Config, Failure, Regressions, Statistics, stateful};
//! fn count(config: Config) -> Result<Statistics, Failure> {
//!     stateful::<u8, ()>()
//!         .model(|| 0)
//!         .sut(|| ())
//!         .command("next", |c| c.run(|(), model, ()| *model += 1))
//!         .invariant("below three", |model, ()| *model < 3)
//!         .check(config)
//! }
//!
//! let found = count(Config { seed: Some(7), ..Config::default() }).unwrap_err();
//! let again = count(Config { replay: Some(found.replay().into()), ..Config::default() });
//! assert_eq!(again.unwrap_err().minimal(), found.minimal());
//!
//! // A regression file keeps failing sequences, which run first the next time.
//! let folder = tempfile::tempdir().unwrap();
//! let config = Config { regressions: Regressions::File(folder.path().join("count.txt")), ..Config::default() };
//! count(config.clone()).unwrap_err();
//! let again = count(Config { num_runs: 0, ..config }).unwrap_err();
//! assert_eq!(again.minimal().len(), 3);
//! ```
//!
//! [`Config::with_regressions_beside`] keeps that file beside the test, as proptest does; check it in. A
//! sequence that does not fit any more, because a command is gone or has other arguments, is ignored.
//!
//! [`Config::step_timeout`] makes a step that hangs a failure. [`Config::threads`] runs sequences on
//! several threads, with the same result; it needs a test begun with [`stateful_shared`], whose
//! strategies and closures are `Send` and `Sync`.
//!
//! # Did it test anything?
//!
//! `check` returns [`Statistics`]: how often each command ran, and how often it was blocked. A command whose
//! precondition is never true is never tested; with
//! [`require_all_commands`](Config::require_all_commands), that is a failure.
//!
//! ```
//! # use foolproof_stateful::{Config, stateful};
//! let failure = stateful::<u8, ()>()
//!     .model(|| 0)
//!     .sut(|| ())
//!     .command("next", |c| c.run(|(), model, ()| *model = (*model + 1) % 5))
//!     .command("stop", |c| c.pre(|model, ()| *model == 9).run(|(), _, ()| ()))
//!     .check(Config { require_all_commands: true, ..Config::default() })
//!     .unwrap_err();
//! assert!(failure.to_string().starts_with("`stop` never ran in 100 sequences"));
//! ```
//!
//! # What shrinking does
//!
//! A failing sequence ends with the step that failed. Chunks of steps are removed, large ones first;
//! arguments are simplified by their value trees, one by one, and those with equal values together; two or
//! three steps are replaced by one. This is repeated until nothing helps. Every candidate runs on a fresh
//! model and a fresh system.
//!
//! Guarantees:
//! - The reported sequence has run exactly as it is shown, and ran again [`Config::confirmations`] times.
//!   If it did not fail every time, the report says `FLAKY`.
//! - Every precondition holds at its step.
//! - The fault is the one found first: in a step of the same command, of the same kind, and for invariants
//!   and panics at the same location. One bug is not replaced by another.
//! - No single step can be left out, unless the report says that a limit ended the search.
//!
//! It is not guaranteed that no shorter sequence exists: every accepted candidate is smaller, and some bugs
//! have a shorter sequence that can only be reached through a longer one.
//!
//! # Limits
//!
//! - The system must be deterministic. Its own threads, clocks and random numbers make failures flaky; pass
//!   them in as arguments.
//! - A panic is caught on the thread that runs the command, not in threads or tasks that the system
//!   starts, and not under `panic = "abort"`.
//! - `Err` is a failure whenever `run` returns it: convert an expected error to another type, or let an
//!   oracle predict it.
//! - Postconditions, invariants and oracles are synchronous. Query the system in `run_async`, and return
//!   what is to be compared.
//! - A command has at most ten arguments; the value of a strategy can be a tuple.
//! - Commands run one after the other. Races between them are not exploration.
//!
//! # Other machines
//!
//! The builder creates a [`Machine`]. [`check_machine`] runs any other implementation in the same way. With
//! the feature `proptest-state-machine`, `from_state_machine` runs tests written for that crate unchanged.
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
//! # More examples
//!
//! `cargo run --package foolproof-stateful --example` with `queue` (a bounded channel), `expiry` (a store
//! whose entries expire), `sqlite` (a table with constraints and savepoints), `tcp` (a service with
//! several clients) and `buggy` (the report above).

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
pub use config::{Config, Isolation, Regressions};
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
pub use threading::{Local, Shared, Threading};
