//! A report as text for people.

use std::fmt;

use foolproof_contract::wording;

use super::{FailureReport, OutcomeStatus, RunReport, ToolVerdict};

/// The longest answer that is shown of a call.
const LONGEST_ANSWER: usize = 200;

impl fmt::Display for RunReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.server.get("name").and_then(|name| name.as_str()).unwrap_or("the server");
        let version = self.server.get("version").and_then(|it| it.as_str()).unwrap_or("");
        let version = if version.is_empty() { String::new() } else { format!(" {version}") };
        writeln!(formatter, "{name}{version}, protocol {}", self.protocol)?;
        writeln!(formatter, "sandbox: {}", self.sandbox.detail)?;
        for note in &self.notes {
            writeln!(formatter, "note: {note}")?;
        }
        self.write_tools(formatter)?;
        for failure in &self.failures {
            write!(formatter, "\n{failure}")?;
        }
        for warning in &self.warnings {
            let tool = if warning.tool.is_empty() { "server" } else { &warning.tool };
            let times = if warning.count > 1 {
                format!(" ({} times)", warning.count)
            } else {
                String::new()
            };
            writeln!(formatter, "warning: {tool}: {}: {}{times}", warning.code, warning.message)?;
        }
        for warning in &self.coverage.warnings {
            writeln!(formatter, "warning: {}: {warning}", warning.tool)?;
        }
        for skipped in &self.skipped {
            writeln!(formatter, "skipped: {}: {}", skipped.tool, skipped.detail)?;
        }
        for failure in &self.coverage.failures {
            writeln!(formatter, "failed: {}: {}", failure.code, failure.details)?;
        }
        for rule in &self.coverage.not_judged {
            writeln!(formatter, "not judged: time: {}: {}", rule.code, rule.details)?;
        }
        if let (Some(code), Some(details)) = (&self.outcome.code, &self.outcome.details)
            && self.failures.is_empty()
            && self.coverage.failures.is_empty()
            && self.coverage.not_judged.is_empty()
        {
            let verdict = match self.outcome.status {
                OutcomeStatus::NotJudged => "not judged: time",
                OutcomeStatus::Failed | OutcomeStatus::Passed => "failed",
            };
            writeln!(formatter, "{verdict}: {code}: {details}")?;
        }
        let outcome = match self.outcome.status {
            OutcomeStatus::Passed => "passed".to_owned(),
            OutcomeStatus::NotJudged => "not judged: the time was over".to_owned(),
            OutcomeStatus::Failed => match self.failures.len() {
                0 => "failed".to_owned(),
                count => format!("failed: {}", wording::count(count as u64, "failure")),
            },
        };
        write!(formatter, "{outcome}, seed {}", self.seed)
    }
}

impl RunReport {
    fn write_tools(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.tools.iter().map(|tool| tool.name.len()).max().unwrap_or(0).max(4);
        writeln!(
            formatter,
            "\n{:<width$} {:>7} {:>9} {:>7} {:>8} {:>9} {:>9}  verdict",
            "tool", "calls", "successes", "errors", "coverage", "p50 ms", "p95 ms"
        )?;
        for tool in &self.tools {
            let time = |time: Option<f64>| time.map_or("-".to_owned(), |time| format!("{time:.1}"));
            let verdict = match tool.verdict {
                ToolVerdict::Succeeded => "succeeded",
                ToolVerdict::OnlyErrors => "only errors",
                ToolVerdict::NeverChosen => "never chosen",
                ToolVerdict::Uncallable => "uncallable",
                ToolVerdict::Skipped => "skipped",
            };
            writeln!(
                formatter,
                "{:<width$} {:>7} {:>9} {:>7} {:>8} {:>9} {:>9}  {verdict}",
                tool.name,
                tool.calls,
                tool.successes,
                tool.errors,
                tool.schema_coverage.map_or("-".to_owned(), wording::percent),
                time(tool.p50_ms),
                time(tool.p95_ms)
            )?;
        }
        Ok(())
    }
}

impl fmt::Display for FailureReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = if self.tool.is_empty() { "the server" } else { &self.tool };
        writeln!(formatter, "FAILED {tool}: {}", self.code)?;
        writeln!(formatter, "  {}", self.message)?;
        if self.steps.is_empty() {
            return Ok(());
        }
        let (failed, all) = self.confirmations;
        let flaky = if self.is_flaky { " FLAKY:" } else { "" };
        writeln!(
            formatter,
            "  minimal sequence ({} of {} calls, {} executions;{flaky} failed {failed} of {all} times):",
            self.steps.len(),
            self.original_length,
            self.executions
        )?;
        for (index, step) in self.steps.iter().enumerate() {
            let arguments = step.arguments_with_references();
            writeln!(formatter, "    ${} {} {arguments}", step.id, step.tool)?;
            if let Some(call) = self.evidence.calls.get(index) {
                let answer = wording::abbreviate(&call.answer, LONGEST_ANSWER);
                writeln!(formatter, "       → {}", answer.replace('\n', " "))?;
            }
        }
        let last = self.evidence.stderr_tail.lines().rev().take(3).collect::<Vec<_>>();
        for line in last.into_iter().rev() {
            writeln!(formatter, "  stderr: {line}")?;
        }
        Ok(())
    }
}
