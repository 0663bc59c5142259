//! The planted bugs as tests of this crate.

mod collections;
mod counters;
mod crates;

pub(crate) use collections::{files, index, registry, ring, store, switch, tickets};
pub(crate) use counters::{account, bank, connection, jugs, meter, note, quota};
pub(crate) use crates::{aborts, channel, fragile_cache, resized_cache, savepoints};
