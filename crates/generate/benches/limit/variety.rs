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

/// Large instances are counted as far as this much CPU time goes.
const ENOUGH: Duration = Duration::from_secs(10);

pub(crate) fn table(schemas: &[Schema], report: &mut Report) {
    println!("{:<14} {:>9} {:>9} {:>9} {:>9}", "schema", "asked", "made", "distinct", "share");
    for schema in schemas {
        let (asked, made, distinct) = count(schema);
        let share = distinct as f64 / made.max(1) as f64;
        println!("{:<14} {asked:>9} {made:>9} {distinct:>9} {:>8.2}%", schema.name, 100.0 * share);
        if schema.name == schemas::MEDIUM {
            let found = format!("{:.2} % of {made} instances are distinct", 100.0 * share);
            let wanted = format!("at least {:.1} %", 100.0 * PROMISE);
            report.promise(share >= PROMISE, format!("{found}; {wanted}"));
        }
    }
}

/// How many were asked for, made, and distinct. Told apart by a 64 bit hash of the text: two of ten
/// thousand share one by chance once in 10¹¹ runs.
fn count(schema: &Schema) -> (u64, u64, usize) {
    let generator = Generator::new(&schema.document().unwrap(), FormatPolicy::Assert).unwrap();
    let (mut asked, mut made, mut seen) = (0, 0, BTreeSet::new());
    let start = cpu::now();
    while asked < COUNT && cpu::now().saturating_sub(start) < ENOUGH {
        if let Some(instance) = generator.instance(Seed::from_number(1), asked) {
            let mut hasher = DefaultHasher::new();
            hasher.write(instance.value().to_string().as_bytes());
            seen.insert(hasher.finish());
            made += 1;
        }
        asked += 1;
    }
    (asked, made, seen.len())
}
