//! The scenarios, by the names of their bugs.

mod collections;
mod counters;
pub(crate) mod crates;

use crate::{
    hegel_peer,
    planted::systems::{AbortKeepsRemovals, SavepointLosesWrite},
    scenario::Scenario,
    state_machine_peer,
};

/// How other libraries search for one bug: with a seed, in at most so many sequences.
pub(crate) struct Peers {
    pub(crate) state_machine: fn(u64, u32),
    pub(crate) hegel: fn(u64, u32),
}

impl Peers {
    fn of<P: Scenario>() -> Self {
        Self { state_machine: state_machine_peer::run::<P>, hegel: hegel_peer::run::<P> }
    }
}

pub(crate) fn peers(bug: &str) -> Peers {
    match bug {
        "stale length after wrap-around" => Peers::of::<collections::Rings>(),
        "key lost after delete and re-insert" => Peers::of::<collections::Stores>(),
        "overflow of one large argument" => Peers::of::<counters::Accounts>(),
        "same id twice, returned" => Peers::of::<collections::Registries>(),
        "same id thrice, picked" => Peers::of::<collections::Desks>(),
        "leak after ten opens" => Peers::of::<collections::Tables>(),
        "three commands in order" => Peers::of::<counters::Connections>(),
        "water jugs" => Peers::of::<counters::Waters>(),
        "text cut off" => Peers::of::<counters::Notes>(),
        "one argument depends on another" => Peers::of::<counters::Quotas>(),
        "two different ids" => Peers::of::<counters::Banks>(),
        "steps that cancel each other out" => Peers::of::<collections::Switches>(),
        "sum that one step can reach" => Peers::of::<counters::Meters>(),
        "equal arguments from a threshold on" => Peers::of::<collections::Indices>(),
        "peek promotes after a resize (lru)" => Peers::of::<crates::ResizedCaches>(),
        "panic at the third eviction (lru)" => Peers::of::<crates::FragileCaches>(),
        "last message lost (async-channel)" => Peers::of::<crates::Channels>(),
        "savepoint loses a write (redb)" => Peers::of::<crates::Databases<SavepointLosesWrite>>(),
        "abort keeps removals (redb)" => Peers::of::<crates::Databases<AbortKeepsRemovals>>(),
        other => unreachable!("there is no scenario for `{other}`"),
    }
}
