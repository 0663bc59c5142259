//! The context of a run: threads, clocks, the flag that cancels it. It does not change a result, except
//! for the two times that a report shows.

use std::{
    num::NonZeroUsize,
    sync::atomic::{AtomicBool, Ordering},
};

use foolproof_contract::{AcceptedView, AjvOracle, write_json};
use foolproof_generate::{Clock, Meter};

/// Serializes an instance at the end of a buffer. Called on the threads that generate.
pub type Encode<'a> = &'a (dyn Fn(AcceptedView<'_>, &mut Vec<u8>) + Sync);

/// The context of a run: what the caller provides beside the settings.
///
/// ```
/// use std::{num::NonZeroUsize, sync::atomic::AtomicBool};
/// use foolproof_coverage::RunContext;
///
/// let cancel = AtomicBool::new(false);
/// let threads = NonZeroUsize::new(4).unwrap();
/// let context = RunContext { threads, cancel: Some(&cancel), ..RunContext::default() };
/// assert_eq!(context.oracle_name(), "jsonschema");
/// ```
#[derive(Clone, Copy)]
pub struct RunContext<'a> {
    /// How many threads generate; one means the caller's own.
    pub threads: NonZeroUsize,
    /// Once it is set, the run ends after the batches that are being reported.
    pub cancel: Option<&'a AtomicBool>,
    /// Must accept every instance too: one for each entry of the contract. A schema has one.
    pub second_oracles: Option<&'a [AjvOracle]>,
    /// How instances are serialized; compact JSON by default.
    pub encode: Encode<'a>,
    /// The times that the report shows; without them it says 1970 and 0 ms.
    pub timing: Option<&'a Timing>,
}

impl RunContext<'_> {
    /// The name, in reports, of the oracle that decides last.
    #[must_use]
    pub fn oracle_name(&self) -> &'static str {
        if self.second_oracles.is_some() { "ajv" } else { "jsonschema" }
    }

    pub(super) fn is_cancelled(&self) -> bool {
        self.cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
    }
}

impl Default for RunContext<'_> {
    /// One thread, the built-in oracle, compact JSON, no clock.
    fn default() -> Self {
        Self {
            threads: NonZeroUsize::MIN,
            cancel: None,
            second_oracles: None,
            encode: &compact_json,
            timing: None,
        }
    }
}

impl std::fmt::Debug for RunContext<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("RunContext")
            .field("threads", &self.threads)
            .field("oracle", &self.oracle_name())
            .finish_non_exhaustive()
    }
}

fn compact_json(instance: AcceptedView<'_>, out: &mut Vec<u8>) {
    write_json(instance.value(), out);
}

/// When a run began, and the clock that says how long it takes.
#[derive(Clone, Debug)]
pub struct Timing {
    started_at: String,
    start: std::time::Duration,
    clock: Clock,
}

impl Timing {
    /// The run begins now, which is `started_at` in UTC as RFC 3339 writes it.
    #[must_use]
    pub fn start(started_at: String, clock: Clock) -> Self {
        Self { started_at, start: clock(), clock }
    }

    /// When it began.
    #[must_use]
    pub fn started_at(&self) -> &str {
        &self.started_at
    }

    /// A meter that reads its clock.
    pub(super) fn meter(&self) -> Meter {
        Meter::timing(self.clock)
    }

    /// How long it has taken so far, in milliseconds.
    #[must_use]
    pub fn elapsed_ms(&self) -> u64 {
        let elapsed = (self.clock)().saturating_sub(self.start);
        u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX)
    }
}

/// The times of a report on a run without a clock.
pub(crate) const NO_TIME: (&str, u64) = ("1970-01-01T00:00:00Z", 0);
