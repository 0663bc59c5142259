//! The statuses of targets once a run is over: which of those that it missed can be hit at all.

use std::collections::BTreeMap;

use crate::{
    Hits, Status, TargetIndex, Unreachable,
    entry_set::{EntryIndex, EntrySet},
    plan::Proofs,
};

/// What was proven of the targets that a run missed.
#[derive(Debug, Default)]
pub(crate) struct Statuses {
    /// The targets of the set that no value can hit, and why.
    pub(crate) unreachable: BTreeMap<TargetIndex, Unreachable>,
    /// How many targets were asked about.
    pub(crate) asked: u64,
    /// How many of them got no answer in time.
    pub(crate) late: usize,
}

impl Statuses {
    /// Proves which targets that `hits` lacks are unreachable. `prove` does that for the targets of one entry; a
    /// target is unreachable if it is so in every entry that has it.
    pub(crate) fn of(
        entries: &EntrySet,
        hits: &Hits,
        mut prove: impl FnMut(EntryIndex, &[TargetIndex]) -> Proofs,
    ) -> Self {
        let set = entries.targets();
        let mut statuses = Self::default();
        let mut is_possible = Hits::none(set.targets().len());
        let is_missed =
            |target: TargetIndex| !hits.contains(target) && set[target].status() == Status::Active;
        for (number, linked) in entries.entries().iter().enumerate() {
            let universe = linked.observer.universe();
            let is_asked = |target: &TargetIndex| {
                let in_set = linked.link.to_set(*target);
                universe[*target].status() == Status::Active
                    && is_missed(in_set)
                    && !is_possible.contains(in_set)
            };
            let missed: Vec<TargetIndex> = universe.indices().filter(is_asked).collect();
            if missed.is_empty() {
                continue;
            }
            let Proofs { mut unreachable, asked, late } = prove(EntryIndex(number), &missed);
            statuses.asked += asked;
            statuses.late += late;
            for target in missed {
                let in_set = linked.link.to_set(target);
                match unreachable.remove(&target) {
                    Some(why) => {
                        statuses.unreachable.entry(in_set).or_insert(why);
                    }
                    None => {
                        is_possible.insert(in_set);
                    }
                }
            }
        }
        statuses.unreachable.retain(|target, _| !is_possible.contains(*target));
        statuses
    }
}
