//! The summary of a run: how many, how fast, how to do it again; and why some are missing.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use foolproof_contract::{Diagnostic, wording::count};
use foolproof_coverage::RunTotals;
use foolproof_generate::{Exhausted, Generator};

use super::destination::Kept;
use crate::{
    args::GenerateArgs,
    exit::Exit,
    failure::shorten,
    terminal::{pace, print_line},
};

/// How many contradictions are listed.
const MOST: usize = 5;

pub(super) struct Summary<'a> {
    args: &'a GenerateArgs,
    generator: &'a Generator,
    start: Instant,
    elapsed: Duration,
}

impl<'a> Summary<'a> {
    /// The clock runs from here.
    pub(super) fn start(args: &'a GenerateArgs, generator: &'a Generator) -> Self {
        Self { args, generator, start: Instant::now(), elapsed: Duration::ZERO }
    }

    /// The clock stops.
    pub(super) fn stop(&mut self) {
        self.elapsed = self.start.elapsed();
    }

    /// Prints the summary of a run that came to its end.
    pub(super) fn print(&self, totals: &RunTotals) -> Exit {
        if !self.args.quiet {
            self.print_work(totals);
        }
        let Some((index, exhausted)) = &totals.first_missing else { return Exit::Success };
        let RunTotals { generated, missing, .. } = totals;
        let all = count(generated + missing, "instance");
        print_line(&format!("{missing} of {all} could not be made"));
        match exhausted {
            Some(exhausted) => print_line(&obstacle(*index, exhausted)),
            None => self.print_contradictions(),
        }
        Exit::Unsatisfiable
    }

    /// Prints what became of a run that was interrupted.
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
    }

    /// Says which locations conflict, as far as it is known.
    fn print_contradictions(&self) {
        let all: Vec<&Diagnostic> = self.generator.diagnostics().iter().collect();
        let mut shown: Vec<&Diagnostic> =
            all.iter().copied().filter(|found| !found.is_intended()).collect();
        if shown.is_empty() {
            shown = all;
        }
        for found in shown.iter().take(MOST) {
            let pointer = shorten(&found.pointer().to_fragment());
            print_line(&format!("{pointer} {}: {}", found.code(), shorten(&found.to_string())));
        }
        match shown.len() {
            0 => print_line("no finite value of the schema was found"),
            1..=MOST => {}
            more => {
                print_line(&format!("and {} more, which `foolproof inspect` lists", more - MOST));
            }
        }
    }
}

/// What stood in the way of instance `index`.
fn obstacle(index: u64, exhausted: &Exhausted) -> String {
    let (draws, rejected) = (exhausted.draws(), exhausted.rejected());
    let first = format!("number {index}, the first of them");
    match exhausted.violations().first() {
        Some(violation) => {
            let violation = shorten(&violation.to_string());
            format!("{first}: {rejected} of {draws} draws rejected, the last because {violation}")
        }
        // AJV gives up on values that are too deep for JavaScript.
        None if rejected > 0 => format!("{first}: {rejected} of {draws} draws rejected, unread"),
        None => format!(
            "{first}: none of {draws} draws led to a value, though nothing is known to rule it out"
        ),
    }
}

fn show(path: &Path) -> String {
    shorten(&path.display().to_string())
}
