//! Chores of the workspace that are too much for a shell script.

pub mod apis;
pub mod compare;
pub mod findings;
pub mod fuzz;
pub mod fuzz_targets;
pub mod generation;
pub mod guidance;
pub mod laws;
pub mod scale;
pub mod survey;
