//! The hit_log of a run: what its instances hit, in the order of their indices.
//!
//! Several threads may look at instances, each with a tracker that knows only what it saw itself. The
//! hit_log takes in what they were the first to see in the order of the indices, so what it holds
//! does not depend on who saw what.

use std::{
    ops::Range,
    sync::{Mutex, PoisonError},
};

use crate::{Example, HitTracker, Hits, Observer, Status};

/// What the instances of a run hit.
#[derive(Clone, Debug)]
pub struct HitLog {
    hits: Hits,
    examples: Vec<Example>,
    /// How many of the targets that can be hit are not.
    open: usize,
    is_open: Hits,
}

impl HitLog {
    /// Nothing was made yet.
    #[must_use]
    pub fn new(observer: &Observer) -> Self {
        let universe = observer.universe();
        let mut is_open = Hits::none(universe.targets().len());
        for (place, target) in universe.targets().iter().enumerate() {
            if target.status() == Status::Active {
                is_open.insert(universe.index_of(place));
            }
        }
        let hits = Hits::none(universe.targets().len());
        Self { hits, examples: Vec::new(), open: is_open.len(), is_open }
    }

    /// Takes in an instance that somebody was the first to see some targets in. The one before it must
    /// have been taken in before it.
    pub fn add(&mut self, mut example: Example) {
        example.targets.retain(|target| self.hits.insert(*target));
        if !example.targets.is_empty() {
            let is_open = |target: &&_| self.is_open.contains(**target);
            self.open -= example.targets.iter().filter(is_open).count();
            self.examples.push(example);
        }
    }

    /// Whether everything that can be hit was.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.open == 0
    }

    /// What was hit.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        &self.hits
    }

    /// The instances that were the first to hit something.
    #[must_use]
    pub fn examples(&self) -> &[Example] {
        &self.examples
    }
}

/// TrackerPool for workers that come and go.
///
/// A tracker tells what it sees for the first time. For that to be the first time in the order of the
/// indices, it must not see a later index before an earlier one; so a chunk of indices gets a tracker
/// that has been no further.
#[derive(Debug)]
pub struct TrackerPool {
    observer: Observer,
    /// Each with the end of the last chunk that it was lent for.
    idle: Mutex<Vec<(u64, HitTracker)>>,
}

impl TrackerPool {
    /// No tracker yet.
    #[must_use]
    pub fn new(observer: &Observer) -> Self {
        Self { observer: observer.clone(), idle: Mutex::new(Vec::new()) }
    }

    /// Lends a tracker to look at the instances `indices`.
    pub fn lend<T>(&self, indices: &Range<u64>, look: impl FnOnce(&mut HitTracker) -> T) -> T {
        let mut tracker = self.take(indices.start);
        let result = look(&mut tracker);
        self.idle().push((indices.end, tracker));
        result
    }

    fn take(&self, start: u64) -> HitTracker {
        let mut idle = self.idle();
        let fit = idle.iter().position(|(end, _)| *end <= start);
        let tracker = fit.map(|place| idle.swap_remove(place).1);
        drop(idle);
        tracker.unwrap_or_else(|| HitTracker::new(&self.observer))
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<(u64, HitTracker)>> {
        // Nothing that can panic happens while it is held.
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
