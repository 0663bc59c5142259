//! Planted bugs, shrunk by foolproof, `proptest-state-machine` and `hegeltest`: how often the sequence is
//! as short as possible, how often its arguments are as simple as possible, and how many executions of
//! the system shrinking takes, in one table.
//!
//! `shrinking [SEEDS] [RUNS] [NAME]`: the number of seeds for each bug, the most sequences for each seed, and
//! a part of the names of the bugs, if not all are wanted.

#[cfg(test)]
mod exhaustive;
mod hegel_peer;
mod observer;
#[path = "../../../crates/stateful-tests/tests/planted/mod.rs"]
#[expect(dead_code, reason = "the tests count created systems, here executions are observed")]
mod planted;
mod scenario;
mod scenarios;
mod state_machine_peer;

use std::time::Instant;

use foolproof_stateful::Config;
use planted::{BUGS, Bug, CRATE_BUGS};
use scenarios::{Peers, peers};

/// How small the counterexamples of a bug are.
#[derive(Default)]
struct Tally {
    found: usize,
    shortest: usize,
    smallest: usize,
    executions: Vec<u32>,
    seconds: f64,
}

impl Tally {
    fn count(&mut self, bug: &Bug, steps: &[String], executions: u32) {
        self.found += 1;
        self.shortest += usize::from(bug.is_shortest(steps));
        self.smallest += usize::from(bug.is_smallest(steps));
        self.executions.push(executions);
    }

    fn add(&mut self, other: &Self) {
        self.found += other.found;
        self.shortest += other.shortest;
        self.smallest += other.smallest;
        self.executions.extend(&other.executions);
        self.seconds += other.seconds;
    }

    fn print(&mut self, bug: &str, tool: &str) {
        self.executions.sort_unstable();
        let median = self.executions.get(self.executions.len() / 2).copied().unwrap_or_default();
        let share = |count: usize| 100.0 * count as f64 / self.found.max(1) as f64;
        println!(
            "{bug:<36} {tool:<24} {:>5} {:>9.1} % {:>9.1} % {median:>10} {:>8.1}",
            self.found,
            share(self.shortest),
            share(self.smallest),
            self.seconds
        );
    }
}

fn ours(bug: &Bug, seed: u64, runs: u32) -> Option<(Vec<String>, u32)> {
    let config = Config { seed: Some(seed), num_runs: u64::from(runs), ..Config::default() };
    let failure = (bug.check)(config).err()?;
    Some((failure.minimal().iter().map(ToString::to_string).collect(), failure.executions()))
}

fn theirs(run: fn(u64, u32), seed: u64, runs: u32) -> Option<(Vec<String>, u32)> {
    observer::take();
    run(seed, runs);
    let observation = observer::take();
    observation.failed.map(|steps| (steps, observation.executions))
}

fn tally(seeds: u64, bug: &Bug, run: impl Fn(u64) -> Option<(Vec<String>, u32)>) -> Tally {
    let (mut tally, start) = (Tally::default(), Instant::now());
    for (steps, executions) in (0..seeds).filter_map(run) {
        tally.count(bug, &steps, executions);
    }
    tally.seconds = start.elapsed().as_secs_f64();
    tally
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let number = |index: usize| arguments.get(index).and_then(|text| text.parse::<u32>().ok());
    let seeds = u64::from(number(0).unwrap_or(100));
    let runs = number(1).unwrap_or(20_000);
    let name = arguments.get(2).map_or("", String::as_str);
    // Thousands of panics are expected.
    std::panic::set_hook(Box::new(|_| {}));
    println!("{seeds} seeds each, at most {runs} sequences of at most 50 steps\n");
    println!("{:<61} found   shortest    smallest     median  seconds", "");
    let mut all: [(&str, Tally); 3] =
        ["foolproof", "proptest-state-machine", "hegeltest"].map(|tool| (tool, Tally::default()));
    for bug in BUGS.iter().chain(&CRATE_BUGS).filter(|bug| bug.name.contains(name)) {
        let Peers { state_machine, hegel } = peers(bug.name);
        let tallies = [
            tally(seeds, bug, |seed| ours(bug, seed, runs)),
            tally(seeds, bug, |seed| theirs(state_machine, seed, runs)),
            tally(seeds, bug, |seed| theirs(hegel, seed, runs)),
        ];
        for (mut one, (tool, sum)) in tallies.into_iter().zip(&mut all) {
            one.print(bug.name, tool);
            sum.add(&one);
        }
    }
    println!();
    for (tool, sum) in &mut all {
        sum.print("all", tool);
    }
}
