//! A line that shows that work goes on whose length is not known, for a person who waits at a terminal.

use std::{
    io::{self, IsTerminal},
    sync::mpsc::{self, RecvTimeoutError, Sender},
    thread::{self, JoinHandle},
    time::Duration,
};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this is not shown.
const DELAY: Duration = Duration::from_secs(1);

/// How often the line moves.
const TICK: Duration = Duration::from_millis(120);

/// The line, from the start of the work on. Shown only on a terminal, and only after a second.
pub(crate) struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// The work `what` starts.
    pub(crate) fn start(is_wanted: bool, what: &'static str) -> Self {
        if !is_wanted || !io::stderr().is_terminal() {
            return Self(None);
        }
        let (stop, stopped) = mpsc::channel();
        let show = move || {
            if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template(&format!("{{spinner}} {what}, {{elapsed}}"));
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style.expect("the template is valid"))
                .with_elapsed(DELAY);
            line.enable_steady_tick(TICK);
            // An error means that the other side is gone, which is a stop as well.
            let _ = stopped.recv();
            line.finish_and_clear();
        };
        Self(Some((stop, thread::spawn(show))))
    }

    /// The work is done: removes the line from the screen.
    pub(crate) fn stop(self) {
        if let Some((stop, shown)) = self.0 {
            drop(stop);
            // A thread that only draws has nothing to report.
            let _ = shown.join();
        }
    }
}
