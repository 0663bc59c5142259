//! The targets that were not hit, the most important first.

use std::cmp::Ordering;

use serde_json::Value;

use crate::{Dimension, Status, TargetEntry};

/// How many uncovered targets of each dimension a summary lists.
const MAX_IN_SUMMARY: usize = 20;

/// The targets that were not hit and are not deprecated, by dimension, weight, kind and location;
/// those of one kind at one location stay in the order of the contract.
pub(crate) fn uncovered(targets: &[TargetEntry]) -> Vec<TargetEntry> {
    let is_open = |target: &&TargetEntry| !target.hit && target.status != Status::Deprecated;
    let mut open: Vec<TargetEntry> = targets.iter().filter(is_open).cloned().collect();
    open.sort_by(by_priority);
    open
}

/// The more important first.
pub(crate) fn by_priority(left: &TargetEntry, right: &TargetEntry) -> Ordering {
    let weight = |target: &TargetEntry| target.weight.unwrap_or(1.0);
    left.dimension
        .priority()
        .cmp(&right.dimension.priority())
        .then_with(|| weight(right).total_cmp(&weight(left)))
        .then_with(|| left.kind.as_str().cmp(right.kind.as_str()))
        .then_with(|| left.canon_path.cmp(&right.canon_path))
}

/// Keeps what a summary lists.
pub(super) fn shorten(open: &mut Vec<TargetEntry>) {
    let mut listed = [0_usize; Dimension::ALL.len()];
    open.retain(|target| {
        let listed = &mut listed[target.dimension as usize];
        *listed += 1;
        *listed <= MAX_IN_SUMMARY
    });
}

/// The notes of a summary about the targets that it does not list.
pub(super) fn truncations(open: &[TargetEntry]) -> impl Iterator<Item = Value> {
    Dimension::ALL.into_iter().filter_map(|dimension| {
        let all = open.iter().filter(|target| target.dimension == dimension).count();
        (all > MAX_IN_SUMMARY).then(|| {
            let note = format!(
                "`uncoveredTargets` lists {MAX_IN_SUMMARY} of {all} uncovered targets of `{dimension}`"
            );
            Value::String(note)
        })
    })
}
