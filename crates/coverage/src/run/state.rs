//! The state of a run: what was generated and hit up to an index. The same for the iterator and for
//! the stream of events, which differ only in who generates.

use std::{collections::BTreeMap, ops::Range};

use foolproof_generate::PhaseMetrics;

use super::{
    batch::{Cost, Item},
    compiled::CompiledRun,
    event::RunTotals,
};
use crate::HitLog;

/// How many instances of each entry a run tries in vain, before it has any, until it gives up.
const TRIED_IN_VAIN: u64 = 64;

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
    /// How many instances are missing when a run without any gives up.
    in_vain: u64,
    /// How many instances are planned; in a guided run, later ones are part of it only if they hit something new.
    planned: u64,
}

/// Whether an instance is part of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kept {
    Yes,
    /// It hits nothing that those before it do not.
    No,
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
            in_vain: TRIED_IN_VAIN.saturating_mul(compiled.entries.len() as u64),
            planned: compiled.planned(),
        }
    }

    /// Whether the run gives up: repair is given little where nothing is known to be valid, but a long run has many
    /// indices. `left` are those after the present one, which are missing then.
    pub(super) fn gives_up(&mut self, left: Range<u64>) -> bool {
        let RunTotals { generated, redundant, missing, .. } = &mut self.totals;
        let is_in_vain = *generated + *redundant == 0 && *missing >= self.in_vain;
        if is_in_vain {
            *missing += left.end.saturating_sub(left.start);
        }
        is_in_vain
    }

    /// Records the outcome at the next index, and returns whether its instance is part of the run. Items come in the
    /// order of their indices.
    pub(super) fn record(&mut self, item: Item) -> Kept {
        let is_fresh = match (&mut self.hit_log, item.example) {
            (Some(hit_log), Some(example)) => hit_log.add(example),
            _ => false,
        };
        let totals = &mut self.totals;
        let is_needed = is_fresh || totals.generated == 0 || item.index < self.planned;
        self.rejections.extend(item.rejection.map(|why| (item.index, why)));
        match item.outcome {
            Ok(_) if self.stops_early && !is_needed => {
                totals.redundant += 1;
                return Kept::No;
            }
            Ok(Cost { is_repaired, is_only_asserted, rejected }) => {
                totals.generated += 1;
                totals.only_asserted += u64::from(is_only_asserted);
                totals.repaired += u64::from(is_repaired);
                totals.rejected += u64::from(rejected);
            }
            Err(exhausted) => {
                totals.missing += 1;
                totals.rejected += u64::from(exhausted.rejected());
                totals.first_missing.get_or_insert((item.index, Some(*exhausted)));
            }
        }
        Kept::Yes
    }

    /// Whether the run ends here because every active target is hit. A contract without targets is
    /// covered by any instance, but there must be at least one.
    pub(super) fn is_covered(&self) -> bool {
        let is_complete = self.hit_log.as_ref().is_some_and(HitLog::is_complete);
        let RunTotals { generated, redundant, missing, .. } = self.totals;
        let is_shown = generated + redundant + missing >= self.least;
        self.stops_early && self.totals.generated > 0 && is_complete && is_shown
    }
}
