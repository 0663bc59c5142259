//! The targets of several reports, each once, in the order of the first report.

use std::collections::{BTreeMap, BTreeSet};

use super::MergeError;
use crate::{CoverageMode, Meta, TargetEntry};

/// The targets that were merged so far.
#[derive(Debug)]
pub(super) struct MergedTargets {
    targets: Vec<MergedTarget>,
    /// Their indices, by their ids.
    by_id: BTreeMap<String, usize>,
}

#[derive(Debug)]
struct MergedTarget {
    /// As merged so far, but for the fields below.
    entry: TargetEntry,
    operations: BTreeSet<String>,
    /// Whether no guided run planned for it; `None` without a guided run. Measured runs do not plan, so
    /// they do not matter.
    is_left_out: Option<bool>,
}

impl MergedTargets {
    /// The targets of the first report, before anything is known about them.
    pub(super) fn new(report: usize, first: &[TargetEntry]) -> Result<Self, MergeError> {
        let mut by_id = BTreeMap::new();
        for (index, target) in first.iter().enumerate() {
            if by_id.insert(target.id.clone(), index).is_some() {
                return Err(MergeError::Twice { report, id: target.id.clone() });
            }
        }
        let targets = first.iter().map(MergedTarget::new).collect();
        Ok(Self { targets, by_id })
    }

    /// Fails if a report has other targets than the first one.
    pub(super) fn check(&self, report: usize, other: &[TargetEntry]) -> Result<(), MergeError> {
        let differs = |id: &str| MergeError::OtherTargets { report, id: id.to_owned() };
        let mut is_present = vec![false; self.targets.len()];
        for target in other {
            let index = self.by_id.get(&target.id).copied();
            let index = index.filter(|index| self.targets[*index].entry.is_same_as(target));
            let Some(index) = index else { return Err(differs(&target.id)) };
            if std::mem::replace(&mut is_present[index], true) {
                return Err(MergeError::Twice { report, id: target.id.clone() });
            }
        }
        let absent = is_present.iter().position(|is_present| !is_present);
        absent.map_or(Ok(()), |index| Err(differs(&self.targets[index].entry.id)))
    }

    /// Adds the targets of a report, which were checked.
    pub(super) fn add(&mut self, targets: Vec<TargetEntry>, mode: CoverageMode) {
        for target in targets {
            if let Some(index) = self.by_id.get(&target.id) {
                self.targets[*index].add(target, mode);
            }
        }
    }

    pub(super) fn finish(self) -> Vec<TargetEntry> {
        self.targets.into_iter().map(MergedTarget::finish).collect()
    }
}

impl MergedTarget {
    fn new(first: &TargetEntry) -> Self {
        let meta = Meta { other: first.meta.other.clone(), ..Meta::default() };
        Self {
            entry: TargetEntry { hit: false, meta, ..first.clone() },
            operations: BTreeSet::new(),
            is_left_out: None,
        }
    }

    fn add(&mut self, target: TargetEntry, mode: CoverageMode) {
        let TargetEntry { hit, status, meta, .. } = target;
        if hit && meta.example.is_some() && self.is_better(&meta) {
            (self.entry.meta.example, self.entry.meta.instance) = (meta.example, meta.instance);
        }
        self.entry.hit |= hit;
        // The order of statuses is active, unreachable, deprecated: if one report has the target active,
        // it is active. Why it was missed is taken from a report in which it has that status.
        let own = &mut self.entry.meta;
        if status < self.entry.status || (status == self.entry.status && own.reason.is_none()) {
            self.entry.status = status;
            (own.reason, own.diagnostic) = (meta.reason, meta.diagnostic);
            own.conflicts = meta.conflicts;
        }
        own.enum_size = own.enum_size.or(meta.enum_size);
        self.operations.extend(meta.operations);
        if mode == CoverageMode::Guided {
            let is_left_out = meta.planned == Some(false);
            self.is_left_out = Some(self.is_left_out.unwrap_or(true) && is_left_out);
        }
    }

    /// Whether the example in `meta` has a lower index than the one so far. Of equal indices the first
    /// report is chosen. Examples without an index come last.
    fn is_better(&self, meta: &Meta) -> bool {
        let index = |meta: &Meta| meta.instance.unwrap_or(u64::MAX);
        let own = &self.entry.meta;
        own.example.is_none() || index(meta) < index(own)
    }

    fn finish(self) -> TargetEntry {
        let Self { mut entry, operations, is_left_out } = self;
        entry.meta.planned = (is_left_out == Some(true)).then_some(false);
        entry.meta.operations = operations.into_iter().collect();
        if entry.hit {
            (entry.meta.reason, entry.meta.diagnostic) = (None, None);
            entry.meta.conflicts.clear();
        }
        entry
    }
}
