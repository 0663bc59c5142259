//! The summary of a run: the number of instances, the speed and the seed; and why some are missing.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use foolproof_contract::{Diagnostic, wording::count};
use foolproof_coverage::{CompiledRun, RunTotals};
use foolproof_generate::{Exhausted, Generator};

use super::destination::Kept;
use crate::{
    args::GenerateArgs,
    exit::Exit,
    failure::shorten,
    terminal::{pace, print_line},
};

/// The most contradictions that are listed.
const MAX_CONTRADICTIONS: usize = 5;

pub(super) struct Summary<'a> {
    args: &'a GenerateArgs,
    compiled: &'a CompiledRun,
    start: Instant,
    elapsed: Duration,
}

impl<'a> Summary<'a> {
    /// Starts to measure the time.
    pub(super) fn start(args: &'a GenerateArgs, compiled: &'a CompiledRun) -> Self {
        Self { args, compiled, start: Instant::now(), elapsed: Duration::ZERO }
    }

    /// Stops to measure the time.
    pub(super) fn stop(&mut self) {
        self.elapsed = self.start.elapsed();
    }

    /// Prints the summary of a run that was not interrupted.
    pub(super) fn print(&self, totals: &RunTotals) -> Exit {
        if !self.args.verbosity.quiet {
            self.print_work(totals);
        }
        let Some((index, exhausted)) = &totals.first_missing else { return Exit::Success };
        let RunTotals { generated, missing, .. } = totals;
        let all = count(generated + missing, "instance");
        print_line(&format!("{missing} of {all} could not be generated"));
        match exhausted {
            Some(exhausted) => {
                let operation = self.compiled.api().zip(self.compiled.entry_at(*index));
                let operation = operation.map(|(api, entry)| {
                    format!(" (`{}`, {})", api.operation(entry).key, entry.side.as_str())
                });
                let operation = operation.unwrap_or_default();
                print_line(&describe_exhausted(*index, &operation, exhausted));
            }
            None => self.print_contradictions(),
        }
        Exit::Unsatisfiable
    }

    /// Prints how much a run that was interrupted has written.
    pub(super) fn print_interruption(totals: &RunTotals, kept: Kept<'_>) {
        let generated = count(totals.generated, "instance");
        print_line(&match kept {
            Kept::Written => format!("interrupted: {generated} written"),
            Kept::Nothing(path) => {
                format!("interrupted after {generated}: nothing written to `{}`", show(path))
            }
        });
    }

    fn print_work(&self, totals: &RunTotals) {
        let RunTotals { generated, repaired, rejected, .. } = totals;
        let pace = pace(*generated as f64 / self.elapsed.as_secs_f64());
        let (generated, seed) = (count(*generated, "instance"), self.args.seed);
        print_line(&format!(
            "{generated}, {repaired} repaired, {rejected} rejected{pace}, seed {seed}"
        ));
        if totals.only_asserted > 0 {
            let instances = count(totals.only_asserted, "instance");
            print_line(&format!("valid only for validators that assert `format`: {instances}"));
        }
    }

    /// Prints which locations contradict themselves, as far as it is known.
    fn print_contradictions(&self) {
        let all: Vec<&Diagnostic> =
            self.compiled.generators().flat_map(Generator::diagnostics).collect();
        let mut shown: Vec<&Diagnostic> =
            all.iter().copied().filter(|found| !found.is_intended()).collect();
        if shown.is_empty() {
            if let Some(limit) = self.limit_of_size() {
                return print_line(&limit);
            }
            shown = all;
        }
        for found in shown.iter().take(MAX_CONTRADICTIONS) {
            let pointer = shorten(&found.pointer().to_fragment());
            print_line(&format!("{pointer} {}: {}", found.code(), shorten(&found.to_string())));
        }
        match shown.len() {
            0 => print_line("no finite value of the schema was found"),
            1..=MAX_CONTRADICTIONS => {}
            more => {
                print_line(&format!(
                    "and {} more, which `foolproof inspect` lists",
                    more - MAX_CONTRADICTIONS
                ));
            }
        }
    }

    /// Which limit keeps values of the contract from being drawn, if one does.
    fn limit_of_size(&self) -> Option<String> {
        if let Some(least) = self.compiled.generators().find_map(Generator::excess) {
            let limit = self.compiled.settings().largest;
            return Some(format!(
                "VALUE_TOO_LARGE: the smallest value has {least}; at most {limit} are generated \
                 (`--max-values`, `--max-bytes`)"
            ));
        }
        let mut costly = self.compiled.generators().flat_map(|it| it.plan().costly_patterns());
        let pattern = shorten(costly.next()?);
        Some(format!(
            "PATTERN_TOO_COSTLY: to check a single string against `{pattern}` takes too long; with `^` at its start it would not"
        ))
    }
}

/// Why there is no instance `index`.
fn describe_exhausted(index: u64, operation: &str, exhausted: &Exhausted) -> String {
    let (draws, rejected) = (exhausted.draws(), exhausted.rejected());
    let first = format!("instance {index}{operation}, the first of them");
    match exhausted.violations().first() {
        Some(violation) => {
            let violation = shorten(&violation.to_string());
            format!("{first}: {rejected} of {draws} draws rejected, the last because {violation}")
        }
        // AJV does not answer for values that are too deep for JavaScript.
        None if rejected > 0 => {
            format!("{first}: {rejected} of {draws} draws rejected, the last without a reason")
        }
        None => format!(
            "{first}: none of {draws} draws gave a value, though the schema is not known to be empty"
        ),
    }
}

fn show(path: &Path) -> String {
    shorten(&path.display().to_string())
}
