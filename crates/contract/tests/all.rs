//! All integration tests of the crate in one binary, so that they are linked once and run side by side.

mod ajv;
mod canonical;
mod graph;
mod laws;
mod openapi;
mod read;
mod suite;
mod yaml_peers;
