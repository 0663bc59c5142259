//! What was seen while exploring: calls, times, and the values of all sequences together.

use std::time::Duration;

use crate::{corpus::Corpus, verdict::CallKind};

/// What was seen while exploring.
#[derive(Debug)]
pub(crate) struct Observations {
    pub(crate) tools: Vec<ToolObservations>,
    /// The values of all sequences.
    pub(crate) corpus: Corpus,
}

/// What was seen of one tool.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolObservations {
    /// How often it was called.
    pub(crate) calls: u64,
    /// How often it answered without an error.
    pub(crate) successes: u64,
    /// How often it answered with an error of its own.
    pub(crate) errors: u64,
    /// How long its calls took.
    pub(crate) times: Vec<Duration>,
    /// How often the oracle accepted none of the arguments that were drawn.
    pub(crate) refused: u64,
}

impl Observations {
    pub(crate) fn new(tools: usize, corpus: Corpus) -> Self {
        Self { tools: vec![ToolObservations::default(); tools], corpus }
    }

    pub(crate) fn call(&mut self, tool: usize, kind: CallKind, time: Duration) {
        let tool = &mut self.tools[tool];
        tool.calls += 1;
        tool.times.push(time);
        match kind {
            CallKind::Success => tool.successes += 1,
            CallKind::ErrorResult | CallKind::Refused => tool.errors += 1,
            CallKind::NoAnswer => {}
        }
    }

    /// No arguments for the tool were valid.
    pub(crate) fn refused(&mut self, tool: usize) {
        self.tools[tool].refused += 1;
    }
}

impl ToolObservations {
    /// The time that `percent` of the calls were answered within.
    pub(crate) fn percentile(&self, percent: usize) -> Option<Duration> {
        let mut times = self.times.clone();
        times.sort_unstable();
        let last = times.len().checked_sub(1)?;
        times.get(last * percent / 100).copied()
    }
}
