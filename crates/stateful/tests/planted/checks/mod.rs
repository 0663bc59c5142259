//! The planted bugs as tests of ours.

mod counters;
mod keepers;

pub(crate) use counters::{account, bank, connection, jugs, meter, note, quota};
pub(crate) use keepers::{files, index, registry, ring, store, switch, tickets};
