//! All integration tests of the crate in one binary, so that they are linked once and run side by side.

mod corpus;
mod laws;
mod proofs;
mod requests;
mod rfc6570;
mod round_trip;
mod router;
mod styles;
mod traffic;
