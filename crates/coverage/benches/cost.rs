//! What coverage costs: a run of ten thousand instances with coverage off, measured and guided, on the
//! schemas of `foolproof-generate`, on one thread.
//!
//! `cargo bench --package foolproof-coverage --bench cost`; a name as an argument picks schemas. The
//! three are timed in turn, seven times over, in processor time, and the best of each counts. Compiling, planning
//! and proofs are not part of a run; planning and proofs have columns of their own. The guided run does not stop
//! early.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::{ops::ControlFlow, time::Duration};

use foolproof_contract::{CpuTimer, Document, with_large_stack};
use foolproof_coverage::{CompiledRun, Event, Profile, RunContext, Settings};
use foolproof_generate::Meter;

#[path = "../../generate/benches/schemas/mod.rs"]
mod schemas;

const RUN: u64 = 10_000;
const ROUNDS: usize = 7;

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!(
        "{:<14} {:>9} {:>9} {:>9} {:>10} {:>10}",
        "schema", "off", "measure", "guided", "planning", "proofs"
    );
    for schema in schemas::all() {
        if only.is_empty() || only.iter().any(|name| schema.name.contains(name.as_str())) {
            // Once for all of it: otherwise each batch starts a thread.
            with_large_stack(|| row(schema.name, &schema.document().unwrap()));
        }
    }
    println!(
        "promised: measure at most 1.20 times off, guided at most 2.00 times off and planning"
    );
}

fn row(name: &str, document: &Document) {
    // A shard does not stop early.
    let whole = |settings: Settings| Settings { instances: RUN, shard: Some(0..RUN), ..settings };
    let compile = |settings: Settings| {
        let timer = CpuTimer::start();
        let run = CompiledRun::new(document, whole(settings), &mut Meter::counting()).unwrap();
        (run, timer.elapsed())
    };
    let settings = whole(Settings::measure(RUN));
    let off = CompiledRun::without_coverage(document, settings, &mut Meter::counting()).unwrap();
    let (measured, listing) = compile(Settings::measure(RUN));
    let (guided, planning) = compile(Settings::guided(Profile::Thorough));
    let mut best = [Duration::MAX; 3];
    let mut proofs = Duration::MAX;
    for _ in 0..ROUNDS {
        let times = [&off, &measured, &guided].map(time);
        for (best, (instances, _)) in best.iter_mut().zip(times) {
            *best = instances.min(*best);
        }
        proofs = times[1].1.min(proofs);
    }
    let [off, measure, guide] = best;
    let ratio = |time: Duration| time.as_secs_f64() / off.as_secs_f64();
    println!(
        "{name:<14} {:>9} {:>9.3} {:>9.3} {:>10} {:>10}",
        format!("{off:.1?}"),
        ratio(measure),
        ratio(guide),
        format!("{:.1?}", planning.saturating_sub(listing)),
        format!("{proofs:.1?}"),
    );
}

/// How long the instances of a run take, and how long what follows them.
fn time(run: &CompiledRun) -> (Duration, Duration) {
    let timer = CpuTimer::start();
    let mut instances = Duration::ZERO;
    let finished = run.stream(&RunContext::default(), &Meter::counting(), |event| {
        if let Event::Progress(_) = std::hint::black_box(&event) {
            instances = timer.elapsed();
        }
        ControlFlow::<()>::Continue(())
    });
    let finished = finished.unwrap();
    assert_eq!(finished.totals.generated, RUN);
    (instances, timer.elapsed().saturating_sub(instances))
}
