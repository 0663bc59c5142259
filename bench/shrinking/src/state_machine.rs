//! `proptest-state-machine`, as its manual has it.

use std::marker::PhantomData;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use crate::{
    planted::systems::Jug,
    puzzle::{Kind, Puzzle, Step, Value, is_possible},
    watch,
};

struct Reference<P>(PhantomData<P>);

impl<P: Puzzle> ReferenceStateMachine for Reference<P> {
    /// The model, and what it predicts of the last step.
    type State = (P::Model, String);
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self::State> {
        Just((P::Model::default(), String::new())).boxed()
    }

    fn transitions((model, _): &Self::State) -> BoxedStrategy<Step> {
        let commands = P::commands(model).into_iter();
        let open = commands.filter(|(_, kinds)| {
            !kinds.iter().any(|(_, kind)| matches!(kind, Kind::Pick(from) if from.is_empty()))
        });
        let steps = open.map(|(command, kinds)| {
            let (names, kinds): (Vec<_>, Vec<_>) = kinds.into_iter().unzip();
            let values: Vec<_> = kinds.into_iter().map(strategy).collect();
            values.prop_map(move |values| Step {
                command,
                arguments: names.iter().copied().zip(values).collect(),
            })
        });
        proptest::strategy::Union::new(steps).boxed()
    }

    fn apply((mut model, _): Self::State, step: &Step) -> Self::State {
        let predicted = P::predict(&mut model, step);
        (model, predicted)
    }

    fn preconditions((model, _): &Self::State, step: &Step) -> bool {
        is_possible::<P>(model, step)
    }
}

fn strategy(kind: Kind) -> BoxedStrategy<Value> {
    match kind {
        Kind::Number(least, most) => (least..=most).prop_map(Value::Number).boxed(),
        Kind::Pick(from) => proptest::sample::select(from).prop_map(Value::Number).boxed(),
        Kind::Text => "[a-z]{0,12}".prop_map(Value::Text).boxed(),
        Kind::Jug => prop_oneof![Just(Jug::Small), Just(Jug::Large)].prop_map(Value::Jug).boxed(),
    }
}

impl<P: Puzzle> StateMachineTest for Reference<P> {
    type SystemUnderTest = P::System;
    type Reference = Self;

    fn init_test(_: &(P::Model, String)) -> P::System {
        watch::start();
        P::System::default()
    }

    fn apply(
        mut system: P::System,
        (model, predicted): &(P::Model, String),
        step: Step,
    ) -> P::System {
        watch::step(format!("{step:?}"));
        let answered = P::answer(&mut system, &step);
        if answered != *predicted || !P::holds(model, &system) {
            watch::failed();
            panic!("it is wrong");
        }
        system
    }
}

/// Looks for the bug of `P` in so many sequences, and shrinks what it finds.
pub(crate) fn run<P: Puzzle>(seed: u64, runs: u32) {
    let config = Config { cases: runs, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config.clone(), rng);
    let sequences = Reference::<P>::sequential_strategy(1..=50);
    // Whether it fails is seen by the watch.
    let _ = runner.run(&sequences, |(state, steps, seen)| {
        Reference::<P>::test_sequential(config.clone(), state, steps, seen);
        Ok::<(), TestCaseError>(())
    });
}
