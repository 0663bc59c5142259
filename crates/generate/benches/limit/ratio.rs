//! The pipeline against its limit.
//!
//! Both process the same instances alternately, a few at a time, so that neither has a quieter machine
//! or a warmer cache than the other, and memory stays small. The instances of the limit are generated
//! in between and not timed.

use std::time::Duration;

use foolproof_contract::{Accepted, FormatPolicy, write_json};
use foolproof_generate::{DrawMemory, Generator, Meter, Seed};
use jsonschema::Validator;

use crate::{cpu, report::Report, schemas, schemas::Schema};

/// Instances between two readings of the clock, which is a system call. Few enough to stay in the cache
/// of a core, as the instance just drawn does in the pipeline.
const CHUNK: u64 = 64;

/// An odd number, so that the median is one of them.
const ROUNDS: usize = 5;

/// The CPU time that the pipeline may take in one round, so that large instances do not take hours.
const ENOUGH: Duration = Duration::from_secs(4);

/// The promise, and the goal beyond it.
const PROMISE: f64 = 3.0;
const GOAL: f64 = 2.0;

pub(crate) fn table(schemas: &[Schema], n: u64, report: &mut Report) {
    println!(
        "{:<16} {:>9} {:>12} {:>12} {:>9} {:>9} {:>8} {:>15}",
        "schema", "n", "pipeline/s", "limit/s", "bytes", "MB/s", "ratio", "rounds"
    );
    for schema in schemas {
        let measured = Measured::of(schema, n.div_ceil(10));
        println!("{measured}");
        if schema.name == schemas::MEDIUM {
            let ratio = measured.ratio();
            report.promise(
                ratio <= PROMISE,
                format!("{:.2} times the limit on `{}`; at most {PROMISE}", ratio, schema.name),
            );
            report.goal(ratio <= GOAL, format!("the goal is {GOAL} times the limit"));
        }
    }
    without_multiples(schemas, n, report);
    println!(
        "bytes: of an instance, on average; rounds: the lowest and the highest ratio of {ROUNDS}"
    );
}

/// The medium schema again, without the keyword whose exact check is half of its limit: a ratio that
/// depends on one expensive keyword says little about schemas without it.
fn without_multiples(schemas: &[Schema], n: u64, report: &mut Report) {
    const KEYWORD: &str = ", \"multipleOf\": 0.01";
    let Some(medium) = schemas.iter().find(|schema| schema.name == schemas::MEDIUM) else { return };
    assert!(medium.text.contains(KEYWORD), "the medium schema has amounts in cents");
    let text = medium.text.replace(KEYWORD, "");
    let measured = Measured::of(&Schema { name: "order, no cents", text }, n.div_ceil(10));
    println!("{measured}");
    let found = format!("{:.2} times the limit without `multipleOf`", measured.ratio());
    report.goal(measured.ratio() <= PROMISE, format!("{found}; at most {PROMISE} there too"));
}

/// One pass over the instances.
#[derive(Clone, Copy, Default)]
struct Round {
    generated: u64,
    bytes: u64,
    pipeline: Duration,
    limit: Duration,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.pipeline.as_secs_f64() / self.limit.as_secs_f64()
    }
}

struct Measured {
    name: &'static str,
    /// By rising ratio.
    rounds: Vec<Round>,
}

impl Measured {
    fn of(schema: &Schema, n: u64) -> Self {
        let document = schema.document().unwrap();
        let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
        let validator = validator(schema);
        // Patterns and filters are compiled by the first values that need them.
        round(&generator, &validator, n.min(10 * CHUNK));
        let mut rounds: Vec<Round> =
            (0..ROUNDS).map(|_| round(&generator, &validator, n)).collect();
        rounds.sort_by(|left, right| left.ratio().total_cmp(&right.ratio()));
        Self { name: schema.name, rounds }
    }

    fn median(&self) -> Round {
        self.rounds[self.rounds.len() / 2]
    }

    fn ratio(&self) -> f64 {
        self.median().ratio()
    }
}

impl std::fmt::Display for Measured {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let median = self.median();
        let (generated, seconds) = (median.generated as f64, median.pipeline.as_secs_f64());
        let range = format!(
            "{:.2} to {:.2}",
            self.rounds[0].ratio(),
            self.rounds[self.rounds.len() - 1].ratio()
        );
        write!(
            formatter,
            "{:<16} {:>9} {:>12.0} {:>12.0} {:>9.0} {:>9.1} {:>8.2} {:>15}",
            self.name,
            median.generated,
            generated / seconds,
            generated / median.limit.as_secs_f64(),
            median.bytes as f64 / generated,
            median.bytes as f64 / seconds / 1e6,
            median.ratio(),
            range
        )
    }
}

fn round(generator: &Generator, validator: &Validator, n: u64) -> Round {
    let seed = Seed::from_number(1);
    let mut round = Round::default();
    let (mut buffer, mut memory) = (Vec::new(), DrawMemory::new());
    for start in (0..n).step_by(usize::try_from(CHUNK).expect("a small number")) {
        let indices = start..n.min(start + CHUNK);
        let (pipeline, ()) = cpu::of(|| {
            pipeline(generator, seed, indices.clone(), &mut memory, &mut buffer);
        });
        let instances: Vec<Accepted> =
            indices.filter_map(|index| generator.instance(seed, index)).collect();
        let (limit, ()) = cpu::of(|| check(validator, &instances, &mut buffer));
        round.pipeline += pipeline;
        round.limit += limit;
        round.generated += instances.len() as u64;
        round.bytes += buffer.len() as u64;
        if round.pipeline > ENOUGH {
            break;
        }
    }
    round
}

/// Generates and serialises instances, one after the other in the same memory. The buffer is the sink.
fn pipeline<'g>(
    generator: &'g Generator,
    seed: Seed,
    indices: std::ops::Range<u64>,
    memory: &mut DrawMemory<'g>,
    buffer: &mut Vec<u8>,
) {
    buffer.clear();
    let mut meter = Meter::counting();
    for index in indices {
        if let Ok(instance) = generator.generate_in(seed, index, memory, &mut meter) {
            write_json(instance.view().value(), buffer);
        }
    }
}

/// The validator of a schema as its library provides it.
pub(crate) fn validator(schema: &Schema) -> Validator {
    let options = jsonschema::options().should_validate_formats(true).offline();
    options.build(schema.document().unwrap().value()).unwrap()
}

/// Validates and serialises instances that are generated already.
pub(crate) fn check(validator: &Validator, instances: &[Accepted], buffer: &mut Vec<u8>) {
    buffer.clear();
    for instance in instances {
        assert!(validator.is_valid(instance.value()), "an accepted instance is valid");
        serde_json::to_writer(&mut *buffer, instance.value()).unwrap();
    }
}
