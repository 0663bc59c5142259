//! How a test is run.

use std::{
    num::NonZeroUsize,
    path::{Path, PathBuf},
    time::{Duration, Instant, SystemTime, UNIX_EPOCH},
};

use crate::StopSignal;

/// How a test is run.
///
/// ```
/// use foolproof_stateful::Config;
///
/// let config = Config { num_runs: 1_000, seed: Some(42), ..Config::default() };
/// assert_eq!(config.max_commands, 50);
/// ```
///
/// # Environment
///
/// Some variables override the configuration, so that a test can be run longer, or a failure be repeated,
/// without a change of code:
///
/// | variable | overrides |
/// |---|---|
/// | `FOOLPROOF_RUNS=10000` | [`num_runs`](Self::num_runs) |
/// | `FOOLPROOF_SEED=42` | [`seed`](Self::seed) |
/// | `FOOLPROOF_TIME=60` | [`max_time`](Self::max_time), in seconds; then `num_runs` has no effect unless it is set in this way too |
/// | `FOOLPROOF_REPLAY='put#0(…)'` | [`replay`](Self::replay) |
/// | `FOOLPROOF_VERBOSE=1` | [`verbose`](Self::verbose) |
/// | `FOOLPROOF_REGRESSIONS=off` | [`Regressions::ByTestName`]: `off`, or the path of a folder for files named after tests |
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct Config {
    /// How many sequences are run.
    pub num_runs: u64,
    /// The shortest sequence. A sequence that ends before it, because no command can run, is a failure.
    pub min_commands: usize,
    /// The longest sequence. Lengths vary from `min_commands` to this.
    pub max_commands: usize,
    /// How the lengths of sequences are spread between the least and the greatest.
    pub lengths: Lengths,
    /// The seed of all sequences. Without it, one is derived from the time of day; failures report it.
    pub seed: Option<u64>,
    /// The number of sequences that run at the same time: on as many threads, or with
    /// [`check_async`](crate::Stateful::check_async) as concurrent futures. Threads need a test that is
    /// [shared](crate::stateful_shared). The result is the same for any number. In an
    /// [isolated process](Self::isolation), `check_async` runs one sequence at a time.
    pub threads: NonZeroUsize,
    /// The time after which no further sequence is started.
    pub max_time: Option<Duration>,
    /// The timeout of a step, and of each of model, system, setup and teardown; exceeding it is a failure.
    /// With [`check_async`](crate::Stateful::check_async), the future of the step is dropped. With
    /// [`check`](crate::Stateful::check), the test must be [shared](crate::stateful_shared): each
    /// sequence then runs on another thread, which costs some microseconds a step, and a thread that
    /// hangs is abandoned for the rest of the process, unless it runs in an
    /// [isolated process](Self::isolation).
    pub step_timeout: Option<Duration>,
    /// Where sequences run.
    pub isolation: Isolation,
    /// Swarm testing: whether each sequence uses only a random subset of the commands, as long as one of
    /// them can run. It finds more bugs than sequences that always use all of them.
    pub swarm: bool,
    /// Whether arguments reuse the values of earlier arguments now and then: many bugs need the same key
    /// twice.
    pub reuse_arguments: bool,
    /// Whether sequences that led to states of the model which were not seen before are continued by later
    /// ones. It reaches states that are hard to reach, and formats the model after every step.
    pub feedback: bool,
    /// Whether the run goes on after a failure, and reports every distinct one.
    pub keep_going: bool,
    /// The most sequences that shrinking may run.
    pub max_shrink_runs: u32,
    /// How much is tried to make a failing sequence smaller.
    pub shrink_effort: ShrinkEffort,
    /// The longest time that shrinking may take.
    pub max_shrink_time: Duration,
    /// When everything should have ended. What is left after exploring is shared among the failures, each of which is
    /// shrunk for at most `max_shrink_time`.
    pub deadline: Option<Instant>,
    /// How often the minimal sequence is run again before it is reported.
    pub confirmations: u32,
    /// Whether a command that never ran is a failure.
    pub require_all_commands: bool,
    /// Whether a report has the sequence before shrinking too, however long it is.
    pub verbose: bool,
    /// Where failing sequences are kept. They run first; new failures are appended.
    pub regressions: Regressions,
    /// A sequence from a [`replay`](crate::Failure::replay): only it is run.
    pub replay: Option<String>,
    /// Ends the run early.
    pub stop: StopSignal,
}

/// How the lengths of sequences are spread.
///
/// ```
/// use foolproof_stateful::{Config, Lengths};
///
/// let config = Config { lengths: Lengths::Long, ..Config::default() };
/// # let _ = config;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lengths {
    /// Every length occurs, long ones more often.
    #[default]
    Varied,
    /// Three of four sequences have the greatest length. For systems whose faults lie deep.
    Long,
    /// All have the greatest length.
    Greatest,
}

/// How much is tried to make a failing sequence smaller.
///
/// ```
/// use foolproof_stateful::{Config, ShrinkEffort};
///
/// let config = Config { shrink_effort: ShrinkEffort::Frugal, ..Config::default() };
/// # let _ = config;
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShrinkEffort {
    /// Every way there is.
    #[default]
    Full,
    /// Steps are removed and arguments simplified, but not replaced by others. If what the failing step depends on fails
    /// too, the original sequence is not run again, and its steps are reported without arguments. For systems that take
    /// long to start.
    Frugal,
}

/// Where sequences run.
///
/// ```
/// use foolproof_stateful::{Config, Isolation};
///
/// assert_eq!(Config::default().isolation, Isolation::InProcess);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Isolation {
    /// In the process of the test.
    #[default]
    InProcess,
    /// In a process of its own: the binary of the test is started again, for this test alone. A sequence
    /// that blocks, spins or ends the process leaves nothing behind, and is a failure that is shrunk. It
    /// needs the harness of `cargo test`, and costs tens of microseconds a step.
    Process,
}

/// Where failing sequences are kept.
///
/// ```
/// use foolproof_stateful::{Config, Regressions};
///
/// let config = Config { regressions: Regressions::Off, ..Config::default() };
/// # let _ = config;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Regressions {
    /// In `foolproof-regressions/<test binary>-<test>.txt` in the folder of the package, unless the
    /// configuration has a seed: what a seed gives must not depend on a file. The test is known by the name of
    /// its thread; outside of `cargo test`, nothing is kept.
    #[default]
    ByTestName,
    /// In this file.
    File(PathBuf),
    /// Nowhere.
    Off,
}

impl Config {
    /// Keeps failing sequences in a file beside the test, as proptest does: for a test in
    /// `tests/store.rs`, `tests/foolproof-regressions/store-<name>.txt`. The folder is created with the
    /// first failure.
    ///
    /// ```
    /// use foolproof_stateful::{Config, Regressions};
    ///
    /// // In a test, `file!()` is the first argument.
    /// let config = Config::default().with_regressions_beside("tests/store.rs", "behaves_like_a_map");
    /// let Regressions::File(path) = config.regressions else { unreachable!() };
    /// assert!(path.ends_with("tests/foolproof-regressions/store-behaves_like_a_map.txt"));
    /// ```
    #[must_use]
    pub fn with_regressions_beside(self, source: &str, name: &str) -> Self {
        let source = Path::new(source);
        let (folder, stem) = (source.parent(), source.file_stem());
        let file = format!("{}-{name}.txt", stem.unwrap_or_default().to_string_lossy());
        let folder = folder.unwrap_or(Path::new("")).join("foolproof-regressions");
        let path = beside(source).join(folder).join(file);
        Self { regressions: Regressions::File(path), ..self }
    }

    /// The configuration with what the environment overrides, and with a seed.
    pub(crate) fn resolve(&self) -> Result<Self, String> {
        #[expect(clippy::disallowed_methods, reason = "the one place that reads the environment")]
        let variable = |name: &str| std::env::var(name).ok().filter(|text| !text.is_empty());
        self.overridden_by(variable).map(Self::with_chosen_seed)
    }

    fn overridden_by(&self, variable: impl Fn(&str) -> Option<String>) -> Result<Self, String> {
        let number = |name: &str| match variable(name).map(|text| (text.parse::<u64>(), text)) {
            None => Ok(None),
            Some((Ok(number), _)) => Ok(Some(number)),
            Some((Err(_), text)) => Err(format!("{name} is `{text}`, which is no whole number")),
        };
        let (runs, seconds) = (number("FOOLPROOF_RUNS")?, number("FOOLPROOF_TIME")?);
        let mut config = self.clone();
        config.num_runs = match (runs, seconds) {
            (Some(runs), _) => runs,
            (None, Some(_)) => u64::MAX,
            (None, None) => self.num_runs,
        };
        config.max_time = seconds.map(Duration::from_secs).or(self.max_time);
        config.seed = number("FOOLPROOF_SEED")?.or(self.seed);
        config.replay = variable("FOOLPROOF_REPLAY").or_else(|| self.replay.clone());
        config.verbose |= variable("FOOLPROOF_VERBOSE").is_some_and(|text| text != "0");
        config.regressions = match &self.regressions {
            Regressions::ByTestName if config.seed.is_none() => by_test_name(variable),
            Regressions::ByTestName | Regressions::Off => Regressions::Off,
            // A file that the test names is its own business.
            Regressions::File(path) => Regressions::File(path.clone()),
        };
        Ok(config)
    }

    /// The configuration with a seed: its own, or one derived from the time of day.
    fn with_chosen_seed(self) -> Self {
        let now = || {
            let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
            // Any seed is good; small ones are easier to copy.
            since.as_secs() ^ u64::from(since.subsec_nanos())
        };
        Self { seed: Some(self.seed.unwrap_or_else(now)), ..self }
    }

    /// The seed, once it is chosen.
    pub(crate) fn chosen_seed(&self) -> u64 {
        self.seed.unwrap_or_default()
    }
}

/// The name of the test that runs on this thread, if it is one.
pub(crate) fn test_name() -> Option<String> {
    let thread = std::thread::current();
    if let Some(name) = thread.name().filter(|name| *name != "main") {
        return Some(name.to_owned());
    }
    // A harness that runs a single test may do so on the main thread.
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let is_single = arguments.iter().any(|argument| argument == "--exact");
    arguments.into_iter().find(|argument| is_single && !argument.starts_with('-'))
}

/// The file of the test that runs on this thread.
fn by_test_name(variable: impl Fn(&str) -> Option<String>) -> Regressions {
    let folder = match variable("FOOLPROOF_REGRESSIONS") {
        Some(text) if text == "off" => None,
        Some(folder) => Some(PathBuf::from(folder)),
        None => {
            let package = variable("CARGO_MANIFEST_DIR").map(PathBuf::from);
            package.map(|package| package.join("foolproof-regressions"))
        }
    };
    match (folder, test_name()) {
        (Some(folder), Some(test)) => {
            let file = format!("{}-{}.txt", binary_name(), test.replace("::", "-"));
            Regressions::File(folder.join(file))
        }
        (None, _) | (_, None) => Regressions::Off,
    }
}

/// The name of the binary of the tests, without the hash that the build adds.
fn binary_name() -> String {
    let path = std::env::current_exe().unwrap_or_default();
    let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let is_hash =
        |text: &str| text.len() == 16 && text.chars().all(|char| char.is_ascii_hexdigit());
    match stem.rsplit_once('-') {
        Some((name, hash)) if is_hash(hash) => name.to_owned(),
        Some(_) | None => stem,
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
            min_commands: 0,
            max_commands: 50,
            lengths: Lengths::Varied,
            seed: None,
            threads: NonZeroUsize::MIN,
            max_time: None,
            step_timeout: None,
            isolation: Isolation::InProcess,
            swarm: true,
            reuse_arguments: true,
            feedback: false,
            keep_going: false,
            max_shrink_runs: 2_000,
            shrink_effort: ShrinkEffort::Full,
            max_shrink_time: Duration::from_secs(30),
            deadline: None,
            confirmations: 3,
            require_all_commands: false,
            verbose: false,
            regressions: Regressions::ByTestName,
            replay: None,
            stop: StopSignal::default(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overridden(variables: &[(&str, &str)], config: &Config) -> Result<Config, String> {
        config.overridden_by(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn the_environment_overrides_what_it_names() {
        let config = Config { seed: Some(1), max_time: None, ..Config::default() };
        let same = overridden(&[], &config).unwrap();
        assert_eq!((same.num_runs, same.seed, same.verbose), (100, Some(1), false));
        let all = [
            ("FOOLPROOF_RUNS", "7"),
            ("FOOLPROOF_SEED", "9"),
            ("FOOLPROOF_REPLAY", "a#0()"),
            ("FOOLPROOF_VERBOSE", "1"),
        ];
        let other = overridden(&all, &config).unwrap();
        assert_eq!((other.num_runs, other.seed, other.verbose), (7, Some(9), true));
        assert_eq!(other.replay.as_deref(), Some("a#0()"));
        let timed = overridden(&[("FOOLPROOF_TIME", "3")], &config).unwrap();
        assert_eq!((timed.num_runs, timed.max_time), (u64::MAX, Some(Duration::from_secs(3))));
        let problem = overridden(&[("FOOLPROOF_RUNS", "many")], &config).unwrap_err();
        assert_eq!(problem, "FOOLPROOF_RUNS is `many`, which is no whole number");
    }

    #[test]
    fn regressions_are_kept_by_the_name_of_the_test() {
        let package = [("CARGO_MANIFEST_DIR", "/package")];
        let kept = overridden(&package, &Config::default()).unwrap().regressions;
        let file =
            "foolproof_stateful-config-tests-regressions_are_kept_by_the_name_of_the_test.txt";
        let path = Path::new("/package/foolproof-regressions").join(file);
        assert_eq!(kept, Regressions::File(path));
        let seeded = Config { seed: Some(1), ..Config::default() };
        assert_eq!(overridden(&package, &seeded).unwrap().regressions, Regressions::Off);
        let off = [("CARGO_MANIFEST_DIR", "/package"), ("FOOLPROOF_REGRESSIONS", "off")];
        assert_eq!(overridden(&off, &Config::default()).unwrap().regressions, Regressions::Off);
        assert_eq!(overridden(&[], &Config::default()).unwrap().regressions, Regressions::Off);
    }
}
