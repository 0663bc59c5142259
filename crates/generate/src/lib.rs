//! Generates valid, varied, deterministic instances of a contract.
//!
//! A [`Source`] makes every choice of a draw, so that random and other sources share one generator, and
//! a draw can be repeated from its recorded choices.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod branch_choice;
mod decimal;
mod draw;
mod generator;
mod metrics;
mod number;
mod pipeline;
mod plan;
mod repair;
mod seed;
mod size;
mod source;
#[cfg(feature = "proptest")]
mod strategy;
mod string;
mod supplied;
mod thread_safety;
mod value_size;
mod words;

pub use branch_choice::{BranchChoice, BranchSeparator};
pub use decimal::normalize_number;
pub use draw::DrawMemory;
pub use generator::{Exhausted, Generated, Generator, Host, Instance, SecondOracle};
pub use metrics::{Clock, Meter, Phase, PhaseCost, PhaseMetrics};
pub use number::{Integers, Numbers};
pub use pipeline::Pipeline;
pub use plan::{Plan, PlanCompiler};
pub use repair::{EditKind, Repair, RepairEdit, RepairedValue, repair};
pub use seed::{STREAM_VERSION, Seed};
pub use source::{Random, Recorder, Replay, Source};
#[cfg(feature = "proptest")]
pub use strategy::{InstanceTree, Instances, instances_of};
pub use string::Strings;
pub use supplied::{AtHand, Missing, MissingKind, NumberKind, Place, Supplied, ValueSource};
pub use value_size::ValueSize;
pub use words::ENTRY_NAMES;
