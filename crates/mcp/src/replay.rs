//! Running recorded calls again, on a fresh session.

use foolproof_contract::Untrusted;
use serde::Serialize;
use serde_json::Value;

use foolproof_stateful::{Machine as _, SessionContext};

use crate::{
    call_step::CallStep,
    check::{Problem, Severity},
    machine::{McpMachine, Unresolved},
    repro::{Repro, StepFile},
    run::prepare,
    settings::Settings,
    target::Target,
    verdict::CallKind,
    wire::{ExitStatus, WireLog},
};

/// What was seen of a sequence that was run again.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Evidence {
    /// What each call was sent and answered.
    pub calls: Vec<CallEvidence>,
    /// The messages.
    pub wire_log: Value,
    /// The end of what the server wrote to standard error.
    pub stderr_tail: Untrusted,
    /// How the process ended, if it did so by itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exit_status: Option<ExitStatus>,
}

impl Evidence {
    /// Whether the last call fails the check with this code.
    #[must_use]
    pub fn shows(&self, code: &str) -> bool {
        let problems = self.calls.last().map(|call| &call.problems[..]).unwrap_or_default();
        problems.iter().any(|problem| problem.code == code)
    }
}

/// A call that was made.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CallEvidence {
    /// The number of the call.
    pub id: u32,
    /// The tool.
    pub tool: Untrusted,
    /// The arguments that were sent.
    pub arguments: Value,
    /// The answer as text.
    pub answer: Untrusted,
    /// Whether it succeeded.
    pub is_success: bool,
    /// The failing checks of the call.
    pub problems: Vec<ProblemReport>,
}

/// A failing check of a call.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ProblemReport {
    /// The code of the check.
    pub code: &'static str,
    /// What is wrong.
    pub message: Untrusted,
}

/// Why a sequence could not be run again as it was recorded.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayProblem {
    /// The run was stopped, or its time was over.
    #[error("it was stopped")]
    Stopped,
    /// A tool of the sequence may not be called.
    #[error("`{tool}` may not be called: {reason}")]
    Refused {
        /// The tool.
        tool: Untrusted,
        /// Why.
        reason: Untrusted,
    },
    /// A session could not be started.
    #[error("a session could not be started: {0}")]
    Start(Untrusted),
    /// A call could not be made.
    #[error("call {step} (`{tool}`) cannot be made: {reason}")]
    Unresolved {
        /// The number of the call.
        step: u32,
        /// Its tool.
        tool: Untrusted,
        /// Why not.
        reason: Untrusted,
    },
    /// A call before the last failed.
    #[error("call {step} (`{tool}`), which prepares the failing one, failed: {reason}")]
    SetUp {
        /// The number of the call.
        step: u32,
        /// Its tool.
        tool: Untrusted,
        /// How.
        reason: Untrusted,
    },
}

/// The steps of a replay text.
pub(crate) fn parse(machine: &McpMachine<'_>, text: &str) -> Vec<CallStep> {
    let parts = text.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.filter_map(|part| machine.parse_step(part)).collect()
}

/// Runs calls on a fresh session.
pub(crate) async fn run(
    machine: &McpMachine<'_>,
    steps: &[StepFile],
) -> Result<Evidence, ReplayProblem> {
    let session = machine.start(&SessionContext::default()).await;
    let mut session = session.map_err(|fault| ReplayProblem::Start(fault.to_string().into()))?;
    let mut calls = Vec::new();
    for (index, file) in steps.iter().enumerate() {
        let unresolved = |reason: String| ReplayProblem::Unresolved {
            step: file.id,
            tool: file.tool.clone(),
            reason: reason.into(),
        };
        let step = file.to_step(machine.tools);
        let mut step = step.map_err(|error| unresolved(error.to_string()))?;
        let arguments = machine.resolve(&session, &mut step).map_err(|problem| match problem {
            Unresolved::Blocked(reason) => unresolved(reason),
            Unresolved::Exhausted => unresolved("it cannot be shrunk further".to_owned()),
        })?;
        let (verdict, _) = machine.call(&mut session, &step, &arguments).await;
        let answer = machine.results(&session).pop().unwrap_or_default();
        let settings = machine.settings;
        let is_failing =
            |problem: &&Problem| settings.checks.severity(problem.check) == Severity::Fail;
        let custom = settings.custom_problems(&machine.tools[step.tool], &arguments, Some(&answer));
        let problems: Vec<ProblemReport> = verdict
            .problems
            .iter()
            .chain(&custom)
            .filter(is_failing)
            .map(|problem| ProblemReport {
                code: problem.check.code(),
                message: problem.message.clone(),
            })
            .collect();
        let is_last = index + 1 == steps.len();
        if !is_last && (!verdict.is_session_usable || verdict.kind == CallKind::NoAnswer) {
            return Err(ReplayProblem::SetUp {
                step: file.id,
                tool: file.tool.clone(),
                reason: answer.into(),
            });
        }
        calls.push(CallEvidence {
            id: file.id,
            tool: file.tool.clone(),
            arguments,
            answer: answer.into(),
            is_success: verdict.kind == CallKind::Success,
            problems,
        });
    }
    let connection = &mut session.started.connection;
    let exit_status = connection.exit_status();
    connection.close().await;
    let wire_log = log_value(connection.log());
    let stderr_tail = connection.stderr_tail().into();
    Ok(Evidence { calls, wire_log, stderr_tail, exit_status })
}

fn log_value(log: &WireLog) -> Value {
    serde_json::to_value(log).unwrap_or_default()
}

/// Whether a sequence that was recorded still fails.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum ReplayOutcome {
    /// It fails as it did.
    StillFails(Box<Evidence>),
    /// It does not.
    Fixed(Box<Evidence>),
}

/// Runs the calls of a repro on a fresh session of `target`.
pub async fn replay(
    target: &Target,
    settings: &Settings,
    repro: &Repro,
) -> Result<ReplayOutcome, ReplayProblem> {
    let prepared = prepare(target, settings).await;
    let prepared = prepared.map_err(|error| ReplayProblem::Start(error.to_string().into()))?;
    let machine = prepared.machine(settings);
    let skipped = prepared.selection.iter().flatten();
    let is_called = |tool: &Untrusted| repro.steps.iter().any(|step| step.tool == *tool);
    if let Some(refused) = skipped.into_iter().find(|skipped| is_called(&skipped.tool)) {
        let (tool, reason) = (refused.tool.clone(), refused.detail.clone());
        machine.pool.close_all().await;
        return Err(ReplayProblem::Refused { tool, reason });
    }
    let evidence = run(&machine, &repro.steps).await;
    machine.pool.close_all().await;
    let evidence = evidence?;
    let evidence = Box::new(evidence);
    Ok(if evidence.shows(repro.code.raw()) {
        ReplayOutcome::StillFails(evidence)
    } else {
        ReplayOutcome::Fixed(evidence)
    })
}
