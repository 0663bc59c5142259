//! A session: one model and one system, for one sequence.

use crate::{
    Tracing,
    argument::{Results, StateView},
};

/// A model, a system, and the results that later steps may refer to.
pub struct Session<M, S> {
    pub(crate) model: M,
    pub(crate) system: S,
    pub(crate) results: Results,
    /// Whether results are recorded for a report.
    pub(crate) tracing: Tracing,
}

impl<M, S> Session<M, S> {
    pub(crate) fn state(&self) -> StateView<'_, M> {
        StateView { model: &self.model, results: &self.results }
    }
}
