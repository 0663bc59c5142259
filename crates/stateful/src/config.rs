//! How a test is run.

use std::{
    num::NonZeroUsize,
    path::PathBuf,
    time::{Duration, SystemTime, UNIX_EPOCH},
};

/// How a test is run.
///
/// ```
/// use foolproof_stateful::Config;
///
/// let config = Config { num_runs: 1_000, seed: Some(42), ..Config::default() };
/// assert_eq!(config.max_commands, 50);
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    /// How many sequences are run.
    pub num_runs: u64,
    /// The longest sequence. Lengths vary from 0 to this.
    pub max_commands: usize,
    /// What names the run. Without it, a seed is taken from the time of day, and a failure tells it.
    pub seed: Option<u64>,
    /// On how many threads sequences are run; more than one needs a test that is
    /// [`shared`](crate::Stateful::shared). The result is the same for any number.
    pub threads: NonZeroUsize,
    /// The longest that a step may take; a failure tells which did not end. A test with
    /// [`check_async`](crate::Stateful::check_async) just stops waiting. One with
    /// [`check`](crate::Stateful::check) must be [`shared`](crate::Stateful::shared): each session then
    /// lives on another thread, which costs some microseconds a step, and a thread that hangs is left
    /// behind for the rest of the process. Sequences are then run one after the other.
    pub step_limit: Option<Duration>,
    /// Whether each sequence uses a random part of the commands only, which finds more than all of
    /// them all the time.
    pub swarm: bool,
    /// The most executions that shrinking may take.
    pub max_shrink_runs: u32,
    /// The longest that shrinking may take.
    pub max_shrink_time: Duration,
    /// How often the minimal sequence is run again before it is reported.
    pub confirmations: u32,
    /// Fails if a command never ran.
    pub require_all_commands: bool,
    /// A file that failing sequences are kept in, one a line, and run first the next time.
    pub regressions: Option<PathBuf>,
    /// A sequence as a failure prints it: it is run alone, and nothing else.
    pub replay: Option<String>,
}

impl Config {
    /// The same with a seed in any case.
    pub(crate) fn settled(&self) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // Any seed will do; small ones are easier to copy.
            since.as_secs() ^ u64::from(since.subsec_nanos())
        };
        Self { seed: Some(self.seed.unwrap_or_else(now)), ..self.clone() }
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            num_runs: 100,
            max_commands: 50,
            seed: None,
            threads: NonZeroUsize::MIN,
            step_limit: None,
            swarm: true,
            max_shrink_runs: 2_000,
            max_shrink_time: Duration::from_secs(30),
            confirmations: 3,
            require_all_commands: false,
            regressions: None,
            replay: None,
        }
    }
}
