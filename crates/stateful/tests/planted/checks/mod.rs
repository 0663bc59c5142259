//! The planted bugs as tests of this crate.

mod collections;
mod counters;

pub(crate) use collections::{files, index, registry, ring, store, switch, tickets};
pub(crate) use counters::{account, bank, connection, jugs, meter, note, quota};
