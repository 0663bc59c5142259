//! An adapter that runs tests written for `proptest-state-machine`.

use std::{fmt::Debug, marker::PhantomData};

use proptest::strategy::{BoxedStrategy, ValueTree};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use crate::{
    Config, Failure, Machine, Statistics, StepOutcome, Tracing,
    argument::{NoValue, build_tree},
    rng::Rng,
    runner,
    step::{ArgumentRecord, ShrinkStep, Step},
    step_syntax,
};

/// The commands of an adapter: the first step creates the initial state.
const COMMANDS: [&str; 2] = ["init", "transition"];
const INIT: usize = 0;
const TRANSITION: usize = 1;

/// How often a transition is drawn until its precondition holds.
const MAX_DRAWS: usize = 32;

/// Runs an existing test of `proptest-state-machine` unchanged: transitions are chosen one by one, and
/// failures are shrunk and reported like those of other tests.
///
/// ```
/// use foolproof_stateful::{Config, from_state_machine};
/// use proptest::prelude::*;
/// use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};
///
/// struct Sum;
///
/// impl ReferenceStateMachine for Sum {
///     type State = u32;
///     type Transition = u32;
///     fn init_state() -> BoxedStrategy<u32> {
///         Just(0).boxed()
///     }
///     fn transitions(_: &u32) -> BoxedStrategy<u32> {
///         (0..100_u32).boxed()
///     }
///     fn apply(state: u32, by: &u32) -> u32 {
///         state + by
///     }
/// }
///
/// impl StateMachineTest for Sum {
///     type SystemUnderTest = u32;
///     type Reference = Self;
///     fn init_test(state: &u32) -> u32 {
///         *state
///     }
///     fn apply(system: u32, state: &u32, by: u32) -> u32 {
///         // Wrong for large numbers.
///         let system = if by >= 90 { system } else { system + by };
///         assert_eq!(system, *state);
///         system
///     }
/// }
///
/// let failure = from_state_machine::<Sum>().check(Config::default()).unwrap_err();
/// let [_, step] = failure.minimal() else { panic!("{failure}") };
/// assert_eq!(step.arguments, ["value: 90"]);
/// ```
#[must_use]
pub fn from_state_machine<T: StateMachineTest>() -> StateMachineAdapter<T> {
    StateMachineAdapter(PhantomData)
}

/// A test of `proptest-state-machine`.
pub struct StateMachineAdapter<T>(PhantomData<fn() -> T>);

type StateOf<T> = <<T as StateMachineTest>::Reference as ReferenceStateMachine>::State;
type TransitionOf<T> = <<T as StateMachineTest>::Reference as ReferenceStateMachine>::Transition;
/// The value tree of a boxed strategy.
type Tree<V> = Box<dyn ValueTree<Value = V>>;

impl<T: StateMachineTest> StateMachineAdapter<T>
where
    StateOf<T>: 'static,
    TransitionOf<T>: 'static,
{
    /// Runs the test.
    #[expect(clippy::needless_pass_by_value, reason = "`check(Config { … })` reads best")]
    pub fn check(self, config: Config) -> Result<Statistics, Failure> {
        // The initial state is a step of its own.
        let max_commands = config.max_commands.saturating_add(1);
        let config = Config { max_commands, swarm: false, ..config.with_chosen_seed() };
        runner::check_sync(&self, &config, None)
    }

    /// Draws a transition whose precondition holds.
    fn transition(
        state: &StateOf<T>,
        rng: &mut Rng,
    ) -> Option<(ArgumentRecord, Tree<TransitionOf<T>>)> {
        let strategy: BoxedStrategy<TransitionOf<T>> = T::Reference::transitions(state);
        for _ in 0..MAX_DRAWS {
            let mut argument = ArgumentRecord::new(rng.bits());
            let Ok(tree) = build_tree(&strategy, &mut argument) else { continue };
            if T::Reference::preconditions(state, &tree.current()) {
                return Some((argument, tree));
            }
        }
        None
    }

    /// The transition of `step` in this state.
    fn value(
        session: &StateMachineSession<T>,
        step: &mut Step,
    ) -> Result<TransitionOf<T>, NoValue> {
        let Some((_, state)) = &session.0 else { return Err(NoValue::Blocked) };
        let tree = step.trees.take().map(<Box<dyn std::any::Any>>::downcast);
        if let Some(Ok(tree)) = tree {
            let tree: Box<Tree<TransitionOf<T>>> = tree;
            return Ok(tree.current());
        }
        let argument = step.arguments.first_mut().ok_or(NoValue::Blocked)?;
        let value = build_tree(&T::Reference::transitions(state), argument)?.current();
        let is_fine = T::Reference::preconditions(state, &value);
        if is_fine { Ok(value) } else { Err(NoValue::Blocked) }
    }

    fn initial(step: &mut Step) -> Result<StateOf<T>, NoValue> {
        let argument = step.arguments.first_mut().ok_or(NoValue::Blocked)?;
        Ok(build_tree(&T::Reference::init_state(), argument)?.current())
    }
}

/// A system and its reference state, once the first step has created them.
pub struct StateMachineSession<T: StateMachineTest>(Option<(T::SystemUnderTest, StateOf<T>)>);

impl<T: StateMachineTest> Machine for StateMachineAdapter<T>
where
    StateOf<T>: 'static,
    TransitionOf<T>: 'static,
{
    type Session = StateMachineSession<T>;
    type Step = Step;

    fn command_names(&self) -> Vec<String> {
        COMMANDS.map(str::to_owned).to_vec()
    }

    fn command_index(&self, step: &Step) -> usize {
        step.command
    }

    async fn start(&self, _: Tracing) -> StateMachineSession<T> {
        StateMachineSession(None)
    }

    fn propose(
        &self,
        session: &StateMachineSession<T>,
        id: u32,
        rng: &mut Rng,
        _: &[bool],
        blocked: &mut [u64],
    ) -> Option<Step> {
        let Some((_, state)) = &session.0 else {
            let arguments = vec![ArgumentRecord::new(rng.bits())];
            return Some(Step { id, command: INIT, arguments, trees: None });
        };
        let Some((argument, tree)) = Self::transition(state, rng) else {
            blocked[TRANSITION] += 1;
            return None;
        };
        let trees: Option<Box<dyn std::any::Any>> = Some(Box::new(tree));
        Some(Step { id, command: TRANSITION, arguments: vec![argument], trees })
    }

    fn redraw(&self, session: &StateMachineSession<T>, step: &Step) -> Option<Step> {
        let (_, state) = session.0.as_ref().filter(|_| step.command == TRANSITION)?;
        let mut rng = Rng::new(step.arguments.first()?.seed);
        let (argument, _) = Self::transition(state, &mut rng)?;
        Some(Step { arguments: vec![argument], ..step.clone() })
    }

    fn describe_arguments(
        &self,
        session: &StateMachineSession<T>,
        step: &Step,
    ) -> Vec<(String, String)> {
        let shown = if step.command == INIT {
            Self::initial(&mut step.clone()).map(|state| debug(&state))
        } else {
            Self::value(session, &mut step.clone()).map(|value| debug(&value))
        };
        shown.map(|shown| ("value".to_owned(), shown)).into_iter().collect()
    }

    async fn run(&self, session: &mut StateMachineSession<T>, step: &mut Step) -> StepOutcome {
        let done = if step.command == INIT && session.0.is_none() {
            Self::initial(step).map(|state| {
                let system = T::init_test(&state);
                (system, state)
            })
        } else {
            Self::value(session, step).and_then(|transition| {
                // `apply` consumes the system: after a panic, the session is empty.
                let (system, state) = session.0.take().ok_or(NoValue::Blocked)?;
                let state = T::Reference::apply(state, &transition);
                let system = T::apply(system, &state, transition);
                Ok((system, state))
            })
        };
        match done {
            Ok((system, state)) => {
                T::check_invariants(&system, &state);
                session.0 = Some((system, state));
                StepOutcome::Passed(None)
            }
            Err(reason) => reason.into(),
        }
    }

    async fn end(&self, session: StateMachineSession<T>) {
        if let Some((system, state)) = session.0 {
            T::teardown(system, state);
        }
    }

    fn argument_count(&self, step: &Step) -> usize {
        step.arguments.len()
    }

    fn shrink_argument(&self, step: &Step, argument: usize, shrink_step: ShrinkStep) -> Step {
        step.with_shrink_step(argument, shrink_step)
    }

    fn reset_argument(&self, step: &Step, argument: usize, like: (&Step, usize)) -> Step {
        step.with_reset_argument(argument, like)
    }

    fn describe_model(&self, session: &StateMachineSession<T>) -> String {
        session.0.as_ref().map(|(_, state)| debug(state)).unwrap_or_default()
    }

    fn serialize_step(&self, step: &Step) -> String {
        step_syntax::serialize(COMMANDS[step.command], step)
    }

    fn parse_step(&self, line: &str) -> Option<Step> {
        let (name, mut step) = step_syntax::parse(line)?;
        step.command = COMMANDS.iter().position(|known| *known == name)?;
        (step.arguments.len() == 1).then_some(step)
    }
}

fn debug(value: &impl Debug) -> String {
    format!("{value:?}")
}
