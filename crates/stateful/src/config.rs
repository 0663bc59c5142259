//! How a test is run.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
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
    pub step_timeout: Option<Duration>,
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
    /// Keeps failing sequences in a file beside the test, as proptest does: for a test in
    /// `tests/store.rs`, `tests/foolproof-regressions/store-<name>.txt`. The folder appears with the
    /// first failure.
    ///
    /// ```
    /// use foolproof_stateful::Config;
    ///
    /// // In a test, `file!()` is the first argument.
    /// let config = Config::default().with_regressions_beside("tests/store.rs", "behaves_like_a_map");
    /// let path = config.regressions.unwrap();
    /// assert!(path.ends_with("tests/foolproof-regressions/store-behaves_like_a_map.txt"));
    /// ```
    #[must_use]
    pub fn with_regressions_beside(self, source: &str, name: &str) -> Self {
        let source = Path::new(source);
        let (folder, stem) = (source.parent(), source.file_stem());
        let file = format!("{}-{name}.txt", stem.unwrap_or_default().to_string_lossy());
        let folder = folder.unwrap_or(Path::new("")).join("foolproof-regressions");
        Self { regressions: Some(beside(source).join(folder).join(file)), ..self }
    }

    /// The same with a seed in any case.
    pub(crate) fn with_chosen_seed(&self) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // Any seed will do; small ones are easier to copy.
            since.as_secs() ^ u64::from(since.subsec_nanos())
        };
        Self { seed: Some(self.seed.unwrap_or_else(now)), ..self.clone() }
    }
}

/// The folder that the path of a source file starts from: the compiler has it from the root of the
/// workspace, and tests run in that of their package.
fn beside(source: &Path) -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let from = here.ancestors().find(|folder| folder.join(source).exists());
    from.unwrap_or(&here).to_owned()
}

impl Default for Config {
    fn default() -> Self {
        Self {
            num_runs: 100,
            max_commands: 50,
            seed: None,
            threads: NonZeroUsize::MIN,
            step_timeout: None,
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
