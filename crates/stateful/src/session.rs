//! One model and one system, from their start to their end.

use crate::argument::{Results, StateView};

/// A model and a system, and what the steps so far returned.
pub struct Session<M, S> {
    pub(crate) model: M,
    pub(crate) system: S,
    pub(crate) results: Results,
    /// Whether arguments and results are written down for a report.
    pub(crate) is_traced: bool,
}

impl<M, S> Session<M, S> {
    pub(crate) fn state(&self) -> StateView<'_, M> {
        StateView { model: &self.model, results: &self.results }
    }
}
