//! Our part in `bench/peers`: makes instances as any contestant does, and judges what all of them made.
//!
//! - `peers machine`: a line about the machine.
//! - `peers schemas FOLDER`: writes the schemas there and prints their names.
//! - `peers make SCHEMA OUT SECONDS MOST`: the runner; `bench/README.md` has the contract of runners.
//! - `peers judge SCHEMA FILE`: how many lines of FILE are valid and distinct, and what the limit is.
#![expect(clippy::print_stdout, reason = "the output is the result")]

use std::{
    collections::BTreeSet,
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader, BufWriter, Write},
    path::Path,
    time::{Duration, Instant},
};

use foolproof_contract::{Document, FormatPolicy, Oracle, write_json};
use foolproof_generate::{DrawMemory, Generator, Meter, Seed};
use serde_json::{Value, json};

#[path = "../benches/limit/cpu.rs"]
mod cpu;
#[path = "../benches/schemas/mod.rs"]
mod schemas;

/// Values between two looks at the clock; few, so that they stay in the cache.
const CHUNK: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        ["machine"] => println!("{}", cpu::machine()),
        ["schemas", folder] => write_schemas(Path::new(folder))?,
        ["make", schema, out, seconds, most] => {
            let budget = Duration::from_secs_f64(seconds.parse()?);
            println!("{}", make(&read(schema)?, Path::new(out), budget, most.parse()?)?);
        }
        ["judge", schema, file] => println!("{}", judge(&read(schema)?, Path::new(file))?),
        _ => return Err("usage: peers machine | schemas | make | judge; see the source".into()),
    }
    Ok(())
}

fn write_schemas(folder: &Path) -> Result<(), Box<dyn Error>> {
    for schema in schemas::all() {
        schema.document()?;
        fs::write(folder.join(format!("{}.json", schema.name)), &schema.text)?;
        println!("{}", schema.name);
    }
    Ok(())
}

fn read(file: &str) -> Result<Document, Box<dyn Error>> {
    Ok(Document::from_text(file, &fs::read_to_string(file)?)?)
}

fn make(
    document: &Document,
    out: &Path,
    budget: Duration,
    most: u64,
) -> Result<Value, Box<dyn Error>> {
    let (prepare, generator) = cpu::of(|| Generator::new(document, FormatPolicy::Assert));
    let generator = generator?;
    let mut out = BufWriter::new(fs::File::create(out)?);
    let (mut made, mut failed) = (0, 0);
    let (mut memory, mut meter, mut line) = (DrawMemory::new(), Meter::counting(), Vec::new());
    let (wall, start) = (Instant::now(), cpu::now());
    // The clock on the wall is cheap to read and never behind: the dear one is asked only then.
    let is_over = || wall.elapsed() >= budget && cpu::now().saturating_sub(start) >= budget;
    while made + failed < most && !is_over() {
        let index = made + failed;
        let seed = Seed::from_number(1);
        if let Ok(instance) = generator.generate_in(seed, index, &mut memory, &mut meter) {
            line.clear();
            write_json(instance.view().value(), &mut line);
            line.push(b'\n');
            out.write_all(&line)?;
            made += 1;
        } else {
            failed += 1;
        }
    }
    out.flush()?;
    let cpu = cpu::now().saturating_sub(start).as_secs_f64();
    let error = (failed > 0).then_some("no accepted value was found");
    let prepare = prepare.as_secs_f64();
    Ok(json!({ "made": made, "failed": failed, "cpu": cpu, "prepare": prepare, "error": error }))
}

fn judge(document: &Document, file: &Path) -> Result<Value, Box<dyn Error>> {
    let oracle = Oracle::new(document, FormatPolicy::Assert)?;
    let mut judged = Judged::default();
    let mut chunk = Vec::with_capacity(CHUNK);
    for line in BufReader::new(fs::File::open(file)?).split(b'\n') {
        let line = line?;
        judged.lines += 1;
        judged.bytes += line.len();
        // Text that is no JSON (a lone surrogate, `NaN`) is no instance of anything.
        match serde_json::from_slice::<Value>(&line) {
            Ok(value) => chunk.push(value),
            Err(_) => judged.unreadable += 1,
        }
        if chunk.len() == CHUNK {
            judged.take(&oracle, &mut chunk)?;
        }
    }
    judged.take(&oracle, &mut chunk)?;
    Ok(json!({
        "lines": judged.lines,
        "bytes": judged.bytes,
        "unreadable": judged.unreadable,
        "valid": judged.valid,
        "distinct": judged.seen.len(),
        "limit": judged.limit.as_secs_f64(),
    }))
}

#[derive(Default)]
struct Judged {
    lines: usize,
    bytes: usize,
    unreadable: usize,
    valid: usize,
    /// The values as text with members in the order of their names, so that order tells none apart.
    seen: BTreeSet<String>,
    /// The CPU time of validating and serialising what was readable.
    limit: Duration,
}

impl Judged {
    fn take(&mut self, oracle: &Oracle, chunk: &mut Vec<Value>) -> Result<(), Box<dyn Error>> {
        // The first look counts, and warms the cache for the second, which is timed.
        for value in chunk.iter() {
            self.valid += usize::from(oracle.is_valid(value));
            self.seen.insert(value.to_string());
        }
        let mut buffer = Vec::new();
        let (limit, written) = cpu::of(|| {
            chunk.iter().try_for_each(|value| {
                std::hint::black_box(oracle.is_valid(value));
                serde_json::to_writer(&mut buffer, value)
            })
        });
        written?;
        self.limit += limit;
        chunk.clear();
        Ok(())
    }
}
