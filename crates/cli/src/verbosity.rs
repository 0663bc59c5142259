//! How much a command prints on standard error: `--quiet` and `--verbose`.

use std::time::Duration;

use clap::Args;
use foolproof_contract::wording::count;
use foolproof_generate::{Phase, PhaseMetrics};

use crate::{source::Source, terminal::print_line};

#[derive(Clone, Copy, Debug, Args)]
pub(crate) struct VerbosityArgs {
    /// Print no progress and no summary, only errors.
    #[arg(long, short, conflicts_with = "verbose")]
    pub(crate) quiet: bool,

    /// Print more: what is read and decided, what each phase takes, and lists in full.
    #[arg(long, short)]
    pub(crate) verbose: bool,
}

impl VerbosityArgs {
    /// Prints a line that only `--verbose` shows.
    pub(crate) fn detail(self, line: impl FnOnce() -> String) {
        if self.verbose {
            print_line(&line());
        }
    }

    /// Says which contract was read.
    pub(crate) fn describe(self, source: &Source) {
        self.detail(|| {
            let document = &source.document;
            let bytes = count(source.bytes as u64, "byte");
            format!("read {}: {}, {bytes}", document.name(), document.kind())
        });
    }

    /// Says what each phase took that had something to do.
    pub(crate) fn phases(self, metrics: &PhaseMetrics) {
        for phase in Phase::ALL {
            let cost = metrics.of(phase);
            if cost.count > 0 || cost.time > Duration::ZERO {
                self.detail(|| {
                    let milliseconds = cost.time.as_secs_f64() * 1_000.0;
                    let what = phase.counts();
                    format!(
                        "{:<10} {milliseconds:>10.1} ms {:>10} {what}",
                        phase.as_str(),
                        cost.count
                    )
                });
            }
        }
    }
}
