//! A line that shows that work goes on, for a person who waits at a terminal: of an API also how far it is, and after
//! a while how long the rest may take.

use std::{
    io::{self, IsTerminal},
    sync::{
        Arc,
        mpsc::{self, RecvTimeoutError, Sender},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use foolproof_coverage::CompileProgress;
use indicatif::{HumanDuration, ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this is not shown.
const DELAY: Duration = Duration::from_secs(1);

/// How often the line moves.
const TICK: Duration = Duration::from_millis(120);

/// How long the work has to go on before the rest is estimated.
const UNTIL_ESTIMATE: Duration = Duration::from_secs(10);

/// The line, from the start of the work on. Shown only on a terminal, and only after a second.
pub(crate) struct Waiting(Option<(Sender<()>, JoinHandle<()>)>);

impl Waiting {
    /// The work `what` starts, which `progress` says how far it is of.
    pub(crate) fn start(
        is_wanted: bool,
        what: &'static str,
        progress: Arc<CompileProgress>,
    ) -> Self {
        if !is_wanted || !io::stderr().is_terminal() {
            return Self(None);
        }
        let (stop, stopped) = mpsc::channel();
        let start = Instant::now();
        let show = move || {
            if stopped.recv_timeout(DELAY) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let style = ProgressStyle::with_template("{spinner} {msg}");
            let line = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr())
                .with_style(style.expect("the template is valid"));
            loop {
                line.set_message(text(what, progress.done(), progress.total(), start.elapsed()));
                line.tick();
                // An error that is not the time means that the other side is gone, which is a stop as well.
                if stopped.recv_timeout(TICK) != Err(RecvTimeoutError::Timeout) {
                    break;
                }
            }
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

/// What the line says: the operation that the work is at, if there are several, and how long the rest may take.
fn text(what: &str, done: u64, total: u64, elapsed: Duration) -> String {
    let place = match total {
        0 | 1 => String::new(),
        _ => format!(", operation {} of {total}", (done + 1).min(total)),
    };
    let left = if total > 1 && done > 0 && elapsed >= UNTIL_ESTIMATE {
        let left = elapsed.mul_f64((total.saturating_sub(done)) as f64 / done as f64);
        format!(", about {} left", HumanDuration(left))
    } else {
        String::new()
    };
    format!("{what}{place}, {}{left}", HumanDuration(elapsed))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::text;

    #[test]
    fn the_line_says_how_far_it_is_and_then_how_long_the_rest_may_take() {
        let check = |done, total, seconds, expected: &str| {
            assert_eq!(text("planning", done, total, Duration::from_secs(seconds)), expected);
        };
        check(0, 0, 3, "planning, 3 seconds");
        check(0, 498, 3, "planning, operation 1 of 498, 3 seconds");
        check(36, 498, 9, "planning, operation 37 of 498, 9 seconds");
        check(0, 498, 12, "planning, operation 1 of 498, 12 seconds");
        check(100, 400, 12, "planning, operation 101 of 400, 12 seconds, about 36 seconds left");
        check(400, 400, 48, "planning, operation 400 of 400, 48 seconds, about 0 seconds left");
    }
}
