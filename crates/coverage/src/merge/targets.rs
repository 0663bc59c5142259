//! One target from several reports.

use std::collections::BTreeSet;

use super::aligned;
use crate::{CoverageMode, Meta, Report, Status, TargetEntry};

/// The targets of all reports, in the order of the first.
pub(super) fn merged(reports: &[Report]) -> Vec<TargetEntry> {
    aligned(reports).filter_map(|same| merge_target(&same)).collect()
}

fn merge_target(same: &[(&Report, &TargetEntry)]) -> Option<TargetEntry> {
    let (_, first) = same.first()?;
    let hit = same.iter().any(|(_, target)| target.hit);
    // The order of statuses is active, unreachable, deprecated: if one report has the target active,
    // it is active.
    let status = same.iter().map(|(_, target)| target.status).min()?;
    Some(TargetEntry { status, hit, meta: meta(same, status, hit), ..(*first).clone() })
}

fn meta(same: &[(&Report, &TargetEntry)], status: Status, hit: bool) -> Meta {
    // Why it was missed is told by a report in which it has the status of the whole.
    let missed = same.iter().filter(|(_, target)| !hit && target.status == status);
    let missed = missed.map(|(_, target)| &target.meta).find(|meta| meta.reason.is_some());
    let metas = || same.iter().map(|(_, target)| &target.meta);
    // Of equal indices the first report is chosen. Examples without an index come last.
    let example = same
        .iter()
        .filter(|(_, target)| target.hit && target.meta.example.is_some())
        .min_by_key(|(_, target)| target.meta.instance.unwrap_or(u64::MAX))
        .map(|(_, target)| &target.meta);
    let operations: BTreeSet<&String> = metas().flat_map(|meta| &meta.operations).collect();
    Meta {
        planned: is_left_out(same).then_some(false),
        example: example.and_then(|meta| meta.example.clone()),
        instance: example.and_then(|meta| meta.instance),
        reason: missed.and_then(|meta| meta.reason.clone()),
        diagnostic: missed.and_then(|meta| meta.diagnostic.clone()),
        conflicts: missed.map(|meta| meta.conflicts.clone()).unwrap_or_default(),
        enum_size: metas().find_map(|meta| meta.enum_size),
        operations: operations.into_iter().cloned().collect(),
        other: metas().next().map(|meta| meta.other.clone()).unwrap_or_default(),
    }
}

/// Whether no guided run planned for the target. Measured runs do not plan, so they do not matter.
fn is_left_out(same: &[(&Report, &TargetEntry)]) -> bool {
    let guided = |(report, _): &&(&Report, &TargetEntry)| {
        report.engine.coverage_mode == CoverageMode::Guided
    };
    let mut planned = same.iter().filter(guided).map(|(_, target)| target.meta.planned).peekable();
    planned.peek().is_some() && planned.all(|planned| planned == Some(false))
}
