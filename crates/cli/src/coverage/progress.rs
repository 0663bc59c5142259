//! How many instances were read so far: for a person who waits, and for nobody else.

use std::{
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// A run shorter than this needs no progress.
const PATIENCE: Duration = Duration::from_secs(1);

pub(super) struct Progress {
    is_wanted: bool,
    start: Instant,
    shown: Option<ProgressBar>,
}

impl Progress {
    pub(super) fn new(is_quiet: bool) -> Self {
        let is_wanted = !is_quiet && io::stderr().is_terminal();
        Self { is_wanted, start: Instant::now(), shown: None }
    }

    pub(super) fn advance(&mut self, read: u64) {
        if !self.is_wanted {
            return;
        }
        if self.shown.is_none() && self.start.elapsed() >= PATIENCE {
            self.shown = Some(counter());
        }
        if let Some(shown) = &self.shown {
            shown.set_position(read);
        }
    }

    /// Leaves the screen as if nothing had been there, for something else to be said.
    pub(super) fn clear(&mut self) {
        if let Some(shown) = self.shown.take() {
            shown.finish_and_clear();
        }
    }
}

/// Without colours, and without an end: nobody knows how much a pipe still brings.
fn counter() -> ProgressBar {
    let style = ProgressStyle::with_template("{pos} instances read in {elapsed}")
        .expect("the template is valid");
    ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr()).with_style(style)
}
