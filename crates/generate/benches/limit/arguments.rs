//! The command line of the bench.

use std::path::PathBuf;

/// What is measured.
#[derive(Debug)]
pub(crate) struct Arguments {
    pub(crate) n: u64,
    pub(crate) most: u64,
    pub(crate) binary: Option<PathBuf>,
}

/// What the command line asks for.
#[derive(Debug)]
pub(crate) enum Task {
    Help,
    /// A fresh process that generates this many instances and prints its peak memory.
    Memory(u64),
    Measure(Arguments),
}

pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Task, String> {
    let mut arguments = Arguments { n: 100_000, most: 1_000_000, binary: None };
    while let Some(word) = words.next() {
        let mut number = || {
            let value = words.next().ok_or_else(|| format!("{word} needs a number"))?;
            value.parse::<u64>().map_err(|_| format!("{word} needs a number, not `{value}`"))
        };
        match word.as_str() {
            // Cargo passes this to every bench.
            "--bench" => {}
            "--help" | "-h" => return Ok(Task::Help),
            "--memory-of" => return number().map(Task::Memory),
            "--n" => arguments.n = number()?.max(1),
            "--most" => arguments.most = number()?.max(1),
            "--binary" => {
                let file = words.next().ok_or("--binary needs a file")?;
                arguments.binary = Some(PathBuf::from(file));
            }
            other => return Err(format!("unknown argument `{other}`")),
        }
    }
    Ok(Task::Measure(arguments))
}
