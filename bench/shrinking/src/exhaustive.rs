//! No sequence that is shorter than the tables say shows a bug in a wrapper of a crate: all of them are run,
//! with a few values for each argument. `cargo test --release`, since there are hundreds of thousands.

use crate::{
    planted::{
        CRATE_BUGS,
        systems::{AbortKeepsRemovals, SavepointLosesWrite},
    },
    scenario::{Domain, Scenario, Step, Value, fails, is_possible},
    scenarios::crates::{Channels, Databases, FragileCaches, ResizedCaches},
};

/// All steps that can run in this state, with the least `most` values for every key and capacity. Stored
/// values are not compared with each other, so one is enough.
fn steps<P: Scenario>(model: &P::Model, most: usize) -> Vec<Step> {
    let mut steps = Vec::new();
    for (command, domains) in P::commands(model) {
        let mut some = vec![Step { command, arguments: Vec::new() }];
        for (name, domain) in domains {
            let values: Vec<i64> = match (name, domain) {
                ("value" | "message", _) => vec![0],
                (_, Domain::Number(least, greatest)) => (least..=greatest).take(most).collect(),
                (_, Domain::Pick(from)) => from,
                (_, Domain::Text | Domain::Jug) => unreachable!("no crate has such arguments"),
            };
            let extend = |step: Step| {
                values.iter().map(move |value| {
                    let mut longer = step.clone();
                    longer.arguments.push((name, Value::Number(*value)));
                    longer
                })
            };
            some = some.into_iter().flat_map(extend).collect();
        }
        steps.extend(some.into_iter().filter(|step| is_possible::<P>(model, step)));
    }
    steps
}

/// Runs all sequences that begin with `prefix` and have `left` more steps. Returns how many there are.
fn run_all<P: Scenario>(prefix: &mut Vec<Step>, left: usize, most: usize) -> usize {
    let (mut model, mut system) = (P::Model::default(), P::System::default());
    for step in prefix.iter() {
        let predicted = P::predict(&mut model, step);
        assert!(!fails::<P>(&model, &mut system, step, &predicted), "{prefix:?} fails");
    }
    if left == 0 {
        return 1;
    }
    let mut count = 0;
    for step in steps::<P>(&model, most) {
        prefix.push(step);
        count += run_all::<P>(prefix, left - 1, most);
        prefix.pop();
    }
    count
}

/// Runs all sequences that are one step shorter than the shortest one that shows the bug.
fn no_shorter_sequence_fails<P: Scenario>(name: &str, most: usize) {
    let bug = CRATE_BUGS.iter().find(|bug| bug.name == name).expect("it is in the table");
    let count = run_all::<P>(&mut Vec::new(), bug.length - 1, most);
    println!("{name}: none of {count} sequences of {} steps fails", bug.length - 1);
}

#[test]
fn resized_cache() {
    no_shorter_sequence_fails::<ResizedCaches>("peek promotes after a resize (lru)", 3);
}

#[test]
fn fragile_cache() {
    no_shorter_sequence_fails::<FragileCaches>("panic at the third eviction (lru)", 5);
}

#[test]
fn channel() {
    no_shorter_sequence_fails::<Channels>("last message lost (async-channel)", 1);
}

#[test]
fn savepoints() {
    let name = "savepoint loses a write (redb)";
    no_shorter_sequence_fails::<Databases<SavepointLosesWrite>>(name, 2);
}

#[test]
fn aborts() {
    no_shorter_sequence_fails::<Databases<AbortKeepsRemovals>>("abort keeps removals (redb)", 2);
}
