//! A machine: what the runner runs. The fluent builder is one; a client of a live server can be
//! another.

use crate::{Fault, rng::Rng, step::Turn};

/// Something that sequences of steps are run on.
///
/// The runner starts a session, has steps proposed from the state that the session is in, and runs
/// them one by one. To shrink, it runs chosen steps again in fresh sessions. All waiting happens in
/// `start`, `run` and `end`; a machine that never waits can be run without a runtime.
///
/// A test of the fluent builder is one; this does by hand what the runner does:
///
/// ```
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// use foolproof_stateful::{Machine, Ran, Rng, stateful};
///
/// let test = stateful::<u8, u8>()
///     .model(|| 0)
///     .sut(|| 0)
///     .command("set", |c| {
///         c.forall("to", 1..9_u8).run(|to, model, system| (*model, *system) = (to, to))
///     });
/// let mut session = test.start(false).await;
/// let step = test.propose(&session, 0, &mut Rng::new(1), &[true], &mut [0]);
/// let mut step = step.unwrap();
/// assert!(matches!(test.run(&mut session, &mut step).await, Ran::Passed(_)));
/// assert_ne!(test.show(&session), "0");
///
/// // A step can be written, read and run again.
/// let mut again = test.read(&test.write(&step)).unwrap();
/// let mut other = test.start(false).await;
/// test.run(&mut other, &mut again).await;
/// assert_eq!(test.show(&other), test.show(&session));
/// test.end(session).await;
/// test.end(other).await;
/// # }
/// ```
pub trait Machine {
    /// What a sequence happens in.
    type Session;
    /// A step, as a record that can be run again.
    type Step: Clone;

    /// The names of the commands.
    fn commands(&self) -> Vec<String>;

    /// Which of the commands `step` is.
    fn command(&self, step: &Self::Step) -> usize;

    /// Starts a fresh session. If it is watched, steps are shown for a report.
    fn start(&self, is_watched: bool) -> impl Future<Output = Self::Session>;

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
    fn redraw(&self, session: &Self::Session, step: &Self::Step) -> Option<Self::Step>;

    /// The arguments that `step` would have in this state, each with its name.
    fn describe(&self, session: &Self::Session, step: &Self::Step) -> Vec<(String, String)>;

    /// Runs a step.
    fn run(&self, session: &mut Self::Session, step: &mut Self::Step) -> impl Future<Output = Ran>;

    /// Ends a session, whatever became of it.
    fn end(&self, session: Self::Session) -> impl Future<Output = ()>;

    /// How many arguments of `step` can be made simpler.
    fn arguments(&self, step: &Self::Step) -> usize;

    /// The step with one more turn of one argument.
    fn turn(&self, step: &Self::Step, argument: usize, turn: Turn) -> Self::Step;

    /// The model as reports show it.
    fn show(&self, session: &Self::Session) -> String;

    /// The step as a line of a file shows it, and [`read`](Self::read) reads it.
    fn write(&self, step: &Self::Step) -> String;

    /// The step that `line` describes, if it is one of these commands.
    fn read(&self, line: &str) -> Option<Self::Step>;
}

/// What became of a step.
///
/// ```
/// use foolproof_stateful::{Fault, FaultKind, Ran};
///
/// let fault = Fault::new(FaultKind::Error, "", "refused");
/// let ran = Ran::Failed(Box::new((fault, None)));
/// assert!(matches!(ran, Ran::Failed(failed) if failed.0.kind() == FaultKind::Error));
/// ```
#[derive(Clone, Debug)]
pub enum Ran {
    /// It ran, and nothing is wrong. What it returned, if it is watched.
    Passed(Option<String>),
    /// It cannot run in this state.
    Blocked,
    /// The last turn of an argument led nowhere.
    Spent,
    /// Something is wrong; with what it returned, if it did and is watched.
    Failed(Box<(Fault, Option<String>)>),
}

impl Ran {
    pub(crate) fn failed(fault: Fault, result: Option<String>) -> Self {
        Self::Failed(Box::new((fault, result)))
    }
}
