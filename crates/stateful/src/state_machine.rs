//! An adapter that runs tests written for `proptest-state-machine`.

use std::marker::PhantomData;

use proptest::strategy::{BoxedStrategy, ValueTree as _};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use crate::{
    Argument, Config, Failure, Fault, Machine, SessionContext, StateText, Statistics, StepOutcome,
    StepRequest,
    argument::{NoValue, build_tree},
    rng::Rng,
    runner,
    step::{ArgumentRecord, Step},
    step_syntax,
};

/// The only command of an adapter.
const TRANSITION: &str = "transition";

/// The name of the step that creates the initial state, where steps are written as text.
const INIT: &str = "init";

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
/// let [step] = failure.minimal() else { panic!("{failure}") };
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

impl<T: StateMachineTest> StateMachineAdapter<T>
where
    StateOf<T>: 'static,
    TransitionOf<T>: 'static,
{
    /// Runs the test.
    pub fn check(&self, config: Config) -> Result<Statistics, Failure> {
        // There is one command, so a subset of the commands is all of them.
        let config = Config { swarm: false, ..config };
        let config = config.resolve().map_err(Failure::misuse)?;
        runner::check_here(self, &config)
    }

    /// Draws a transition whose precondition holds.
    fn draw(state: &StateOf<T>, rng: &mut Rng) -> Option<(ArgumentRecord, TransitionOf<T>)> {
        let strategy: BoxedStrategy<TransitionOf<T>> = T::Reference::transitions(state);
        for _ in 0..MAX_DRAWS {
            let mut argument = ArgumentRecord::new(rng.bits());
            let Ok(tree) = build_tree(&strategy, &mut argument) else { continue };
            let transition = tree.current();
            if T::Reference::preconditions(state, &transition) {
                return Some((argument, transition));
            }
        }
        None
    }

    /// The transition that `argument` describes in this state.
    fn transition(
        state: &StateOf<T>,
        argument: &mut ArgumentRecord,
    ) -> Result<TransitionOf<T>, NoValue> {
        let value = build_tree(&T::Reference::transitions(state), argument)?.current();
        let is_allowed = T::Reference::preconditions(state, &value);
        if is_allowed { Ok(value) } else { Err(NoValue::Blocked) }
    }

    /// Draws the values of a step that was not drawn just now.
    fn prepare(session: &mut StateMachineSession<T>, step: &Step) {
        let is_prepared = |known: &PreparedTransition<T>| known.id == step.id;
        if session.prepared.as_ref().is_some_and(is_prepared) {
            return;
        }
        let (id, mut argument) = (step.id, step.arguments[0].clone());
        let value = match (&session.state, step.is_initial) {
            (None, true) => build_tree(&T::Reference::init_state(), &mut argument)
                .map(|tree| Value::Initial(tree.current())),
            (Some((_, state)), false) => {
                Self::transition(state, &mut argument).map(Value::Transition)
            }
            (None, false) | (Some(_), true) => Err(NoValue::Blocked),
        };
        session.prepared = Some(PreparedTransition { id, argument, value });
    }
}

/// A system and its reference state, once the first step has created them.
pub struct StateMachineSession<T: StateMachineTest> {
    state: Option<(T::SystemUnderTest, StateOf<T>)>,
    /// The values of the step that runs next. They are drawn once.
    prepared: Option<PreparedTransition<T>>,
}

struct PreparedTransition<T: StateMachineTest> {
    id: u32,
    argument: ArgumentRecord,
    value: Result<Value<StateOf<T>, TransitionOf<T>>, NoValue>,
}

/// The value of a step.
enum Value<S, V> {
    Initial(S),
    Transition(V),
}

impl<T: StateMachineTest> Machine for StateMachineAdapter<T>
where
    StateOf<T>: 'static,
    TransitionOf<T>: 'static,
{
    type Session = StateMachineSession<T>;
    type Step = Step;

    fn commands(&self) -> Vec<String> {
        vec![TRANSITION.to_owned()]
    }

    async fn start(&self, _: &SessionContext) -> Result<StateMachineSession<T>, Fault> {
        Ok(StateMachineSession { state: None, prepared: None })
    }

    fn propose(
        &self,
        session: &mut StateMachineSession<T>,
        request: &mut StepRequest<'_>,
    ) -> Option<Step> {
        let id = request.id();
        let Some((_, state)) = &session.state else {
            let arguments = vec![ArgumentRecord::new(request.rng().bits())];
            return Some(Step { id, command: 0, is_initial: true, arguments });
        };
        let Some((argument, transition)) = Self::draw(state, request.rng()) else {
            request.count_blocked(0);
            return None;
        };
        let value = Ok(Value::Transition(transition));
        session.prepared = Some(PreparedTransition { id, argument: argument.clone(), value });
        Some(Step { id, command: 0, is_initial: false, arguments: vec![argument] })
    }

    fn redraw(&self, session: &mut StateMachineSession<T>, step: &Step) -> Option<Step> {
        let (_, state) = session.state.as_ref().filter(|_| !step.is_initial)?;
        let mut rng = Rng::new(step.arguments.first()?.seed);
        let (argument, transition) = Self::draw(state, &mut rng)?;
        let value = Ok(Value::Transition(transition));
        session.prepared =
            Some(PreparedTransition { id: step.id, argument: argument.clone(), value });
        Some(Step { arguments: vec![argument], ..step.clone() })
    }

    async fn run(&self, session: &mut StateMachineSession<T>, step: &mut Step) -> StepOutcome {
        Self::prepare(session, step);
        let Some(prepared) = session.prepared.take() else { return StepOutcome::Blocked };
        step.arguments = vec![prepared.argument];
        let (system, state) = match (prepared.value, session.state.take()) {
            (Ok(Value::Initial(state)), _) => (T::init_test(&state), state),
            // `apply` consumes the system: after a panic, the session is empty.
            (Ok(Value::Transition(transition)), Some((system, state))) => {
                let state = T::Reference::apply(state, &transition);
                (T::apply(system, &state, transition), state)
            }
            (Ok(Value::Transition(_)), None) => return StepOutcome::Blocked,
            (Err(reason), state) => {
                session.state = state;
                return reason.into();
            }
        };
        T::check_invariants(&system, &state);
        session.state = Some((system, state));
        StepOutcome::passed()
    }

    async fn end(&self, session: StateMachineSession<T>) -> Result<(), Fault> {
        if let Some((system, state)) = session.state {
            T::teardown(system, state);
        }
        Ok(())
    }

    fn arguments(&self, session: &mut StateMachineSession<T>, step: &Step) -> Vec<Argument> {
        Self::prepare(session, step);
        let prepared = session.prepared.as_ref().and_then(|known| known.value.as_ref().ok());
        let argument = prepared.map(|value| match value {
            Value::Initial(state) => Argument::new("state", format!("{state:?}")),
            Value::Transition(transition) => Argument::new("value", format!("{transition:?}")),
        });
        argument.into_iter().collect()
    }

    fn results(&self, _: &StateMachineSession<T>) -> Vec<String> {
        Vec::new()
    }

    fn state(&self, session: &StateMachineSession<T>) -> StateText {
        let model = session.state.as_ref().map(|(_, state)| format!("{state:?}"));
        StateText { model: model.unwrap_or_default(), ..StateText::default() }
    }

    fn serialize_step(&self, step: &Step) -> String {
        step_syntax::serialize(if step.is_initial { INIT } else { TRANSITION }, step)
    }

    fn parse_step(&self, text: &str) -> Option<Step> {
        let (name, mut step) = step_syntax::parse(text)?;
        step.is_initial = name == INIT;
        let is_known = step.is_initial || name == TRANSITION;
        (is_known && step.arguments.len() == 1).then_some(step)
    }
}
