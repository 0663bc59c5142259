//! The progress bar: for a person who waits, and for nobody else.

use std::{
    fmt,
    io::{self, IsTerminal},
    ops::Range,
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

use super::{Tally, summary::pace};
use crate::args::GenerateArgs;

/// A run shorter than this needs no bar.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Progress {
    is_wanted: bool,
    total: u64,
    done: u64,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(args: &GenerateArgs, indices: &Range<u64>) -> Self {
        // Instances that run over the screen show progress enough, and would tear the bar apart.
        let is_screen_free = args.out.is_some() || !io::stdout().is_terminal();
        Self {
            is_wanted: !args.quiet && is_screen_free && io::stderr().is_terminal(),
            total: indices.end - indices.start,
            done: 0,
            start: Instant::now(),
            bar: None,
        }
    }

    pub(super) fn advance(&mut self, tally: &Tally) {
        self.done += tally.made + tally.missing;
        if self.is_wanted && self.bar.is_none() && self.start.elapsed() >= PATIENCE {
            self.bar = Some(self.bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done);
        }
    }

    /// Leaves the screen as if the bar had never been there.
    pub(super) fn clear(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }

    /// Without colours, so that there is nothing for `NO_COLOR` to switch off.
    fn bar(&self) -> ProgressBar {
        let template = "{pos} of {len} [{bar:30}]{pace}, {eta} left";
        let style = ProgressStyle::with_template(template)
            .expect("the template is valid")
            .with_key("pace", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // Writing into memory does not fail.
                let _ = out.write_str(&pace(state.per_sec()));
            });
        let bar = ProgressBar::with_draw_target(Some(self.total), ProgressDrawTarget::stderr());
        bar.with_style(style.progress_chars("=> ")).with_elapsed(self.start.elapsed())
    }
}
