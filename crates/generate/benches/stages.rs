//! What each stage costs: plan, draw, validate, serialise.
//!
//! `cargo bench --package foolproof-generate --bench stages`; a name as an argument picks benches.
//! Draws and values come from fixed seeds, so two runs measure the same work.
#![expect(clippy::unwrap_used, reason = "a bench that cannot go on stops")]

use std::{cell::Cell, fmt};

use divan::{Bencher, counter::BytesCount};
use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Oracle};
use foolproof_generate::{Generator, Plan, Seed};
use serde_json::Value;

mod schemas;

/// How many prepared values a stage cycles through: enough that they differ, few enough that they
/// stay in the cache, as the value just drawn does in a run.
const READY: u64 = 64;

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

    fn generator(&self) -> Generator {
        Generator::new(&self.document(), FormatPolicy::Assert).unwrap()
    }

    fn values(&self) -> Vec<Value> {
        let generator = self.generator();
        let instances = generator.instances(Seed::from_number(1), READY);
        instances.map(foolproof_contract::Accepted::into_value).collect()
    }
}

fn cases() -> impl Iterator<Item = Case> {
    schemas::all().into_iter().map(Case)
}

/// Cycles through the items of a slice.
struct Turn<'a, T> {
    items: &'a [T],
    next: Cell<usize>,
}

impl<'a, T> Turn<'a, T> {
    fn new(items: &'a [T]) -> Self {
        Self { items, next: Cell::new(0) }
    }

    fn next(&self) -> &'a T {
        let index = self.next.get();
        self.next.set((index + 1) % self.items.len());
        &self.items[index]
    }
}

/// Everything that is done once for a schema.
mod plan {
    use super::{Bencher, Canonicalizer, Case, FormatPolicy, Generator, Oracle, Plan, cases};

    #[divan::bench(args = cases(), sample_count = 20)]
    fn a_whole(bencher: Bencher, case: &Case) {
        let document = case.document();
        bencher.bench_local(|| Generator::new(&document, FormatPolicy::Assert).unwrap());
    }

    #[divan::bench(args = cases(), sample_count = 20)]
    fn b_read(bencher: Bencher, case: &Case) {
        bencher.bench_local(|| case.document());
    }

    #[divan::bench(args = cases(), sample_count = 20)]
    fn c_oracle(bencher: Bencher, case: &Case) {
        let document = case.document();
        bencher.bench_local(|| Oracle::new(&document, FormatPolicy::Assert).unwrap());
    }

    #[divan::bench(args = cases(), sample_count = 20)]
    fn d_canonical_form(bencher: Bencher, case: &Case) {
        let document = case.document();
        bencher.bench_local(|| Canonicalizer::new(&document, FormatPolicy::Assert).unwrap().root());
    }

    #[divan::bench(args = cases(), sample_count = 20)]
    fn e_arena(bencher: Bencher, case: &Case) {
        let document = case.document();
        let forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        bencher.bench_local(|| Plan::of(&forms.root(), &document, forms.graph()));
    }
}

/// One value, unchecked.
#[divan::bench(args = cases())]
fn draw(bencher: Bencher, case: &Case) {
    let generator = case.generator();
    let seeds: Vec<Seed> =
        (0..READY).map(|index| Seed::from_number(1).child("draw", index)).collect();
    let turn = Turn::new(&seeds);
    // Patterns and filters are compiled by the first values that need them.
    for seed in &seeds {
        let _ = generator.plan().draw(&mut seed.random());
    }
    bencher.bench_local(|| generator.plan().draw(&mut turn.next().random()));
}

/// One instance as in a run: seeded, drawn, checked.
#[divan::bench(args = cases())]
fn instance(bencher: Bencher, case: &Case) {
    let generator = case.generator();
    let indices: Vec<u64> = (0..READY).collect();
    let turn = Turn::new(&indices);
    let seed = Seed::from_number(1);
    for index in &indices {
        let _ = generator.instance(seed, *index);
    }
    bencher.bench_local(|| generator.instance(seed, *turn.next()));
}

/// The oracle's answer for a prepared value.
#[divan::bench(args = cases())]
fn validate(bencher: Bencher, case: &Case) {
    let oracle = Oracle::new(&case.document(), FormatPolicy::Assert).unwrap();
    let values = case.values();
    let turn = Turn::new(&values);
    bencher.bench_local(|| oracle.is_valid(turn.next()));
}

/// A prepared value as text, into a buffer that is reused.
#[divan::bench(args = cases())]
fn serialise(bencher: Bencher, case: &Case) {
    let values = case.values();
    let turn = Turn::new(&values);
    let bytes: usize = values.iter().map(|value| value.to_string().len()).sum();
    let mut buffer = Vec::with_capacity(bytes);
    bencher.counter(BytesCount::new(bytes / values.len())).bench_local(|| {
        buffer.clear();
        serde_json::to_writer(&mut buffer, turn.next()).unwrap();
        buffer.len()
    });
}
