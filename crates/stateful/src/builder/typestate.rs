//! Which parts of a test are present, as types: a test without a model or a system does not compile.

/// The part is not set yet.
#[derive(Debug)]
pub enum Absent {}

/// The part is set.
#[derive(Debug)]
pub enum Present {}

/// A test whose model is set.
#[diagnostic::on_unimplemented(
    message = "the test has no model",
    label = "call `.model(…)` before",
    note = "`.model(|| …)` makes a fresh model for every sequence"
)]
pub trait HasModel {}
impl HasModel for Present {}

/// A test whose system is set.
#[diagnostic::on_unimplemented(
    message = "the test has no system",
    label = "call `.sut(…)` before",
    note = "`.sut(|| …)` makes a fresh system for every sequence"
)]
pub trait HasSystem {}
impl HasSystem for Present {}
