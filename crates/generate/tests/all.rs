//! All integration tests of the crate in one binary, so that they are linked once and run side by side.

mod exits;
mod formats;
mod generator;
mod pipeline;
mod repair;
mod repair_laws;
mod separation;
mod size;
mod strategy;
mod suite;
mod supplied;
mod tour;
