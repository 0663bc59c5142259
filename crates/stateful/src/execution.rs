//! Running one sequence of steps in a fresh session.

use std::{
    pin::{Pin, pin},
    sync::Arc,
};

use crate::{
    Argument, Config, Fault, Lengths, Machine, Phase, SessionContext, StateText, StepNotes,
    StepOutcome, StepRecord, StepRequest,
    async_timeout::AsyncTimeout,
    fault::TEARDOWN,
    feedback::{self, Prefix},
    machine::{Activity, Notes},
    panics::{catch, catch_async},
    rng::{self, Rng},
    statistics::Counts,
};

/// Up to how many commands are few.
const FEW: usize = 8;

/// A sequence to run.
#[derive(Clone)]
pub(crate) enum Job<T> {
    /// Sequence number `run` of a random test, which begins with recorded steps.
    Explore { run: u64, prefix: Prefix<T> },
    /// Recorded steps.
    Replay { steps: Vec<T>, on_blocked: OnBlocked, is_traced: bool },
    /// The steps `before`, then a step drawn in the state that they lead to, then the steps `after`.
    Insert { before: Vec<T>, proposal: Proposal, after: Vec<T> },
}

/// A step to be drawn: its command, its number, and the seed of its arguments.
#[derive(Clone, Copy)]
pub(crate) struct Proposal {
    pub(crate) command: usize,
    pub(crate) id: u32,
    pub(crate) seed: u64,
}

/// What happens to a step that cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnBlocked {
    /// The sequence ends as blocked.
    Reject,
    /// Its arguments are drawn again; if it still cannot run, it is left out.
    Repair,
}

/// A sequence that was run.
#[derive(Clone, Debug)]
pub(crate) struct Execution<T> {
    /// The steps that ran. If the sequence failed, the last one failed.
    pub(crate) steps: Vec<T>,
    /// The arguments of each step, unless the sequence was explored.
    pub(crate) arguments: Vec<Vec<Argument>>,
    /// The result of each step; cut off, unless the steps were traced.
    pub(crate) results: Vec<String>,
    /// The state before and after the last step, if the steps were traced.
    pub(crate) states: (StateText, StateText),
    pub(crate) outcome: SequenceOutcome,
    /// Faults after which the sequence went on, each with the number of steps up to it.
    pub(crate) survived: Vec<(usize, Fault)>,
    pub(crate) counts: Counts,
    /// The model after each step as a hash, if feedback is wanted.
    pub(crate) fingerprints: Vec<u64>,
    /// The number after that of the last step, if the sequence was explored.
    pub(crate) next_id: u32,
}

/// How a sequence ended.
#[derive(Clone, Debug)]
pub(crate) enum SequenceOutcome {
    Passed,
    /// A step could not run.
    Blocked,
    /// The last shrink step of an argument did not change its value.
    Exhausted,
    /// A step failed, or the teardown after all steps.
    Failed(Fault),
    /// The session could not be started, or its initial state is wrong.
    StartFailed(Fault),
    /// Choosing a step panicked: a precondition, a strategy, a list of candidates.
    ProposalFailed(Fault),
    /// No command could run before the sequence had its shortest length.
    TooShort,
}

impl SequenceOutcome {
    /// Whether the sequence is to be reported.
    pub(crate) fn is_failure(&self) -> bool {
        match self {
            Self::Failed(_) | Self::StartFailed(_) | Self::ProposalFailed(_) | Self::TooShort => {
                true
            }
            Self::Passed | Self::Blocked | Self::Exhausted => false,
        }
    }
}

/// Learns of every step of a sequence while it runs.
pub(crate) trait Observer<T> {
    /// A step begins. Its arguments are known unless the sequence is explored.
    fn step_begins(&self, step: &T, arguments: Option<&[Argument]>);

    /// The step that began last cannot run.
    fn step_is_blocked(&self);

    /// The steps ended in this way; the teardown follows.
    fn steps_end(&self, outcome: &SequenceOutcome);
}

/// The steps so far of a sequence that is running, the running one included, and how they ended if they did.
pub(crate) struct StepsSoFar<T> {
    pub(crate) steps: Vec<T>,
    pub(crate) arguments: Vec<Vec<Argument>>,
    pub(crate) outcome: Option<SequenceOutcome>,
}

impl<T: StepRecord> StepsSoFar<T> {
    pub(crate) fn new() -> Self {
        Self { steps: Vec::new(), arguments: Vec::new(), outcome: None }
    }

    /// The execution of a sequence that `fault` interrupted in `phase`.
    pub(crate) fn interrupted(self, fault: Fault, phase: Phase, commands: usize) -> Execution<T> {
        let outcome = match (phase, self.outcome) {
            // It is the teardown that was interrupted. A fault before it matters more.
            (_, Some(outcome)) if outcome.is_failure() => outcome,
            (_, Some(_)) => SequenceOutcome::Failed(fault.during(TEARDOWN)),
            (Phase::Proposal, None) => SequenceOutcome::ProposalFailed(fault),
            (_, None) if self.steps.is_empty() => SequenceOutcome::StartFailed(fault),
            (_, None) => SequenceOutcome::Failed(fault),
        };
        let mut counts = Counts::none(commands);
        for step in self.steps.iter().filter(|step| !step.is_initial()) {
            counts.ran[step.command()] += 1;
        }
        let mut execution = Execution::ended(outcome, counts);
        execution.steps = self.steps;
        execution.arguments = self.arguments;
        execution
    }
}

/// Who watches a sequence.
pub(crate) struct Watch<'a, T> {
    /// Drops futures that take too long.
    pub(crate) timeout: Option<&'a AsyncTimeout>,
    pub(crate) observer: Option<&'a dyn Observer<T>>,
    /// Is told of every phase.
    pub(crate) activity: Option<Arc<Activity>>,
}

impl<T> Watch<'_, T> {
    fn context(&self, is_traced: bool, sequence: Option<u64>) -> SessionContext {
        let own = || self.timeout.map(|_| Arc::default());
        let activity = self.activity.clone().or_else(own);
        SessionContext { is_traced, sequence, activity }
    }

    /// The result of `work`, or the fault that it panicked or took too long.
    async fn call<R>(
        &self,
        context: &SessionContext,
        phase: Phase,
        work: Pin<&mut impl Future<Output = R>>,
    ) -> Result<R, Fault> {
        context.enter(phase);
        match (self.timeout, &context.activity) {
            (Some(timeout), Some(activity)) => timeout.call(activity, catch_async(work)).await?,
            (None, _) | (_, None) => catch_async(work).await,
        }
    }
}

/// Runs a sequence.
pub(crate) async fn perform<A: Machine>(
    machine: &A,
    config: &Config,
    job: Job<A::Step>,
    watch: &Watch<'_, A::Step>,
) -> Execution<A::Step> {
    let counts = Counts::none(machine.commands().len());
    let mode = match &job {
        Job::Explore { .. } => Mode { has_arguments: false, is_traced: false },
        Job::Replay { is_traced, .. } => Mode { has_arguments: true, is_traced: *is_traced },
        Job::Insert { .. } => Mode { has_arguments: true, is_traced: false },
    };
    let explored = match &job {
        Job::Explore { run, .. } => Some(*run),
        Job::Replay { .. } | Job::Insert { .. } => None,
    };
    let context = watch.context(mode.is_traced, explored);
    let started = watch.call(&context, Phase::Model, pin!(machine.start(&context))).await;
    let session = match started.and_then(|started| started) {
        Ok(session) => session,
        Err(fault) => return Execution::ended(SequenceOutcome::StartFailed(fault), counts),
    };
    let mut sequence = SequenceRun {
        machine,
        watch,
        context,
        session,
        mode,
        config,
        is_last: false,
        has_feedback: config.feedback && matches!(job, Job::Explore { .. }),
        last_label: None,
        execution: Execution::ended(SequenceOutcome::Passed, counts),
    };
    match job {
        Job::Explore { run, prefix } => sequence.explore(config, run, &prefix).await,
        Job::Replay { steps, on_blocked, .. } => {
            sequence.run_last(steps, on_blocked).await;
        }
        Job::Insert { before, proposal, after } => {
            if sequence.run_all(before, OnBlocked::Reject).await {
                sequence.is_last = after.is_empty();
                if sequence.run_new(proposal).await {
                    sequence.run_last(after, OnBlocked::Repair).await;
                }
            }
        }
    }
    sequence.finish().await
}

/// What is recorded of a sequence.
#[derive(Clone, Copy)]
struct Mode {
    has_arguments: bool,
    is_traced: bool,
}

/// A sequence that is running.
struct SequenceRun<'a, A: Machine> {
    machine: &'a A,
    watch: &'a Watch<'a, A::Step>,
    context: SessionContext,
    session: A::Session,
    mode: Mode,
    config: &'a Config,
    /// Whether the step is the last one of recorded steps, whose fault is what they are run for.
    is_last: bool,
    has_feedback: bool,
    /// The label of the last step that had one.
    last_label: Option<String>,
    execution: Execution<A::Step>,
}

impl<A: Machine> SequenceRun<'_, A> {
    /// Runs random steps: each is chosen among the commands that can run in the state that the steps before
    /// it lead to.
    async fn explore(&mut self, config: &Config, run: u64, prefix: &Prefix<A::Step>) {
        let mut rng = Rng::new(rng::child(config.chosen_seed(), run));
        let commands = self.execution.counts.ran.len();
        let mut allowed = swarm(config, commands, &mut rng);
        let (least, most) = (config.min_commands, config.max_commands.max(config.min_commands));
        let mut length = match config.lengths {
            Lengths::Greatest => most,
            Lengths::Long if rng.below(4) > 0 => most,
            Lengths::Long => least + rng.below((most - least).saturating_add(1)),
            Lengths::Varied => {
                // Long sequences find more than short ones: every second has the longest of four lengths.
                let lengths = (most - least).saturating_add(1);
                let draws = if rng.below(2) == 0 { 1 } else { 4 };
                let drawn = (0..draws).map(|_| rng.below(lengths));
                least + drawn.max().unwrap_or(0)
            }
        };
        self.execution.steps.reserve(length.min(1_000));
        let goes_on = self.run_all(prefix.steps.clone(), OnBlocked::Repair).await;
        let mut done = 0;
        for step in self.execution.steps.iter().filter(|step| !step.is_initial()) {
            self.execution.counts.ran[step.command()] += 1;
            done += 1;
        }
        if !goes_on {
            return;
        }
        // After a prefix, at least one step is new.
        if !prefix.steps.is_empty() {
            length = length.max(done + 1).min(most.max(done));
        }
        for id in prefix.next_id.. {
            if config.stop.ends_exploring() {
                return;
            }
            self.execution.next_id = id;
            let proposed = loop {
                let proposed = self.propose(id, &mut rng, &allowed);
                match proposed {
                    // Nothing in the subset can run: it is widened.
                    Ok(None) if allowed.contains(&false) => allowed = vec![true; commands],
                    other => break other,
                }
            };
            let step = match proposed {
                Ok(Some(step)) => step,
                Ok(None) => {
                    self.execution.counts.is_cut_short = done < length;
                    if done < least && !config.stop.ends_exploring() {
                        self.execution.outcome = SequenceOutcome::TooShort;
                    }
                    return;
                }
                Err(fault) => {
                    self.execution.outcome = SequenceOutcome::ProposalFailed(fault);
                    return;
                }
            };
            if !step.is_initial() {
                if done == length {
                    return;
                }
                done += 1;
                self.execution.counts.ran[step.command()] += 1;
            }
            if !self.run(step, OnBlocked::Reject).await {
                return;
            }
            if done == length {
                return;
            }
        }
    }

    fn propose(
        &mut self,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
    ) -> Result<Option<A::Step>, Fault> {
        self.context.enter(Phase::Proposal);
        let (machine, session) = (self.machine, &mut self.session);
        let (counts, reuse_arguments) = (&mut self.execution.counts, self.config.reuse_arguments);
        let mut request = StepRequest { id, rng, allowed, reuse_arguments, counts };
        catch(|| machine.propose(session, &mut request))
    }

    /// Runs recorded steps, after which none follows.
    async fn run_last(&mut self, mut steps: Vec<A::Step>, on_blocked: OnBlocked) {
        let Some(last) = steps.pop() else { return };
        self.is_last = false;
        if self.run_all(steps, on_blocked).await {
            self.is_last = true;
            self.run(last, on_blocked).await;
        }
    }

    /// Runs recorded steps. Returns whether another may follow.
    async fn run_all(&mut self, steps: Vec<A::Step>, on_blocked: OnBlocked) -> bool {
        for step in steps {
            if !self.run(step, on_blocked).await {
                return false;
            }
        }
        true
    }

    /// Draws a step and runs it. Returns whether another may follow.
    async fn run_new(&mut self, proposal: Proposal) -> bool {
        let Proposal { command, id, seed } = proposal;
        let commands = self.execution.counts.ran.len();
        let allowed: Vec<bool> = (0..commands).map(|other| other == command).collect();
        match self.propose(id, &mut Rng::new(seed), &allowed) {
            Ok(Some(step)) => return self.run(step, OnBlocked::Reject).await,
            Ok(None) => self.execution.outcome = SequenceOutcome::Blocked,
            Err(fault) => self.execution.outcome = SequenceOutcome::ProposalFailed(fault),
        }
        false
    }

    /// Runs the next step. Returns whether another may follow.
    async fn run(&mut self, mut step: A::Step, on_blocked: OnBlocked) -> bool {
        if self.mode.is_traced {
            self.execution.states.0 = self.state();
        }
        let mut arguments = self.arguments(&step);
        let mut outcome = self.try_run(&mut step, &arguments).await;
        if matches!(outcome, StepOutcome::Blocked) && on_blocked == OnBlocked::Repair {
            let (machine, session) = (self.machine, &mut self.session);
            let Ok(Some(redrawn)) = catch(|| machine.redraw(session, &step)) else { return true };
            step = redrawn;
            arguments = self.arguments(&step);
            outcome = self.try_run(&mut step, &arguments).await;
            if matches!(outcome, StepOutcome::Blocked) {
                return true;
            }
        }
        self.execution.steps.push(step);
        if self.has_feedback {
            self.execution.fingerprints.push(feedback::fingerprint(&self.state().model));
        }
        if self.mode.has_arguments {
            self.execution.arguments.push(arguments);
        }
        if self.mode.is_traced {
            self.execution.states.1 = self.state();
        }
        self.record(outcome)
    }

    /// Records the outcome of the last step. Returns whether another may follow.
    fn record(&mut self, outcome: StepOutcome) -> bool {
        if let StepOutcome::Passed(notes) = &outcome
            && notes.is_empty()
        {
            return true;
        }
        let index = self.execution.steps.len() - 1;
        let (outcome, notes) = match outcome {
            StepOutcome::Passed(notes) => (SequenceOutcome::Passed, notes),
            StepOutcome::Blocked => (SequenceOutcome::Blocked, StepNotes::default()),
            StepOutcome::Exhausted => (SequenceOutcome::Exhausted, StepNotes::default()),
            StepOutcome::Failed(failed)
                if self.config.keep_going && !self.is_last && failed.is_session_usable =>
            {
                self.execution.survived.push((index + 1, failed.fault));
                (SequenceOutcome::Passed, failed.notes)
            }
            StepOutcome::Failed(failed) => (SequenceOutcome::Failed(failed.fault), failed.notes),
        };
        let command = self.execution.steps[index].command();
        let counts = &mut self.execution.counts;
        if let Some(Notes { warnings, label }) = notes.into_parts() {
            counts.warnings.extend(warnings.into_iter().map(|warning| (command, warning)));
            if let Some(label) = label {
                *counts.labels.entry(label.clone()).or_default() += 1;
                if let Some(before) = self.last_label.replace(label.clone()) {
                    *counts.transitions.entry((before, label)).or_default() += 1;
                }
            }
        }
        self.execution.outcome = outcome;
        matches!(self.execution.outcome, SequenceOutcome::Passed)
    }

    /// The arguments of a step. They are asked for before it runs, since running may change what they
    /// depend on.
    fn arguments(&mut self, step: &A::Step) -> Vec<Argument> {
        if !self.mode.has_arguments {
            return Vec::new();
        }
        self.context.enter(Phase::Proposal);
        let (machine, session) = (self.machine, &mut self.session);
        catch(|| machine.arguments(session, step)).unwrap_or_default()
    }

    async fn try_run(&mut self, step: &mut A::Step, arguments: &[Argument]) -> StepOutcome {
        if let Some(observer) = self.watch.observer {
            observer.step_begins(step, self.mode.has_arguments.then_some(arguments));
        }
        let work = pin!(self.machine.run(&mut self.session, step));
        let outcome = self.watch.call(&self.context, Phase::Step, work).await;
        let outcome = outcome.unwrap_or_else(StepOutcome::failed);
        if let (StepOutcome::Blocked, Some(observer)) = (&outcome, self.watch.observer) {
            observer.step_is_blocked();
        }
        outcome
    }

    fn state(&self) -> StateText {
        catch(|| self.machine.state(&self.session)).unwrap_or_default()
    }

    /// Ends the session, also after a failure.
    async fn finish(self) -> Execution<A::Step> {
        let Self { machine, watch, context, session, mut execution, .. } = self;
        let is_wanted = execution.outcome.is_failure() || !execution.survived.is_empty();
        if is_wanted || !execution.arguments.is_empty() {
            let results = catch(|| machine.results(&session));
            execution.results = results.unwrap_or_default();
        }
        if let Some(observer) = watch.observer {
            observer.steps_end(&execution.outcome);
        }
        let ended = watch.call(&context, Phase::Teardown, pin!(machine.end(session))).await;
        if let (SequenceOutcome::Passed, Err(fault)) =
            (&execution.outcome, ended.and_then(|ended| ended))
        {
            execution.outcome = SequenceOutcome::Failed(fault.during(TEARDOWN));
        }
        execution
    }
}

impl<T> Execution<T> {
    /// A sequence without steps that ended in this way.
    pub(crate) fn ended(outcome: SequenceOutcome, counts: Counts) -> Self {
        Self {
            steps: Vec::new(),
            arguments: Vec::new(),
            results: Vec::new(),
            states: (StateText::default(), StateText::default()),
            outcome,
            survived: Vec::new(),
            counts,
            fingerprints: Vec::new(),
            next_id: 0,
        }
    }
}

/// Which commands a sequence may use: all of them in every second sequence, since some bugs need many;
/// otherwise three quarters of few commands, and half of many.
fn swarm(config: &Config, commands: usize, rng: &mut Rng) -> Vec<bool> {
    if !config.swarm || rng.below(2) == 0 {
        return vec![true; commands];
    }
    let quarters = if commands <= FEW { 3 } else { 2 };
    let mut allowed: Vec<bool> = (0..commands).map(|_| rng.below(4) < quarters).collect();
    if commands > 0 && !allowed.contains(&true) {
        allowed[rng.below(commands)] = true;
    }
    allowed
}
