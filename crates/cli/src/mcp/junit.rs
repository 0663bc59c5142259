//! A report in the format of `JUnit`: one test case a tool, and one for the rules about calls.

use foolproof_contract::Untrusted;
use foolproof_mcp::{RunReport, ToolVerdict};

/// The document.
pub(crate) fn document(report: &RunReport) -> String {
    let mut cases = String::new();
    let mut failures = 0;
    let mut skipped = 0;
    for tool in &report.tools {
        let name = tool.name.xml();
        let of_tool: Vec<_> =
            report.failures.iter().filter(|failure| failure.tool == tool.name).collect();
        cases.push_str(&format!("    <testcase classname=\"mcp\" name=\"{name}\">\n"));
        if let Some(first) = of_tool.first() {
            failures += 1;
            let text: String = of_tool.iter().map(ToString::to_string).collect();
            cases.push_str(&format!(
                "      <failure type=\"{}\" message=\"{}\">{}</failure>\n",
                Untrusted::new(&first.code).xml(),
                first.message.xml(),
                Untrusted::new(&text).xml()
            ));
        } else if matches!(tool.verdict, ToolVerdict::Skipped | ToolVerdict::Uncallable) {
            skipped += 1;
            cases.push_str("      <skipped/>\n");
        }
        cases.push_str("    </testcase>\n");
    }
    let others: Vec<String> = report
        .failures
        .iter()
        .filter(|failure| failure.tool == "")
        .map(ToString::to_string)
        .chain(
            report
                .coverage
                .failures
                .iter()
                .map(|rule| format!("{}: {}\n", rule.code, rule.details)),
        )
        .collect();
    cases.push_str("    <testcase classname=\"mcp\" name=\"the run as a whole\">\n");
    if !others.is_empty() {
        failures += 1;
        cases.push_str(&format!(
            "      <failure type=\"run\">{}</failure>\n",
            Untrusted::new(others.concat()).xml()
        ));
    }
    cases.push_str("    </testcase>\n");
    let tests = report.tools.len() + 1;
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"foolproof mcp\" tests=\"{tests}\" failures=\"{failures}\" skipped=\"{skipped}\">\n{cases}  </testsuite>\n</testsuites>\n"
    )
}
