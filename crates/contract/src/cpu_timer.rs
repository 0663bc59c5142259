//! Processor time of a thread, with that of the threads that canonicalize for it.
//!
//! Surveys work on as many threads as there are processors, where time on the clock depends on what else the
//! machine does. No result depends on this time.

use std::{cell::Cell, time::Duration};

use cpu_time::ThreadTime;

thread_local! {
    /// What other threads have spent on questions of this one.
    static SPENT_BY_OTHERS: Cell<Duration> = const { Cell::new(Duration::ZERO) };
}

/// Measures the processor time that the current thread spends, and others spend to answer its questions about
/// canonical forms. A question without an answer in time counts with its limit.
///
/// ```
/// use foolproof_contract::{Canonicalizer, CpuTimer, Document, FormatPolicy};
/// use serde_json::json;
///
/// let timer = CpuTimer::start();
/// let document = Document::from_value(json!({ "minimum": 3 }))?;
/// Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// assert!(!timer.elapsed().is_zero());
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct CpuTimer {
    own: ThreadTime,
    others: Duration,
}

impl CpuTimer {
    /// Starts now.
    #[must_use]
    pub fn start() -> Self {
        Self { own: ThreadTime::now(), others: SPENT_BY_OTHERS.get() }
    }

    /// The processor time since the start. It is to be read on the thread that started it.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.own.elapsed() + SPENT_BY_OTHERS.get().saturating_sub(self.others)
    }

    /// Adds what another thread has spent on a question of this one.
    pub(crate) fn add(time: Duration) {
        SPENT_BY_OTHERS.set(SPENT_BY_OTHERS.get() + time);
    }
}
