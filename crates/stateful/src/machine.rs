//! A machine: what the runner runs. The fluent builder is one; a client of a live server can be
//! another.

use crate::{Fault, rng::Rng, step::ShrinkStep};

/// Something that sequences of steps are run on.
///
/// The runner starts a session, has steps proposed from the state that the session is in, and runs
/// them one by one. To shrink, it runs chosen steps again in fresh sessions. All waiting happens in
/// `start`, `run` and `end`; a machine that never waits can be run without a runtime.
///
/// Most tests need none of this: [`stateful`](crate::stateful) builds a machine from closures.
///
/// ```
/// use foolproof_stateful::{Config, Fault, FaultKind, Machine, StepOutcome, Rng, check_machine};
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
///     async fn start(&self, _: bool) -> u32 {
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
    /// What a sequence happens in.
    type Session;
    /// A step, as a record that can be run again.
    type Step: Clone;

    /// The names of the commands.
    fn command_names(&self) -> Vec<String>;

    /// Which of the commands `step` is.
    fn command_index(&self, step: &Self::Step) -> usize;

    /// Starts a fresh session. If it is watched, steps are shown for a report.
    fn start(&self, is_traced: bool) -> impl Future<Output = Self::Session>;

    /// A step of one of the `allowed` commands that can run now; nothing if there is none. Steps that
    /// were considered and cannot run are counted in `blocked`.
    fn propose(
        &self,
        session: &Self::Session,
        id: u32,
        rng: &mut Rng,
        allowed: &[bool],
        blocked: &mut [u64],
    ) -> Option<Self::Step>;

    /// The same command with arguments as they would be drawn now, if it can run.
    fn redraw(&self, session: &Self::Session, step: &Self::Step) -> Option<Self::Step> {
        let _ = (session, step);
        None
    }

    /// The arguments that `step` would have in this state, each with its name.
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

    /// Ends a session, whatever became of it.
    fn end(&self, session: Self::Session) -> impl Future<Output = ()> {
        drop(session);
        std::future::ready(())
    }

    /// How many arguments of `step` can be made simpler.
    fn argument_count(&self, step: &Self::Step) -> usize {
        let _ = step;
        0
    }

    /// The step with one more turn of one argument. What is the simplest already stays as it is.
    fn shrink_argument(
        &self,
        step: &Self::Step,
        argument: usize,
        shrink_step: ShrinkStep,
    ) -> Self::Step {
        let _ = (argument, shrink_step);
        step.clone()
    }

    /// The step with one argument as that of another step, or its own, was at first, before any turns.
    fn reset_argument(
        &self,
        step: &Self::Step,
        argument: usize,
        like: (&Self::Step, usize),
    ) -> Self::Step {
        let _ = (argument, like);
        step.clone()
    }

    /// The model as reports show it.
    fn describe_model(&self, session: &Self::Session) -> String {
        let _ = session;
        String::new()
    }

    /// The step as a line of a file shows it, and [`parse_step`](Self::parse_step) reads it: without a line break
    /// and without `;`. By default nothing, and a failure cannot be replayed but by its seed.
    fn serialize_step(&self, step: &Self::Step) -> String {
        let _ = step;
        String::new()
    }

    /// The step that `line` describes, if it is one of these commands.
    fn parse_step(&self, line: &str) -> Option<Self::Step> {
        let _ = line;
        None
    }
}

/// What became of a step.
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
    /// It ran, and nothing is wrong. What it returned, if it is watched.
    Passed(Option<String>),
    /// It cannot run in this state.
    Blocked,
    /// The last turn of an argument led nowhere.
    Exhausted,
    /// Something is wrong; with what it returned, if it did and is watched.
    Failed(Box<(Fault, Option<String>)>),
}

impl StepOutcome {
    /// Something is wrong; with what the step returned, if it did and is watched.
    #[must_use]
    pub fn failed(fault: Fault, result: Option<String>) -> Self {
        Self::Failed(Box::new((fault, result)))
    }
}
