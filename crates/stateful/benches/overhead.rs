//! What the runner itself costs: commands a second on one thread, of systems that cost nothing.
//!
//! `cargo bench --package foolproof-stateful --bench overhead`. Five rounds, and the best counts.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::{hint::black_box, time::Instant};

use foolproof_stateful::{Config, Statistics, stateful};
use proptest::prelude::*;

const ROUNDS: usize = 5;

fn main() {
    let config =
        || Config { num_runs: 2_000, max_commands: 1_000, seed: Some(1), ..Config::default() };
    row("no argument", 1_000_000, || {
        stateful::<u64, u64>()
            .model(|| 0)
            .sut(|| 0)
            .command("step", |c| c.run(|(), model, system| step(1, model, system)))
            .command("skip", |c| c.run(|(), model, system| step(2, model, system)))
            .command("rest", |c| c.run(|(), model, system| step(0, model, system)))
            .invariant("same", |model, system| model == system)
            .check(config())
            .unwrap()
    });
    row("one integer", 200_000, || {
        stateful::<u64, u64>()
            .model(|| 0)
            .sut(|| 0)
            .command("add", |c| c.forall("by", 0..1_000_u64).run(step))
            .command("any", |c| {
                c.forall("by", any::<u32>())
                    .run(|by, model, system| step(u64::from(by), model, system))
            })
            .invariant("same", |model, system| model == system)
            .check(config())
            .unwrap()
    });
}

fn step(by: u64, model: &mut u64, system: &mut u64) {
    *model = model.wrapping_add(by);
    *system = system.wrapping_add(black_box(by));
}

fn row(name: &str, promised: u64, run: impl Fn() -> Statistics) {
    let mut best = 0.0_f64;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let steps = run().steps as f64;
        best = best.max(steps / start.elapsed().as_secs_f64());
    }
    let times = best / promised as f64;
    println!("{name:<12} {best:>12.0} commands a second, {times:.1} times the promised {promised}");
}
