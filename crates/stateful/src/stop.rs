//! A signal that ends a run early.

use std::sync::{
    Arc,
    atomic::{AtomicU8, Ordering},
};

/// A signal that ends a run early, from another thread, from a future or from the machine itself. Clones share it.
/// What was found until then is reported.
///
/// ```
/// use foolproof_stateful::{Config, StopSignal, stateful};
///
/// let stop = StopSignal::default();
/// let signal = stop.clone();
/// let test = stateful::<u32, ()>().model(|| 0).sut(|| ()).command("count", move |c| {
///     c.run(move |(), count, ()| {
///         *count += 1;
///         if *count == 10 {
///             signal.stop();
///         }
///     })
/// });
/// let statistics = test.check(Config { stop, min_commands: 20, ..Config::default() }).unwrap();
/// assert_eq!((statistics.runs, statistics.steps), (1, 10));
/// ```
#[derive(Clone, Debug, Default)]
pub struct StopSignal(Arc<AtomicU8>);

const EXPLORING: u8 = 1;
const EVERYTHING: u8 = 2;

impl StopSignal {
    /// No further step is explored. What failed is still shrunk and confirmed.
    pub fn stop_exploring(&self) {
        self.0.fetch_max(EXPLORING, Ordering::Relaxed);
    }

    /// No further step is explored, and nothing is shrunk any more.
    pub fn stop(&self) {
        self.0.fetch_max(EVERYTHING, Ordering::Relaxed);
    }

    /// Whether exploring ends.
    #[must_use]
    pub fn ends_exploring(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= EXPLORING
    }

    /// Whether everything ends.
    #[must_use]
    pub fn ends_everything(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= EVERYTHING
    }
}
