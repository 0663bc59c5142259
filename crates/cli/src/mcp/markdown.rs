//! The summary of a test of a server in Markdown, for the page of a job or of a pull request.

use foolproof_contract::{Untrusted, wording::count};
use foolproof_mcp::{FailureReport, OutcomeStatus, RunReport};

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
    let mut out =
        format!("## MCP server {}: {verdict}, by {calls}\n\n", Untrusted::new(name).markdown());
    for failure in report.failures.iter().take(MAX_FAILURES) {
        let title = title(failure).markdown_code();
        out.push_str(&format!("- {title}: {}\n", failure.message.markdown()));
    }
    let more = report.failures.len().saturating_sub(MAX_FAILURES);
    if more > 0 {
        out.push_str(&format!("- and {more} more\n"));
    }
    for rule in &report.coverage.failures {
        let details = Untrusted::new(rule.details.to_string()).markdown();
        out.push_str(&format!("- `{}`: {details}\n", rule.code));
    }
    if !out.ends_with("\n\n") {
        out.push('\n');
    }
    out.push_str("| tool | calls | succeeded | answered with errors |\n|---|---:|---:|---:|\n");
    for tool in &report.tools {
        let (calls, ok, errors) = (tool.calls, tool.successes, tool.errors);
        out.push_str(&format!("| {} | {calls} | {ok} | {errors} |\n", tool.name.markdown_code()));
    }
    out.push('\n');
    for failure in report.failures.iter().take(MAX_FAILURES) {
        // On one line: an empty one would end the block of HTML.
        let title = Untrusted::new(title(failure).to_string()).html();
        let text = Untrusted::new(failure.to_string()).markdown_block();
        out.push_str(&format!("<details><summary>{title}</summary>\n\n{text}\n</details>\n\n"));
    }
    out
}

fn title(failure: &FailureReport) -> Untrusted {
    format!("{}: {}", failure.tool.raw(), failure.code).into()
}
