//! Observes how a library runs a system: the last sequence that failed, and the number of sequences since
//! the first that failed.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Global, since a library may run tests on a thread of its own.
static OBSERVATION: Mutex<Observation> =
    Mutex::new(Observation { steps: Vec::new(), failed: None, executions: 0 });

pub(crate) struct Observation {
    steps: Vec<String>,
    /// The sequence that failed last.
    pub(crate) failed: Option<Vec<String>>,
    /// How many were run after the first that failed.
    pub(crate) executions: u32,
}

fn observation() -> MutexGuard<'static, Observation> {
    OBSERVATION.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Records that a sequence starts.
pub(crate) fn start() {
    let mut observation = observation();
    observation.steps.clear();
    observation.executions += u32::from(observation.failed.is_some());
}

/// Records a step.
pub(crate) fn step(step: String) {
    observation().steps.push(step);
}

/// Records that the last step failed.
pub(crate) fn failed() {
    let mut observation = observation();
    observation.failed = Some(observation.steps.clone());
}

/// The observation since the last call.
pub(crate) fn take() -> Observation {
    let empty = Observation { steps: Vec::new(), failed: None, executions: 0 };
    std::mem::replace(&mut *observation(), empty)
}
