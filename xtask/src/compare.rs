//! Two binaries side by side: whether they write the same bytes for contracts of the corpus.
//!
//! For a change that must not alter output. Every chosen schema is inspected and generated from with
//! coverage off, measured and guided, by both binaries; standard output, exit code and report are
//! compared. Left out of reports are the two times and what is written for people: `meta.reason`,
//! `reasonDetail` and notes.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
    process::Command,
};

use foolproof_corpus::{Contracts, Entry};
use serde_json::Value;

/// The command lines that are compared, each without the contract and the report.
const COMMANDS: [(&str, &[&str]); 4] = [
    ("inspect", &["inspect", "--json"]),
    ("off", &["generate", "--quiet", "--seed", "7", "--n", "20"]),
    ("measure", &["generate", "--quiet", "--seed", "7", "--n", "20", "--coverage", "measure"]),
    (
        "guided",
        &[
            "generate",
            "--quiet",
            "--seed",
            "7",
            "--n",
            "40",
            "--coverage",
            "guided",
            "--coverage-profile",
            "quick",
        ],
    ),
];

/// What differs between two binaries.
#[derive(Debug, Default)]
pub struct Comparison {
    compared: usize,
    /// The contract and the command.
    differences: Vec<(String, &'static str)>,
}

impl Comparison {
    /// Compares `old` with `new` on `count` schemas, spread evenly over the corpus.
    pub fn of(old: &Path, new: &Path, count: usize) -> io::Result<Self> {
        let schemas = Contracts::find().schemas();
        let stride = (schemas.len() / count.max(1)).max(1);
        let folder = std::env::temp_dir().join(format!("foolproof-compare-{}", std::process::id()));
        fs::create_dir_all(&folder)?;
        let mut comparison = Self::default();
        for entry in schemas.iter().step_by(stride).take(count) {
            for (name, arguments) in COMMANDS {
                let left = run(old, entry, arguments, &folder)?;
                let right = run(new, entry, arguments, &folder)?;
                comparison.compared += 1;
                if left != right {
                    comparison.differences.push((entry.name.clone(), name));
                }
            }
        }
        fs::remove_dir_all(&folder)?;
        Ok(comparison)
    }

    /// Whether nothing differs and something was compared.
    #[must_use]
    pub fn is_same(&self) -> bool {
        self.compared > 0 && self.differences.is_empty()
    }
}

impl fmt::Display for Comparison {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (contract, command) in &self.differences {
            writeln!(formatter, "{contract}: {command} differs")?;
        }
        let differences = self.differences.len();
        writeln!(formatter, "{differences} of {} outputs differ", self.compared)
    }
}

/// What one command wrote: standard output, exit code, report.
fn run(
    binary: &Path,
    entry: &Entry,
    arguments: &[&str],
    folder: &Path,
) -> io::Result<(Vec<u8>, Option<i32>, Option<Value>)> {
    let report: PathBuf = folder.join("report.json");
    let mut command = Command::new(binary);
    command.args(arguments).arg(entry.path());
    let has_report = arguments.contains(&"--coverage");
    if has_report {
        command.arg("--coverage-report").arg(&report);
    }
    let output = command.output()?;
    let report = has_report.then(|| read_report(&report)).flatten();
    Ok((output.stdout, output.status.code(), report))
}

fn read_report(path: &Path) -> Option<Value> {
    let mut report: Value = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    fs::remove_file(path).ok()?;
    for field in ["startedAt", "durationMs"] {
        report["run"].as_object_mut()?.remove(field);
    }
    for list in ["targets", "uncoveredTargets"] {
        for target in report[list].as_array_mut()? {
            if let Some(meta) = target.get_mut("meta").and_then(Value::as_object_mut) {
                meta.remove("reason");
            }
        }
    }
    for hint in report["unsatisfiedHints"].as_array_mut()? {
        hint.as_object_mut()?.remove("reasonDetail");
    }
    report["diagnostics"].as_object_mut()?.remove("notes");
    Some(report)
}
