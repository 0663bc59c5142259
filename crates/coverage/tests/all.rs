//! All integration tests of the crate in one binary, so that they are linked once and run side by side.

mod api;
mod baseline;
mod budgets;
mod diff;
mod hints;
mod html;
mod measured;
mod merge;
mod observe;
mod open_branches;
mod operations;
mod plan;
mod proofs;
mod report;
mod run;
mod statuses;
mod targets;
mod truth;
mod unreachable;
