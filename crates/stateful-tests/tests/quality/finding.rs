//! How often planted bugs are found within the default number of sequences, and what feedback reaches.

use foolproof_stateful::{Config, stateful};

use crate::planted::{BUGS, Bug, CRATE_BUGS};

/// How many seeds search for each bug.
const SEEDS: u64 = 30;

/// The bugs that are too rare for a hundred sequences.
const RARE: [&str; 3] =
    ["water jugs", "savepoint loses a write (redb)", "abort keeps removals (redb)"];

/// How many seeds find a bug, and how many steps they run until then, in all.
fn find(bug: &Bug, config: &Config) -> (u64, u64) {
    let (mut found, mut steps) = (0, 0);
    for seed in 0..SEEDS {
        let limits = Config { max_shrink_runs: 0, confirmations: 1, ..config.clone() };
        let outcome = (bug.check)(Config { seed: Some(seed), ..limits });
        found += u64::from(outcome.is_err());
        steps += match &outcome {
            Ok(statistics) => statistics.steps,
            Err(failure) => failure.statistics().unwrap().steps,
        };
    }
    (found, steps)
}

#[test]
fn planted_bugs_are_found_within_a_hundred_sequences() {
    if !foolproof_corpus::makes_tables() {
        return;
    }
    let plain = Config { reuse_arguments: false, ..Config::default() };
    let configs = [Config::default(), plain];
    let mut table = format!("{:<36} default    steps   no reuse  steps\n", "");
    let (mut sums, mut missed) = ([(0, 0); 2], Vec::new());
    for bug in BUGS.iter().chain(&CRATE_BUGS) {
        table += &format!("{:<36}", bug.name);
        for (index, config) in configs.iter().enumerate() {
            let (found, steps) = find(bug, config);
            table += &format!(" {found:>7} {steps:>8}");
            sums[index] = (sums[index].0 + found, sums[index].1 + steps);
            if index == 0 && found < SEEDS && !RARE.contains(&bug.name) {
                missed.push(bug.name);
            }
        }
        table += "\n";
    }
    println!("{table}{sums:?}");
    assert_eq!(missed, [""; 0], "{table}");
    // Arguments that occurred before find more, with fewer steps.
    assert!(sums[0].0 > sums[1].0 && sums[0].1 < sums[1].1, "{table}");
}

/// A lock that opens after seven right digits in a row, and forgets them after a wrong one.
fn lock(config: Config) -> bool {
    const CODE: [u8; 7] = [3, 1, 4, 1, 5, 2, 0];
    let outcome = stateful::<usize, ()>()
        .model(|| 0)
        .sut(|| ())
        .command("enter", |c| {
            c.forall("digit", 0..6_u8).run(|digit, right, ()| {
                *right = if CODE[*right] == digit { *right + 1 } else { 0 };
            })
        })
        .invariant("locked", |right, ()| *right < CODE.len())
        .check(Config { num_runs: 1_500, max_commands: 20, ..config });
    outcome.is_err_and(|failure| failure.minimal().len() == CODE.len())
}

#[test]
fn feedback_reaches_states_that_chance_does_not() {
    let found = |feedback| {
        let seeds = 0..10;
        let configs = seeds.map(|seed| Config { seed: Some(seed), feedback, ..Config::default() });
        configs.filter(|config| lock(config.clone())).count()
    };
    let (with, without) = (found(true), found(false));
    assert!(with >= 8 && without <= 2, "{with} {without}");
}
