//! The whole command against the limit of its output: start-up, threads and writing included.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    time::Duration,
};

use foolproof_contract::{Accepted, FormatPolicy};
use foolproof_generate::{Generator, Seed};

use crate::{binary, cpu, ratio, report::Report, schemas::Schema};

/// The median of so many ratios counts. An odd number, so that it is one of them.
const ROUNDS: usize = 9;

/// The instances that the limit is measured on at a time: few enough to stay in the cache.
const CHUNK: u64 = 64;

/// The seed of the runs.
const SEED: u64 = 1;

/// The schemas that the promise is about: a record with formats, a nested order, a union that a tag decides, an object
/// composed with `allOf`, a tree.
const PROMISED: [&str; 5] = ["user", "order", "event", "pet", "tree"];

/// The promise on each of the schemas, and the goal beyond it.
const PROMISE: f64 = 3.0;
const GOAL: f64 = 2.0;

pub(crate) fn table(schemas: &[Schema], n: u64, binary: Option<&Path>, report: &mut Report) {
    let Some(binary) = binary else {
        println!("skipped: there is no binary to run");
        return;
    };
    println!(
        "{:<10} {:>9} {:>11} {:>9} {:>8} {:>15} {:>14}",
        "schema", "n", "command, s", "limit, s", "ratio", "rounds", "instances/s"
    );
    let promised = schemas.iter().filter(|it| PROMISED.contains(&it.name));
    let mut worst: Option<(f64, &str)> = None;
    for schema in promised {
        let Some(rounds) = measure(schema, n, binary) else {
            println!("{:<10} skipped: the command failed, or its time is not known", schema.name);
            continue;
        };
        let Round { command, limit } = rounds[ROUNDS / 2];
        let ratio = rounds[ROUNDS / 2].ratio();
        println!(
            "{:<10} {n:>9} {:>11.2} {:>9.2} {ratio:>8.2} {:>15} {:>14.0}",
            schema.name,
            command.as_secs_f64(),
            limit.as_secs_f64(),
            format!("{:.2} to {:.2}", rounds[0].ratio(), rounds[ROUNDS - 1].ratio()),
            n as f64 / command.as_secs_f64()
        );
        if worst.is_none_or(|(most, _)| ratio > most) {
            worst = Some((ratio, schema.name));
        }
    }
    println!(
        "CPU time of the process, one thread; the median, the lowest and the highest ratio of {ROUNDS}"
    );
    if let Some((ratio, name)) = worst {
        let found = format!("the command takes at most {ratio:.2} times the limit (`{name}`)");
        report.promise(ratio <= PROMISE, format!("{found}; at most {PROMISE}"));
        report.goal(ratio <= GOAL, format!("the goal is {GOAL} times on each"));
    }
}

/// The time of the command, and that of the limit right before and after it: a machine that is slower for a while is slower
/// for both.
#[derive(Clone, Copy)]
struct Round {
    command: Duration,
    limit: Duration,
}

impl Round {
    fn ratio(&self) -> f64 {
        self.command.as_secs_f64() / self.limit.as_secs_f64()
    }
}

/// The rounds by rising ratio.
fn measure(schema: &Schema, n: u64, binary: &Path) -> Option<Vec<Round>> {
    let file = binary::write_schema(schema)?;
    let mut rounds = Vec::new();
    let mut before = limit(schema, n);
    for _ in 0..ROUNDS {
        let command = run(binary, &file, n)?;
        let after = limit(schema, n);
        rounds.push(Round { command, limit: (before + after) / 2 });
        before = after;
    }
    rounds.sort_by(|left, right| left.ratio().total_cmp(&right.ratio()));
    Some(rounds)
}

fn run(binary: &Path, schema: &Path, n: u64) -> Option<Duration> {
    let start = of_children()?;
    let status = Command::new(binary)
        .arg("generate")
        .arg(schema)
        .args(["--n", &n.to_string(), "--threads", "1", "--seed", &SEED.to_string()])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    status.is_ok_and(|status| status.success()).then(of_children)??.checked_sub(start)
}

/// Validating and serialising the same instances.
fn limit(schema: &Schema, n: u64) -> Duration {
    let document = schema.document().unwrap();
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let validator = ratio::validator(schema);
    let (mut total, mut buffer) = (Duration::ZERO, Vec::new());
    for start in (0..n).step_by(usize::try_from(CHUNK).expect("a small number")) {
        let indices = start..n.min(start + CHUNK);
        let seed = Seed::from_number(SEED);
        let instances: Vec<Accepted> =
            indices.filter_map(|index| generator.instance(seed, index)).collect();
        total += cpu::of(|| ratio::check(&validator, &instances, &mut buffer)).0;
    }
    total
}

/// The CPU time of all child processes that have ended, where the system says it: in hundredths of a second.
fn of_children() -> Option<Duration> {
    let stat = fs::read_to_string("/proc/self/stat").ok()?;
    // The name of the process, in parentheses, may contain spaces.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let ticks = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Duration::from_millis(10 * (ticks(13)? + ticks(14)?)))
}
