//! The report of a failure as text.

use std::fmt;

use super::{Cause, Counterexample, Failure, StepReport};

/// The longest text of one value in a report, in characters.
const LONGEST: usize = 300;

/// The width of a line, unless a word is longer.
const WIDTH: usize = 100;

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.cause {
            Cause::Counterexample(counterexample) => counterexample.fmt(formatter),
            Cause::NotReproduced { seed, run, replay, .. } => {
                writeln!(
                    formatter,
                    "a sequence failed once, and passed when it was run again: the system is flaky"
                )?;
                write_seed(formatter, *seed, *run)?;
                write!(formatter, "  replay: Some({replay:?}.into())")
            }
            Cause::PanicOutsideStep { fault, seed, run, .. } => {
                writeln!(formatter, "outside of any step, {fault}")?;
                writeln!(formatter, "(the start of a sequence, a precondition or a strategy)")?;
                write!(formatter, "seed: Some({seed})    (sequence {run})")
            }
            Cause::CommandsNeverRan { problem, statistics } => {
                write!(formatter, "{problem}\n\n{statistics}")
            }
            Cause::Misuse(problem) => formatter.write_str(problem),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let last = self.steps.last().map(ToString::to_string).unwrap_or_default();
        write_wrapped(formatter, "", &format!("`{last}` failed: {}", self.fault))?;
        let (length, original, runs) = (self.steps.len(), self.original, self.executions);
        let title = format!("minimal sequence ({length} of {original} steps, {runs} executions):");
        writeln!(formatter, "\n{title}")?;
        for (number, step) in self.steps.iter().enumerate() {
            let result =
                step.result.as_ref().filter(|result| !["()", "Ok(())"].contains(&result.as_str()));
            let result =
                result.map(|result| format!(" -> {}", shorten(result))).unwrap_or_default();
            write_wrapped(formatter, &format!("  {}. ", number + 1), &format!("{step}{result}"))?;
        }
        let (before, after) = &self.models;
        if !before.is_empty() {
            write_wrapped(formatter, "\nmodel before the last step: ", &shorten(before))?;
            write_wrapped(formatter, "model after it:             ", &shorten(after))?;
        }
        writeln!(formatter)?;
        if self.reached_shrink_limit {
            writeln!(formatter, "a limit ended the search for a smaller one")?;
        }
        let (failed, tried) = (self.confirmed, self.confirmations);
        if failed < tried {
            writeln!(formatter, "FLAKY: run again, it failed {failed} of {tried} times")?;
        }
        write_seed(formatter, self.seed, self.run)?;
        writeln!(formatter, "  replay: Some({:?}.into())", self.replay)?;
        write!(formatter, "\n{}", self.statistics)
    }
}

/// Writes `text` after `lead`, wrapped at [`WIDTH`] and indented.
fn write_wrapped(formatter: &mut fmt::Formatter<'_>, lead: &str, text: &str) -> fmt::Result {
    let indent = lead.trim_start_matches('\n').chars().count();
    formatter.write_str(lead)?;
    let mut column = indent;
    for (index, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if index > 0 && column + 1 + length > WIDTH {
            write!(formatter, "\n{:indent$}", "")?;
            column = indent;
        } else if index > 0 {
            formatter.write_str(" ")?;
            column += 1;
        }
        formatter.write_str(word)?;
        column += length;
    }
    writeln!(formatter)
}

/// How to repeat the failure: the seed, and the introduction to the replay that follows.
fn write_seed(formatter: &mut fmt::Formatter<'_>, seed: u64, run: Option<u64>) -> fmt::Result {
    writeln!(formatter, "to do it again, put one of these into the Config:")?;
    match run {
        Some(run) => writeln!(formatter, "  seed: Some({seed})    (sequence {run})"),
        None => Ok(()),
    }
}

/// `text` on one line, cut off if it is long.
fn shorten(text: &str) -> String {
    let text = text.replace('\n', " ");
    if text.chars().count() <= LONGEST {
        return text;
    }
    let start: String = text.chars().take(LONGEST - 1).collect();
    format!("{start}…")
}

impl fmt::Display for StepReport {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}({})", self.command, shorten(&self.arguments.join(", ")))
    }
}
