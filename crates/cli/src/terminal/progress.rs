//! The progress bar, shown only to a person who waits at a terminal.

use std::{
    fmt,
    io::{self, IsTerminal},
    time::{Duration, Instant},
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};

/// Work shorter than this needs no bar.
const DELAY: Duration = Duration::from_secs(1);

/// The progress of some work. Shown only on a terminal, and only after a second.
pub(crate) struct Progress {
    is_wanted: bool,
    /// How much there is to do, if that is known.
    total: Option<u64>,
    /// What is counted.
    noun: &'static str,
    start: Instant,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// No progress yet. The time starts here.
    pub(crate) fn new(is_wanted: bool, total: Option<u64>, noun: &'static str) -> Self {
        let is_wanted = is_wanted && io::stderr().is_terminal();
        Self { is_wanted, total, noun, start: Instant::now(), bar: None }
    }

    /// Sets how much is done in total.
    pub(crate) fn set(&mut self, done: u64) {
        if self.is_wanted && self.bar.is_none() && self.start.elapsed() >= DELAY {
            self.bar = Some(self.bar());
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
        }
    }

    /// Removes the bar from the screen.
    pub(crate) fn clear(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }

    /// Without colours, so that there is nothing for `NO_COLOR` to switch off.
    fn bar(&self) -> ProgressBar {
        let template = match self.total {
            Some(_) => "{pos} of {len} [{bar:30}]{pace}, {eta} left".to_owned(),
            // The length of a pipe is not known.
            None => format!("{{pos}} {} in {{elapsed}}", self.noun),
        };
        let style = ProgressStyle::with_template(&template)
            .expect("the template is valid")
            .with_key("pace", |state: &ProgressState, out: &mut dyn fmt::Write| {
                // Writing into memory does not fail.
                let _ = out.write_str(&pace(state.per_sec()));
            });
        let bar = ProgressBar::with_draw_target(self.total, ProgressDrawTarget::stderr());
        bar.with_style(style.progress_chars("=> ")).with_elapsed(self.start.elapsed())
    }
}

/// The number per second as text; empty if there is none.
pub(crate) fn pace(a_second: f64) -> String {
    if a_second.is_finite() && a_second > 0.0 {
        let decimals = usize::from(a_second < 10.0);
        format!(", {a_second:.decimals$} a second")
    } else {
        String::new()
    }
}
