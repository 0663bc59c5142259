//! Time limits, which cannot overflow.

use std::time::Duration;

use tokio::time::Instant;

/// A limit beyond this means none; the clock cannot be asked for more than some centuries.
const LONGEST: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The time at which a limit that starts now ends.
pub(super) fn after(limit: Duration) -> Instant {
    Instant::now() + limit.min(LONGEST)
}

/// How long an answer may take.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    /// Since the request, or the latest progress notification for it.
    each: Duration,
    /// The time after which progress does not help.
    end: Instant,
}

impl Limits {
    /// Limits that progress can extend up to `extension` times.
    pub(super) fn new(each: Duration, extension: u32) -> Self {
        Self { each, end: after(each.saturating_mul(extension)) }
    }

    /// The end, counted from now.
    pub(super) fn deadline(&self) -> Instant {
        self.end.min(after(self.each))
    }

    /// The end that nothing extends.
    pub(super) fn end(&self) -> Instant {
        self.end
    }

    /// Whether nothing can be awaited any more.
    pub(super) fn are_over(&self) -> bool {
        Instant::now() >= self.end
    }
}
