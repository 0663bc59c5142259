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
    /// The seed of all sequences. Without it, one is derived from the time of day; failures report it.
    pub seed: Option<u64>,
    /// The number of threads that run sequences. More than one needs a test that is
    /// [`shared`](crate::Stateful::shared). The result is the same for any number.
    pub threads: NonZeroUsize,
    /// The timeout of a step; exceeding it is a failure. With
    /// [`check_async`](crate::Stateful::check_async), the future of the step is dropped. With
    /// [`check`](crate::Stateful::check), the test must be [`shared`](crate::Stateful::shared): each
    /// session then runs on another thread, which costs some microseconds a step, and a thread that
    /// hangs is abandoned for the rest of the process. Sequences then run one after the other.
    pub step_timeout: Option<Duration>,
    /// Swarm testing: whether each sequence uses only a random subset of the commands. It finds more
    /// bugs than sequences that always use all of them.
    pub swarm: bool,
    /// The most sequences that shrinking may run.
    pub max_shrink_runs: u32,
    /// The longest time that shrinking may take.
    pub max_shrink_time: Duration,
    /// How often the minimal sequence is run again before it is reported.
    pub confirmations: u32,
    /// Whether a command that never ran is a failure.
    pub require_all_commands: bool,
    /// A file of failing sequences, one a line. They run first; new failures are appended.
    pub regressions: Option<PathBuf>,
    /// A sequence from a [`replay`](crate::Failure::replay): only it is run.
    pub replay: Option<String>,
}

impl Config {
    /// Keeps failing sequences in a file beside the test, as proptest does: for a test in
    /// `tests/store.rs`, `tests/foolproof-regressions/store-<name>.txt`. The folder is created with the
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

    /// The configuration with a seed: its own, or one derived from the time of day.
    pub(crate) fn with_chosen_seed(&self) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // Any seed is good; small ones are easier to copy.
            since.as_secs() ^ u64::from(since.subsec_nanos())
        };
        Self { seed: Some(self.seed.unwrap_or_else(now)), ..self.clone() }
    }
}

/// The folder that the path of a source file is relative to. The compiler makes paths relative to the
/// workspace, while tests run in the folder of their package.
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
