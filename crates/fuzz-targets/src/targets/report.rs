//! Reports as files.
//!
//! - A report that was read and written again reads the same, and is written the same.
//! - Merged with itself it has the same hits; compared with itself, nothing differs.
//! - A baseline of it is a report, and no regression against it.
//! - A page of it has one script, its own.

use foolproof_coverage::{Report, diff, html_page, merge};

use crate::Reached;

/// Checks the laws of reports.
pub fn report(data: &[u8]) -> Reached {
    let Ok(text) = std::str::from_utf8(data) else { return Reached::Refused };
    let Ok(report) = Report::from_json(text) else { return Reached::Refused };
    let written = report.to_json();
    let again = Report::from_json(&written).expect("a report that was written can be read");
    assert_eq!(report, again, "reading what was written");
    assert_eq!(written, again.to_json(), "writing twice");
    check_merge(&report);
    check_diff(&report);
    check_page(&report);
    Reached::Checked
}

fn hits(report: &Report) -> Vec<(&str, bool)> {
    report.targets.iter().map(|target| (target.id.as_str(), target.hit)).collect()
}

fn check_merge(report: &Report) {
    let Ok(merged) = merge(&[report.clone(), report.clone()]) else { return };
    assert_eq!(hits(&merged), hits(report), "merged with itself");
    let again = Report::from_json(&merged.to_json()).expect("a merged report can be read");
    assert_eq!(merged.to_json(), again.to_json(), "a merged report");
}

fn check_diff(report: &Report) {
    let Ok(found) = diff(report, report) else { return };
    assert!(!found.is_regression(), "a regression against itself");
    let changed = [
        &found.newly_uncovered,
        &found.new_gaps,
        &found.newly_covered,
        &found.added,
        &found.removed,
        &found.redefined,
    ];
    assert!(changed.iter().all(|targets| targets.is_empty()), "{found}");
    assert!(found.status_changed.is_empty(), "{found}");
    assert_eq!(found.unchanged.len(), report.targets.len());
    if let Some(baseline) = report.to_baseline() {
        let baseline = Report::from_json(&baseline).expect("a baseline is a report");
        let against = diff(&baseline, report).expect("a baseline is of the same contract");
        assert!(!against.is_regression(), "a regression against its baseline");
    }
}

fn check_page(report: &Report) {
    let Ok(page) = html_page(report, &[]) else { return };
    assert_eq!(page.matches("<script").count(), 1, "scripts of a page");
    assert_eq!(page.matches("</script").count(), 1, "ends of scripts of a page");
    assert_eq!(page.matches("<style").count(), 1, "styles of a page");
}
