//! Running one sequence of steps in a fresh session.

use crate::{
    Fault, Machine, StepOutcome, Tracing,
    panics::{catch, catch_async},
    rng::Rng,
};

/// The arguments and the result of a step as text.
pub(crate) struct StepTrace {
    /// Its arguments, as pairs of name and value.
    pub(crate) arguments: Vec<(String, String)>,
    /// Its result, unless it failed before it had one.
    pub(crate) result: Option<String>,
}

/// A sequence that was run.
pub(crate) struct Execution<T> {
    /// The steps that ran. If the sequence failed, the last one failed.
    pub(crate) steps: Vec<T>,
    /// The same steps as text, if they were traced.
    pub(crate) traces: Vec<StepTrace>,
    /// The model before and after the last step, if they were traced.
    pub(crate) models: (String, String),
    pub(crate) outcome: SequenceOutcome,
}

/// How a sequence ended.
#[derive(Clone, Debug)]
pub(crate) enum SequenceOutcome {
    Passed,
    /// A step could not run.
    Blocked,
    /// The last shrink step of an argument did not change its value.
    Exhausted,
    Failed(Fault),
    /// A panic outside of any step: in a factory, a precondition or a strategy.
    PanicOutsideStep(Fault),
}

impl SequenceOutcome {
    /// Whether the sequence is to be reported.
    pub(crate) fn is_failure(&self) -> bool {
        match self {
            Self::Failed(_) | Self::PanicOutsideStep(_) => true,
            Self::Passed | Self::Blocked | Self::Exhausted => false,
        }
    }
}

/// What happens to a step that cannot run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnBlocked {
    /// The sequence ends as blocked.
    Reject,
    /// Its arguments are drawn again; if it still cannot run, it is left out.
    Repair,
}

/// Runs recorded steps in a fresh session.
pub(crate) async fn run_steps<A: Machine>(
    machine: &A,
    steps: &[A::Step],
    on_blocked: OnBlocked,
    tracing: Tracing,
) -> Execution<A::Step> {
    let mut sequence = match SequenceRun::start(machine, tracing).await {
        Ok(sequence) => sequence,
        Err(fault) => return Execution::not_started(fault),
    };
    sequence.run_all(steps, on_blocked).await;
    sequence.finish().await
}

/// A step to be drawn: its command, its number, and the seed of its arguments.
pub(crate) struct Proposal {
    pub(crate) command: usize,
    pub(crate) id: u32,
    pub(crate) seed: u64,
}

/// Runs `before`, then a step drawn in the state that it leads to, then `after`.
pub(crate) async fn run_with_proposal<A: Machine>(
    machine: &A,
    before: &[A::Step],
    proposal: Proposal,
    after: &[A::Step],
) -> Execution<A::Step> {
    let mut sequence = match SequenceRun::start(machine, Tracing::Off).await {
        Ok(sequence) => sequence,
        Err(fault) => return Execution::not_started(fault),
    };
    if sequence.run_all(before, OnBlocked::Reject).await && sequence.run_new(proposal).await {
        sequence.run_all(after, OnBlocked::Repair).await;
    }
    sequence.finish().await
}

/// A sequence that is running.
pub(crate) struct SequenceRun<'a, A: Machine> {
    machine: &'a A,
    pub(crate) session: A::Session,
    steps: Vec<A::Step>,
    traces: Vec<StepTrace>,
    models: (String, String),
    pub(crate) outcome: SequenceOutcome,
    tracing: Tracing,
}

impl<'a, A: Machine> SequenceRun<'a, A> {
    pub(crate) async fn start(machine: &'a A, tracing: Tracing) -> Result<Self, Fault> {
        let session = catch_async(machine.start(tracing)).await?;
        let (steps, traces, models) = (Vec::new(), Vec::new(), Default::default());
        Ok(Self {
            machine,
            session,
            steps,
            traces,
            models,
            outcome: SequenceOutcome::Passed,
            tracing,
        })
    }

    /// Runs recorded steps. Returns whether another may follow.
    async fn run_all(&mut self, steps: &[A::Step], on_blocked: OnBlocked) -> bool {
        for step in steps {
            if !self.run(step.clone(), on_blocked).await {
                return false;
            }
        }
        true
    }

    /// Draws a step and runs it. Returns whether another may follow.
    async fn run_new(&mut self, proposal: Proposal) -> bool {
        let Proposal { command, id, seed } = proposal;
        let commands = self.machine.command_names().len();
        let allowed: Vec<bool> = (0..commands).map(|other| other == command).collect();
        let mut blocked = vec![0; commands];
        let mut rng = Rng::new(seed);
        let proposed =
            catch(|| self.machine.propose(&self.session, id, &mut rng, &allowed, &mut blocked));
        match proposed {
            Ok(Some(step)) => return self.run(step, OnBlocked::Reject).await,
            Ok(None) => self.outcome = SequenceOutcome::Blocked,
            Err(fault) => self.outcome = SequenceOutcome::PanicOutsideStep(fault),
        }
        false
    }

    /// Runs the next step. Returns whether another may follow.
    pub(crate) async fn run(&mut self, mut step: A::Step, on_blocked: OnBlocked) -> bool {
        let mut arguments = Vec::new();
        if self.tracing.is_on() {
            self.models.0 = self.describe_model();
            // Described before the step runs, since running may change what its arguments depend on.
            let described = catch(|| self.machine.describe_arguments(&self.session, &step));
            arguments = described.unwrap_or_default();
        }
        let mut outcome = self.try_run(&mut step).await;
        if matches!(outcome, Ok(StepOutcome::Blocked)) && on_blocked == OnBlocked::Repair {
            let redrawn = catch(|| self.machine.redraw(&self.session, &step));
            let Ok(Some(redrawn)) = redrawn else { return true };
            step = redrawn;
            outcome = self.try_run(&mut step).await;
            if matches!(outcome, Ok(StepOutcome::Blocked)) {
                return true;
            }
        }
        let (sequence_outcome, result) = match outcome {
            Ok(StepOutcome::Passed(result)) => (SequenceOutcome::Passed, result),
            Ok(StepOutcome::Blocked) => (SequenceOutcome::Blocked, None),
            Ok(StepOutcome::Exhausted) => (SequenceOutcome::Exhausted, None),
            Ok(StepOutcome::Failed(failed)) => (SequenceOutcome::Failed(failed.0), failed.1),
            Err(fault) => (SequenceOutcome::Failed(fault), None),
        };
        if self.tracing.is_on() {
            self.models.1 = self.describe_model();
            self.traces.push(StepTrace { arguments, result });
        }
        self.steps.push(step);
        self.outcome = sequence_outcome;
        matches!(self.outcome, SequenceOutcome::Passed)
    }

    async fn try_run(&mut self, step: &mut A::Step) -> Result<StepOutcome, Fault> {
        catch_async(self.machine.run(&mut self.session, step)).await
    }

    fn describe_model(&self) -> String {
        catch(|| self.machine.describe_model(&self.session)).unwrap_or_default()
    }

    /// Ends the session, also after a failure.
    pub(crate) async fn finish(self) -> Execution<A::Step> {
        let Self { machine, session, steps, traces, models, mut outcome, .. } = self;
        let ended = catch_async(machine.end(session)).await;
        if let (SequenceOutcome::Passed, Err(fault)) = (&outcome, ended) {
            outcome = SequenceOutcome::Failed(fault.during("teardown"));
        }
        Execution { steps, traces, models, outcome }
    }
}

impl<T> Execution<T> {
    /// A sequence whose session could not be started.
    pub(crate) fn not_started(fault: Fault) -> Self {
        let (steps, traces, models) = (Vec::new(), Vec::new(), Default::default());
        Self { steps, traces, models, outcome: SequenceOutcome::PanicOutsideStep(fault) }
    }
}
