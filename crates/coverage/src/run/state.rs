//! The state of a run: what was generated and hit up to an index. The same for the iterator and for
//! the stream of events, which differ only in who generates.

use std::collections::BTreeMap;

use foolproof_generate::PhaseMetrics;

use super::{
    batch::{Cost, Item},
    compiled::CompiledRun,
    event::RunTotals,
};
use crate::HitLog;

#[derive(Debug)]
pub(super) struct RunState {
    pub(super) totals: RunTotals,
    /// Nothing if coverage is off.
    pub(super) hit_log: Option<HitLog>,
    pub(super) metrics: PhaseMetrics,
    /// For each index whose planned instance was rejected, why.
    pub(super) rejections: BTreeMap<u64, String>,
    stops_early: bool,
    /// The least number of indices before the run may stop early.
    least: u64,
}

impl RunState {
    pub(super) fn new(compiled: &CompiledRun, metrics: PhaseMetrics) -> Self {
        Self {
            totals: RunTotals::default(),
            hit_log: compiled.targets().map(HitLog::new),
            metrics,
            rejections: BTreeMap::new(),
            stops_early: compiled.stops_early(),
            // Some units of an API are there to show an entry that has no targets.
            least: if compiled.api().is_some() { compiled.planned() } else { 0 },
        }
    }

    /// Records the outcome at the next index. Items come in the order of their indices.
    pub(super) fn record(&mut self, item: Item) {
        let totals = &mut self.totals;
        self.rejections.extend(item.rejection.map(|why| (item.index, why)));
        match item.outcome {
            Ok(Cost { is_repaired, rejected }) => {
                totals.generated += 1;
                totals.repaired += u64::from(is_repaired);
                totals.rejected += u64::from(rejected);
            }
            Err(exhausted) => {
                totals.missing += 1;
                totals.rejected += u64::from(exhausted.rejected());
                totals.first_missing.get_or_insert((item.index, Some(*exhausted)));
            }
        }
        if let (Some(hit_log), Some(example)) = (&mut self.hit_log, item.example) {
            hit_log.add(example);
        }
    }

    /// Whether the run ends here because every active target is hit. A contract without targets is
    /// covered by any instance, but there must be at least one.
    pub(super) fn is_covered(&self) -> bool {
        let is_complete = self.hit_log.as_ref().is_some_and(HitLog::is_complete);
        let is_shown = self.totals.generated + self.totals.missing >= self.least;
        self.stops_early && self.totals.generated > 0 && is_complete && is_shown
    }
}
