//! How many of many instances are distinct.

use std::{
    collections::BTreeSet,
    hash::{DefaultHasher, Hasher},
    time::Duration,
};

use foolproof_contract::FormatPolicy;
use foolproof_generate::{Generator, Seed};

use crate::{cpu, report::Report, schemas, schemas::Schema};

const COUNT: u64 = 10_000;

/// The share that the medium schema must reach.
const PROMISE: f64 = 0.999;

/// Large instances are counted for this much CPU time.
const ENOUGH: Duration = Duration::from_secs(10);

pub(crate) fn table(schemas: &[Schema], report: &mut Report) {
    println!(
        "{:<14} {:>9} {:>9} {:>9} {:>9}",
        "schema", "requested", "generated", "distinct", "share"
    );
    for schema in schemas {
        let (requested, generated, distinct) = count(schema);
        let share = distinct as f64 / generated.max(1) as f64;
        println!(
            "{:<14} {requested:>9} {generated:>9} {distinct:>9} {:>8.2}%",
            schema.name,
            100.0 * share
        );
        if schema.name == schemas::MEDIUM {
            let found = format!("{:.2} % of {generated} instances are distinct", 100.0 * share);
            let wanted = format!("at least {:.1} %", 100.0 * PROMISE);
            report.promise(share >= PROMISE, format!("{found}; {wanted}"));
        }
    }
}

/// How many were requested, generated, and distinct. Distinguished by a 64 bit hash of the text: two of
/// ten thousand share one by chance once in 10¹¹ runs.
fn count(schema: &Schema) -> (u64, u64, usize) {
    let generator = Generator::new(&schema.document().unwrap(), FormatPolicy::Assert).unwrap();
    let (mut requested, mut generated, mut seen) = (0, 0, BTreeSet::new());
    let start = cpu::now();
    while requested < COUNT && cpu::now().saturating_sub(start) < ENOUGH {
        if let Some(instance) = generator.instance(Seed::from_number(1), requested) {
            let mut hasher = DefaultHasher::new();
            hasher.write(instance.value().to_string().as_bytes());
            seen.insert(hasher.finish());
            generated += 1;
        }
        requested += 1;
    }
    (requested, generated, seen.len())
}
