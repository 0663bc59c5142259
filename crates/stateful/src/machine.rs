//! The interface between the runner and what it runs. The fluent builder makes one machine; a client of
//! a live server can be another.

use crate::{Fault, rng::Rng, step::ShrinkStep};

/// A model and a system that sequences of steps are run on.
///
/// The runner starts a session, asks for a step that can run in its state, runs it, and repeats. To
/// shrink, it runs recorded steps again in fresh sessions. Only `start`, `run` and `end` are
/// asynchronous; a machine whose futures are ready when first polled needs no runtime.
///
/// Most tests need none of this: [`stateful`](crate::stateful) builds a machine from closures.
///
/// ```
/// use foolproof_stateful::{
///     Config, Fault, FaultKind, Machine, Rng, StepOutcome, Tracing, check_machine,
/// };
///
/// /// A lamp with a switch that breaks when it is pressed for the fourth time.
/// struct Lamp;
///
/// impl Machine for Lamp {
///     type Session = u32;
///     type Step = ();
///
///     fn command_names(&self) -> Vec<String> {
///         vec!["press".to_owned()]
///     }
///     fn command_index(&self, (): &()) -> usize {
///         0
///     }
///     async fn start(&self, _: Tracing) -> u32 {
///         0
///     }
///     fn propose(&self, _: &u32, _: u32, _: &mut Rng, _: &[bool], _: &mut [u64]) -> Option<()> {
///         Some(())
///     }
///     async fn run(&self, pressed: &mut u32, (): &mut ()) -> StepOutcome {
///         *pressed += 1;
///         if *pressed < 4 {
///             return StepOutcome::Passed(None);
///         }
///         StepOutcome::failed(Fault::new(FaultKind::Error, "switch", "it broke"), None)
///     }
/// }
///
/// let failure = check_machine(&Lamp, &Config::default()).unwrap_err();
/// assert_eq!(failure.minimal().len(), 4);
/// ```
pub trait Machine {
    /// The state of one sequence.
    type Session;
    /// A step, as a record that can be run again.
    type Step: Clone;

    /// The names of the commands.
    fn command_names(&self) -> Vec<String>;

    /// The index of the command of `step`.
    fn command_index(&self, step: &Self::Step) -> usize;

    /// Starts a fresh session. If it is traced, outcomes include the results of steps.
    fn start(&self, tracing: Tracing) -> impl Future<Output = Self::Session>;

    /// A step of one of the `allowed` commands that can run in this state, or `None`. Commands that were
    /// tried and cannot run are counted in `blocked`.
    fn propose(
        &self,
        session: &Self::Session,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<Self::Step>;

    /// A step of the same command with arguments drawn in this state, if it can run.
    fn redraw(&self, session: &Self::Session, step: &Self::Step) -> Option<Self::Step> {
        let _ = (session, step);
        None
    }

    /// The arguments that `step` has in this state, as pairs of name and value.
    fn describe_arguments(
        &self,
        session: &Self::Session,
        step: &Self::Step,
    ) -> Vec<(String, String)> {
        let _ = (session, step);
        Vec::new()
    }

    /// Runs a step.
    fn run(
        &self,
        session: &mut Self::Session,
        step: &mut Self::Step,
    ) -> impl Future<Output = StepOutcome>;

    /// Ends a session, also after a step that failed.
    fn end(&self, session: Self::Session) -> impl Future<Output = ()> {
        drop(session);
        std::future::ready(())
    }

    /// How many arguments of `step` can be shrunk.
    fn argument_count(&self, step: &Self::Step) -> usize {
        let _ = step;
        0
    }

    /// `step` with one more shrink step of one argument. An argument that is the simplest already stays
    /// as it is.
    fn shrink_argument(
        &self,
        step: &Self::Step,
        argument: usize,
        shrink_step: ShrinkStep,
    ) -> Self::Step {
        let _ = (argument, shrink_step);
        step.clone()
    }

    /// `step` with one argument replaced by an argument of `like` (the same step or another) as it was
    /// before shrinking.
    fn reset_argument(
        &self,
        step: &Self::Step,
        argument: usize,
        like: (&Self::Step, usize),
    ) -> Self::Step {
        let _ = (argument, like);
        step.clone()
    }

    /// The model as text for reports.
    fn describe_model(&self, session: &Self::Session) -> String {
        let _ = session;
        String::new()
    }

    /// The step as text that [`parse_step`](Self::parse_step) reads, without line breaks and without `;`.
    /// By default it is empty, and a failure can only be repeated by its seed.
    fn serialize_step(&self, step: &Self::Step) -> String {
        let _ = step;
        String::new()
    }

    /// The step that `line` describes, if it fits the commands of this machine.
    fn parse_step(&self, line: &str) -> Option<Self::Step> {
        let _ = line;
        None
    }
}

/// Whether a session records results of steps as text. Only reports need them, and formatting costs time.
///
/// ```
/// use foolproof_stateful::Tracing;
///
/// assert!(Tracing::On.is_on() && !Tracing::Off.is_on());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tracing {
    /// Nothing is recorded.
    Off,
    /// Results are recorded.
    On,
}

impl Tracing {
    /// Whether results are recorded.
    #[must_use]
    pub fn is_on(self) -> bool {
        self == Self::On
    }
}

/// The outcome of a step.
///
/// ```
/// use foolproof_stateful::{Fault, FaultKind, StepOutcome};
///
/// let fault = Fault::new(FaultKind::Error, "", "refused");
/// let outcome = StepOutcome::Failed(Box::new((fault, None)));
/// assert!(matches!(outcome, StepOutcome::Failed(failed) if failed.0.kind() == FaultKind::Error));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepOutcome {
    /// It ran without a fault. Its result, if the session is traced.
    Passed(Option<String>),
    /// It cannot run in this state.
    Blocked,
    /// The last shrink step of an argument did not change its value.
    Exhausted,
    /// It failed with this fault. Its result, if it has one and the session is traced.
    Failed(Box<(Fault, Option<String>)>),
}

impl StepOutcome {
    /// The outcome of a step that failed with `fault`; with its result, if it has one and the session is
    /// traced.
    #[must_use]
    pub fn failed(fault: Fault, result: Option<String>) -> Self {
        Self::Failed(Box::new((fault, result)))
    }
}
