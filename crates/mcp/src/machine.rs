//! A server as a [`Machine`]: each step is a call, and what answers contain serves the calls after it.

use std::{
    cell::{Cell, RefCell},
    collections::BTreeMap,
    time::{Duration, Instant},
};

use foolproof_contract::{Pointer, Untrusted};
use foolproof_generate::Missing;
use foolproof_live::{Confinement, refused_path};
use foolproof_stateful::{
    Argument, Fault, FaultKind, Machine, Rng, SessionContext, StateText, StepOutcome, StepRequest,
    StopSignal,
};
use proptest::num::usize::BinarySearch;
use serde_json::{Value, json};

use crate::{
    arguments::{self, Arguments, CorpusAtHand},
    call_step::{self, CallStep, PlaceKind},
    check::{Problem, Severity},
    corpus::{Corpus, Mining, Origin, Seed},
    observation::Observations,
    pool::Pool,
    repro::StepFile,
    schema_coverage::{ObservedAnswer, ObservedCall},
    settings::{Progress, Settings},
    stop::unless_stopped,
    target::{StartedSession, Target},
    tool::{Tool, ToolInput},
    verdict::{self, Responsive, Verdict},
    wire::{CallEnd, CallResult},
};

/// How many entries of the corpus a reference may become while it is shrunk.
const MOST_CANDIDATES: usize = 200;

/// How often tools are chosen, relative to one another.
const MUCH: usize = 6;
const LITTLE: usize = 1;

/// How much more often a tool with targets left is chosen in a guided run.
const GUIDED: usize = 4;

/// How many arguments are drawn for a call of a guided run.
const GUIDED_DRAWS: usize = 8;

/// How many bytes are kept of an answer as text once there is another one.
const LONGEST_RESULT: usize = 64 * 1024;

/// The identity of a fault of the start.
pub(crate) const START: &str = "start";

/// The identity of what ends a session although no check makes it a failure.
pub(crate) const ENDED: &str = "ended";

/// A server under test, with its tools.
pub(crate) struct McpMachine<'a> {
    pub(crate) target: &'a Target,
    pub(crate) settings: &'a Settings,
    pub(crate) tools: &'a [Tool],
    /// Which tools may be called.
    pub(crate) is_selected: Vec<bool>,
    pub(crate) observations: RefCell<Observations>,
    pub(crate) pool: Pool,
    pub(crate) limits: RunLimits,
    pub(crate) progress: Cell<Progress>,
    /// What to allow so that the server can write, if it was refused that.
    pub(crate) hint: RefCell<Option<Untrusted>>,
}

/// What ends a run before all its sequences have ended.
#[derive(Debug, Default)]
pub(crate) struct RunLimits {
    /// Ends this run, and no other that has the same settings.
    pub(crate) stop: StopSignal,
    /// When exploring ends if a call has failed, so that there is time to shrink it.
    pub(crate) explore_until: Option<Instant>,
    /// When shrinking should end.
    pub(crate) shrink_until: Option<Instant>,
    /// When the run must end.
    pub(crate) deadline: Option<Instant>,
    /// The most calls to explore.
    pub(crate) most_calls: Option<u64>,
    /// Whether the time was over while there was more to explore.
    pub(crate) is_over: Cell<bool>,
}

/// A session: a connection, and what is known from its answers.
pub(crate) struct McpSession {
    pub(crate) started: StartedSession,
    pub(crate) corpus: Corpus,
    /// The results of successful calls, by the number of the call.
    answers: BTreeMap<u32, Value>,
    /// Which tools can be called with a corpus of this size.
    callable: Option<(usize, Vec<bool>)>,
    /// Which tools were called.
    called: Vec<bool>,
    /// The answers of all calls as text. Only the latest is whole.
    results: Vec<String>,
    seeds: Vec<Seed>,
    /// The index of the new sequence, if it is one.
    sequence: Option<u64>,
}

/// Why the arguments of a step cannot be made.
pub(crate) enum Unresolved {
    /// A reference leads nowhere, or the arguments do not fit the schema any more.
    Blocked(String),
    /// The last shrink step changed nothing.
    Exhausted,
}

impl McpMachine<'_> {
    /// Ends the run if its time is over or its caller wants it to.
    fn heed_limits(&self) {
        let limits = &self.limits;
        let is_over = |end: Option<Instant>| end.is_some_and(|end| Instant::now() >= end);
        let has_failed = self.progress.get().failing_calls > 0;
        let is_late = is_over(limits.deadline) || has_failed && is_over(limits.explore_until);
        limits.is_over.set(limits.is_over.get() || is_late);
        if is_over(limits.deadline) || self.settings.stop.ends_everything() {
            limits.stop.stop();
        } else if self.settings.stop.ends_exploring() || is_late {
            limits.stop.stop_exploring();
        }
    }

    /// Whether the time was over before everything was explored.
    pub(crate) fn is_cut(&self) -> bool {
        let is_complete = match self.limits.most_calls {
            Some(most) => self.observations.borrow().calls() >= most,
            None => self.progress.get().sequences >= self.settings.cases,
        };
        self.limits.is_over.get() && !is_complete
    }

    /// Notes what to allow if `text` says that a write was refused outside of what the server may write.
    fn heed_refusal(&self, text: &str, session: &StartedSession) {
        if self.hint.borrow().is_some() {
            return;
        }
        let Some(path) = refused_path(text) else { return };
        let path = self.target.working_folder().join(path);
        let Confinement::Sandboxed(sandbox) = self.target.confinement() else { return };
        let is_writable = path.starts_with(session.tmp())
            || sandbox.writable.iter().any(|it| path.starts_with(it));
        if !is_writable {
            let folder = path.parent().unwrap_or(&path).to_string_lossy();
            let option = format!("--allow-write {}", Untrusted::new(folder).shell());
            let path = path.display();
            let hint =
                format!("the sandbox refused the server a write to {path}: {option} allows it");
            *self.hint.borrow_mut() = Some(hint.into());
        }
    }

    /// Ends exploring if all calls were made.
    fn heed_budget(&self) {
        if let Some(most) = self.limits.most_calls
            && self.observations.borrow().calls() >= most
        {
            self.limits.stop.stop_exploring();
        }
    }

    fn report_progress(&self, change: impl FnOnce(&mut Progress)) {
        let mut progress = self.progress.get();
        change(&mut progress);
        self.progress.set(progress);
        if let Some(reader) = &self.settings.progress {
            reader(&progress);
        }
    }

    /// Which tools can be called now.
    fn callable(&self, session: &mut McpSession) -> Vec<bool> {
        let size = session.corpus.size();
        match &session.callable {
            Some((known, callable)) if *known == size => callable.clone(),
            Some(_) | None => {
                let callable: Vec<bool> = (0..self.tools.len())
                    .map(|tool| {
                        self.is_selected[tool] && self.missing(tool, &session.corpus).is_none()
                    })
                    .collect();
                session.callable = Some((size, callable.clone()));
                callable
            }
        }
    }

    /// Takes one of `candidates`. A tool without arguments that was called already has little new to say, so others
    /// are chosen more often. If coverage guides the run, so are tools with targets that no call has hit.
    fn choose(&self, candidates: &mut Vec<usize>, session: &McpSession, rng: &mut Rng) -> usize {
        let weight = |tool: &usize| {
            let has_arguments = self.tools[*tool].input().is_some_and(|input| input.has_members);
            let is_known = session.called.get(*tool).copied().unwrap_or(false);
            let weight = if has_arguments || !is_known { MUCH } else { LITTLE };
            let is_open =
                self.settings.guided && self.observations.borrow().coverage.left(*tool) > 0;
            if is_open { weight * GUIDED } else { weight }
        };
        let weights: Vec<usize> = candidates.iter().map(weight).collect();
        let mut left = rng.below(weights.iter().sum::<usize>().max(1));
        let index = weights.iter().position(|weight| {
            let is_here = left < *weight;
            left = left.saturating_sub(*weight);
            is_here
        });
        candidates.swap_remove(index.unwrap_or(0))
    }

    /// Arguments for a tool. In a guided run they are the first of several draws that hit the most new targets.
    fn draw(
        &self,
        tool: usize,
        input: &ToolInput,
        session: &McpSession,
        rng: &mut Rng,
    ) -> Option<Arguments> {
        let mut draw = || arguments::draw(input, &session.corpus, self.settings, &mut *rng);
        let first = draw()?;
        if !self.settings.guided {
            return Some(first);
        }
        let observations = self.observations.borrow();
        let gain = |drawn: &Arguments| observations.coverage.gain(tool, &drawn.value);
        let mut best = (gain(&first), first);
        for drawn in (1..GUIDED_DRAWS).filter_map(|_| draw()) {
            let gain = gain(&drawn);
            if gain > best.0 {
                best = (gain, drawn);
            }
        }
        Some(best.1)
    }

    /// What a tool needs that `corpus` does not have.
    pub(crate) fn missing(&self, tool: usize, corpus: &Corpus) -> Option<Missing> {
        let input = self.tools[tool].input()?;
        let at_hand = CorpusAtHand { corpus, is_lenient: self.settings.lenient };
        input.generator.plan().missing(&at_hand)
    }

    /// The arguments of `step` in this session: references are resolved, and shrunk values made.
    pub(crate) fn resolve(
        &self,
        session: &McpSession,
        step: &mut CallStep,
    ) -> Result<Value, Unresolved> {
        let mut value = step.arguments.value.clone();
        let references = step.arguments.references.clone();
        for (pointer, origin) in &references {
            if step.is_left_out(pointer) {
                continue;
            }
            let found = session.find(origin).ok_or_else(|| {
                Unresolved::Blocked(format!("nothing is at {} any more", describe_origin(origin)))
            })?;
            // The record keeps the value of its first session: it is the same record in every session.
            set(&mut value, pointer, found);
        }
        for index in 0..step.places().len() {
            let place = step.places()[index].clone();
            if step.is_left_out(&place.pointer) || place.steps.is_empty() {
                continue;
            }
            match place.kind {
                PlaceKind::Optional if place.is_exhausted() => return Err(Unresolved::Exhausted),
                PlaceKind::Optional => {}
                PlaceKind::Free => {
                    let original = place.pointer.resolve(&step.arguments.value);
                    let shrunk = original.and_then(|it| call_step::shrink_free(it, &place));
                    set(&mut value, &place.pointer, shrunk.ok_or(Unresolved::Exhausted)?);
                    if let Some(place) = step.place_mut(index) {
                        place.has_new_step = false;
                    }
                }
                PlaceKind::Reference => {
                    let chosen = Self::earlier_entry(session, step, index, &value)?;
                    set(&mut step.arguments.value, &place.pointer, chosen.0.clone());
                    set(&mut value, &place.pointer, chosen.0);
                    step.arguments.references.insert(place.pointer.clone(), chosen.1);
                    if let Some(place) = step.place_mut(index) {
                        place.has_new_step = false;
                        if place.steps != [foolproof_stateful::ShrinkStep::Simplest] {
                            place.steps.clear();
                        }
                    }
                }
            }
        }
        step.leave_out(&mut value);
        if step.oracle.is_valid(&value) {
            Ok(value)
        } else {
            let tool = self.tools[step.tool].name();
            Err(Unresolved::Blocked(format!("its arguments do not fit the schema of `{tool}`")))
        }
    }

    /// The entry that the reference at a place becomes by its shrink steps: one that was there earlier.
    fn earlier_entry(
        session: &McpSession,
        step: &CallStep,
        index: usize,
        value: &Value,
    ) -> Result<(Value, Origin), Unresolved> {
        let place = &step.places()[index];
        let now = place.pointer.resolve(value);
        let candidates = Self::fitting(session, step, &place.pointer, value);
        let known = candidates.iter().position(|(candidate, _)| Some(candidate) == now);
        let known = known.ok_or(Unresolved::Exhausted)?;
        let chosen =
            call_step::apply(BinarySearch::new(known), place).ok_or(Unresolved::Exhausted)?;
        candidates.into_iter().nth(chosen).ok_or(Unresolved::Exhausted)
    }

    /// The entries of the corpus that may stand at `pointer` of the arguments `value`, in the order of insertion.
    fn fitting(
        session: &McpSession,
        step: &CallStep,
        pointer: &Pointer,
        value: &Value,
    ) -> Vec<(Value, Origin)> {
        let fits = |candidate: &Value| {
            let mut value = value.clone();
            set(&mut value, pointer, candidate.clone());
            step.leave_out(&mut value);
            step.oracle.is_valid(&value)
        };
        let entries: Vec<(Value, Origin)> = match pointer.resolve(value) {
            Some(Value::String(_)) => {
                let entries = session.corpus.strings().entries().iter();
                entries.map(|it| (Value::String(it.value.clone()), it.origin.clone())).collect()
            }
            Some(Value::Number(_)) => {
                let entries = session.corpus.numbers().entries().iter();
                entries.map(|it| (Value::Number(it.value.clone()), it.origin.clone())).collect()
            }
            Some(Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_)) | None => {
                Vec::new()
            }
        };
        let entries = entries.into_iter().take(MOST_CANDIDATES);
        entries.filter(|(candidate, _)| fits(candidate)).collect()
    }

    /// Makes the call.
    pub(crate) async fn call(
        &self,
        session: &mut McpSession,
        step: &CallStep,
        arguments: &Value,
    ) -> (Verdict, Duration) {
        let tool = &self.tools[step.tool];
        let connection = &mut session.started.connection;
        let begin = Instant::now();
        let called = async {
            let end = connection.call_tool(tool.name(), arguments).await;
            let time = begin.elapsed();
            let responsive = if matches!(end, CallEnd::TimedOut) {
                let limit = self.target.connect.call_timeout;
                if connection.is_responsive(limit).await { Responsive::Yes } else { Responsive::No }
            } else {
                Responsive::Yes
            };
            (end, time, responsive)
        };
        let called = unless_stopped(&self.settings.stop, self.limits.deadline, called).await;
        let Some((end, time, responsive)) = called else {
            session.keep_result("no answer before the run was stopped".to_owned());
            // What the call shows does not count, so its judges have to know.
            self.heed_limits();
            return (Verdict::unjudged(), begin.elapsed());
        };
        let findings = connection.take_findings();
        let has_ended = matches!(end, CallEnd::Crashed { .. });
        let stderr = if has_ended { connection.stderr_tail() } else { String::new() };
        let verdict = verdict::judge(tool, &end, &findings, responsive, &stderr);
        if let CallEnd::Answered(result) = &end {
            session.learn(step.id, result, self.settings.mine_text);
        }
        let described = describe(&end);
        self.heed_refusal(&described, &session.started);
        session.keep_result(described);
        session.called.resize(self.tools.len(), false);
        session.called[step.tool] = true;
        (verdict, time)
    }

    fn outcome(&self, verdict: &Verdict, custom: &[Problem]) -> StepOutcome {
        let severity = |problem: &Problem| self.settings.checks.severity(problem.check);
        let problems: Vec<&Problem> = verdict.problems.iter().chain(custom).collect();
        let failing = problems.iter().find(|problem| severity(problem) == Severity::Fail);
        let mut outcome = match failing {
            Some(problem) => {
                let failed = StepOutcome::failed(fault_of(problem));
                if verdict.is_session_usable { failed.with_usable_session() } else { failed }
            }
            None if verdict.is_session_usable => StepOutcome::passed(),
            None => {
                let problem = problems.first().map(|problem| problem.message.raw().to_owned());
                let detail = problem.unwrap_or_else(|| "the session has ended".to_owned());
                return StepOutcome::failed(
                    Fault::new(FaultKind::Error, "", detail).with_identity(ENDED),
                );
            }
        };
        for problem in problems.iter().filter(|problem| severity(problem) == Severity::Warn) {
            outcome = outcome.with_warning(fault_of(problem));
        }
        outcome
    }
}

/// The fault of a problem. Its identity is the code: with the tool, it names the failure.
fn fault_of(problem: &Problem) -> Fault {
    Fault::new(FaultKind::Error, "", problem.message.raw()).with_identity(problem.check.code())
}

impl McpSession {
    fn new(started: StartedSession, settings: &Settings, sequence: Option<u64>) -> Self {
        let seeds = started.seeds(&settings.seeds);
        Self {
            corpus: Corpus::new(seeds.clone()),
            started,
            answers: BTreeMap::new(),
            callable: None,
            called: Vec::new(),
            results: Vec::new(),
            seeds,
            sequence,
        }
    }

    /// The value at `origin` in this session.
    fn find(&self, origin: &Origin) -> Option<Value> {
        match origin {
            Origin::Seed(index) => self.seeds.get(*index).map(|seed| seed.value.clone()),
            Origin::Answer { step, path } => path.resolve(self.answers.get(step)?),
        }
    }

    /// What was answered to the call with this number.
    fn observed_answer(&self, step: u32) -> ObservedAnswer {
        match self.answers.get(&step) {
            Some(raw) => ObservedAnswer::Success(raw.get("structuredContent").cloned()),
            None => ObservedAnswer::Other,
        }
    }

    /// Keeps what a successful answer contains.
    fn learn(&mut self, step: u32, result: &CallResult, mines_text: bool) {
        if result.is_error() {
            return;
        }
        let structured = result.structured_content();
        if let Some(structured) = structured {
            self.corpus.add_mined(step, Mining::structured(structured, mines_text));
        }
        let kept = if mines_text {
            self.corpus.add_mined(step, Mining::text(result.raw()));
            result.raw().clone()
        } else {
            // Nothing refers to the rest, which may be large.
            structured.map_or(Value::Null, |structured| json!({ "structuredContent": structured }))
        };
        self.answers.insert(step, kept);
    }

    /// Keeps an answer as text. Those before it serve reports alone, which do not show long ones as a whole.
    fn keep_result(&mut self, result: String) {
        if let Some(earlier) = self.results.last_mut()
            && earlier.len() > LONGEST_RESULT
        {
            let end = (0..=LONGEST_RESULT).rev().find(|at| earlier.is_char_boundary(*at));
            earlier.truncate(end.unwrap_or_default());
            earlier.push('…');
            earlier.shrink_to_fit();
        }
        self.results.push(result);
    }
}

/// An answer in a line.
fn describe(end: &CallEnd) -> String {
    let CallEnd::Answered(result) = end else { return end.to_string() };
    match result.structured_content() {
        _ if result.is_error() => format!("error: {}", verdict::text_of(result)),
        Some(structured) => structured.to_string(),
        None => verdict::text_of(result),
    }
}

/// An origin as messages write it.
pub(crate) fn describe_origin(origin: &Origin) -> String {
    match origin {
        Origin::Seed(index) => format!("seed {}", index + 1),
        Origin::Answer { step, path } => format!("${step}{path}"),
    }
}

fn set(value: &mut Value, pointer: &Pointer, new: Value) {
    if let Some(place) = value.pointer_mut(pointer.as_str()) {
        *place = new;
    }
}

impl Machine for McpMachine<'_> {
    type Session = McpSession;
    type Step = CallStep;

    fn commands(&self) -> Vec<String> {
        self.tools.iter().map(|tool| tool.name().to_owned()).collect()
    }

    async fn start(&self, context: &SessionContext) -> Result<McpSession, Fault> {
        let fault = |detail: String, identity: &'static str| {
            Fault::new(FaultKind::Error, "", detail).with_identity(identity)
        };
        let stop = &self.settings.stop;
        let started = unless_stopped(stop, self.limits.deadline, self.pool.start()).await;
        let started = started.ok_or_else(|| {
            self.heed_limits();
            fault("the run was stopped".to_owned(), ENDED)
        })?;
        let started = started.map_err(|error| fault(error.to_string(), START))?;
        Ok(McpSession::new(started, self.settings, context.sequence()))
    }

    fn propose(&self, session: &mut McpSession, request: &mut StepRequest<'_>) -> Option<CallStep> {
        self.heed_limits();
        if self.limits.stop.ends_exploring() {
            return None;
        }
        let callable = self.callable(session);
        let mut candidates: Vec<usize> = (0..callable.len())
            .filter(|tool| callable[*tool] && request.is_allowed(*tool))
            .collect();
        while !candidates.is_empty() {
            let tool = self.choose(&mut candidates, session, request.rng());
            let Some(input) = self.tools[tool].input() else { continue };
            let drawn = self.draw(tool, input, session, request.rng());
            if let Some(arguments) = drawn {
                return Some(CallStep::new(request.id(), tool, arguments, &input.oracle));
            }
            request.count_blocked(tool);
            self.observations.borrow_mut().refused(tool);
        }
        None
    }

    /// The step with the first entry that fits in the place of every reference that leads nowhere.
    fn redraw(&self, session: &mut McpSession, step: &CallStep) -> Option<CallStep> {
        let mut redrawn = step.clone();
        for (pointer, origin) in &step.arguments.references {
            if session.find(origin).is_some() || step.is_left_out(pointer) {
                continue;
            }
            let candidates = Self::fitting(session, &redrawn, pointer, &redrawn.arguments.value);
            let (value, origin) = candidates.into_iter().next()?;
            set(&mut redrawn.arguments.value, pointer, value);
            redrawn.arguments.references.insert(pointer.clone(), origin);
        }
        Some(redrawn)
    }

    async fn run(&self, session: &mut McpSession, step: &mut CallStep) -> StepOutcome {
        self.heed_limits();
        let arguments = match self.resolve(session, step) {
            Ok(arguments) => arguments,
            Err(Unresolved::Blocked(_)) => return StepOutcome::Blocked,
            Err(Unresolved::Exhausted) => return StepOutcome::Exhausted,
        };
        let (verdict, time) = self.call(session, step, &arguments).await;
        if let Some(sequence) = session.sequence {
            let call = ObservedCall {
                tool: step.tool,
                arguments: arguments.clone(),
                answer: session.observed_answer(step.id),
            };
            self.observations.borrow_mut().call(sequence, call, verdict.kind, time);
            self.heed_budget();
        }
        let custom = self.settings.custom_problems(
            &self.tools[step.tool],
            &arguments,
            session.results.last(),
        );
        let outcome = self.outcome(&verdict, &custom);
        let is_failing = matches!(outcome, StepOutcome::Failed(_));
        self.report_progress(|progress| {
            progress.calls += 1;
            progress.failing_calls += u64::from(is_failing);
        });
        outcome
    }

    async fn end(&self, session: McpSession) -> Result<(), Fault> {
        if self.hint.borrow().is_none() {
            self.heed_refusal(&session.started.connection.stderr_tail(), &session.started);
        }
        if let Some(sequence) = session.sequence {
            self.observations.borrow_mut().end(sequence, &session.corpus);
            self.report_progress(|progress| progress.sequences += 1);
        }
        self.pool.close(session.started).await;
        Ok(())
    }

    fn arguments(&self, _: &mut McpSession, step: &CallStep) -> Vec<Argument> {
        let places = step.places().iter();
        places
            .map(|place| {
                let text = match place.kind {
                    _ if step.is_left_out(&place.pointer) => String::new(),
                    PlaceKind::Optional => "present".to_owned(),
                    PlaceKind::Reference => {
                        let origin = step.arguments.references.get(&place.pointer);
                        origin.map(describe_origin).unwrap_or_default()
                    }
                    PlaceKind::Free => {
                        let original = place.pointer.resolve(&step.arguments.value);
                        let mut settled = place.clone();
                        settled.has_new_step = false;
                        let now = original.and_then(|it| call_step::shrink_free(it, &settled));
                        now.map(|value| value.to_string()).unwrap_or_default()
                    }
                };
                Argument::new(place.pointer.to_string(), text)
            })
            .collect()
    }

    fn results(&self, session: &McpSession) -> Vec<String> {
        session.results.clone()
    }

    fn state(&self, _: &McpSession) -> StateText {
        StateText::default()
    }

    fn serialize_step(&self, step: &CallStep) -> String {
        let file = StepFile::of(step, self.tools);
        serde_json::to_string(&file).map(|text| escape(&text)).unwrap_or_default()
    }

    fn parse_step(&self, text: &str) -> Option<CallStep> {
        let file: StepFile = serde_json::from_str(&unescape(text)).ok()?;
        file.to_step(self.tools).ok()
    }
}

/// A text without the signs that separate steps.
fn escape(text: &str) -> String {
    text.replace('%', "%25").replace(';', "%3B").replace('=', "%3D")
}

fn unescape(text: &str) -> String {
    text.replace("%3D", "=").replace("%3B", ";").replace("%25", "%")
}
