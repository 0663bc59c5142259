//! The log of a run: what its instances hit, in the order of their indices.
//!
//! Several threads observe instances, each with a tracker that knows only what it observed itself. The
//! log records their first hits in the order of the indices, so its content does not depend on which
//! thread observed what.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::{
    Example, Hits, Status, TargetSet,
    entry_set::{EntrySet, RunTracker},
};

/// What the instances of a run hit.
#[derive(Clone, Debug)]
pub(crate) struct HitLog {
    hits: Hits,
    examples: Vec<Example>,
    /// How many of the targets that can be hit are not.
    open: usize,
    is_open: Hits,
}

impl HitLog {
    /// Nothing was generated yet.
    pub(crate) fn new(targets: &TargetSet) -> Self {
        let mut is_open = Hits::none(targets.targets().len());
        for index in targets.indices() {
            if targets[index].status() == Status::Active {
                is_open.insert(index);
            }
        }
        let hits = Hits::none(targets.targets().len());
        Self { hits, examples: Vec::new(), open: is_open.len(), is_open }
    }

    /// Records an instance with the targets that were new to its tracker, and returns whether it is the first to
    /// hit a target that counts. Examples come in the order of their indices.
    pub(crate) fn add(&mut self, mut example: Example) -> bool {
        example.targets.retain(|target| self.hits.insert(*target));
        let is_open = |target: &&_| self.is_open.contains(**target);
        let fresh = example.targets.iter().filter(is_open).count();
        self.open -= fresh;
        if !example.targets.is_empty() {
            self.examples.push(example);
        }
        fresh > 0
    }

    /// Whether everything that can be hit was.
    pub(crate) fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// What was hit.
    pub(crate) fn hits(&self) -> &Hits {
        &self.hits
    }

    /// The instances that were the first to hit something.
    pub(crate) fn examples(&self) -> &[Example] {
        &self.examples
    }
}

/// Trackers for worker threads.
///
/// A tracker reports the targets that are hit for the first time. For that to be the first time in the
/// order of the indices, it must not observe a later index before an earlier one. So a chunk of indices
/// gets a tracker that has not observed a later chunk.
#[derive(Debug)]
pub(crate) struct TrackerPool {
    entries: EntrySet,
    /// Each with the end of the last chunk that it was lent for.
    idle: Mutex<Vec<(u64, RunTracker)>>,
}

impl TrackerPool {
    /// No tracker yet.
    pub(crate) fn new(entries: &EntrySet) -> Self {
        Self { entries: entries.clone(), idle: Mutex::new(Vec::new()) }
    }

    /// Lends a tracker for the instances `indices`.
    pub(crate) fn lend<T>(
        &self,
        indices: &Range<u64>,
        observe: impl FnOnce(&mut RunTracker) -> T,
    ) -> T {
        let mut tracker = self.idle_before(indices.start);
        let result = observe(&mut tracker);
        self.idle().push((indices.end, tracker));
        result
    }

    /// A tracker that has observed no index from `start` on.
    fn idle_before(&self, start: u64) -> RunTracker {
        let mut idle = self.idle();
        let position = idle.iter().position(|(end, _)| *end <= start);
        let tracker = position.map(|position| idle.swap_remove(position).1);
        drop(idle);
        tracker.unwrap_or_else(|| RunTracker::new(&self.entries))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(u64, RunTracker)>> {
        // Nothing can panic while the lock is held.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use foolproof_contract::Document;
    use foolproof_generate::Meter;
    use serde_json::json;

    use super::TrackerPool;
    use crate::{CompiledRun, Settings, entry_set::EntryIndex};

    #[test]
    fn a_tracker_never_observes_a_later_index_before_an_earlier_one() {
        let document = Document::from_value(json!(true)).unwrap();
        let mut meter = Meter::counting();
        let run = CompiledRun::new(&document, Settings::measure(10), &mut meter).unwrap();
        let trackers = TrackerPool::new(run.entry_set().unwrap());
        let mut fresh = |range: Range<u64>| {
            let instance = run.generate(range.start, &mut meter).unwrap().into_instance();
            trackers.lend(&range, |tracker| tracker.observe(EntryIndex(0), instance.view()).len())
        };
        assert_eq!(fresh(5..9), 1);
        // A target must not count as hit at an earlier index because a later one hits it.
        assert_eq!(fresh(0..5), 1);
        assert_eq!(fresh(9..10), 0);
    }
}
