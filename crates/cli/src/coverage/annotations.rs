//! Annotations of GitHub Actions: lines that show a message beside the contract.

use std::path::Path;

use foolproof_contract::Untrusted;
use foolproof_coverage::{Report, Status, TargetEntry};

use super::{ci::Check, summary::missed};

/// The most targets that are annotated: GitHub shows ten of a kind for each step.
const MAX_TARGETS: usize = 9;

/// An error for each minimum that is not met, and then a warning for the most important missed targets; one a line.
pub(super) fn of(report: &Report, checks: &[Check], contract: Option<&Path>) -> String {
    let mut lines = String::new();
    let file = contract.map(|path| path.display().to_string()).unwrap_or_default();
    let unmet: Vec<&Check> = checks.iter().filter(|check| !check.is_met).collect();
    for check in &unmet {
        lines.push_str(&command("error", &file, "coverage", &check.message));
    }
    if unmet.is_empty() {
        return lines;
    }
    let is_open = |target: &&TargetEntry| target.status == Status::Active;
    for target in report.uncovered_targets.iter().filter(is_open).take(MAX_TARGETS) {
        let message = format!("{}: {}", target.id, missed::why(target));
        lines.push_str(&command("warning", &file, "not covered", &message));
    }
    lines
}

/// One workflow command.
fn command(kind: &str, file: &str, title: &str, message: &str) -> String {
    let file = if file.is_empty() {
        String::new()
    } else {
        format!("file={},", Untrusted::new(file).workflow_property())
    };
    format!(
        "::{kind} {file}title={}::{}\n",
        Untrusted::new(title).workflow_property(),
        Untrusted::new(message).workflow_data()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_a_meaning_in_a_command_is_escaped() {
        let line = command("error", "a,b:c.json", "50 %", "first\nsecond :: third");
        let expected = "::error file=a%2Cb%3Ac.json,title=50 %25::first%0Asecond :: third\n";
        assert_eq!(line, expected);
    }
}
