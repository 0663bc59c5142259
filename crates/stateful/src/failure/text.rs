//! The report of a failure as text.

use std::fmt;

use super::{
    Cause, Counterexample, Failure, ProposalFailure, ShortSequence, StartFailure, StepReport,
};
use crate::fault::TEARDOWN;

/// The longest text of one value in a report, in characters.
const LONGEST: usize = 300;

/// The width of a line, unless a word is longer.
const WIDTH: usize = 100;

/// The longest sequence before shrinking that is always shown.
const SHORT: usize = 8;

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.cause.fmt(formatter)?;
        for (number, other) in self.others.iter().enumerate() {
            let total = self.others.len() + 1;
            write!(formatter, "\n\n--- failure {} of {total} ---\n\n{other}", number + 2)?;
        }
        Ok(())
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Counterexample(counterexample) => counterexample.fmt(formatter),
            Self::Vanished(counterexample) => {
                let tried = counterexample.confirmations;
                writeln!(
                    formatter,
                    "FLAKY: a sequence failed once, and passed the {tried} times that it was run again"
                )?;
                counterexample.fmt(formatter)
            }
            Self::StartFailed(failure) => {
                let StartFailure { fault, seed, run, statistics } = failure.as_ref();
                writeln!(formatter, "before the first step, {fault}")?;
                write_seed(formatter, *seed, *run)?;
                write!(formatter, "\n{statistics}")
            }
            Self::ProposalFailed(failure) => {
                let ProposalFailure { fault, steps, seed, run, statistics } = failure.as_ref();
                writeln!(formatter, "no step was running when this happened: {fault}")?;
                writeln!(
                    formatter,
                    "(Arguments are drawn before preconditions are checked, so a strategy must be valid in \
                     every state: an empty range, as `0..model.len()` of an empty model, panics.)"
                )?;
                writeln!(formatter, "\nthe steps before ({}):", steps.len())?;
                write_steps(formatter, steps)?;
                write_seed(formatter, *seed, *run)?;
                write!(formatter, "\n{statistics}")
            }
            Self::TooShort(sequence) => {
                let ShortSequence { least, steps, seed, run, statistics } = sequence.as_ref();
                let length = steps.len();
                writeln!(
                    formatter,
                    "no command can run after {length} of at least {least} steps: lower `min_commands`, or \
                     let a command run in this state"
                )?;
                writeln!(formatter, "\nthe steps before:")?;
                write_steps(formatter, steps)?;
                write_seed(formatter, *seed, *run)?;
                write!(formatter, "\n{statistics}")
            }
            Self::NothingRan { statistics } => {
                let runs = statistics.runs;
                writeln!(
                    formatter,
                    "no step ran in {runs} sequences, so nothing was tested: all weights are 0, no command \
                     can run in the initial state, or `max_commands` is 0"
                )?;
                write!(formatter, "\n{statistics}")
            }
            Self::CommandsNeverRan { problem, statistics } => {
                write!(formatter, "{problem}\n\n{statistics}")
            }
            Self::Misuse(problem) => formatter.write_str(problem),
        }
    }
}

impl fmt::Display for Counterexample {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write_lines(formatter, &self.headline())?;
        if let Some(line) = self.origin {
            let file = self.regression_file.as_deref().unwrap_or_default();
            writeln!(formatter, "(line {line} of the regression file `{file}`)")?;
        }
        let (length, original, runs) = (self.steps.len(), self.original, self.executions);
        let title = format!("minimal sequence ({length} of {original} steps, {runs} executions):");
        writeln!(formatter, "\n{title}")?;
        if !self.given.is_empty() {
            write_wrapped(formatter, "  given ", &shorten(&self.given.join(", ")))?;
        }
        write_steps(formatter, &self.steps)?;
        write_state(formatter, "model", &self.models)?;
        write_state(formatter, "system", &self.systems)?;
        let is_short = original <= SHORT && original > length;
        if is_short || (self.is_verbose && original > 0) {
            writeln!(formatter, "\nbefore shrinking:")?;
            write_steps(formatter, &self.original_steps)?;
        }
        writeln!(formatter)?;
        if self.reached_shrink_limit {
            writeln!(formatter, "a limit ended the search for a smaller one")?;
        }
        let (failed, tried) = (self.confirmed, self.confirmations);
        if failed < tried {
            writeln!(formatter, "FLAKY: run again, it failed {failed} of {tried} times")?;
        }
        if self.is_verbose {
            for pass in &self.shrinking.passes {
                let (name, runs, accepted) = (pass.name, pass.executions, pass.accepted);
                writeln!(formatter, "shrink pass {name}: {runs} executions, {accepted} accepted")?;
            }
        }
        write_seed(formatter, self.seed, self.run)?;
        if !self.replay.is_empty() {
            writeln!(formatter, "  replay: Some({:?}.into())", self.replay)?;
        }
        if let (None, Some(file)) = (self.origin, &self.regression_file) {
            writeln!(formatter, "it is kept in `{file}`, and will run before all others")?;
        }
        write!(formatter, "\n{}", self.statistics)
    }
}

impl Counterexample {
    /// What failed, and how.
    fn headline(&self) -> String {
        let fault = &self.fault;
        match self.steps.last() {
            _ if fault.parts().during == TEARDOWN => {
                format!("the teardown failed: {}", fault.clone().during(""))
            }
            None => format!("the initial state failed: {}", fault.clone().during("")),
            Some(step) => format!("`{step}` failed: {fault}"),
        }
    }
}

/// Writes numbered steps with their results.
fn write_steps(formatter: &mut fmt::Formatter<'_>, steps: &[StepReport]) -> fmt::Result {
    for (number, step) in steps.iter().enumerate() {
        let result =
            step.result.as_ref().filter(|result| !["()", "Ok(())"].contains(&result.as_str()));
        let result = result.map(|result| format!(" -> {}", shorten(result))).unwrap_or_default();
        write_wrapped(formatter, &format!("  {}. ", number + 1), &format!("{step}{result}"))?;
    }
    Ok(())
}

/// Writes the model or the system before and after the last step, unless both are empty.
fn write_state(
    formatter: &mut fmt::Formatter<'_>,
    name: &str,
    (before, after): &(String, String),
) -> fmt::Result {
    if before.is_empty() && after.is_empty() {
        return Ok(());
    }
    let lead = format!("{name} before the last step: ");
    write_wrapped(formatter, &format!("\n{lead}"), &shorten(before))?;
    let width = lead.len();
    write_wrapped(formatter, &format!("{:<width$}", format!("{name} after it:")), &shorten(after))
}

/// Writes `text`. Several lines, as those of `assert_eq!`, stay as they are; a single one is wrapped.
fn write_lines(formatter: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    if text.contains('\n') {
        writeln!(formatter, "{text}")
    } else {
        write_wrapped(formatter, "", text)
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
    writeln!(
        formatter,
        "to repeat it, put one of these into the Config (or set FOOLPROOF_SEED, FOOLPROOF_REPLAY):"
    )?;
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
