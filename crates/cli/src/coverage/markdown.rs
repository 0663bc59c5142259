//! The summary of a report in Markdown, for the page of a job or of a pull request.

use foolproof_contract::{
    Untrusted,
    wording::{count, percent},
};
use foolproof_coverage::{Report, Status, TargetEntry};

use super::{ci::Check, summary::missed};

/// The most operations and the most missed targets that are listed.
const MAX_ROWS: usize = 20;

/// The summary, which ends with a line break.
pub(super) fn summary(report: &Report, checks: &[Check]) -> String {
    let mut out = String::new();
    let metrics = &report.metrics;
    out.push_str(&format!(
        "## Coverage: {} of the contract, by {}\n\n",
        percent(metrics.overall),
        count(report.run.actual_instances, "instance")
    ));
    for check in checks {
        let verdict = if check.is_met { "met" } else { "**not met**" };
        out.push_str(&format!("- {verdict}: {}\n", Untrusted::new(&check.message).markdown()));
    }
    if !checks.is_empty() {
        out.push('\n');
    }
    dimensions(report, &mut out);
    operations(report, &mut out);
    not_covered(report, &mut out);
    let unreachable = metrics.targets_by_status.unreachable;
    if unreachable > 0 {
        let targets = count(unreachable as u64, "target");
        out.push_str(&format!("{targets} cannot be hit by any valid value.\n\n"));
    }
    out
}

fn dimensions(report: &Report, out: &mut String) {
    let counts = report.counts();
    out.push_str("| dimension | covered | targets |\n|---|---:|---:|\n");
    for (dimension, share) in &report.metrics.by_dimension {
        let ratio = counts.as_ref().and_then(|counts| counts.by_dimension.get(dimension));
        let targets = ratio.map(|ratio| format!("{} of {}", ratio.hit, ratio.total));
        let name = dimension.as_str();
        let targets = targets.unwrap_or_default();
        out.push_str(&format!("| {name} | {} | {targets} |\n", percent(*share)));
    }
    out.push('\n');
}

/// The operations, the least covered first.
fn operations(report: &Report, out: &mut String) {
    let mut operations: Vec<(&String, f64)> =
        report.metrics.by_operation.iter().map(|(key, share)| (key, *share)).collect();
    if operations.is_empty() {
        return;
    }
    operations.sort_by(|(_, left), (_, right)| left.total_cmp(right));
    out.push_str("| operation | covered |\n|---|---:|\n");
    for (key, share) in operations.iter().take(MAX_ROWS) {
        out.push_str(&format!(
            "| {} | {} |\n",
            Untrusted::new(key).markdown_code(),
            percent(*share)
        ));
    }
    out.push('\n');
    if operations.len() > MAX_ROWS {
        let more = operations.len() - MAX_ROWS;
        out.push_str(&format!("and {more} more, each covered at least as well\n\n"));
    }
}

fn not_covered(report: &Report, out: &mut String) {
    let is_open = |target: &&TargetEntry| target.status == Status::Active;
    let open: Vec<&TargetEntry> = report.uncovered_targets.iter().filter(is_open).collect();
    if open.is_empty() {
        return;
    }
    let shown = open.len().min(MAX_ROWS);
    out.push_str(&format!(
        "<details><summary>Not covered: the first {shown} of {}</summary>\n\n",
        count(open.len() as u64, "target")
    ));
    out.push_str("| target | why |\n|---|---|\n");
    for target in open.iter().take(MAX_ROWS) {
        out.push_str(&format!(
            "| {} | {} |\n",
            Untrusted::new(&target.id).markdown_code(),
            Untrusted::new(missed::why(target)).markdown()
        ));
    }
    out.push_str("\n</details>\n\n");
}
