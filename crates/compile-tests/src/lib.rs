//! Holds no code: see `tests/compile.rs`.
