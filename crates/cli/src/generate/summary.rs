//! What is said in the end: how many, how fast, how to do it again; and why some are missing.

use std::{
    io::{self, Write},
    path::Path,
    time::Instant,
};

use foolproof_contract::Diagnostic;
use foolproof_generate::{Exhausted, Generator};

use super::{Tally, target::Kept};
use crate::{args::GenerateArgs, exit::Exit, failure::shorten};

/// How many contradictions are listed.
const MOST: usize = 5;

pub(super) struct Summary<'a> {
    args: &'a GenerateArgs,
    generator: &'a Generator,
    start: Instant,
    pub(super) tally: Tally,
}

impl<'a> Summary<'a> {
    /// The clock runs from here.
    pub(super) fn start(args: &'a GenerateArgs, generator: &'a Generator) -> Self {
        Self { args, generator, start: Instant::now(), tally: Tally::default() }
    }

    /// Reports a run that came to its end.
    pub(super) fn report(&self) -> Exit {
        if !self.args.quiet {
            self.report_work();
        }
        let Some((index, missing)) = &self.tally.first_missing else { return Exit::Success };
        let Tally { made, missing: count, .. } = self.tally;
        talk(&format!("{count} of {} could not be made", instances(made + count)));
        match missing {
            Some(missing) => talk(&obstacle(*index, missing)),
            None => self.report_contradictions(),
        }
        Exit::Unsatisfiable
    }

    /// Reports a run that was interrupted.
    pub(super) fn report_interruption(&self, kept: Kept<'_>) {
        let made = instances(self.tally.made);
        talk(&match kept {
            Kept::Written => format!("interrupted: {made} written"),
            Kept::Nothing(path) => {
                format!("interrupted after {made}: nothing written to `{}`", show(path))
            }
        });
    }

    fn report_work(&self) {
        let Tally { made, repaired, rejected, .. } = self.tally;
        let pace = pace(made as f64 / self.start.elapsed().as_secs_f64());
        let (made, seed) = (instances(made), self.args.seed);
        talk(&format!("{made}, {repaired} repaired, {rejected} rejected{pace}, seed {seed}"));
    }

    /// Says which locations conflict, as far as it is known.
    fn report_contradictions(&self) {
        let all: Vec<&Diagnostic> = self.generator.diagnostics().iter().collect();
        let mut shown: Vec<&Diagnostic> =
            all.iter().copied().filter(|found| !found.is_intended()).collect();
        if shown.is_empty() {
            shown = all;
        }
        for found in shown.iter().take(MOST) {
            let place = shorten(&found.pointer().to_fragment());
            talk(&format!("{place} {}: {}", found.code(), shorten(&found.to_string())));
        }
        match shown.len() {
            0 => talk("no finite value of the schema was found"),
            1..=MOST => {}
            more => talk(&format!("and {} more, which `foolproof inspect` lists", more - MOST)),
        }
    }
}

/// What stood in the way of instance `index`.
fn obstacle(index: u64, missing: &Exhausted) -> String {
    let (draws, rejected) = (missing.draws(), missing.rejected());
    let first = format!("number {index}, the first of them");
    match missing.violations().first() {
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

fn instances(count: u64) -> String {
    if count == 1 { "1 instance".to_owned() } else { format!("{count} instances") }
}

/// How many a second, for people; nothing if nothing was made.
pub(super) fn pace(a_second: f64) -> String {
    if a_second.is_finite() && a_second > 0.0 {
        let decimals = usize::from(a_second < 10.0);
        format!(", {a_second:.decimals$} a second")
    } else {
        String::new()
    }
}

fn show(path: &Path) -> String {
    shorten(&path.display().to_string())
}

fn talk(message: &str) {
    // Nobody is left to tell if even this cannot be printed.
    let _ = writeln!(io::stderr().lock(), "{message}");
}
