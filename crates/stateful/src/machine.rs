//! The interface between the runner and what it runs. The fluent builder makes one machine; a client of
//! a live server can be another.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use crate::{Fault, rng::Rng, statistics::Counts, step::ShrinkStep};

/// A model and a system that sequences of steps are run on.
///
/// The runner starts a session, asks for a step that can run in its state, runs it, and repeats. To
/// shrink, it runs recorded steps again in fresh sessions. Only `start`, `run` and `end` are
/// asynchronous; a machine whose futures are ready when first polled needs no runtime.
///
/// No method has a default, so that a machine that wraps another cannot forget to pass one on.
///
/// Most tests need none of this: [`stateful`](crate::stateful) builds a machine from closures.
///
/// ```
/// use foolproof_stateful::{
///     Argument, Config, Fault, FaultKind, Machine, SessionContext, StateText, StepOutcome, StepRecord,
///     StepRequest, check_machine,
/// };
///
/// /// A lamp with a switch that breaks when it is pressed for the fourth time.
/// struct Lamp;
///
/// #[derive(Clone)]
/// struct Press;
///
/// impl StepRecord for Press {
///     fn command(&self) -> usize {
///         0
///     }
/// }
///
/// impl Machine for Lamp {
///     type Session = u32;
///     type Step = Press;
///
///     fn commands(&self) -> Vec<String> {
///         vec!["press".to_owned()]
///     }
///     async fn start(&self, _: &SessionContext) -> Result<u32, Fault> {
///         Ok(0)
///     }
///     fn propose(&self, _: &mut u32, request: &mut StepRequest<'_>) -> Option<Press> {
///         request.is_allowed(0).then_some(Press)
///     }
///     fn redraw(&self, _: &mut u32, step: &Press) -> Option<Press> {
///         Some(step.clone())
///     }
///     async fn run(&self, pressed: &mut u32, _: &mut Press) -> StepOutcome {
///         *pressed += 1;
///         if *pressed < 4 {
///             return StepOutcome::passed();
///         }
///         StepOutcome::failed(Fault::new(FaultKind::Error, "switch", "it broke"))
///     }
///     async fn end(&self, _: u32) -> Result<(), Fault> {
///         Ok(())
///     }
///     fn arguments(&self, _: &mut u32, _: &Press) -> Vec<Argument> {
///         Vec::new()
///     }
///     fn results(&self, _: &u32) -> Vec<String> {
///         Vec::new()
///     }
///     fn state(&self, pressed: &u32) -> StateText {
///         StateText { model: format!("pressed {pressed} times"), ..StateText::default() }
///     }
///     fn serialize_step(&self, _: &Press) -> String {
///         "press".to_owned()
///     }
///     fn parse_step(&self, text: &str) -> Option<Press> {
///         (text == "press").then_some(Press)
///     }
/// }
///
/// let failure = check_machine(&Lamp, &Config::default()).unwrap_err();
/// assert_eq!(failure.minimal().len(), 4);
/// assert_eq!(failure.replay(), "press; press; press; press");
/// ```
pub trait Machine {
    /// The state of one sequence.
    type Session;
    /// A step, as a record that can be run again.
    type Step: StepRecord;

    /// The names of the commands.
    fn commands(&self) -> Vec<String>;

    /// Starts a fresh session. A fault here is reported as one of the start, before any step.
    fn start(&self, context: &SessionContext)
    -> impl Future<Output = Result<Self::Session, Fault>>;

    /// A step that can run in this state, or `None` if there is none among the allowed commands.
    fn propose(
        &self,
        session: &mut Self::Session,
        request: &mut StepRequest<'_>,
    ) -> Option<Self::Step>;

    /// A step of the same command with arguments drawn in this state, if it can run. Shrinking repairs
    /// steps in this way which cannot run any more.
    fn redraw(&self, session: &mut Self::Session, step: &Self::Step) -> Option<Self::Step>;

    /// Runs a step.
    fn run(
        &self,
        session: &mut Self::Session,
        step: &mut Self::Step,
    ) -> impl Future<Output = StepOutcome>;

    /// Ends a session, also after a step that failed.
    fn end(&self, session: Self::Session) -> impl Future<Output = Result<(), Fault>>;

    /// The arguments that `step` has in this state. It is asked right before the step runs, and the step
    /// must run with the same.
    fn arguments(&self, session: &mut Self::Session, step: &Self::Step) -> Vec<Argument>;

    /// The results of the steps that ran in this session, as text. One that is empty is not shown. They
    /// may be cut off, unless the session is traced.
    fn results(&self, session: &Self::Session) -> Vec<String>;

    /// The model and the system as text for reports.
    fn state(&self, session: &Self::Session) -> StateText;

    /// The step as text that [`parse_step`](Self::parse_step) reads, without line breaks, `;` and ` = `.
    /// If it is empty, a failure can only be repeated by its seed.
    fn serialize_step(&self, step: &Self::Step) -> String;

    /// The step that `text` describes, if it fits the commands of this machine.
    fn parse_step(&self, text: &str) -> Option<Self::Step>;
}

/// What shrinking and reporting need of a machine. They do not depend on its type, so that they are compiled
/// once, and not for every test.
pub(crate) trait StepText<T> {
    fn commands(&self) -> Vec<String>;
    fn serialize_step(&self, step: &T) -> String;
    fn parse_step(&self, text: &str) -> Option<T>;
}

impl<A: Machine> StepText<A::Step> for A {
    fn commands(&self) -> Vec<String> {
        Machine::commands(self)
    }

    fn serialize_step(&self, step: &A::Step) -> String {
        Machine::serialize_step(self, step)
    }

    fn parse_step(&self, text: &str) -> Option<A::Step> {
        Machine::parse_step(self, text)
    }
}

/// A step as a record, from which it can be run again. By default it has no arguments to shrink.
pub trait StepRecord: Clone {
    /// The index of its command in [`Machine::commands`].
    fn command(&self) -> usize;

    /// Whether it creates the initial state. Such a step comes first, is never removed, and does not count
    /// for the length of a sequence.
    fn is_initial(&self) -> bool {
        false
    }

    /// Its number in the sequence that it was drawn for, and the numbers of the steps whose results it uses;
    /// `None` if that is not known. With it, shrinking first tries the failing step with those it depends on.
    fn dependencies(&self) -> Option<(u32, Vec<u32>)> {
        None
    }

    /// How many arguments can be shrunk.
    fn argument_count(&self) -> usize {
        0
    }

    /// Whether an argument is known to be the simplest that it can be.
    fn is_simplest(&self, argument: usize) -> bool {
        let _ = argument;
        false
    }

    /// The step with one more shrink step of one argument. An argument that is the simplest already stays
    /// as it is.
    #[must_use]
    fn shrink_argument(&self, argument: usize, shrink_step: ShrinkStep) -> Self {
        let _ = (argument, shrink_step);
        self.clone()
    }

    /// The step with one argument as it was before shrinking.
    #[must_use]
    fn reset_argument(&self, argument: usize) -> Self {
        let _ = argument;
        self.clone()
    }

    /// The step with one argument that is drawn and shrunk as an argument of `source` is. If both are drawn
    /// in the same way, they have the same value.
    #[must_use]
    fn copy_argument(&self, argument: usize, source: &Self, source_argument: usize) -> Self {
        let _ = (argument, source, source_argument);
        self.clone()
    }

    /// The step with one argument drawn anew from `seed`.
    #[must_use]
    fn draw_argument(&self, argument: usize, seed: u64) -> Self {
        let _ = (argument, seed);
        self.clone()
    }
}

/// What a session is started for.
///
/// ```
/// use foolproof_stateful::{Phase, SessionContext};
///
/// let context = SessionContext::default();
/// assert!(!context.is_traced());
/// context.enter(Phase::Setup);
/// ```
#[derive(Clone, Debug, Default)]
pub struct SessionContext {
    pub(crate) is_traced: bool,
    pub(crate) sequence: Option<u64>,
    pub(crate) activity: Option<Arc<Activity>>,
}

impl SessionContext {
    /// Whether results are recorded in full for a report.
    #[must_use]
    pub fn is_traced(&self) -> bool {
        self.is_traced
    }

    /// Whether the session runs a new random sequence, and not one that is replayed, confirmed or shrunk.
    #[must_use]
    pub fn is_exploring(&self) -> bool {
        self.sequence.is_some()
    }

    /// The index of the new random sequence that the session runs; `None` if it replays, confirms or shrinks one.
    /// Sequences may run at the same time, so this is the order that results do not depend on.
    #[must_use]
    pub fn sequence(&self) -> Option<u64> {
        self.sequence
    }

    /// Reports what the session does from now on, so that a call that hangs is blamed on it.
    #[inline]
    pub fn enter(&self, phase: Phase) {
        if let Some(activity) = &self.activity {
            activity.enter(phase);
        }
    }
}

/// What a session does.
///
/// ```
/// use foolproof_stateful::Phase;
///
/// assert_eq!(Phase::System.to_string(), "creating the system");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Phase {
    /// It creates the model.
    Model,
    /// It creates the system.
    System,
    /// It runs the setup.
    Setup,
    /// It chooses a step: preconditions, candidates and strategies that depend on the model.
    Proposal,
    /// It runs a step, and checks what must hold after it.
    Step,
    /// It runs the teardown.
    Teardown,
}

impl Phase {
    const ALL: [Self; 6] =
        [Self::Model, Self::System, Self::Setup, Self::Proposal, Self::Step, Self::Teardown];

    /// The phase with this number.
    pub(crate) fn from_number(number: u64) -> Option<Self> {
        usize::try_from(number).ok().and_then(|number| Self::ALL.get(number).copied())
    }
}

impl std::fmt::Display for Phase {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::Model => "creating the model",
            Self::System => "creating the system",
            Self::Setup => "setup",
            Self::Proposal => "choosing a step",
            Self::Step => "a step",
            Self::Teardown => "teardown",
        })
    }
}

/// What a session does now, for whoever watches the time. Each phase has the time limit for itself.
#[derive(Default)]
pub(crate) struct Activity {
    now: AtomicU64,
    /// Is called with every phase.
    notify: Option<Box<dyn Fn(Phase) + Send + Sync>>,
}

impl Activity {
    /// One that passes every phase on.
    pub(crate) fn notifying(notify: impl Fn(Phase) + Send + Sync + 'static) -> Self {
        Self { notify: Some(Box::new(notify)), ..Self::default() }
    }

    pub(crate) fn enter(&self, phase: Phase) {
        let count = self.now.load(Ordering::Relaxed) >> 8;
        self.now.store(((count + 1) << 8) | phase as u64, Ordering::Release);
        if let Some(notify) = &self.notify {
            notify(phase);
        }
    }

    /// The phase, and a number that is another one in every phase.
    pub(crate) fn now(&self) -> (Phase, u64) {
        let now = self.now.load(Ordering::Acquire);
        (Phase::from_number(now & 0xff).unwrap_or(Phase::Step), now)
    }
}

impl std::fmt::Debug for Activity {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Activity({:?})", self.now().0)
    }
}

/// What the runner wants of the next step.
#[derive(Debug)]
pub struct StepRequest<'a> {
    pub(crate) id: u32,
    pub(crate) rng: &'a mut Rng,
    pub(crate) allowed: &'a [bool],
    pub(crate) reuse_arguments: bool,
    pub(crate) counts: &'a mut Counts,
}

impl StepRequest<'_> {
    /// The number of the step in its sequence.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.id
    }

    /// The random number generator of the sequence.
    #[inline]
    pub fn rng(&mut self) -> &mut Rng {
        self.rng
    }

    /// Whether a step of this command may be proposed.
    #[must_use]
    pub fn is_allowed(&self, command: usize) -> bool {
        self.allowed.get(command).copied().unwrap_or(false)
    }

    /// Counts that a command was tried and cannot run in this state.
    pub fn count_blocked(&mut self, command: usize) {
        if let Some(count) = self.counts.blocked.get_mut(command) {
            *count += 1;
        }
    }

    /// Counts that an argument of a command has no value, since its strategy rejects nearly everything.
    pub fn count_rejected(&mut self, command: usize, argument: &str) {
        *self.counts.rejected.entry((command, argument.to_owned())).or_default() += 1;
    }

    /// Whether arguments should now and then be those of earlier steps.
    #[must_use]
    pub fn reuses_arguments(&self) -> bool {
        self.reuse_arguments
    }
}

/// An argument of a step as text.
///
/// ```
/// use foolproof_stateful::Argument;
///
/// assert_eq!(Argument::new("key", "3").to_string(), "key: 3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// The `Debug` text of its value.
    pub value: String,
}

impl Argument {
    /// An argument of this name and value.
    #[must_use]
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into() }
    }
}

impl std::fmt::Display for Argument {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.name, self.value)
    }
}

/// The model and the system as text. What is empty is not shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StateText {
    /// The model.
    pub model: String,
    /// The system.
    pub system: String,
}

/// The outcome of a step.
///
/// ```
/// use foolproof_stateful::{Fault, FaultKind, StepOutcome};
///
/// let outcome = StepOutcome::failed(Fault::new(FaultKind::Error, "", "refused"));
/// assert!(matches!(outcome, StepOutcome::Failed(failed) if failed.fault.kind() == FaultKind::Error));
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum StepOutcome {
    /// It ran without a fault.
    Passed(StepNotes),
    /// It cannot run in this state.
    Blocked,
    /// The last shrink step of an argument did not change its value.
    Exhausted,
    /// It failed.
    Failed(Box<FailedStep>),
}

/// What a step reports besides its outcome: warnings and a label.
///
/// ```
/// use foolproof_stateful::StepOutcome;
///
/// let StepOutcome::Passed(notes) = StepOutcome::passed().with_label("empty") else { unreachable!() };
/// assert_eq!((notes.label(), notes.warnings()), (Some("empty"), &[][..]));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StepNotes(Option<Box<Notes>>);

/// The parts of notes. They are boxed, since most steps have none.
#[derive(Clone, Debug, Default)]
pub(crate) struct Notes {
    pub(crate) warnings: Vec<Fault>,
    pub(crate) label: Option<String>,
}

impl StepNotes {
    /// What to warn of.
    #[must_use]
    pub fn warnings(&self) -> &[Fault] {
        self.0.as_ref().map_or(&[], |notes| &notes.warnings)
    }

    /// The label of the step, which statistics count.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        self.0.as_ref().and_then(|notes| notes.label.as_deref())
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    pub(crate) fn into_parts(self) -> Option<Notes> {
        self.0.map(|notes| *notes)
    }

    fn parts(&mut self) -> &mut Notes {
        self.0.get_or_insert_default()
    }
}

/// A step that failed.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FailedStep {
    /// What went wrong.
    pub fault: Fault,
    /// Its warnings and its label.
    pub notes: StepNotes,
    /// Whether the session can be used further. A run that keeps going then does so
    /// ([`Config::keep_going`](crate::Config::keep_going)).
    pub is_session_usable: bool,
}

impl StepOutcome {
    /// The outcome of a step that ran without a fault.
    #[must_use]
    #[inline]
    pub fn passed() -> Self {
        Self::Passed(StepNotes::default())
    }

    /// The outcome of a step that failed with `fault`, after which the session cannot be used.
    #[must_use]
    pub fn failed(fault: Fault) -> Self {
        let notes = StepNotes::default();
        Self::Failed(Box::new(FailedStep { fault, notes, is_session_usable: false }))
    }

    /// The same outcome after which the session can be used further.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind, StepOutcome};
    ///
    /// let fault = Fault::new(FaultKind::Error, "", "refused");
    /// let StepOutcome::Failed(failed) = StepOutcome::failed(fault).with_usable_session() else {
    ///     unreachable!()
    /// };
    /// assert!(failed.is_session_usable);
    /// ```
    #[must_use]
    pub fn with_usable_session(mut self) -> Self {
        if let Self::Failed(failed) = &mut self {
            failed.is_session_usable = true;
        }
        self
    }

    /// The same outcome with one more warning.
    ///
    /// ```
    /// use foolproof_stateful::{Fault, FaultKind, StepOutcome};
    ///
    /// let warning = Fault::new(FaultKind::Error, "slow", "it took 3 s");
    /// let outcome = StepOutcome::passed().with_warning(warning);
    /// assert!(matches!(outcome, StepOutcome::Passed(notes) if notes.warnings().len() == 1));
    /// ```
    #[must_use]
    pub fn with_warning(mut self, warning: Fault) -> Self {
        if let Some(notes) = self.notes() {
            notes.parts().warnings.push(warning);
        }
        self
    }

    /// The same outcome of a step with this label.
    ///
    /// ```
    /// use foolproof_stateful::StepOutcome;
    ///
    /// let outcome = StepOutcome::passed().with_label("empty");
    /// assert!(matches!(outcome, StepOutcome::Passed(notes) if notes.label() == Some("empty")));
    /// ```
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        if let Some(notes) = self.notes() {
            notes.parts().label = Some(label.into());
        }
        self
    }

    /// The same outcome with these warnings and this label, instead of those that it had.
    #[must_use]
    pub fn with_notes(mut self, added: StepNotes) -> Self {
        if let Some(notes) = self.notes() {
            *notes = added;
        }
        self
    }

    fn notes(&mut self) -> Option<&mut StepNotes> {
        match self {
            Self::Passed(notes) => Some(notes),
            Self::Failed(failed) => Some(&mut failed.notes),
            Self::Blocked | Self::Exhausted => None,
        }
    }
}
