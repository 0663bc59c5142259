//! What a call is judged to be: whether it succeeded, which checks do not hold, and whether the session can go on.

use foolproof_contract::Oracle;
use serde_json::Value;

use crate::{
    check::{Check, Problem},
    sdk_messages::{self, Refusal},
    tool::Tool,
    wire::{CallEnd, CallResult, FindingKind, Findings},
};

/// The most violations of a schema that a message names.
const MOST_VIOLATIONS: usize = 3;

/// What a call is judged to be.
#[derive(Clone, Debug)]
pub(crate) struct Verdict {
    pub(crate) kind: CallKind,
    /// The checks that do not hold, in the order in which they are reported.
    pub(crate) problems: Vec<Problem>,
    /// Whether the session can be used further.
    pub(crate) is_session_usable: bool,
}

impl Verdict {
    /// Of a call that was not awaited to its end.
    pub(crate) fn unjudged() -> Self {
        Self { kind: CallKind::NoAnswer, problems: Vec::new(), is_session_usable: false }
    }
}

/// How a call ended, for counts and texts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum CallKind {
    /// A result without `isError`.
    Success,
    /// A result with `isError`.
    ErrorResult,
    /// A JSON-RPC error.
    Refused,
    /// No answer that can be used.
    NoAnswer,
}

/// Whether the server still answers, which is asked after a call that was not answered in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Responsive {
    Yes,
    No,
}

/// Judges a call of `tool` that ended so.
pub(crate) fn judge(
    tool: &Tool,
    end: &CallEnd,
    findings: &Findings,
    responsive: Responsive,
    stderr: &str,
) -> Verdict {
    let mut problems = Vec::new();
    let (kind, is_session_usable) = match end {
        CallEnd::Answered(result) => {
            problems.extend(judge_result(tool, result));
            let kind = if result.is_error() { CallKind::ErrorResult } else { CallKind::Success };
            (kind, true)
        }
        CallEnd::Refused(error) => {
            match sdk_messages::refusal(&error.message, tool.output_title()) {
                Some(Refusal::Output) => {
                    problems.push(Problem::new(Check::ServerOutputInvalid, error.to_string()));
                }
                Some(Refusal::Arguments) => {
                    problems.push(Problem::new(Check::ArgumentsRefused, error.to_string()));
                }
                None => {}
            }
            let message = format!("the server answered the error {error}");
            problems.push(Problem::new(Check::ErrorAnswer, message));
            (CallKind::Refused, true)
        }
        CallEnd::Malformed { .. } => (CallKind::NoAnswer, true),
        CallEnd::Crashed { status, .. } => {
            let last = stderr.lines().rev().find(|line| !line.trim().is_empty());
            let last = last.map(|line| format!("; its last line on standard error: {line}"));
            let message = format!("the server ended: {status}{}", last.unwrap_or_default());
            problems.push(Problem::new(Check::Crash, message));
            (CallKind::NoAnswer, false)
        }
        CallEnd::Closed { detail } => {
            let message = format!("the connection is closed: {detail}");
            problems.push(Problem::new(Check::Crash, message));
            (CallKind::NoAnswer, false)
        }
        CallEnd::TimedOut => {
            let problem = match responsive {
                Responsive::Yes => Problem::new(
                    Check::SlowCall,
                    "the call was not answered in time, but the server answers other requests",
                ),
                Responsive::No => Problem::new(
                    Check::ServerUnresponsive,
                    "the call was not answered in time, and `tools/list` after it neither",
                ),
            };
            problems.push(problem);
            (CallKind::NoAnswer, responsive == Responsive::Yes)
        }
    };
    let against_protocol = protocol_problem(findings);
    if kind == CallKind::NoAnswer
        && let (Some(ending), Some(cause)) = (problems.first_mut(), &against_protocol)
    {
        // Without an answer, what arrived instead is the first thing to know.
        let (said, sent) = (ending.message.raw(), cause.message.raw());
        ending.message = format!("{said}; what it sent instead: {sent}").into();
    }
    problems.extend(against_protocol);
    problems.sort_by_key(|problem| problem.check);
    Verdict { kind, problems, is_session_usable }
}

fn judge_result(tool: &Tool, result: &CallResult) -> Vec<Problem> {
    let mut problems = Vec::new();
    if result.is_error() {
        let text = text_of(result);
        match sdk_messages::refusal(&text, tool.output_title()) {
            Some(Refusal::Output) => problems.push(Problem::new(Check::ServerOutputInvalid, &text)),
            Some(Refusal::Arguments) => problems.push(Problem::new(Check::ArgumentsRefused, &text)),
            None => {}
        }
        problems.push(Problem::new(Check::ErrorAnswer, format!("the tool answered: {text}")));
    }
    let Some(oracle) = tool.output() else { return problems };
    match result.structured_content() {
        Some(structured) => problems.extend(mismatch(oracle, structured)),
        None if result.is_error() => {}
        None => problems.push(Problem::new(
            Check::MissingStructuredContent,
            "the tool has an output schema, and the answer no `structuredContent`",
        )),
    }
    problems
}

/// How `structured` breaks the schema, if it does.
fn mismatch(oracle: &Oracle, structured: &Value) -> Option<Problem> {
    if oracle.is_valid(structured) {
        return None;
    }
    let violations = oracle.violations(structured);
    let shown: Vec<String> =
        violations.iter().take(MOST_VIOLATIONS).map(ToString::to_string).collect();
    let more = violations.len().saturating_sub(MOST_VIOLATIONS);
    let more = if more == 0 { String::new() } else { format!("; and {more} more") };
    let message = format!("{}{more}", shown.join("; "));
    Some(Problem::new(Check::OutputSchemaMismatch, message))
}

/// The first message that is against the protocol, with the number of others.
fn protocol_problem(findings: &Findings) -> Option<Problem> {
    // What arrives after its time limit is late, not wrong.
    let is_wrong = |kind: FindingKind| kind != FindingKind::LateAnswer;
    let first = findings.iter().find(|finding| is_wrong(finding.kind))?;
    let count: u64 =
        findings.counts().iter().filter(|(kind, _)| is_wrong(**kind)).map(|(_, count)| count).sum();
    let more = if count > 1 { format!(" ({count} such messages)") } else { String::new() };
    Some(Problem::new(Check::InvalidMessage, format!("{first}{more}")))
}

/// The text of an answer, for messages.
pub(crate) fn text_of(result: &CallResult) -> String {
    let texts = result.content().iter().filter_map(|block| block.get("text")?.as_str());
    let text = texts.collect::<Vec<_>>().join("\n");
    if text.is_empty() { result.raw().to_string() } else { text }
}
