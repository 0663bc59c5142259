//! What was seen while exploring: calls, times, the values of all sequences together, and what the calls covered.
//!
//! Sequences may run at the same time. What depends on an order is recorded in the order of the sequences: what a
//! sequence shows before its turn waits.

use std::{collections::BTreeMap, time::Duration};

use crate::{
    corpus::Corpus,
    schema_coverage::{ObservedCall, SchemaCoverage},
    verdict::CallKind,
};

/// What was seen while exploring.
#[derive(Debug)]
pub(crate) struct Observations {
    pub(crate) tools: Vec<ToolObservations>,
    /// The values of all sequences.
    pub(crate) corpus: Corpus,
    pub(crate) coverage: SchemaCoverage,
    /// The first sequence that has not ended.
    turn: u64,
    /// What later sequences have shown.
    waiting: BTreeMap<u64, Waiting>,
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

#[derive(Debug, Default)]
struct Waiting {
    calls: Vec<ObservedCall>,
    /// The values that were known when it ended.
    corpus: Option<Corpus>,
}

impl Observations {
    pub(crate) fn new(corpus: Corpus, coverage: SchemaCoverage, tools: usize) -> Self {
        let tools = vec![ToolObservations::default(); tools];
        Self { tools, corpus, coverage, turn: 0, waiting: BTreeMap::new() }
    }

    /// A call of a sequence.
    pub(crate) fn call(
        &mut self,
        sequence: u64,
        call: ObservedCall,
        kind: CallKind,
        time: Duration,
    ) {
        let tool = &mut self.tools[call.tool];
        tool.calls += 1;
        tool.times.push(time);
        match kind {
            CallKind::Success => tool.successes += 1,
            CallKind::ErrorResult | CallKind::Refused => tool.errors += 1,
            CallKind::NoAnswer => {}
        }
        if sequence <= self.turn {
            self.coverage.observe(&call);
        } else {
            self.waiting.entry(sequence).or_default().calls.push(call);
        }
    }

    /// The end of a sequence, with the values that it knew.
    pub(crate) fn end(&mut self, sequence: u64, corpus: &Corpus) {
        if sequence > self.turn {
            self.waiting.entry(sequence).or_default().corpus = Some(corpus.clone());
            return;
        }
        self.corpus.extend(corpus);
        self.turn = sequence + 1;
        while let Some(waiting) = self.waiting.remove(&self.turn) {
            if !self.record(&waiting) {
                break;
            }
            self.turn += 1;
        }
    }

    /// Records what waits for a sequence that never ended.
    pub(crate) fn finish(&mut self) {
        for waiting in std::mem::take(&mut self.waiting).into_values() {
            self.record(&waiting);
        }
    }

    /// Whether it has ended.
    fn record(&mut self, waiting: &Waiting) -> bool {
        for call in &waiting.calls {
            self.coverage.observe(call);
        }
        if let Some(corpus) = &waiting.corpus {
            self.corpus.extend(corpus);
        }
        waiting.corpus.is_some()
    }

    /// How many calls were made.
    pub(crate) fn calls(&self) -> u64 {
        self.tools.iter().map(|tool| tool.calls).sum()
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
