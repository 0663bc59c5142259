//! What coverage costs: a run of ten thousand instances with coverage off, measured and guided, on the
//! five schemas of `foolproof-generate`, on one thread.
//!
//! `cargo bench --package foolproof-coverage --bench cost`; a name as an argument picks schemas. The
//! three are timed in turn, five times over, and the best of each counts. Compiling and planning are
//! not part of a run; planning has its own column. The guided run does not stop early.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]
#![expect(clippy::print_stdout, reason = "it prints a table")]

use std::{
    ops::ControlFlow,
    time::{Duration, Instant},
};

use foolproof_contract::{Document, FormatPolicy};
use foolproof_coverage::{CompiledRun, Profile, RunContext, Settings};
use foolproof_generate::{Generator, Meter, Seed};

#[path = "../../generate/benches/schemas/mod.rs"]
mod schemas;

const RUN: u64 = 10_000;
const ROUNDS: usize = 5;

fn main() {
    let only: Vec<String> = std::env::args().skip(1).filter(|arg| !arg.starts_with('-')).collect();
    println!("{:<12} {:>10} {:>9} {:>9} {:>10}", "schema", "off", "measure", "guided", "planning");
    for schema in schemas::all() {
        if only.is_empty() || only.iter().any(|name| schema.name.contains(name.as_str())) {
            row(schema.name, &schema.document().unwrap());
        }
    }
    println!(
        "promised: measure at most 1.30 times off, guided at most 2.00 times off and planning"
    );
}

fn row(name: &str, document: &Document) {
    let generator = Generator::new(document, FormatPolicy::Assert).unwrap();
    let compile = |settings: Settings| {
        let start = Instant::now();
        // A shard does not stop early.
        let settings = Settings { instances: RUN, shard: Some(0..RUN), ..settings };
        (CompiledRun::new(document, settings, &mut Meter::counting()).unwrap(), start.elapsed())
    };
    let (measured, listing) = compile(Settings::measure(RUN));
    let (guided, planning) = compile(Settings::guided(Profile::Thorough));
    let mut best = [Duration::MAX; 3];
    for _ in 0..ROUNDS {
        let times = [off(&generator), covered(&measured), covered(&guided)];
        for (best, time) in best.iter_mut().zip(times) {
            *best = time.min(*best);
        }
    }
    let [off, measure, guide] = best;
    let ratio = |time: Duration| time.as_secs_f64() / off.as_secs_f64();
    println!(
        "{name:<12} {:>10} {:>9.2} {:>9.2} {:>10}",
        format!("{off:.1?}"),
        ratio(measure),
        ratio(guide),
        format!("{:.1?}", planning.saturating_sub(listing)),
    );
}

fn off(generator: &Generator) -> Duration {
    let start = Instant::now();
    let mut text = Vec::new();
    for index in 0..RUN {
        if let Ok(generated) = generator.generate(Seed::from_number(0), index) {
            text.clear();
            serde_json::to_writer(&mut text, generated.instance().value()).unwrap();
        }
    }
    start.elapsed()
}

fn covered(run: &CompiledRun) -> Duration {
    let start = Instant::now();
    let finished = run.stream(&RunContext::default(), &Meter::counting(), |event| {
        std::hint::black_box(&event);
        ControlFlow::<()>::Continue(())
    });
    assert_eq!(finished.unwrap().report.unwrap().run.actual_instances, RUN);
    start.elapsed()
}
