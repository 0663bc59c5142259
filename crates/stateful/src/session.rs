//! One model and one system, from their start to their end.

use crate::argument::{At, Results};

/// A model and a system, and what the steps so far returned.
pub struct Session<M, S> {
    pub(crate) model: M,
    pub(crate) system: S,
    pub(crate) results: Results,
    /// Whether arguments and results are written down for a report.
    pub(crate) is_traced: bool,
}

impl<M, S> Session<M, S> {
    pub(crate) fn at(&self) -> At<'_, M> {
        At { model: &self.model, results: &self.results }
    }
}
