//! Model-based tests of any Rust system, over proptest strategies.
//!
//! A test has a *model*, which is simple and right, and a *system*, which is neither to be taken for
//! granted. Commands do the same to both; postconditions and invariants say what must hold. Sequences
//! of commands are made step by step from the state that the last step led to, and one that fails is
//! shrunk to the smallest that fails in the same way.
//!
//! # When it is worth it
//!
//! A property test asks one question of one value. Queues, caches, stores, sessions and protocols have a
//! *history*: they break on the fourth call, and only after a certain third one. Nobody writes down
//! those orders by hand. If you can say in a few lines what the system should do, as a `Vec`, a
//! `BTreeMap` or a counter would do it, a stateful test finds the orders for you. If the model would have
//! to be as clever as the system, use invariants alone, or a plain property test.
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
//!             Ok(place) => self.0[place].1 = value,
//!             Err(place) => self.0.insert(place, (key, value)),
//!         }
//!     }
//!
//!     fn get(&self, key: u8) -> Option<&str> {
//!         let place = self.0.binary_search_by_key(&key, |(known, _)| *known).ok()?;
//!         Some(&self.0[place].1)
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
//! [`model`](Stateful::model) and [`sut`](Stateful::sut) make a fresh model and a fresh system for every
//! sequence. [`run`](CommandBuilder::run) does the same thing to both; [`post`](Command::post) compares.
//! No closure names a type: the arguments of a command are known before its action is written. None is
//! `()`, one is passed as itself, several are a tuple.
//!
//! # What a failure looks like
//!
//! A false postcondition or invariant, an `Err` from a command, a panic, and a step over its time limit
//! are failures. `check` returns a [`Failure`], whose text is the report, so that `unwrap` is all a test
//! needs. This is what `examples/buggy.rs` prints, a cache that forgets to refresh what is put again:
//!
//! ```text
#![doc = include_str!("../examples/buggy.txt")]
//! ```
//!
//! A `Failure` can also be asked: [`minimal`](Failure::minimal), [`fault`](Failure::fault),
//! [`is_flaky`](Failure::is_flaky).
//!
//! # Preconditions
//!
//! [`pre`](CommandBuilder::pre) sees the model and the arguments. A command whose precondition is false
//! is not run: its arguments are drawn a few more times, then another command is chosen. A state in
//! which nothing can run ends the sequence, which is no failure. Write arguments first, then `pre`.
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
//! | where it comes from | |
//! |---|---|
//! | any proptest strategy | [`forall`](CommandBuilder::forall) |
//! | a strategy that depends on the model as it is now | [`forall_with`](CommandBuilder::forall_with) |
//! | one of what the model offers now | [`pick`](CommandBuilder::pick) |
//! | what an earlier step got from the system | [`returned`](CommandBuilder::returned), [`yields`](Command::yields) |
//!
//! The last is for what a model cannot foresee: handles, tokens, ids that the system makes up. The
//! argument belongs to the step that yielded it. When shrinking drops that step, it drops the use too,
//! and never mistakes one handle for another.
//!
//! ```
//! use std::collections::BTreeMap;
//!
//! use foolproof_stateful::{Config, stateful};
//!
//! /// Seats that are given out by numbers of the system's own choice.
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
//!     .command("ask", |c| {
//!         c.returned::<u64>("ticket", "enter")
//!             .run(|ticket, _, seats| seats.0.get(&ticket).copied())
//!             .post(|_, model, _, guest| guest.is_some_and(|guest| model.contains(&guest)))
//!     })
//!     .command("look", |c| {
//!         // The range is another one at every step. It is made before the precondition is asked, and
//!         // must not be empty.
//!         c.forall_with("place", |model| 0..model.len().max(1))
//!             .pre(|model, place| *place < model.len())
//!             .run(|place, _, seats| seats.0.values().nth(place).copied())
//!             .post(|place, model, _, guest| guest.as_ref() == model.get(place))
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
//! Where the model can say beforehand what the system will answer,
//! [`oracle`](CommandBuilder::oracle) takes two closures in place of `run` and `post`: what is
//! predicted, and what is answered. A difference is a failure that shows both.
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
//! An [`invariant`](Stateful::invariant) is checked after every step, several in their order, and the
//! first that is false is named. [`setup`](Stateful::setup) runs before the first step,
//! [`teardown`](Stateful::teardown) after the last one, also after one that failed or panicked.
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
//! # Systems that have to be waited for
//!
//! [`sut_async`](Stateful::sut_async), [`run_async`](CommandBuilder::run_async) and
//! [`teardown_async`](Stateful::teardown_async) take asynchronous closures, and
//! [`check_async`](Stateful::check_async) runs on the runtime that polls it; which one does not matter.
//! Commands that wait and commands that do not can be mixed. `examples/tcp.rs` tests a service on a
//! socket.
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
//! [`Config`] says how many sequences, how long, with which limits. Sequence `i` depends on the seed and
//! `i` alone, so a seed repeats a run, with any number of threads. Without one, a seed is taken from the
//! clock; a failure tells it, together with a `replay` that runs the minimal sequence alone, without
//! searching and shrinking again.
//!
//! ```
//! # use foolproof_stateful::{Config, Failure, Statistics, stateful};
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
//! // A file keeps what failed, and it is tried first the next time.
//! let folder = tempfile::tempdir().unwrap();
//! let config = Config { regressions: Some(folder.path().join("count.txt")), ..Config::default() };
//! count(config.clone()).unwrap_err();
//! let again = count(Config { num_runs: 0, ..config }).unwrap_err();
//! assert_eq!(again.minimal().len(), 3);
//! ```
//!
//! [`Config::with_regressions_beside`] puts that file beside the test, as proptest does; check it in. A sequence that
//! does not fit any more, because a command is gone or has other arguments, is passed over.
//!
//! [`Config::step_timeout`] ends a test whose system hangs. [`Config::threads`] runs sequences on several
//! threads, with the same result; it needs a test that is [`shared`](Stateful::shared), whose strategies
//! and closures are `Send` and `Sync`.
//!
//! # Did it test anything?
//!
//! `check` returns [`Statistics`]: how often each command ran, and how often it could not. A precondition
//! that is never true makes a test that passes and says nothing;
//! [`require_all_commands`](Config::require_all_commands) makes it fail.
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
//! Everything behind the step that failed is cut off. Then chunks of steps are removed, large ones first;
//! arguments are simplified by proptest's own trees, one by one, and those with equal values together;
//! two or three steps are replaced by one. This goes on until nothing helps. Every candidate runs on a
//! fresh model and a fresh system.
//!
//! It holds that
//! - what is reported has been run as it is shown, and run again [`Config::confirmations`] times; if it
//!   did not fail every time, the report says `FLAKY`;
//! - every precondition holds at its step;
//! - the fault is in a step of the same command, of the same kind, and for invariants and panics at the
//!   same place, as the one found first: one bug is not exchanged for another;
//! - no single step can be left out, unless the report says that a limit ended the search.
//!
//! It does not hold that no shorter sequence exists: the search is a descent, and some bugs have a
//! shorter cause that is only reached through a longer one.
//!
//! # Limits
//!
//! - The system must do the same when the same is done to it. Threads, clocks and random numbers of its
//!   own make failures flaky; hand them in as arguments.
//! - A panic is caught on the thread that runs the command, not in threads or tasks that the system
//!   starts, and not under `panic = "abort"`.
//! - `Err` is a failure wherever `run` returns it: turn an error that is expected into a value, or have an
//!   oracle predict it.
//! - Postconditions, invariants and oracles do not wait. Ask the system in `run_async`, and
//!   return what is to be compared.
//! - A command has at most ten arguments; a strategy can make a tuple.
//! - Commands run one after the other. Races between them are not exploration.
//!
//! # Machines of other kinds
//!
//! The builder makes a [`Machine`], and anything else that implements it runs in the same way, with
//! [`check_machine`]. Tests that were written for `proptest-state-machine` are such machines, with the
//! feature of that name: `from_state_machine` runs them unchanged.
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
mod session;
mod thread_safety;
mod threading;

// The runner: from a machine to sequences.
mod async_timeout;
mod config;
mod execution;
mod machine;
mod panics;
mod rng;
mod runner;
mod shrink;
mod step;
mod step_syntax;
mod thread_timeout;

// Results: from sequences to statistics and failures.
mod confirmation;
mod failure;
mod fault;
mod regressions;
mod statistics;

#[cfg(feature = "proptest-state-machine")]
mod state_machine;

pub use builder::{Stateful, stateful};
pub use command::{Command, CommandBuilder};
pub use config::Config;
pub use failure::{Failure, StepReport};
pub use fault::{Fault, FaultKind};
pub use machine::{Machine, StepOutcome};
pub use rng::Rng;
pub use runner::{check_machine, check_machine_async};
#[cfg(feature = "proptest-state-machine")]
pub use state_machine::{StateMachineAdapter, from_state_machine};
pub use statistics::{CommandStatistics, Statistics};
pub use step::ShrinkStep;
