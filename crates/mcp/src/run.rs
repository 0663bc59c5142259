//! A run: tools are listed, sequences explored, failures shrunk and confirmed, and everything reported.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    num::NonZeroUsize,
    time::{Duration, Instant},
};

use foolproof_contract::{
    Untrusted,
    wording::{count, matches_glob},
};
use foolproof_generate::MissingKind;
use foolproof_stateful::{
    Config, Failure, Lengths, Regressions, ShrinkEffort, Statistics, StopSignal,
    check_machine_async,
};
use serde_json::{Value, json};
use tokio::task::yield_now;

use crate::{
    check::{Check, Severity},
    corpus::{Corpus, Seed},
    machine::{ENDED, McpMachine, RunLimits, START},
    observation::{Observations, ToolObservations},
    pool::Pool,
    replay::{self, Evidence, ReplayProblem},
    report::{
        FailureReport, OutcomeReport, OutcomeStatus, RunReport, Skipped, ToolReport, ToolVerdict,
        WarningReport,
    },
    repro::StepFile,
    schema_coverage::SchemaCoverage,
    settings::Settings,
    stop::unless_stopped,
    target::{SessionError, StartedSession, Target},
    tool::Tool,
    tool_coverage::{RuleFailure, ToolCounts, ToolWarning},
    wire::{Endpoint, Era, Findings},
};

/// Why there is no report.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The server could not be started, reached or reset.
    #[error("{}", Untrusted::new(.0.to_string()))]
    Start(#[from] SessionError),
    /// The server does not list its tools.
    #[error("the server does not list its tools: {0}")]
    NoToolList(Untrusted),
    /// A later session could not be started.
    #[error("a session could not be started: {0}")]
    LaterStart(Untrusted),
    /// The caller stopped the run before there was anything to report.
    #[error("the run was stopped before the server had started")]
    Stopped,
    /// The settings contradict one another.
    #[error("{0}")]
    Settings(String),
    /// The server has no tool of a name in the settings.
    #[error("the server has no tool `{name}`")]
    UnknownTool {
        /// The name, which may have `*` and `?`.
        name: String,
        /// The names of the tools that it has.
        tools: Vec<String>,
    },
}

/// A server whose tools are known.
pub(crate) struct Prepared {
    /// The server, with its project built.
    target: Target,
    pub(crate) tools: Vec<Tool>,
    /// Why each tool is not called; `None` if it may be.
    pub(crate) selection: Vec<Option<Skipped>>,
    /// The seeds of the first session.
    pub(crate) seeds: Vec<Seed>,
    era: Era,
    server: Value,
    revision: String,
    findings: Findings,
    first: RefCell<Option<StartedSession>>,
}

/// Starts the first session and lists the tools.
pub(crate) async fn prepare(target: &Target, settings: &Settings) -> Result<Prepared, RunError> {
    foolproof_live::remove_abandoned();
    let listed = async {
        let mut target = target.prepared().await?;
        // A server that never starts must not keep a short run waiting.
        let limit = settings.time.unwrap_or(Duration::MAX);
        target.connect.start_timeout = target.connect.start_timeout.min(limit);
        let mut first = target.start(None).await?;
        let described = first.connection.list_tools().await;
        let described = described.map_err(|end| RunError::NoToolList(end.to_string().into()))?;
        let mut tools = Vec::new();
        for (name, raw) in described.into_iter().filter_map(|tool| Some((tool.name?, tool.raw))) {
            tools.push(Tool::new(&name, raw));
            // There may be a thousand with large schemas, and the run may be stopped meanwhile.
            yield_now().await;
        }
        Ok::<_, RunError>((target, first, tools))
    };
    let listed = unless_stopped(&settings.stop, None, Box::pin(listed)).await;
    let (target, mut first, tools) = listed.ok_or(RunError::Stopped)??;
    let is_there = |name: &str| tools.iter().any(|tool| matches_glob(name, tool.name()));
    if let Some(name) = settings.named_tools.iter().find(|name| !is_there(name)) {
        let tools = tools.iter().map(|tool| tool.name().to_owned()).collect();
        return Err(RunError::UnknownTool { name: name.clone(), tools });
    }
    let connection = &mut first.connection;
    Ok(Prepared {
        selection: select(&target, settings, &tools),
        target,
        tools,
        era: connection.era(),
        server: connection.server_info().clone(),
        revision: connection.revision().name().to_owned(),
        findings: connection.take_findings(),
        seeds: first.seeds(&settings.seeds),
        first: RefCell::new(Some(first)),
    })
}

impl Prepared {
    /// The machine, which uses the first session first.
    pub(crate) fn machine<'a>(&'a self, settings: &'a Settings) -> McpMachine<'a> {
        let is_selected: Vec<bool> = self.selection.iter().map(Option::is_none).collect();
        let coverage = SchemaCoverage::new(&self.tools, &is_selected);
        let corpus = Corpus::new(self.seeds.clone());
        McpMachine {
            target: &self.target,
            settings,
            tools: &self.tools,
            is_selected,
            observations: RefCell::new(Observations::new(corpus, coverage, self.tools.len())),
            pool: Pool::new(&self.target, self.era, self.first.take(), &settings.stop),
            limits: limits(settings),
            progress: Cell::default(),
            hint: RefCell::default(),
        }
    }
}

impl RunError {
    /// The end of what the server wrote to standard error, if it was started.
    #[must_use]
    pub fn stderr_tail(&self) -> Option<&str> {
        match self {
            Self::Start(SessionError::Start(error)) => Some(error.stderr_tail()),
            Self::Start(_)
            | Self::Stopped
            | Self::NoToolList(_)
            | Self::LaterStart(_)
            | Self::Settings(_)
            | Self::UnknownTool { .. } => None,
        }
    }
}

/// Runs sequences of calls on a server, and reports what was found.
///
/// It must be called within a Tokio runtime with time and I/O enabled.
pub async fn run(target: &Target, settings: &Settings) -> Result<RunReport, RunError> {
    if settings.min_steps > settings.max_steps {
        let (least, most) = (settings.min_steps, settings.max_steps);
        return Err(RunError::Settings(format!("{least} steps at least, and {most} at most")));
    }
    let prepared = prepare(target, settings).await?;
    let machine = prepared.machine(settings);
    let seed = settings.seed.unwrap_or_else(random_seed);
    let is_all_skipped = machine.is_selected.iter().all(|is_selected| !is_selected);
    let outcome = if is_all_skipped && !machine.tools.is_empty() {
        None
    } else {
        let config = config(settings, seed, &machine.limits);
        // On the heap, so that the future of a run is small enough for its callers.
        Some(Box::pin(check_machine_async(&machine, &config)).await)
    };
    let (server, revision) = (prepared.server.clone(), prepared.revision.clone());
    let mut report = RunReport::new(seed, server, revision, &prepared.target.confinement());
    report.protocol_findings(&prepared.findings, &settings.checks);
    let (statistics, failures) = match outcome {
        None => {
            report.outcome = OutcomeReport {
                status: OutcomeStatus::Failed,
                code: Some("every_tool_skipped".to_owned()),
                details: Some(
                    json!({ "message": "every tool was skipped, so nothing was tested" }),
                ),
            };
            (None, Vec::new())
        }
        Some(Ok(statistics)) => (Some(statistics), Vec::new()),
        Some(Err(failure)) => {
            if let Some(fault) = failure.fault().filter(|fault| fault.identity() == START) {
                machine.pool.close_all().await;
                return Err(RunError::LaterStart(fault.detail().into()));
            }
            (failure.statistics().cloned(), failure.all().collect())
        }
    };
    let is_ended =
        |failure: &&Failure| failure.fault().is_some_and(|fault| fault.identity() == ENDED);
    for failure in failures.iter().filter(|failure| !is_ended(failure)) {
        report_failure(&mut report, &machine, failure).await;
    }
    machine.pool.close_all().await;
    report.warnings.extend(warnings(statistics.as_ref()));
    machine.observations.borrow_mut().finish();
    let observations = machine.observations.borrow();
    add_notes(&mut report, &machine, &observations, &prepared.selection);
    add_tools(&mut report, &machine, &observations, &prepared.selection);
    judge_run(&mut report, settings, &observations);
    report.corpus = observations.corpus.clone();
    let coverage = observations.coverage.report(seed, most_calls(settings), settings.guided);
    report.schema_coverage = Some(coverage);
    let tools = machine.tools.iter().map(|tool| (tool.name().to_owned(), tool.raw().clone()));
    report.tool_list = json!({ "tools": Value::Object(tools.collect()) });
    Ok(report)
}

/// A number from the randomness of the process.
fn random_seed() -> u64 {
    use std::hash::{BuildHasher as _, RandomState};
    RandomState::new().hash_one(0_u8)
}

/// How many sequences run at a time.
fn concurrency(settings: &Settings) -> NonZeroUsize {
    // What guides a sequence is what those before it have covered.
    let is_one_by_one = settings.reuse_session || settings.guided;
    if is_one_by_one { NonZeroUsize::MIN } else { settings.concurrency }
}

/// The share of the time after which exploring ends, if a call has failed.
const EXPLORING: f64 = 0.4;

/// The share of the time after which no failure should be shrunk any more: then evidence is gathered.
const SHRINKING: f64 = 0.8;

fn limits(settings: &Settings) -> RunLimits {
    let after = |time: Duration| Instant::now().checked_add(time);
    RunLimits {
        stop: StopSignal::default(),
        explore_until: settings.time.and_then(|time| after(time.mul_f64(EXPLORING))),
        shrink_until: settings.time.and_then(|time| after(time.mul_f64(SHRINKING))),
        deadline: settings.time.and_then(after),
        most_calls: settings.reuse_session.then(|| most_calls(settings)),
        is_over: Cell::new(false),
    }
}

/// The most calls that may be explored.
fn most_calls(settings: &Settings) -> u64 {
    settings.cases.saturating_mul(settings.max_steps as u64)
}

fn config(settings: &Settings, seed: u64, limits: &RunLimits) -> Config {
    // A session that is used for all sequences is one sequence, until it ends.
    let (max_commands, lengths) = match limits.most_calls {
        Some(most) => (usize::try_from(most).unwrap_or(usize::MAX), Lengths::Greatest),
        None => (settings.max_steps, Lengths::Long),
    };
    Config {
        num_runs: settings.cases,
        min_commands: settings.min_steps,
        max_commands,
        lengths,
        stop: limits.stop.clone(),
        deadline: limits.shrink_until,
        seed: Some(seed),
        swarm: false,
        reuse_arguments: false,
        keep_going: true,
        max_shrink_time: settings.shrink_time,
        // A server may take a second to start.
        shrink_effort: ShrinkEffort::Frugal,
        threads: concurrency(settings),
        // The run that gathers evidence is the last one.
        confirmations: settings.confirmations.get() - 1,
        regressions: Regressions::Off,
        ..Config::default()
    }
}

/// What the user should know beside the verdicts.
fn add_notes(
    report: &mut RunReport,
    machine: &McpMachine<'_>,
    observations: &Observations,
    selection: &[Option<Skipped>],
) {
    let skipped = selection.iter().flatten().filter(|it| it.reason == "maybe_destructive").count();
    if skipped > 0 {
        let tools = count(skipped as u64, "tool");
        report.notes.push(Untrusted::new(format!(
            "{tools} without annotations skipped: no sandbox is in force, and the protocol says that such tools may be \
             destructive; --allow-destructive calls them"
        )));
    }
    if let Some(preparation) = machine.target.preparation() {
        let note = "ran once before the first session, outside of the sandbox";
        report.notes.push(format!("`{preparation}` {note}").into());
    }
    report.notes.extend(machine.hint.borrow().clone());
    if machine.is_cut() {
        let time = machine.settings.time.unwrap_or_default();
        let calls = count(observations.calls(), "call");
        report.notes.push(Untrusted::new(format!(
            "the time of {time:?} was over after {} of {} and {calls}: --time or --cases allows more",
            machine.progress.get().sequences,
            count(machine.settings.cases, "sequence"),
        )));
    }
}

/// Why each tool is not called; `None` if it may be.
fn select(target: &Target, settings: &Settings, tools: &[Tool]) -> Vec<Option<Skipped>> {
    let is_remote = match &target.endpoint {
        Endpoint::Url(url) => !is_loopback(&url.url),
        Endpoint::Command(_) | Endpoint::Factory(_) => false,
    };
    let is_confined = target.confinement().is_in_force();
    let skipped = |tool: &Tool, reason: &'static str, detail: String| {
        Some(Skipped { tool: tool.name().into(), reason, detail: detail.into() })
    };
    let skip = |tool: &Tool| {
        let annotations = tool.annotations();
        if settings.tools.as_ref().is_some_and(|accepts| !accepts(tool)) {
            skipped(tool, "not_selected", "the selection of tools excludes it".to_owned())
        } else if let Some(unusable) = tool.unusable() {
            skipped(tool, "schema_unusable", format!("{}: {}", unusable.schema, unusable.reason))
        } else if annotations.destructive == Some(true) && !settings.allow_destructive {
            skipped(tool, "destructive", "it declares itself destructive".to_owned())
        } else if is_remote && annotations.read_only != Some(true) && !settings.allow_writes {
            let detail = "the server is not local, and the tool does not declare itself read-only";
            skipped(tool, "may_write", detail.to_owned())
        } else if !is_confined && annotations.may_be_destructive() && !settings.allow_destructive {
            let detail = "it is not annotated, and no sandbox is in force";
            skipped(tool, "maybe_destructive", detail.to_owned())
        } else {
            None
        }
    };
    tools.iter().map(skip).collect()
}

fn is_loopback(url: &str) -> bool {
    let host = url.split_once("://").map_or(url, |(_, rest)| rest);
    let host = host.split(['/', '?', '#']).next().unwrap_or_default();
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    host == "localhost" || host == "::1" || host.starts_with("127.")
}

async fn report_failure(report: &mut RunReport, machine: &McpMachine<'_>, failure: &Failure) {
    let Some(fault) = failure.fault() else {
        let message = failure.to_string();
        let missing = missing_values(machine);
        if machine.settings.stop.ends_everything() {
            return;
        }
        let status =
            if machine.is_cut() { OutcomeStatus::NotJudged } else { OutcomeStatus::Failed };
        report.outcome = OutcomeReport {
            status,
            code: Some("min_length_unattainable".to_owned()),
            details: Some(json!({ "message": message, "missing": missing })),
        };
        return;
    };
    let steps = replay::parse(machine, failure.replay());
    let settled: Vec<StepFile> =
        steps.iter().map(|step| StepFile::settled(step, machine.tools)).collect();
    let (mut failed, mut all) = failure.confirmations();
    let replayed = unless_stopped(
        &machine.settings.stop,
        machine.limits.deadline,
        Box::pin(replay::run(machine, &settled)),
    );
    let evidence = match replayed.await.unwrap_or(Err(ReplayProblem::Stopped)) {
        Ok(evidence) => {
            let is_shown = evidence.shows(fault.identity());
            // What was cut off did not pass.
            if is_shown || !machine.limits.stop.ends_everything() {
                (failed, all) = (failed + u32::from(is_shown), all + 1);
            }
            evidence
        }
        Err(_) => Evidence::default(),
    };
    let tool = settled.last().map(|step| step.tool.clone()).unwrap_or_default();
    report.failures.push(FailureReport {
        code: fault.identity().to_owned(),
        severity: Severity::Fail,
        tool,
        message: fault.detail().into(),
        original_length: failure.original_length(),
        executions: failure.executions(),
        shrinking: failure
            .shrinking()
            .map(|all| {
                all.passes.iter().map(|it| (it.name, (it.executions, it.accepted))).collect()
            })
            .unwrap_or_default(),
        confirmations: (failed, all),
        is_flaky: failed < all,
        steps: settled,
        evidence,
    });
}

/// What tools lack with the values of the whole run.
fn missing_values(machine: &McpMachine<'_>) -> Vec<ToolWarning> {
    let observations = machine.observations.borrow();
    let selected = (0..machine.tools.len()).filter(|tool| machine.is_selected[*tool]);
    selected.filter_map(|tool| uncallable(machine, tool, &observations)).collect()
}

/// Why a tool could not be called with the values of the whole run, if so.
fn uncallable(
    machine: &McpMachine<'_>,
    tool: usize,
    observations: &Observations,
) -> Option<ToolWarning> {
    let seen = &observations.tools[tool];
    // The values may be there, and the oracle accept no combination of them.
    let is_refused = seen.calls == 0 && seen.refused > 0;
    let is_missing = machine.missing(tool, &observations.corpus).is_some();
    (is_missing || is_refused).then(|| machine.warning(tool, &observations.corpus))
}

impl McpMachine<'_> {
    /// Why a tool cannot be called with the values of `corpus`.
    pub(crate) fn warning(&self, tool: usize, corpus: &Corpus) -> ToolWarning {
        let tool_name = Untrusted::from(self.tools[tool].name());
        let Some(missing) = self.missing(tool, corpus) else {
            let reason = "missing_required_value";
            return ToolWarning {
                tool: tool_name,
                reason,
                pointer: Untrusted::default(),
                suggestion: None,
            };
        };
        let (reason, example) = match missing.kind {
            MissingKind::String => ("missing_string", Some("TEXT")),
            MissingKind::Integer => ("missing_integer", Some("7")),
            MissingKind::Number => ("missing_number", Some("7.5")),
            MissingKind::Value | _ => ("missing_required_value", None),
        };
        let property = missing.place.property.as_deref();
        let suggestion = property.zip(example).map(|(name, value)| {
            format!("--value {}", Untrusted::new(format!("{name}={value}")).shell())
        });
        let pointer = missing.place.pointer.to_string().into();
        ToolWarning { tool: tool_name, reason, pointer, suggestion }
    }
}

fn warnings(statistics: Option<&Statistics>) -> Vec<WarningReport> {
    let warnings = statistics.map(|statistics| &statistics.warnings[..]).unwrap_or_default();
    warnings
        .iter()
        .map(|warning| WarningReport {
            tool: warning.command.as_str().into(),
            code: warning.fault.identity().to_owned(),
            message: warning.fault.detail().into(),
            count: warning.count,
        })
        .collect()
}

fn add_tools(
    report: &mut RunReport,
    machine: &McpMachine<'_>,
    observations: &Observations,
    selection: &[Option<Skipped>],
) {
    let settings = machine.settings;
    let is_eligible = |name: &str| {
        let allowed = settings.coverage_allowlist.as_ref();
        allowed.is_none_or(|allowed| allowed.iter().any(|other| other == name))
            && !settings.coverage_blocklist.iter().any(|other| other == name)
    };
    let mut counts = ToolCounts::default();
    for (index, tool) in machine.tools.iter().enumerate() {
        let seen = &observations.tools[index];
        let warning = match &selection[index] {
            Some(_) => None,
            None => uncallable(machine, index, observations).filter(|_| seen.calls == 0),
        };
        let verdict = verdict_of(selection[index].as_ref(), warning.as_ref(), seen);
        report.tools.push(ToolReport {
            name: tool.name().into(),
            verdict,
            calls: seen.calls,
            successes: seen.successes,
            errors: seen.errors,
            schema_coverage: observations.coverage.share(index),
            p50_ms: seen.percentile(50).map(milliseconds),
            p95_ms: seen.percentile(95).map(milliseconds),
        });
        if let Some(skipped) = &selection[index] {
            report.skipped.push(skipped.clone());
        } else if is_eligible(tool.name()) {
            counts.counts.insert(tool.name().to_owned(), seen.successes);
            if let Some(warning) = warning {
                counts.uncallable.push(tool.name().to_owned());
                report.coverage.warnings.push(warning);
            }
        }
        for unusable in tool.unusable().into_iter().chain(tool.unusable_output()) {
            report.unusable_schema(tool.name(), unusable, &settings.checks);
        }
    }
    report.coverage.percent_called = counts.percent_called();
    let failures = settings.rules.iter().filter_map(|rule| rule.check(&counts)).collect();
    // More time could have made them hold.
    if machine.is_cut() {
        report.coverage.not_judged = failures;
    } else {
        report.coverage.failures = failures;
    }
    report.coverage.counts = counts.counts;
}

fn milliseconds(time: Duration) -> f64 {
    (time.as_secs_f64() * 1e6).round() / 1e3
}

fn verdict_of(
    skipped: Option<&Skipped>,
    warning: Option<&ToolWarning>,
    seen: &ToolObservations,
) -> ToolVerdict {
    match (skipped, warning) {
        (Some(_), _) => ToolVerdict::Skipped,
        (None, _) if seen.successes > 0 => ToolVerdict::Succeeded,
        (None, _) if seen.calls > 0 => ToolVerdict::OnlyErrors,
        (None, Some(_)) => ToolVerdict::Uncallable,
        (None, None) => ToolVerdict::NeverChosen,
    }
}

/// Judges the run as a whole.
fn judge_run(report: &mut RunReport, settings: &Settings, observations: &Observations) {
    let calls = observations.calls();
    let successes: u64 = observations.tools.iter().map(|tool| tool.successes).sum();
    if calls > 0 && successes == 0 {
        let message = format!("{calls} calls were made, and none succeeded");
        report.run_problem(Check::NothingSucceeded, message, &settings.checks);
    }
    if report.outcome.status == OutcomeStatus::Failed {
        return;
    }
    if report.failures.is_empty() && report.outcome.status == OutcomeStatus::NotJudged {
        return;
    }
    if let Some(first) = report.failures.first() {
        let codes: BTreeMap<&str, usize> =
            report.failures.iter().fold(BTreeMap::new(), |mut codes, failure| {
                *codes.entry(failure.code.as_str()).or_default() += 1;
                codes
            });
        report.outcome = OutcomeReport {
            status: OutcomeStatus::Failed,
            code: Some(first.code.clone()),
            details: Some(json!({ "failures": codes })),
        };
    } else if let Some(first) = report.coverage.failures.first() {
        report.outcome = OutcomeReport {
            status: OutcomeStatus::Failed,
            code: Some(first.code.to_owned()),
            details: Some(rule_details(&report.coverage.failures)),
        };
    } else if let Some(first) = report.coverage.not_judged.first() {
        report.outcome = OutcomeReport {
            status: OutcomeStatus::NotJudged,
            code: Some(first.code.to_owned()),
            details: Some(rule_details(&report.coverage.not_judged)),
        };
    }
}

fn rule_details(rules: &[RuleFailure]) -> Value {
    rules.iter().map(|rule| rule.details.clone()).collect()
}
