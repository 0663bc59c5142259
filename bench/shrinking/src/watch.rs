//! What a library does with a system: which sequence failed last, and how often it ran one since the
//! first that failed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What was seen. A library may run tests on a thread of its own.
static SEEN: Mutex<Seen> = Mutex::new(Seen { steps: Vec::new(), failed: None, executions: 0 });

pub(crate) struct Seen {
    steps: Vec<String>,
    /// The sequence that failed last.
    pub(crate) failed: Option<Vec<String>>,
    /// How many were run after the first that failed.
    pub(crate) executions: u32,
}

fn seen() -> MutexGuard<'static, Seen> {
    SEEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A sequence starts.
pub(crate) fn start() {
    let mut seen = seen();
    seen.steps.clear();
    seen.executions += u32::from(seen.failed.is_some());
}

/// A step runs.
pub(crate) fn step(step: String) {
    seen().steps.push(step);
}

/// The last step failed.
pub(crate) fn failed() {
    let mut seen = seen();
    seen.failed = Some(seen.steps.clone());
}

/// What was seen since it was asked last.
pub(crate) fn take() -> Seen {
    let empty = Seen { steps: Vec::new(), failed: None, executions: 0 };
    std::mem::replace(&mut *seen(), empty)
}
