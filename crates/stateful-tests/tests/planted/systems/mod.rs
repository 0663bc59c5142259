//! The systems with their bugs. They depend on no test library, so that all libraries are measured on the
//! same systems.

mod collections;
mod counters;
mod crates;

pub(crate) use collections::{Files, Index, Registry, Ring, Store, Switch, Tickets};
pub(crate) use counters::{Account, Bank, Connection, Jug, Jugs, Meter, Note, Quota};
pub(crate) use crates::{
    AbortKeepsRemovals, Channel, DatabaseBug, FragileCache, Records, ResizedCache,
    SavepointLosesWrite,
};
