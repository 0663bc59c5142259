//! The summary of a report, for people and for the logs of CI.
//!
//! In the order of the requirements (§7.2): dimensions, operations, overall, statuses, then what limited
//! the run; last the missed targets, each with the reason. Lines fit 100 columns, and nothing depends
//! on colour.

use foolproof_contract::wording::{count, percent};
use foolproof_coverage::{Counts, Ratio, Report};

use crate::terminal::{bar, heading, sentence, short};

mod limits;
pub(super) mod missed;
#[cfg(test)]
mod tests;

/// The width of the column of names: the longest name of a dimension and a space.
const NAME: usize = 12;
/// The width of a bar with its percentage.
const BAR: usize = 30;
/// What stands in place of a bar.
const NO_TARGETS: &str = "no targets";
/// The most operations that are listed.
const MAX_OPERATIONS: usize = 10;

/// The summary of `report`, which ends with a line break.
///
/// If the report lists its targets, it also has the number of targets of each dimension.
pub(crate) fn summary(report: &Report) -> String {
    let mut out = String::new();
    let counts = report.counts();
    dimensions(report, counts.as_ref(), &mut out);
    operations(report, counts.as_ref(), &mut out);
    overall(report, counts.as_ref(), &mut out);
    statuses(report, &mut out);
    limits::describe(report, &mut out);
    missed::describe(report, &mut out);
    out
}

fn dimensions(report: &Report, counts: Option<&Counts<'_>>, out: &mut String) {
    const NONE: Ratio = Ratio { hit: 0, total: 0 };
    let instances = count(report.run.actual_instances, "instance");
    heading(out, &format!("Coverage of {instances}, by dimension:"));
    for (dimension, share) in &report.metrics.by_dimension {
        let counts = counts.map(|counts| counts.by_dimension.get(dimension).unwrap_or(&NONE));
        let name = dimension.as_str();
        out.push_str(&format!("  {name:<NAME$}{}\n", share_of(*share, counts)));
    }
}

/// A share as a bar with `3 of 4 targets`, if the report lists its targets. A share of no targets is no
/// share, and has no bar.
fn share_of(share: f64, ratio: Option<&Ratio>) -> String {
    match ratio {
        None => bar(share),
        Some(Ratio { total: 0, .. }) => NO_TARGETS.to_owned(),
        Some(Ratio { hit, total }) => {
            format!("{}  {hit} of {}", bar(share), count(*total as u64, "target"))
        }
    }
}

/// The operations, the least covered first.
fn operations(report: &Report, counts: Option<&Counts<'_>>, out: &mut String) {
    let mut operations: Vec<(&String, f64)> =
        report.metrics.by_operation.iter().map(|(key, share)| (key, *share)).collect();
    if operations.is_empty() {
        return;
    }
    let has_targets = |key: &str| {
        let ratio = counts.and_then(|counts| counts.by_operation.get(key));
        ratio.is_none_or(|ratio| ratio.total > 0)
    };
    operations.sort_by(|(_, left), (_, right)| left.total_cmp(right));
    heading(out, "By operation, the least covered first:");
    for (key, share) in operations.iter().take(MAX_OPERATIONS) {
        let share = if has_targets(key) { bar(*share) } else { NO_TARGETS.to_owned() };
        out.push_str(&format!("  {share:<BAR$}  {}\n", short(key, 60)));
    }
    let rest = &operations[operations.len().min(MAX_OPERATIONS)..];
    if let Some((_, least)) = rest.first() {
        out.push_str(&format!("  and {} more, each at least {}\n", rest.len(), percent(*least)));
    }
}

fn overall(report: &Report, counts: Option<&Counts<'_>>, out: &mut String) {
    let metrics = &report.metrics;
    let share = share_of(metrics.overall, counts.map(|counts| &counts.overall));
    heading(out, "Together:");
    out.push_str(&format!("  {:<NAME$}{share}\n", "overall"));
    let minimum = metrics.thresholds.as_ref().and_then(|thresholds| thresholds.overall);
    if let Some(minimum) = minimum {
        let verdict = if report.is_ok() { "met" } else { "NOT met" };
        // Not rounded to a tenth of a percent: 99.99 % would appear as met by 99.9 %.
        let minimum = format!("{} %", (minimum * 1e8).round() / 1e6);
        out.push_str(&format!("  {:<NAME$}{minimum:>7}, {verdict}\n", "minimum"));
    }
}

fn statuses(report: &Report, out: &mut String) {
    let statuses = report.metrics.targets_by_status;
    let mut parts = vec![format!("{} active", statuses.active)];
    if statuses.unreachable > 0 {
        let rule = if report.run.exclude_unreachable { "excluded from" } else { "included in" };
        parts.push(format!("{} unreachable ({rule} coverage)", statuses.unreachable));
    }
    if statuses.deprecated > 0 {
        parts.push(format!("{} deprecated (not counted)", statuses.deprecated));
    }
    sentence(out, &format!("  {:<NAME$}", "targets"), &parts.join(", "));
}
