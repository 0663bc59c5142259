//! Threads with a large stack, for recursion.
//!
//! The libraries we use recurse over documents and along chains of references. A document can
//! make those chains as long as its own text, far beyond what the stack of an ordinary thread
//! holds, so such work runs on a thread of its own with a large stack. Only pages that are touched
//! cost memory.

use std::{
    cell::Cell,
    panic::resume_unwind,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        mpsc::{self, SendError, Sender},
    },
    thread::{self, ThreadId},
    time::Duration,
};

/// Stack sizes to request, in order: a process with a limit on its address space gets less.
const SIZES: [usize; 3] = [1 << 30, 256 << 20, 64 << 20];

thread_local! {
    /// Whether this thread has the large stack already, so that nesting costs nothing.
    static ON_LARGE_STACK: Cell<bool> = const { Cell::new(false) };
}

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
    if ON_LARGE_STACK.get() {
        return work();
    }
    let mut work = Some(work);
    for size in SIZES {
        let Some(job) = work.take() else { break };
        let slot = Mutex::new(Some(job));
        let outcome = thread::scope(|scope| {
            let run = || {
                ON_LARGE_STACK.set(true);
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
    // No thread could be started: the work runs on the stack of the caller.
    work.take().expect("the work was never started")()
}

/// How often a thread is asked for again, and the pause before. A thread that has done its work gives
/// its stack back a moment later; under a limit on address space, the next one may need that room.
const ATTEMPTS: usize = 10;
const PAUSE: Duration = Duration::from_millis(10);

/// How many threads wait for another job, and how long. Each reserves address space meanwhile.
const MAX_IDLE: usize = 2;
const PATIENCE: Duration = Duration::from_millis(200);

type Job = Box<dyn FnOnce() + Send>;

/// The threads that wait for another job. To start one and to give its stack back costs more than most jobs
/// do: an API has thousands of them.
static IDLE: Mutex<Vec<(ThreadId, Sender<Job>)>> = Mutex::new(Vec::new());

/// Runs `job` on a detached thread with a large stack. If no thread can be had, the job is dropped: it
/// may wait for its caller, so running it here could wait for ever. Whoever waits for the job finds its
/// end of the channel closed.
pub(crate) fn spawn_large(mut job: Job) {
    let waiting = idle().pop();
    if let Some((_, waiting)) = waiting {
        match waiting.send(job) {
            Ok(()) => return,
            Err(SendError(unsent)) => job = unsent,
        }
    }
    let slot = Arc::new(Mutex::new(Some(job)));
    let start = |size| {
        let inside = Arc::clone(&slot);
        let run = move || {
            ON_LARGE_STACK.set(true);
            let mut next = inside.lock().ok().and_then(|mut slot| slot.take());
            while let Some(job) = next {
                job();
                next = next_job();
            }
        };
        thread::Builder::new().stack_size(size).spawn(run).is_ok()
    };
    for _ in 0..ATTEMPTS {
        if SIZES.into_iter().any(start) {
            return;
        }
        thread::sleep(PAUSE);
    }
}

/// Another job for this thread; nothing if enough others wait, or none comes.
fn next_job() -> Option<Job> {
    let (sender, jobs) = mpsc::channel();
    let id = thread::current().id();
    {
        let mut idle = idle();
        if idle.len() >= MAX_IDLE {
            return None;
        }
        idle.push((id, sender));
    }
    if let Ok(job) = jobs.recv_timeout(PATIENCE) {
        return Some(job);
    }
    let mut idle = idle();
    if let Some(position) = idle.iter().position(|(other, _)| *other == id) {
        idle.remove(position);
        return None;
    }
    drop(idle);
    // Somebody took this thread off the list, and sends a job.
    jobs.recv().ok()
}

fn idle() -> MutexGuard<'static, Vec<(ThreadId, Sender<Job>)>> {
    IDLE.lock().unwrap_or_else(PoisonError::into_inner)
}
