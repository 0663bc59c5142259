//! A report as text for people.

use std::fmt;

use foolproof_contract::{Untrusted, wording};
use serde_json::Value;

use super::{FailureReport, OutcomeStatus, RunReport, ToolVerdict};

/// The longest answer that is shown of a call.
const LONGEST_ANSWER: usize = 200;

/// The longest name that is shown. Column widths are at most 65,535 characters, and nobody reads that much.
const LONGEST_NAME: usize = 60;

/// The longest line of standard error that is shown.
const LONGEST_LINE: usize = 500;

impl fmt::Display for RunReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = |name: &str| self.server.get(name).and_then(Value::as_str);
        let name = Untrusted::new(named("name").unwrap_or("the server")).short(LONGEST_NAME);
        let version = named("version").map(|version| format!(" {version}")).unwrap_or_default();
        let version = Untrusted::new(version).short(LONGEST_NAME);
        let protocol = Untrusted::new(&self.protocol);
        writeln!(formatter, "{name}{version}, protocol {protocol}")?;
        writeln!(formatter, "sandbox: {}", self.sandbox.detail)?;
        for note in &self.notes {
            writeln!(formatter, "note: {note}")?;
        }
        self.write_tools(formatter)?;
        for failure in &self.failures {
            write!(formatter, "\n{failure}")?;
        }
        for warning in &self.warnings {
            let tool = tool_or(&warning.tool, "server");
            let times = if warning.count > 1 {
                format!(" ({} times)", warning.count)
            } else {
                String::new()
            };
            writeln!(formatter, "warning: {tool}: {}: {}{times}", warning.code, warning.message)?;
        }
        for warning in &self.coverage.warnings {
            writeln!(formatter, "warning: {}: {warning}", warning.tool.short(LONGEST_NAME))?;
        }
        for skipped in &self.skipped {
            writeln!(
                formatter,
                "skipped: {}: {}",
                skipped.tool.short(LONGEST_NAME),
                skipped.detail
            )?;
        }
        for failure in &self.coverage.failures {
            writeln!(formatter, "failed: {}: {}", failure.code, json(&failure.details))?;
        }
        for rule in &self.coverage.not_judged {
            writeln!(formatter, "not judged: time: {}: {}", rule.code, json(&rule.details))?;
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
            writeln!(formatter, "{verdict}: {code}: {}", json(details))?;
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
        let names: Vec<String> =
            self.tools.iter().map(|tool| tool.name.short(LONGEST_NAME).to_string()).collect();
        let widths = names.iter().map(|name| name.chars().count());
        let width = widths.max().unwrap_or(0).max("tool".len());
        writeln!(
            formatter,
            "\n{:<width$} {:>7} {:>9} {:>7} {:>8} {:>9} {:>9}  verdict",
            "tool", "calls", "successes", "errors", "coverage", "p50 ms", "p95 ms"
        )?;
        for (tool, name) in self.tools.iter().zip(&names) {
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
                "{name:<width$} {:>7} {:>9} {:>7} {:>8} {:>9} {:>9}  {verdict}",
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
        let tool = tool_or(&self.tool, "the server");
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
            let tool = step.tool.short(LONGEST_NAME);
            writeln!(formatter, "    ${} {tool} {arguments}", step.id)?;
            if let Some(call) = self.evidence.calls.get(index) {
                writeln!(formatter, "       → {}", call.answer.short(LONGEST_ANSWER))?;
            }
        }
        let last = self.evidence.stderr_tail.lines().rev().take(3).collect::<Vec<_>>();
        for line in last.into_iter().rev() {
            let line = line.short(LONGEST_LINE);
            writeln!(formatter, "  stderr: {line}")?;
        }
        Ok(())
    }
}

/// A tool, or what stands for none.
fn tool_or(tool: &Untrusted, none: &'static str) -> Untrusted {
    if *tool == "" { none.into() } else { tool.short(LONGEST_NAME) }
}

/// A value that may have names of tools in it.
fn json(value: &Value) -> Untrusted {
    value.to_string().into()
}
