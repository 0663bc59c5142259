//! What observing costs beside generating, on the schemas of `foolproof-generate`.
//!
//! `cargo bench --package foolproof-coverage --bench observe`; a name as an argument picks benches.
//! `generate` and `observe` process the same ten thousand instances, so that their times can be compared.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

use std::{fmt, sync::Arc};

use divan::Bencher;
use foolproof_contract::{Accepted, Canonicalizer, Document, FormatPolicy};
use foolproof_coverage::{Dimensions, HitTracker, Observer, Universe};
use foolproof_generate::{Generator, Seed};

#[path = "../../generate/benches/schemas/mod.rs"]
mod schemas;

/// How many instances a run has.
const RUN: u64 = 10_000;

fn main() {
    divan::main();
}

/// A schema as an argument of a bench.
struct Case(schemas::Schema);

impl fmt::Display for Case {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.0.name)
    }
}

impl Case {
    fn document(&self) -> Document {
        self.0.document().unwrap()
    }

    fn universe(&self) -> Arc<Universe> {
        let document = self.document();
        let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        Arc::new(Universe::of(&document, &mut forms, Dimensions::all()))
    }

    fn generator(&self) -> Generator {
        Generator::new(&self.document(), FormatPolicy::Assert).unwrap()
    }
}

fn cases() -> impl Iterator<Item = Case> {
    schemas::all().into_iter().map(Case)
}

/// The list of targets, from a compiled form.
#[divan::bench(args = cases(), sample_count = 5)]
fn list(bencher: Bencher, case: &Case) {
    let document = case.document();
    let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
    bencher.bench_local(|| Universe::of(&document, &mut forms, Dimensions::all()));
}

/// A run of instances.
#[divan::bench(args = cases(), sample_count = 3, sample_size = 1)]
fn generate(bencher: Bencher, case: &Case) {
    let generator = case.generator();
    bencher.bench_local(|| generator.instances(Seed::from_number(1), RUN).count());
}

/// One tracker over the same run, including the compilation of its oracles.
#[divan::bench(args = cases(), sample_count = 3, sample_size = 1)]
fn observe(bencher: Bencher, case: &Case) {
    let (document, universe) = (case.document(), case.universe());
    let values: Vec<Accepted> = case.generator().instances(Seed::from_number(1), RUN).collect();
    bencher.bench_local(|| {
        let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
        let mut tracker = HitTracker::new(&observer);
        for value in &values {
            tracker.observe(value);
        }
        tracker.hits().len()
    });
}
