//! The summary of a report, for people and for the logs of CI.
//!
//! In the order of the requirements (§7.2): dimensions, operations, overall, statuses, then what limited
//! the run; last the missed targets, each with the reason. Lines fit 100 columns, and nothing depends
//! on colour.

use foolproof_contract::wording::{count, percent};
use foolproof_coverage::{Counts, Ratio, Report};

use crate::terminal::{bar, heading, sentence, short};

mod limits;
mod missed;
#[cfg(test)]
mod tests;

/// The width of the column of names: the longest name of a dimension and a space.
const NAME: usize = 12;
/// The most operations that are listed.
const MAX_OPERATIONS: usize = 10;

/// The summary of `report`, which ends with a line break.
///
/// If the report lists its targets, it also has the number of targets of each dimension.
pub(crate) fn summary(report: &Report) -> String {
    let mut out = String::new();
    let counts = report.counts();
    dimensions(report, counts.as_ref(), &mut out);
    operations(report, &mut out);
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
        out.push_str(&format!("  {name:<NAME$}{}{}\n", bar(*share), targets(counts)));
    }
}

/// `3 of 4 targets`, if the report lists its targets.
fn targets(ratio: Option<&Ratio>) -> String {
    match ratio {
        None => String::new(),
        Some(Ratio { total: 0, .. }) => "  no targets".to_owned(),
        Some(Ratio { hit, total }) => format!("  {hit} of {}", count(*total as u64, "target")),
    }
}

/// The operations, the least covered first.
fn operations(report: &Report, out: &mut String) {
    let mut operations: Vec<(&String, f64)> =
        report.metrics.by_operation.iter().map(|(key, share)| (key, *share)).collect();
    if operations.is_empty() {
        return;
    }
    operations.sort_by(|(_, left), (_, right)| left.total_cmp(right));
    heading(out, "By operation, the least covered first:");
    for (key, share) in operations.iter().take(MAX_OPERATIONS) {
        out.push_str(&format!("  {}  {}\n", bar(*share), short(key, 60)));
    }
    let rest = &operations[operations.len().min(MAX_OPERATIONS)..];
    if let Some((_, least)) = rest.first() {
        out.push_str(&format!("  and {} more, each at least {}\n", rest.len(), percent(*least)));
    }
}

fn overall(report: &Report, counts: Option<&Counts<'_>>, out: &mut String) {
    let metrics = &report.metrics;
    let counts = targets(counts.map(|counts| &counts.overall));
    heading(out, "Together:");
    out.push_str(&format!("  {:<NAME$}{}{counts}\n", "overall", bar(metrics.overall)));
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
