//! How small failing sequences get, and how many executions it takes.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod planted;

use foolproof_stateful::Config;
use planted::{BUGS, Bug};

const SEEDS: u64 = 100;

/// What became of one bug over all seeds.
#[derive(Default)]
struct Tally {
    found: usize,
    shortest: usize,
    smallest: usize,
    executions: Vec<u32>,
}

fn tally(bug: &Bug) -> Tally {
    let mut tally = Tally::default();
    for seed in 0..SEEDS {
        let config = Config { seed: Some(seed), num_runs: 20_000, ..Config::default() };
        let Err(failure) = (bug.check)(config) else { continue };
        let steps = failure.minimal();
        tally.found += 1;
        tally.shortest += usize::from(bug.is_shortest(steps));
        tally.smallest += usize::from(bug.is_smallest(steps));
        tally.executions.push(failure.executions());
        if std::env::var_os("SHRINK_SHOW").is_some() && !bug.is_smallest(steps) {
            let steps: Vec<String> = steps.iter().map(ToString::to_string).collect();
            eprintln!("{}: seed {seed}: {}", bug.name, steps.join(" "));
        }
    }
    tally
}

fn median(mut counts: Vec<u32>) -> u32 {
    counts.sort_unstable();
    counts.get(counts.len() / 2).copied().unwrap_or_default()
}

#[test]
fn planted_bugs_are_shrunk_to_the_smallest_sequences() {
    let mut all = Tally::default();
    for bug in &BUGS {
        let one = tally(bug);
        eprintln!(
            "{:<40} {:>3} {:>3} {:>3} {:>4} max {:?}",
            bug.name,
            one.found,
            one.shortest,
            one.smallest,
            median(one.executions.clone()),
            one.executions.iter().max().unwrap()
        );
        all.found += one.found;
        all.shortest += one.shortest;
        all.smallest += one.smallest;
        all.executions.extend(one.executions);
    }
    eprintln!("{} {} {} {}", all.found, all.shortest, all.smallest, median(all.executions));
}
