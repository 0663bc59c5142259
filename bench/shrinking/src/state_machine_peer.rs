//! Runs scenarios with `proptest-state-machine`, as its manual recommends.

use std::marker::PhantomData;

use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner},
};
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

use crate::{
    observer,
    planted::systems::Jug,
    scenario::{Domain, Scenario, Step, Value, fails, is_possible},
};

struct Reference<P>(PhantomData<P>);

impl<P: Scenario> ReferenceStateMachine for Reference<P> {
    /// The model, and its prediction for the last step.
    type State = (P::Model, String);
    type Transition = Step;

    fn init_state() -> BoxedStrategy<Self::State> {
        Just((P::Model::default(), String::new())).boxed()
    }

    fn transitions((model, _): &Self::State) -> BoxedStrategy<Step> {
        let commands = P::commands(model).into_iter();
        let open = commands.filter(|(_, domains)| {
            !domains
                .iter()
                .any(|(_, domain)| matches!(domain, Domain::Pick(from) if from.is_empty()))
        });
        let steps = open.map(|(command, domains)| {
            let (names, domains): (Vec<_>, Vec<_>) = domains.into_iter().unzip();
            let values: Vec<_> = domains.into_iter().map(strategy).collect();
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

fn strategy(domain: Domain) -> BoxedStrategy<Value> {
    match domain {
        Domain::Number(least, most) => (least..=most).prop_map(Value::Number).boxed(),
        Domain::Pick(from) => proptest::sample::select(from).prop_map(Value::Number).boxed(),
        Domain::Text => "[a-z]{0,12}".prop_map(Value::Text).boxed(),
        Domain::Jug => prop_oneof![Just(Jug::Small), Just(Jug::Large)].prop_map(Value::Jug).boxed(),
    }
}

impl<P: Scenario> StateMachineTest for Reference<P> {
    type SystemUnderTest = P::System;
    type Reference = Self;

    fn init_test(_: &(P::Model, String)) -> P::System {
        observer::start();
        P::System::default()
    }

    fn apply(
        mut system: P::System,
        (model, predicted): &(P::Model, String),
        step: Step,
    ) -> P::System {
        observer::step(format!("{step:?}"));
        if fails::<P>(model, &mut system, &step, predicted) {
            observer::failed();
            panic!("it is wrong");
        }
        system
    }
}

/// Searches for the bug of `P` in at most `runs` sequences, and shrinks a failure.
pub(crate) fn run<P: Scenario>(seed: u64, runs: u32) {
    let config = Config { cases: runs, failure_persistence: None, ..Config::default() };
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &bytes);
    let mut runner = TestRunner::new_with_rng(config.clone(), rng);
    let sequences = Reference::<P>::sequential_strategy(1..=50);
    // The observer records whether it fails.
    let _ = runner.run(&sequences, |(state, steps, seen)| {
        Reference::<P>::test_sequential(config.clone(), state, steps, seen);
        Ok::<(), TestCaseError>(())
    });
}
