//! What a run reports: for programs as JSON, for people as text.

use std::collections::BTreeMap;

use foolproof_contract::Untrusted;
use foolproof_coverage::Report;
use foolproof_live::Confinement;
use serde::Serialize;
use serde_json::Value;

use crate::{
    check::{Check, Checks, Severity},
    corpus::Corpus,
    replay::Evidence,
    repro::StepFile,
    tool::UnusableSchema,
    tool_coverage::{RuleFailure, ToolWarning},
    wire::{FindingKind, Findings},
};

mod masked;
mod protection;
mod text;

pub use protection::SandboxReport;

/// The name of the format of reports.
pub const REPORT_FORMAT: &str = "foolproof-mcp-report/v1";

/// What a run found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RunReport {
    /// Always [`REPORT_FORMAT`].
    pub format: &'static str,
    /// How it ended.
    pub outcome: OutcomeReport,
    /// The seed, with which it can be repeated.
    pub seed: u64,
    /// What the server says of itself.
    pub server: Value,
    /// The revision of the protocol.
    pub protocol: String,
    /// What keeps the server from harming the machine.
    pub sandbox: SandboxReport,
    /// What the user should know to read the rest, or to get more from the next run.
    pub notes: Vec<Untrusted>,
    /// Every distinct failure: one for each tool and check.
    pub failures: Vec<FailureReport>,
    /// Warnings, which do not make a run fail.
    pub warnings: Vec<WarningReport>,
    /// What was seen of each tool.
    pub tools: Vec<ToolReport>,
    /// Tools that were not called, and why.
    pub skipped: Vec<Skipped>,
    /// How often tools were called, and what rules say of it.
    pub coverage: ToolCoverageReport,
    #[serde(skip)]
    pub(crate) corpus: Corpus,
    #[serde(skip)]
    pub(crate) schema_coverage: Option<Report>,
    #[serde(skip)]
    pub(crate) tool_list: Value,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OutcomeReport {
    /// Whether it passed.
    pub status: OutcomeStatus,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// More about that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// Whether a run passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum OutcomeStatus {
    /// Nothing failed.
    Passed,
    /// Something failed.
    Failed,
    /// Nothing failed, but the time ended before a rule could be judged.
    #[serde(rename = "not_judged")]
    NotJudged,
}

/// A failure with its minimal sequence.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct FailureReport {
    /// The code of the check.
    pub code: String,
    /// Always a failure.
    pub severity: Severity,
    /// The tool of the failing call.
    pub tool: Untrusted,
    /// What is wrong.
    pub message: Untrusted,
    /// The number of calls before shrinking.
    pub original_length: usize,
    /// How often shrinking ran a sequence.
    pub executions: u32,
    /// How often each way to shrink ran a sequence, and how often that gave a smaller one.
    pub shrinking: BTreeMap<&'static str, (u32, u32)>,
    /// How often the minimal sequence failed, of how many times.
    pub confirmations: (u32, u32),
    /// Whether it did not fail every time.
    pub is_flaky: bool,
    /// The minimal sequence.
    pub steps: Vec<StepFile>,
    /// What was seen when it was run once more.
    pub evidence: Evidence,
}

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct WarningReport {
    /// The tool; empty if it is about the server.
    pub tool: Untrusted,
    /// The code of the check.
    pub code: String,
    /// What was wrong the first time.
    pub message: Untrusted,
    /// How often.
    pub count: u64,
}

/// What was seen of a tool.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolReport {
    /// The tool.
    pub name: Untrusted,
    /// What it amounts to.
    pub verdict: ToolVerdict,
    /// How often it was called.
    pub calls: u64,
    /// How often it answered without an error.
    pub successes: u64,
    /// How often it answered with an error.
    pub errors: u64,
    /// How much of its schemas the calls covered, from 0 to 1; nothing if it was not to be called.
    pub schema_coverage: Option<f64>,
    /// The time that half of the calls were answered within, in milliseconds.
    pub p50_ms: Option<f64>,
    /// The time that 95 % of the calls were answered within, in milliseconds.
    pub p95_ms: Option<f64>,
}

/// What was seen of a tool, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum ToolVerdict {
    /// It answered without an error at least once.
    Succeeded,
    /// It was called, and never succeeded.
    OnlyErrors,
    /// It could have been called, and was not.
    NeverChosen,
    /// It could not be called with the values at hand.
    Uncallable,
    /// It was not to be called.
    Skipped,
}

/// A tool that was not called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Skipped {
    /// The tool.
    pub tool: Untrusted,
    /// Why, as a code.
    pub reason: &'static str,
    /// Why, in words.
    pub detail: Untrusted,
}

/// How often tools were called with success, and what rules say of it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolCoverageReport {
    /// Successful calls, by tool.
    pub counts: BTreeMap<String, u64>,
    /// The share of the tools that could be called which were called with success, in percent.
    pub percent_called: f64,
    /// Tools that could not be called.
    pub warnings: Vec<ToolWarning>,
    /// Rules that do not hold.
    pub failures: Vec<RuleFailure>,
    /// Rules that did not hold when the time was over, and might have with more of it.
    pub not_judged: Vec<RuleFailure>,
}

impl RunReport {
    pub(crate) fn new(
        seed: u64,
        server: Value,
        protocol: String,
        confinement: &Confinement,
    ) -> Self {
        Self {
            format: REPORT_FORMAT,
            outcome: OutcomeReport { status: OutcomeStatus::Passed, code: None, details: None },
            seed,
            server,
            protocol,
            sandbox: confinement.into(),
            notes: Vec::new(),
            failures: Vec::new(),
            warnings: Vec::new(),
            tools: Vec::new(),
            skipped: Vec::new(),
            coverage: ToolCoverageReport::default(),
            corpus: Corpus::default(),
            schema_coverage: None,
            tool_list: Value::Null,
        }
    }

    /// Which parts of the tools' schemas the calls exercised: a report in the format `coverage-report/v1`, in which
    /// a tool is an operation. Its times are not set.
    #[must_use]
    pub fn schema_coverage(&self) -> Option<&Report> {
        self.schema_coverage.as_ref()
    }

    /// The tools as the server lists them, by name: the document that the locations in
    /// [`schema_coverage`](Self::schema_coverage) are in.
    #[must_use]
    pub fn tool_list(&self) -> &Value {
        &self.tool_list
    }

    /// The values of all sequences.
    #[must_use]
    pub fn corpus(&self) -> &Corpus {
        &self.corpus
    }

    /// A problem that belongs to no call.
    pub(crate) fn run_problem(&mut self, check: Check, message: String, checks: &Checks) {
        self.problem("", check, message, checks);
    }

    /// A schema that cannot be used.
    pub(crate) fn unusable_schema(
        &mut self,
        tool: &str,
        unusable: &UnusableSchema,
        checks: &Checks,
    ) {
        let message = format!("its {} cannot be used: {}", unusable.schema, unusable.reason);
        self.problem(tool, Check::ToolSchemaUnusable, message, checks);
    }

    /// What was against the protocol while the tools were listed.
    pub(crate) fn protocol_findings(&mut self, findings: &Findings, checks: &Checks) {
        let wrong = findings.iter().filter(|finding| finding.kind != FindingKind::LateAnswer);
        for finding in wrong {
            self.problem("", Check::InvalidMessage, finding.to_string(), checks);
        }
    }

    fn problem(&mut self, tool: &str, check: Check, message: String, checks: &Checks) {
        match checks.severity(check) {
            Severity::Off => {}
            Severity::Warn => {
                let (tool, code) = (tool.into(), check.code().to_owned());
                self.warnings.push(WarningReport { tool, code, message: message.into(), count: 1 });
            }
            Severity::Fail => self.failures.push(FailureReport {
                code: check.code().to_owned(),
                severity: Severity::Fail,
                tool: tool.into(),
                message: message.into(),
                original_length: 0,
                executions: 0,
                shrinking: BTreeMap::new(),
                confirmations: (1, 1),
                is_flaky: false,
                steps: Vec::new(),
                evidence: Evidence::default(),
            }),
        }
    }
}
