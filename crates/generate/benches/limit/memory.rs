//! Peak memory as the number of instances grows: it must not grow with it.
//!
//! Measured in fresh processes, since the peak of a process never falls: this bench itself, which
//! knows its own peak exactly, and the release binary, whose peak is sampled from outside.

use std::{
    env, fs,
    io::{self, Write},
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use foolproof_contract::FormatPolicy;
use foolproof_generate::{Generator, Seed};

use crate::{binary, report::Report, schemas, schemas::Schema};

/// The longest run may need this much more than the shortest: allocators round, and larger instances
/// turn up in longer runs.
const SLACK: f64 = 1.25;

pub(crate) fn table(schemas: &[Schema], most: u64, binary: Option<&Path>, report: &mut Report) {
    println!("{:>9} {:>16} {:>16}", "n", "library, MiB", "binary, MiB");
    let schema = binary.and_then(|_| binary::schema_file(schemas));
    let mut rows = Vec::new();
    for n in [1_000, 10_000, most] {
        let library = of_library(n);
        let binary = binary.zip(schema.as_deref()).and_then(|(file, schema)| {
            of_binary(Command::new(file).arg("generate").arg(schema).args(["--n", &n.to_string()]))
        });
        println!("{n:>9} {:>16} {:>16}", mebibytes(library), mebibytes(binary));
        rows.push([library, binary]);
    }
    for (column, name) in ["the library", "the binary"].into_iter().enumerate() {
        if let (Some(first), Some(last)) = (rows[0][column], rows[rows.len() - 1][column]) {
            let growth = last as f64 / first as f64;
            let found = format!("{name}'s peak at {most} is {growth:.2} times that at 1000");
            report.promise(growth <= SLACK, format!("{found}; flat means at most {SLACK}"));
        } else {
            println!("the peak of {name} is not known here");
        }
    }
}

fn mebibytes(kibibytes: Option<u64>) -> String {
    kibibytes.map_or_else(|| "-".to_owned(), |size| format!("{:.1}", size as f64 / 1024.0))
}

/// What the fresh process does: generates `n` instances, and prints its peak in KiB.
pub(crate) fn report_own(n: u64) {
    let schemas = schemas::all();
    let schema = schemas.iter().find(|schema| schema.name == schemas::MEDIUM);
    let document = schema.expect("the medium schema is one of them").document().unwrap();
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let mut sink = io::BufWriter::new(io::sink());
    for instance in generator.instances(Seed::from_number(1), n) {
        serde_json::to_writer(&mut sink, instance.value()).unwrap();
        sink.write_all(b"\n").unwrap();
    }
    let peak = peak("self").map_or_else(|| "unknown".to_owned(), |peak| peak.to_string());
    println!("{peak}");
}

fn of_library(n: u64) -> Option<u64> {
    let mut command = Command::new(env::current_exe().ok()?);
    let output = command.args(["--memory-of", &n.to_string()]).output().ok()?;
    String::from_utf8(output.stdout).ok()?.trim().parse().ok()
}

/// Sampled every two milliseconds: a peak of the very last moment is missed, growth is not.
fn of_binary(command: &mut Command) -> Option<u64> {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let id = child.id().to_string();
    let mut highest = None;
    while child.try_wait().ok()?.is_none() {
        highest = highest.max(peak(&id));
        thread::sleep(Duration::from_millis(2));
    }
    highest
}

/// The most memory that a process had resident, in KiB; only Linux reports it.
fn peak(process: &str) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.trim().parse().ok()
}
