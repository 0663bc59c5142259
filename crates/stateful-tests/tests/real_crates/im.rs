//! `im::Vector`, a persistent vector in a tree, against a `Vec`.
//!
//! Version 15.1.0 has two bugs, and both need thousands of elements. After some concatenations, a node of the
//! tree records another size than its last child has, which an assertion in `rrb.rs` detects. After others, it
//! records no size although it has children, and `sized_chunk` panics when one is removed.

use std::mem;

use foolproof_stateful::{Config, Failure, FaultKind, Statistics, stateful};
use im::Vector;
use proptest::prelude::*;

/// How many of ten seeds must find a bug.
const FOUND: usize = 9;
/// The longest minimal sequence. The shortest ones have four steps.
const LONGEST: usize = 6;

/// How many of them are at least that short: the others meet the limit of shrinking.
const SHORT: usize = 7;

/// Counts around the capacity of a leaf, which is 64, and of a node of leaves, which is 64².
fn counts() -> impl Strategy<Value = u32> {
    prop_oneof![0..200_u32, 4_000..4_200_u32]
}

fn behaves_like_a_vec(config: Config) -> Result<Statistics, Failure> {
    stateful::<Vec<u32>, Vector<u32>>()
        .model(Vec::new)
        .sut(Vector::new)
        .show(|vector| format!("{} elements", vector.len()))
        .command("push_back", |c| {
            c.forall("item", 0..1_000_u32).run(|item, model, vector| {
                model.push(item);
                vector.push_back(item);
            })
        })
        .command("push_front", |c| {
            c.forall("item", 0..1_000_u32).run(|item, model, vector| {
                model.insert(0, item);
                vector.push_front(item);
            })
        })
        .command("pop_back", |c| c.oracle(|(), model| model.pop(), |(), vector| vector.pop_back()))
        .command("pop_front", |c| {
            c.oracle(
                |(), model| (!model.is_empty()).then(|| model.remove(0)),
                |(), vector| vector.pop_front(),
            )
        })
        .command("append", |c| {
            c.forall("count", counts()).run(|count, model, vector| {
                model.extend(0..count);
                vector.append((0..count).collect());
            })
        })
        .command("prepend", |c| {
            c.forall("count", counts()).run(|count, model, vector| {
                model.splice(..0, 0..count);
                let old = mem::replace(vector, (0..count).collect());
                vector.append(old);
            })
        })
        .command("split_off", |c| {
            c.forall_with("index", |model| 0..=model.len()).oracle(
                |index, model| model.split_off(*index),
                |index, vector| vector.split_off(*index).into_iter().collect(),
            )
        })
        .command("skip", |c| {
            c.forall_with("count", |model| 0..=model.len()).run(|count, model, vector| {
                model.drain(..count);
                *vector = vector.skip(count);
            })
        })
        .command("insert", |c| {
            c.forall_with("index", |model| 0..=model.len()).forall("item", 0..1_000_u32).run(
                |(index, item), model, vector| {
                    model.insert(index, item);
                    vector.insert(index, item);
                },
            )
        })
        .command("remove", |c| {
            c.pick("index", |model| 0..model.len())
                .oracle(|index, model| model.remove(*index), |index, vector| vector.remove(*index))
        })
        .invariant("the same elements", |model, vector| {
            model.len() == vector.len() && vector.iter().eq(model)
        })
        .check(config)
}

/// Whether `failure` is a panic in a node of the tree, or in an array of a node.
fn is_in_the_tree(failure: &Failure) -> bool {
    failure.fault().is_some_and(|fault| {
        let location = fault.location();
        fault.kind() == FaultKind::Panic
            && (location.contains("rrb.rs") || location.contains("sized_chunk"))
    })
}

#[test]
fn a_panic_of_a_large_vector_is_found_and_shrunk() {
    let seeded = |seed| Config { num_runs: 2_000, seed: Some(seed), ..Config::default() };
    let failures: Vec<Failure> =
        (0..10).filter_map(|seed| behaves_like_a_vec(seeded(seed)).err()).collect();
    assert!(failures.len() >= FOUND, "{} of ten seeds found a bug", failures.len());
    assert!(failures.iter().all(is_in_the_tree));
    let is_short = |failure: &&Failure| failure.minimal().len() <= LONGEST;
    let short = failures.iter().filter(is_short).count();
    assert!(short >= SHORT, "{short} of {} are short", failures.len());
}

// The first bug violates an assertion that release builds do not have.
#[cfg(debug_assertions)]
#[test]
fn a_run_that_goes_on_after_a_failure_finds_both_bugs() {
    let config = Config { num_runs: 2_000, seed: Some(1), keep_going: true, ..Config::default() };
    let failure = behaves_like_a_vec(config).unwrap_err();
    for file in ["rrb.rs", "sized_chunk"] {
        let is_there = |one: Failure| one.fault().is_some_and(|it| it.location().contains(file));
        assert!(failure.all().any(is_there), "no panic in {file}: {failure}");
    }
}

/// `REPORT=overwrite cargo test --package foolproof-stateful-tests --test real_crates` records the sequences again. The
/// page `docs/real-bugs.md` shows them, and `crates/cli/tests/docs.rs` compares them.
#[cfg(debug_assertions)]
#[test]
fn the_sequences_of_the_manual_are_found() {
    use std::{env, fs, path::Path};

    let mut found = String::new();
    for seed in [5, 3] {
        let config = Config { num_runs: 2_000, seed: Some(seed), ..Config::default() };
        let report = behaves_like_a_vec(config).unwrap_err().to_string();
        println!("{report}");
        let lines = report.lines().skip_while(|line| !line.starts_with("minimal sequence"));
        let lines = lines.take_while(|line| !line.is_empty());
        found.extend(lines.flat_map(|line| [line, "\n"]));
    }
    let recorded = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/real_crates/im.txt");
    if env::var("REPORT").is_ok_and(|value| value == "overwrite") {
        fs::write(&recorded, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(recorded).unwrap());
}
