//! The systems with their bugs. They know nothing of any test library, so that all are measured on the
//! same ones.

mod counters;
mod keepers;

pub(crate) use counters::{Account, Bank, Connection, Jug, Jugs, Meter, Note, Quota};
pub(crate) use keepers::{Files, Index, Registry, Ring, Store, Switch, Tickets};
