//! How long a worker may take, in its own processor time.
//!
//! What is proven must not depend on what else the machine does, nor on whether the process was stopped for a while. Where the
//! system does not tell the time of another thread, the time on the clock counts.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        OnceLock,
        mpsc::{Receiver, RecvTimeoutError},
    },
    time::{Duration, Instant},
};

/// How often a worker that takes long is looked at.
const LOOK: Duration = Duration::from_millis(200);

/// So many times the limit may pass on the clock: a worker that waits without end must not be waited for.
const PATIENCE: u32 = 60;

/// The processor time of a worker, read by others.
#[derive(Debug, Default)]
pub(super) struct WorkerClock(OnceLock<PathBuf>);

impl WorkerClock {
    /// Makes it the clock of the current thread.
    pub(super) fn bind(&self) {
        if let Ok(thread) = fs::read_link("/proc/thread-self") {
            let _ = self.0.set(Path::new("/proc").join(thread).join("schedstat"));
        }
    }

    /// Waits for an answer until the worker has spent `limit` on it.
    pub(super) fn wait<T>(
        &self,
        answer: &Receiver<T>,
        limit: Duration,
    ) -> Result<T, RecvTimeoutError> {
        // A thread that has not begun has spent nothing.
        let (start, begin) = (self.now().unwrap_or_default(), Instant::now());
        loop {
            match answer.recv_timeout(LOOK.min(limit)) {
                Err(RecvTimeoutError::Timeout) => {}
                done => return done,
            }
            let on_clock = begin.elapsed();
            let spent = self.now().map_or(on_clock, |now| now.saturating_sub(start));
            if spent >= limit || on_clock >= limit * PATIENCE {
                return Err(RecvTimeoutError::Timeout);
            }
        }
    }

    /// The processor time so far; nothing where it is not known.
    #[expect(
        clippy::disallowed_methods,
        reason = "the time of another thread is a file of the system, and no part of a contract"
    )]
    fn now(&self) -> Option<Duration> {
        let text = fs::read_to_string(self.0.get()?).ok()?;
        let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::{Arc, mpsc},
        thread,
    };

    use super::*;

    #[test]
    fn a_worker_that_sleeps_has_not_used_its_time() {
        let clock = Arc::new(WorkerClock::default());
        let (of_worker, (reply, answer)) = (Arc::clone(&clock), mpsc::channel());
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            of_worker.bind();
            let _ = ready.send(());
            thread::sleep(Duration::from_millis(300));
            let _ = reply.send(7);
        });
        assert!(is_ready.recv().is_ok());
        let is_known = clock.now().is_some();
        let answered = clock.wait(&answer, Duration::from_millis(50));
        assert_eq!(answered.is_ok(), is_known);
    }

    #[test]
    fn a_worker_that_computes_without_end_is_given_up() {
        let clock = Arc::new(WorkerClock::default());
        let (of_worker, (reply, answer)) = (Arc::clone(&clock), mpsc::channel::<u32>());
        let (ready, is_ready) = mpsc::channel();
        thread::spawn(move || {
            of_worker.bind();
            let _ = ready.send(());
            let begin = Instant::now();
            while begin.elapsed() < Duration::from_secs(3) {
                std::hint::spin_loop();
            }
            drop(reply);
        });
        assert!(is_ready.recv().is_ok());
        assert_eq!(clock.wait(&answer, Duration::from_millis(50)), Err(RecvTimeoutError::Timeout));
    }
}
