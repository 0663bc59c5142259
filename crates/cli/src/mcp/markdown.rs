//! The summary of a test of a server in Markdown, for the page of a job or of a pull request.

use foolproof_contract::wording::count;
use foolproof_mcp::{OutcomeStatus, RunReport};

use crate::coverage::markdown::{code, inline};

/// The most failures that are shown with their sequences.
const MAX_FAILURES: usize = 10;

/// The summary, which ends with a line break.
pub(super) fn summary(report: &RunReport) -> String {
    let verdict = match report.outcome.status {
        OutcomeStatus::Passed => "passed",
        OutcomeStatus::Failed => "failed",
        OutcomeStatus::NotJudged => "not judged",
    };
    let calls = count(report.tools.iter().map(|tool| tool.calls).sum(), "call");
    let name =
        report.server.get("name").and_then(serde_json::Value::as_str).unwrap_or("the server");
    let mut out = format!("## MCP server {}: {verdict}, by {calls}\n\n", inline(name));
    for failure in report.failures.iter().take(MAX_FAILURES) {
        let title = format!("{}: {}", failure.tool, failure.code);
        out.push_str(&format!("- {}: {}\n", code(&title), inline(&failure.message)));
    }
    let more = report.failures.len().saturating_sub(MAX_FAILURES);
    if more > 0 {
        out.push_str(&format!("- and {more} more\n"));
    }
    for rule in &report.coverage.failures {
        let details = inline(&rule.details.to_string());
        out.push_str(&format!("- {}: {details}\n", code(rule.code)));
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    out.push_str("| tool | calls | succeeded | answered with errors |\n|---|---:|---:|---:|\n");
    for tool in &report.tools {
        let (calls, ok, errors) = (tool.calls, tool.successes, tool.errors);
        out.push_str(&format!("| {} | {calls} | {ok} | {errors} |\n", code(&tool.name)));
    }
    out.push('\n');
    for failure in report.failures.iter().take(MAX_FAILURES) {
        let title = inline(&format!("{}: {}", failure.tool, failure.code));
        // The sequence is text of the server: nothing in it may close the block.
        let text = failure.to_string().replace("```", "\u{2019}\u{2019}\u{2019}");
        out.push_str(&format!(
            "<details><summary>{title}</summary>\n\n```text\n{text}\n```\n\n</details>\n\n"
        ));
    }
    out
}
