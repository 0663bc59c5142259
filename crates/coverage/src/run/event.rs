//! The events of a run. Text, files, progress bars and reports are made from these events; the run
//! itself prints and writes nothing.

use std::ops::Range;

use foolproof_contract::AjvError;
use foolproof_generate::{Exhausted, PhaseMetrics};

use crate::Report;

/// What happened in a run, in the order of the indices whatever the number of threads.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'e> {
    /// Everything is compiled and planned, and nothing is generated yet.
    Planned {
        /// The indices that the run may generate.
        indices: Range<u64>,
        /// How many of them are planned by guidance.
        units: u64,
    },
    /// An instance.
    Instance {
        /// Its index in the run.
        index: u64,
        /// The instance, as [`RunContext::encode`](crate::RunContext::encode) serialized it.
        bytes: &'e [u8],
    },
    /// No instance could be generated at an index.
    Missing {
        /// The index.
        index: u64,
        /// Why no draw was valid.
        exhausted: &'e Exhausted,
    },
    /// Another batch of instances was reported.
    Progress(&'e RunTotals),
    /// The run is over; nothing follows.
    Finished(&'e Finished),
}

/// How many instances were generated, and how many were not.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct RunTotals {
    /// Instances generated.
    pub generated: u64,
    /// Instances of a guided run that were drawn and are not part of it, because they hit nothing new.
    pub redundant: u64,
    /// Those generated that repair had to change.
    pub repaired: u64,
    /// Those generated that are valid only if formats are asserted.
    pub only_asserted: u64,
    /// Draws that the oracle rejected.
    pub rejected: u64,
    /// Indices without an instance.
    pub missing: u64,
    /// The first of them, and why no draw was valid. Without a reason if nothing was drawn because the
    /// contract admits no value.
    pub first_missing: Option<(u64, Option<Exhausted>)>,
}

impl RunTotals {
    /// The totals of a run that draws nothing at `indices`, since the contract admits no value.
    pub(super) fn none_of(indices: &Range<u64>) -> Self {
        let first_missing = (!indices.is_empty()).then_some((indices.start, None));
        Self { missing: indices.end - indices.start, first_missing, ..Self::default() }
    }
}

/// How a run ended, and its outcome.
#[derive(Debug)]
#[non_exhaustive]
pub struct Finished {
    /// How it ended.
    pub end: RunEnd,
    /// What it generated.
    pub totals: RunTotals,
    /// What each phase cost.
    pub metrics: PhaseMetrics,
    /// What it covered; nothing if coverage is off or the run was cancelled.
    pub report: Option<Report>,
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum RunEnd {
    /// After its last index.
    Complete,
    /// Early, because every active target is hit.
    Covered,
    /// Early, because it was cancelled.
    Cancelled,
}

/// Why a run stopped without an outcome.
#[derive(Debug, PartialEq)]
pub enum Stopped<B> {
    /// The reader of its events ended it.
    Reader(B),
    /// The second oracle gave no answer.
    Oracle(AjvError),
}
