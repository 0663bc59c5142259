//! Holds no code: see `tests`.
