//! Room to recurse.
//!
//! The libraries below us recurse over documents and along chains of references. A document can
//! make those chains as long as its own text, far beyond what the stack of an ordinary thread
//! holds, so such work runs on a thread of its own with a large stack. Only pages that are touched
//! cost memory.

use std::{
    panic::resume_unwind,
    sync::mpsc::{self, RecvTimeoutError},
    thread,
    time::Duration,
};

/// Stack sizes to ask for, in order: a process with a limit on its address space gets less.
const SIZES: [usize; 3] = [1 << 30, 256 << 20, 64 << 20];

/// Runs `work` on a thread with a large stack and waits for it.
///
/// A command line tool calls this once around everything it does; library users who compile or
/// validate deeply nested documents on small threads may want to do the same.
///
/// ```
/// let answer = foolproof_contract::with_large_stack(|| 6 * 7);
/// assert_eq!(answer, 42);
/// ```
pub fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    let mut work = Some(work);
    for size in SIZES {
        let Some(job) = work.take() else { break };
        let slot = std::sync::Mutex::new(Some(job));
        let outcome = thread::scope(|scope| {
            let run = || {
                let job = slot.lock().ok().and_then(|mut slot| slot.take());
                job.map(|job| job())
            };
            match thread::Builder::new().stack_size(size).spawn_scoped(scope, run) {
                Ok(handle) => match handle.join() {
                    Ok(value) => value,
                    Err(panic) => resume_unwind(panic),
                },
                Err(_) => None,
            }
        });
        if let Some(value) = outcome {
            return value;
        }
        work = slot.into_inner().ok().flatten();
    }
    // No thread could be had at all: the stack at hand is all there is.
    work.take().expect("the work was never started")()
}

/// How a job under a deadline ended without a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// It ran out of time. Its thread goes on until it ends by itself.
    TimedOut,
    /// It panicked.
    Panicked,
}

/// Runs `work` on a thread with a large stack for at most `limit`.
pub(crate) fn within<T: Send + 'static>(
    limit: Duration,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, Stopped> {
    let (sender, receiver) = mpsc::channel();
    let mut job = Some(move || {
        // The receiver is gone once the deadline has passed; nobody waits for the result then.
        let _ = sender.send(work());
    });
    for size in SIZES {
        let Some(next) = job.take() else { break };
        let slot = std::sync::Arc::new(std::sync::Mutex::new(Some(next)));
        let inside = std::sync::Arc::clone(&slot);
        let spawned = thread::Builder::new().stack_size(size).spawn(move || {
            if let Some(job) = inside.lock().ok().and_then(|mut slot| slot.take()) {
                job();
            }
        });
        if spawned.is_ok() {
            break;
        }
        job = slot.lock().ok().and_then(|mut slot| slot.take());
    }
    if let Some(job) = job {
        job();
    }
    receiver.recv_timeout(limit).map_err(|error| match error {
        RecvTimeoutError::Timeout => Stopped::TimedOut,
        RecvTimeoutError::Disconnected => Stopped::Panicked,
    })
}
