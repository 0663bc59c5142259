//! Regression files: failing sequences, one a line, which run before all others.
//!
//! A step is written as its record and, after ` = `, as the arguments that it had. If a replay has others,
//! because a strategy has changed, the line no longer says anything about the failure that it was kept for.

use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
};

use crate::{
    Argument, Config, Failure, Regressions,
    machine::StepText,
    rng,
    step_syntax::{self, escape, unescape},
};

const HEADER: &str = "# Sequences that failed once, one a line; they are run before all others.\n# It is recommended to check this file in.\n";

/// What stands between the record of a step and its arguments.
const SHOWN: &str = " = ";

/// The longest text of arguments that is kept as it is; of longer ones the start and a hash are.
const LONGEST: usize = 200;

/// The regression file of a test, if it has one.
pub(crate) struct RegressionFile(Option<PathBuf>);

/// A line of a regression file.
pub(crate) struct Entry {
    /// Its number, from 1.
    pub(crate) line: usize,
    pub(crate) text: String,
}

/// Recorded steps, and the arguments that each had.
pub(crate) struct RecordedSteps<T> {
    pub(crate) steps: Vec<T>,
    shown: Vec<Option<String>>,
}

impl RegressionFile {
    pub(crate) fn of(config: &Config) -> Self {
        match &config.regressions {
            Regressions::File(path) => Self(Some(path.clone())),
            Regressions::ByTestName | Regressions::Off => Self(None),
        }
    }

    /// Its lines, without comments.
    pub(crate) fn load(&self) -> Result<Vec<Entry>, String> {
        let Some(path) = &self.0 else { return Ok(Vec::new()) };
        let text = match fs::read(path) {
            Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("cannot read `{}`: {error}", path.display())),
        };
        let lines = text.lines().enumerate();
        let lines = lines.map(|(index, text)| Entry { line: index + 1, text: text.trim().into() });
        Ok(lines.filter(|it| !it.text.is_empty() && !it.text.starts_with('#')).collect())
    }

    /// Appends the sequence of `failure`, unless the file has it.
    pub(crate) fn append(&self, failure: &mut Failure) {
        let Some(path) = &self.0 else { return };
        // An unwritable file must not hide the failure, which contains the replay too.
        if append_line(path, failure.record()).is_ok_and(|is_there| is_there) {
            failure.set_regression_file(path);
        }
    }

    /// Records that the sequence of `failure` comes from this file.
    pub(crate) fn set_origin(&self, failure: &mut Failure) {
        if let Some(path) = &self.0 {
            failure.set_regression_file(path);
        }
    }
}

/// Appends a line to a file, unless it is empty or the file has it. Returns whether the file has it then.
fn append_line(path: &Path, line: &str) -> io::Result<bool> {
    let known = fs::read(path).unwrap_or_default();
    let known = String::from_utf8_lossy(&known);
    if line.is_empty() || known.lines().any(|known| known.trim() == line) {
        return Ok(!line.is_empty());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path)?;
    let header = if known.is_empty() { HEADER } else { "" };
    // Somebody may have removed the line break at the end of the file.
    let separator = if known.is_empty() || known.ends_with('\n') { "" } else { "\n" };
    // In one piece, since a test may be killed at any time.
    file.write_all(format!("{header}{separator}{line}\n").as_bytes())?;
    Ok(true)
}

/// The steps of a failure as a line of the file.
pub(crate) fn record<T>(
    machine: &dyn StepText<T>,
    steps: &[T],
    arguments: &[Vec<Argument>],
) -> String {
    let texts: Vec<String> = steps.iter().map(|step| machine.serialize_step(step)).collect();
    if texts.iter().any(String::is_empty) {
        return String::new();
    }
    let with_arguments = texts.into_iter().enumerate().map(|(index, text)| {
        let shown = arguments.get(index).map(|arguments| shown(arguments));
        match shown.filter(|shown| !shown.is_empty()) {
            Some(shown) => format!("{text}{SHOWN}{}", escape(&shown)),
            None => text,
        }
    });
    with_arguments.collect::<Vec<_>>().join("; ")
}

/// The steps that a line describes, if they fit the test.
pub(crate) fn parse_steps<T>(machine: &dyn StepText<T>, line: &str) -> Option<RecordedSteps<T>> {
    let parts = line.split(';').map(str::trim).filter(|part| !part.is_empty());
    let parsed = parts.map(|part| {
        let (text, shown) = match part.split_once(SHOWN) {
            Some((text, shown)) => (text, Some(unescape(shown))),
            None => (part, None),
        };
        // Before arguments were kept, a record might contain the separator.
        let step = machine.parse_step(text).map(|step| (step, shown));
        step.or_else(|| Some((machine.parse_step(part)?, None)))
    });
    let (steps, shown) = parsed.collect::<Option<Vec<_>>>()?.into_iter().unzip();
    Some(RecordedSteps { steps, shown })
}

/// Whether `line` has the shape of steps, of whatever test.
pub(crate) fn looks_like_steps(line: &str) -> bool {
    let mut parts = line.split(';').map(str::trim).filter(|part| !part.is_empty());
    parts.all(|part| {
        let text = part.split_once(SHOWN).map_or(part, |(text, _)| text);
        step_syntax::parse(text).is_some()
    })
}

impl<T> RecordedSteps<T> {
    /// In which step the arguments are not those that were recorded.
    pub(crate) fn difference(&self, arguments: &[Vec<Argument>]) -> Option<String> {
        let pairs = self.shown.iter().zip(arguments).enumerate();
        let mut differences = pairs.filter_map(|(index, (recorded, arguments))| {
            let (recorded, now) = (recorded.as_ref()?, shown(arguments));
            let number = index + 1;
            (*recorded != now).then(|| {
                format!("the arguments of step {number} were `{recorded}`, and are `{now}` now")
            })
        });
        differences.next()
    }
}

/// The arguments of a step as they are kept.
fn shown(arguments: &[Argument]) -> String {
    let text: Vec<String> = arguments.iter().map(ToString::to_string).collect();
    let text = text.join(", ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}…{:016x}", rng::hash(text.as_bytes()))
}
