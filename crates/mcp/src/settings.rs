//! The options of a run.

use std::{
    fmt,
    num::{NonZeroU32, NonZeroUsize},
    sync::Arc,
    time::Duration,
};

use foolproof_stateful::StopSignal;
use serde_json::Value;

use crate::{
    check::{Checks, Problem},
    corpus::Seed,
    tool::Tool,
    tool_coverage::Rule,
};

/// Decides whether a tool may be called.
pub type ToolPredicate = dyn Fn(&Tool) -> bool + Send + Sync;

/// A check of the caller: receives the tool, the arguments and the answer as text, and says what is wrong.
pub type CustomCheck = dyn Fn(&Tool, &Value, &str) -> Option<Problem> + Send + Sync;

/// The options of a run.
///
/// ```
/// use foolproof_mcp::Settings;
///
/// let settings = Settings { cases: 5, lenient: true, ..Settings::default() };
/// assert_eq!((settings.min_steps, settings.max_steps), (1, 20));
/// ```
#[derive(Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Settings {
    /// The number of sequences.
    pub cases: u64,
    /// The least number of calls in a sequence.
    pub min_steps: usize,
    /// The greatest number of calls in a sequence.
    pub max_steps: usize,
    /// The seed of the run; without one it is chosen, and reported.
    pub seed: Option<u64>,
    /// How long the run may take as a whole.
    pub time: Option<Duration>,
    /// How many sequences run at a time, each in a session of its own.
    pub concurrency: NonZeroUsize,
    /// How long one failure may be shrunk.
    pub shrink_time: Duration,
    /// How often a minimal sequence is run again.
    pub confirmations: NonZeroU32,
    /// The values that calls can use from the start.
    pub seeds: Vec<Seed>,
    /// Whether the schema may give a value where no value of the corpus fits.
    pub lenient: bool,
    /// Whether the text of answers is mined.
    pub mine_text: bool,
    /// Whether all sequences are explored in one session.
    pub reuse_session: bool,
    /// Whether tools and arguments are preferred that exercise a part of a schema that no call has exercised. Then
    /// choices are not uniform, and sequences run one by one.
    pub guided: bool,
    /// Which tools may be called.
    pub tools: Option<Arc<ToolPredicate>>,
    /// Names of tools, which may have `*` and `?`. The run does not start if the server has no tool for one of them:
    /// it may be misspelt.
    pub named_tools: Vec<String>,
    /// Whether tools may be called that declare themselves destructive.
    pub allow_destructive: bool,
    /// Whether tools that do not declare themselves read-only may be called on a server that is not local.
    pub allow_writes: bool,
    /// The tools that warnings and rules are about; all if there is none.
    pub coverage_allowlist: Option<Vec<String>>,
    /// Tools that warnings and rules are not about.
    pub coverage_blocklist: Vec<String>,
    /// What must hold of the counts of calls.
    pub rules: Vec<Rule>,
    /// The severity of each check.
    pub checks: Checks,
    /// Further checks of every answered call.
    pub custom_checks: Vec<Arc<CustomCheck>>,
    /// Ends the run early. What was found until then is reported.
    pub stop: StopSignal,
    /// Is told after every sequence, and while failures are shrunk, how far the run is.
    pub progress: Option<Arc<ProgressReader>>,
}

/// Is told how far a run is.
pub type ProgressReader = dyn Fn(&Progress) + Send + Sync;

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Progress {
    /// How many sequences ended.
    pub sequences: u64,
    /// How many calls were made, those of shrinking included.
    pub calls: u64,
    /// How many of them failed a check.
    pub failing_calls: u64,
}

impl Default for Settings {
    /// 30 sequences of 1 to 20 calls.
    fn default() -> Self {
        Self {
            cases: 30,
            min_steps: 1,
            max_steps: 20,
            seed: None,
            time: None,
            concurrency: NonZeroUsize::MIN,
            shrink_time: Duration::from_secs(30),
            confirmations: NonZeroU32::new(3).unwrap_or(NonZeroU32::MIN),
            seeds: Vec::new(),
            lenient: false,
            mine_text: false,
            reuse_session: false,
            guided: false,
            tools: None,
            named_tools: Vec::new(),
            allow_destructive: false,
            allow_writes: false,
            coverage_allowlist: None,
            coverage_blocklist: Vec::new(),
            rules: Vec::new(),
            checks: Checks::default(),
            custom_checks: Vec::new(),
            stop: StopSignal::default(),
            progress: None,
        }
    }
}

impl Settings {
    /// What the checks of the caller say of a call.
    pub(crate) fn custom_problems(
        &self,
        tool: &Tool,
        arguments: &Value,
        answer: Option<&String>,
    ) -> Vec<Problem> {
        let answer = answer.map_or("", String::as_str);
        self.custom_checks.iter().filter_map(|check| check(tool, arguments, answer)).collect()
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("cases", &self.cases)
            .field("steps", &(self.min_steps..=self.max_steps))
            .field("seed", &self.seed)
            .field("lenient", &self.lenient)
            .finish_non_exhaustive()
    }
}
