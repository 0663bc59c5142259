//! The puzzles, by the names of their bugs.

mod counters;
mod keepers;

use crate::{hegel_peer, puzzle::Puzzle, state_machine};

/// How peers look for one bug: with a seed, in so many sequences.
pub(crate) struct Peers {
    pub(crate) state_machine: fn(u64, u32),
    pub(crate) hegel: fn(u64, u32),
}

impl Peers {
    fn of<P: Puzzle>() -> Self {
        Self { state_machine: state_machine::run::<P>, hegel: hegel_peer::run::<P> }
    }
}

pub(crate) fn peers(bug: &str) -> Peers {
    match bug {
        "stale length after wrap-around" => Peers::of::<keepers::Rings>(),
        "key lost after delete and re-insert" => Peers::of::<keepers::Stores>(),
        "overflow of one large argument" => Peers::of::<counters::Accounts>(),
        "same id twice, returned" => Peers::of::<keepers::Registries>(),
        "same id thrice, picked" => Peers::of::<keepers::Desks>(),
        "leak after ten opens" => Peers::of::<keepers::Tables>(),
        "three commands in order" => Peers::of::<counters::Connections>(),
        "water jugs" => Peers::of::<counters::Waters>(),
        "text cut off" => Peers::of::<counters::Notes>(),
        "one argument depends on another" => Peers::of::<counters::Quotas>(),
        "two different ids" => Peers::of::<counters::Banks>(),
        "steps that cancel each other out" => Peers::of::<keepers::Switches>(),
        "sum that one step can reach" => Peers::of::<counters::Meters>(),
        "equal arguments from a threshold on" => Peers::of::<keepers::Indices>(),
        other => unreachable!("nobody wrote a puzzle for `{other}`"),
    }
}
