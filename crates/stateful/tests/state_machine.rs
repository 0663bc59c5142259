//! A test written for `proptest-state-machine` runs unchanged.
#![cfg(feature = "proptest-state-machine")]

use std::collections::BTreeMap;

use foolproof_stateful::{Config, FaultKind, from_state_machine};
use proptest::prelude::*;
use proptest_state_machine::{ReferenceStateMachine, StateMachineTest};

#[derive(Clone, Debug)]
enum Change {
    Insert(u8, u8),
    Remove(u8),
    Noise,
}

/// A map that ignores an insertion under a key that was removed before.
struct Store<const IS_RIGHT: bool>;

#[derive(Default)]
struct Forgetful {
    values: BTreeMap<u8, u8>,
    removed: Vec<u8>,
}

impl<const IS_RIGHT: bool> ReferenceStateMachine for Store<IS_RIGHT> {
    type State = BTreeMap<u8, u8>;
    type Transition = Change;

    fn init_state() -> BoxedStrategy<Self::State> {
        prop::collection::btree_map(any::<u8>(), any::<u8>(), 0..4).boxed()
    }

    fn transitions(_: &Self::State) -> BoxedStrategy<Change> {
        prop_oneof![
            (any::<u8>(), any::<u8>()).prop_map(|(key, value)| Change::Insert(key % 8, value)),
            (0..8_u8).prop_map(Change::Remove),
            Just(Change::Noise),
        ]
        .boxed()
    }

    fn preconditions(state: &Self::State, change: &Change) -> bool {
        match change {
            Change::Remove(key) => state.contains_key(key),
            Change::Insert(..) | Change::Noise => true,
        }
    }

    fn apply(mut state: Self::State, change: &Change) -> Self::State {
        match change {
            Change::Insert(key, value) => drop(state.insert(*key, *value)),
            Change::Remove(key) => drop(state.remove(key)),
            Change::Noise => {}
        }
        state
    }
}

impl<const IS_RIGHT: bool> StateMachineTest for Store<IS_RIGHT> {
    type SystemUnderTest = Forgetful;
    type Reference = Self;

    fn init_test(state: &BTreeMap<u8, u8>) -> Forgetful {
        Forgetful { values: state.clone(), removed: Vec::new() }
    }

    fn apply(mut store: Forgetful, _: &BTreeMap<u8, u8>, change: Change) -> Forgetful {
        match change {
            Change::Insert(key, value) if IS_RIGHT || !store.removed.contains(&key) => {
                store.values.insert(key, value);
            }
            Change::Insert(..) | Change::Noise => {}
            Change::Remove(key) => {
                assert!(store.values.remove(&key).is_some(), "the precondition holds");
                store.removed.push(key);
            }
        }
        store
    }

    fn check_invariants(store: &Forgetful, state: &BTreeMap<u8, u8>) {
        assert_eq!(&store.values, state);
    }
}

fn config() -> Config {
    Config { seed: Some(5), num_runs: 300, ..Config::default() }
}

#[test]
fn a_correct_system_passes() {
    let statistics = from_state_machine::<Store<true>>().check(config()).unwrap();
    assert!(statistics.steps > 5_000, "{statistics:?}");
}

#[test]
fn a_wrong_system_is_shrunk() {
    let failure = from_state_machine::<Store<false>>().check(config()).unwrap_err();
    assert_eq!(failure.fault().unwrap().kind(), FaultKind::Panic);
    // The initial state may contain the key; otherwise one more step inserts it.
    assert!((3..=4).contains(&failure.minimal().len()), "{failure}");
    let last = failure.minimal().last().unwrap();
    assert!(last.arguments[0].starts_with("value: Insert("), "{failure}");
}
