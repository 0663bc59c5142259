//! The entries of a contract, and what observes the values of each.
//!
//! A value belongs to one entry: a schema has one, an API has one for each side of each operation. The
//! observer of an entry knows the targets of that entry; the set knows which of them are the same.

use std::{collections::BTreeMap, sync::Arc};

use foolproof_contract::AcceptedView;

use crate::{HitTracker, Hits, Observer, TargetIndex, TargetSet, Unreachable};

/// The index of an entry in its set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EntryIndex(pub(crate) usize);

/// The entries of a contract. Clones share what was compiled.
#[derive(Clone, Debug)]
pub(crate) struct EntrySet {
    targets: Arc<TargetSet>,
    entries: Arc<[LinkedObserver]>,
}

/// The observer of one entry, and what its targets are in the set.
#[derive(Clone, Debug)]
pub(crate) struct LinkedObserver {
    pub(crate) observer: Observer,
    pub(crate) link: Link,
}

/// What the targets of an entry are in the set.
#[derive(Clone, Debug)]
pub(crate) enum Link {
    /// The same: the entry is the only one.
    Same,
    /// For each target of the entry, its index in the set.
    Mapped(Arc<[TargetIndex]>),
}

impl Link {
    /// The target of the set that `target` of the entry is.
    pub(crate) fn to_set(&self, target: TargetIndex) -> TargetIndex {
        match self {
            Self::Same => target,
            Self::Mapped(indices) => indices[target.index()],
        }
    }
}

impl EntrySet {
    pub(crate) fn new(targets: TargetSet, entries: Vec<LinkedObserver>) -> Self {
        Self { targets: Arc::new(targets), entries: entries.into() }
    }

    /// The set of a contract that has one entry.
    pub(crate) fn single(observer: Observer) -> Self {
        let targets = observer.universe().target_set().clone();
        Self::new(targets, vec![LinkedObserver { observer, link: Link::Same }])
    }

    pub(crate) fn targets(&self) -> &TargetSet {
        &self.targets
    }

    pub(crate) fn entries(&self) -> &[LinkedObserver] {
        &self.entries
    }

    pub(crate) fn entry(&self, entry: EntryIndex) -> &LinkedObserver {
        &self.entries[entry.0]
    }

    /// The same set, with the targets `unreachable` of the set marked as such.
    pub(crate) fn without(&self, unreachable: &BTreeMap<TargetIndex, Unreachable>) -> Self {
        let targets = self.targets.without(unreachable);
        let entry = |linked: &LinkedObserver| {
            let own = linked.observer.universe().indices();
            let why = |target: TargetIndex| {
                Some((target, unreachable.get(&linked.link.to_set(target))?.clone()))
            };
            let own: Vec<(TargetIndex, Unreachable)> = own.filter_map(why).collect();
            let observer =
                if own.is_empty() { linked.observer.clone() } else { linked.observer.without(own) };
            LinkedObserver { observer, link: linked.link.clone() }
        };
        let entries = self.entries.iter().map(entry).collect();
        Self { targets: Arc::new(targets), entries }
    }
}

/// Observes the values of a run, in the order of their indices, and records what they hit.
#[derive(Debug)]
pub(crate) struct RunTracker {
    set: EntrySet,
    /// One for each entry that had a value.
    trackers: Vec<Option<HitTracker>>,
    hits: Hits,
    fresh: Vec<TargetIndex>,
}

impl RunTracker {
    /// A tracker that has not observed any value.
    pub(crate) fn new(set: &EntrySet) -> Self {
        Self {
            set: set.clone(),
            trackers: set.entries().iter().map(|_| None).collect(),
            hits: Hits::none(set.targets().targets().len()),
            fresh: Vec::new(),
        }
    }

    /// Observes one value, and returns the targets that it is the first to hit, in their order.
    pub(crate) fn observe(&mut self, entry: EntryIndex, value: AcceptedView<'_>) -> &[TargetIndex] {
        self.track(entry, |tracker| tracker.observe(value))
    }

    /// Records a value whose hits, among the targets of its entry, are known already.
    pub(crate) fn record(&mut self, entry: EntryIndex, hits: &Hits) -> &[TargetIndex] {
        self.track(entry, |tracker| tracker.record(hits))
    }

    fn track(
        &mut self,
        entry: EntryIndex,
        observe: impl FnOnce(&mut HitTracker) -> &[TargetIndex],
    ) -> &[TargetIndex] {
        let LinkedObserver { observer, link } = &self.set.entries[entry.0];
        let tracker = self.trackers[entry.0].get_or_insert_with(|| HitTracker::new(observer));
        let own = observe(tracker).iter().map(|target| link.to_set(*target));
        self.fresh.clear();
        self.fresh.extend(own.filter(|target| self.hits.insert(*target)));
        self.fresh.sort_unstable();
        &self.fresh
    }

    /// What was hit so far.
    pub(crate) fn hits(&self) -> &Hits {
        &self.hits
    }
}
