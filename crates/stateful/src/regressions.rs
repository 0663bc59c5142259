//! Regression files: failing sequences, one a line, which run before all others.

use std::{fs, io::Write};

use crate::{Config, Failure, Machine};

const HEADER: &str = "# Sequences that failed once, one a line; they are run before all others.\n# It is recommended to check this file in.\n";

/// The sequences in the regression file of `config`. A line that does not fit the test any more,
/// because a command is gone or has other arguments, is ignored.
pub(crate) fn load<A: Machine>(machine: &A, config: &Config) -> Result<Vec<Vec<A::Step>>, Failure> {
    let Some(path) = &config.regressions else { return Ok(Vec::new()) };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => {
            let problem = format!("cannot read `{}`: {error}", path.display());
            return Err(Failure::misuse(problem));
        }
    };
    let lines = text.lines().map(str::trim);
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.filter_map(|line| parse_steps(machine, line)).collect())
}

/// The steps that a line describes, if they fit the test.
pub(crate) fn parse_steps<A: Machine>(machine: &A, line: &str) -> Option<Vec<A::Step>> {
    let parts = line.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.map(|part| machine.parse_step(part)).collect()
}

/// Appends the replay of `failure`, unless the file has it.
pub(crate) fn append(config: &Config, failure: &Failure) {
    let Some(path) = &config.regressions else { return };
    let known = fs::read_to_string(path).unwrap_or_default();
    if failure.replay().is_empty() || known.lines().any(|line| line.trim() == failure.replay()) {
        return;
    }
    if let Some(folder) = path.parent() {
        let _ = fs::create_dir_all(folder);
    }
    // An unwritable file must not hide the failure, which contains the replay too.
    let file = fs::OpenOptions::new().create(true).append(true).open(path);
    if let Ok(mut file) = file {
        let header = if known.is_empty() { HEADER } else { "" };
        let _ = writeln!(file, "{header}{}", failure.replay());
    }
}
