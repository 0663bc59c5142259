//! Why a test failed: a counterexample, or a problem of the test itself.

mod export;
mod text;

use std::fmt;

use crate::{Fault, Statistics};

/// Why a test failed. Its text is the report, so `check(…).unwrap()` prints it.
///
/// The methods below show what this one contains:
///
/// ```
/// # use foolproof_stateful::{Config, stateful};
/// let failure = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("add", |c| {
///         c.forall("by", 1..3_u8).run(|by, model, ()| {
///             *model += by;
///             *model
///         })
///     })
///     .command("rest", |c| c.run(|(), _, ()| ()))
///     .invariant("below four", |model, ()| *model < 4)
///     .check(Config { seed: Some(3), ..Config::default() })
///     .unwrap_err();
///
/// let report = failure.to_string();
/// assert!(report.contains("failed: the invariant `below four` is false"));
/// assert!(report.contains("minimal sequence (2 of "));
/// assert!(report.contains("seed: Some(3)"));
/// // `unwrap` prints the report, too.
/// assert_eq!(format!("{failure:?}"), report);
/// ```
#[derive(Clone)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Failure {
    #[cfg_attr(feature = "serde", serde(flatten))]
    cause: Cause,
    /// Further failures of a run that kept going.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Vec::is_empty"))]
    others: Vec<Failure>,
}

/// The reason of a failure.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
enum Cause {
    /// A sequence fails.
    #[cfg_attr(feature = "serde", serde(rename = "found"))]
    Counterexample(Box<Counterexample>),
    /// A sequence failed once and passed whenever it was run again.
    Vanished(Box<Counterexample>),
    /// The start of a sequence failed: a factory, the setup, an invariant of the initial state.
    #[cfg_attr(feature = "serde", serde(rename = "broken"))]
    StartFailed(Box<StartFailure>),
    /// Choosing a step failed: a precondition, a strategy, a list of candidates.
    ProposalFailed(Box<ProposalFailure>),
    /// A sequence ended before its shortest length.
    TooShort(Box<ShortSequence>),
    /// No step ever ran.
    NothingRan { statistics: Box<Statistics> },
    /// A command never ran.
    #[cfg_attr(feature = "serde", serde(rename = "unused"))]
    CommandsNeverRan { problem: String, statistics: Box<Statistics> },
    /// The test itself is wrong.
    Misuse(String),
}

/// A sequence that could not be started.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct StartFailure {
    pub(crate) fault: Fault,
    pub(crate) seed: u64,
    pub(crate) run: Option<u64>,
    pub(crate) statistics: Statistics,
}

/// A sequence in which no step could be chosen because of a fault.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct ProposalFailure {
    pub(crate) fault: Fault,
    /// The steps before it.
    pub(crate) steps: Vec<StepReport>,
    pub(crate) seed: u64,
    pub(crate) run: Option<u64>,
    pub(crate) statistics: Statistics,
}

/// A sequence that ended before its shortest length.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub(crate) struct ShortSequence {
    /// The shortest length.
    pub(crate) least: usize,
    pub(crate) steps: Vec<StepReport>,
    pub(crate) seed: u64,
    pub(crate) run: Option<u64>,
    pub(crate) statistics: Statistics,
}

/// A sequence that fails.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub(crate) struct Counterexample {
    pub(crate) seed: u64,
    /// The number of the sequence, unless it is a replay.
    pub(crate) run: Option<u64>,
    /// The line of the regression file, if it comes from there.
    pub(crate) origin: Option<usize>,
    /// The regression file that has it, if one does.
    pub(crate) regression_file: Option<String>,
    /// The arguments of the initial state.
    pub(crate) given: Vec<String>,
    /// The steps of the minimal sequence.
    pub(crate) steps: Vec<StepReport>,
    /// The length before shrinking.
    pub(crate) original: usize,
    /// The steps before shrinking.
    pub(crate) original_steps: Vec<StepReport>,
    pub(crate) fault: Fault,
    /// The model before and after the last step.
    pub(crate) models: (String, String),
    /// The system before and after the last step.
    pub(crate) systems: (String, String),
    /// How many sequences shrinking ran.
    pub(crate) executions: u32,
    #[cfg_attr(feature = "serde", serde(rename = "isStopped"))]
    pub(crate) reached_shrink_limit: bool,
    pub(crate) shrinking: ShrinkStatistics,
    #[cfg_attr(feature = "serde", serde(rename = "failedAgain"))]
    pub(crate) confirmed: u32,
    #[cfg_attr(feature = "serde", serde(rename = "triedAgain"))]
    pub(crate) confirmations: u32,
    pub(crate) replay: String,
    /// The line for the regression file.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) record: String,
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) is_verbose: bool,
    pub(crate) statistics: Statistics,
}

/// What shrinking did.
///
/// ```
/// # use foolproof_stateful::{Config, stateful};
/// let failure = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| *model += by))
///     .invariant("below nine", |model, ()| *model < 9)
///     .check(Config { seed: Some(3), ..Config::default() })
///     .unwrap_err();
/// let shrinking = failure.shrinking().unwrap();
/// assert_eq!(shrinking.executions, shrinking.passes.iter().map(|pass| pass.executions).sum());
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct ShrinkStatistics {
    /// How many sequences it ran.
    pub executions: u32,
    /// Whether a limit of [`Config`](crate::Config) ended it.
    pub reached_limit: bool,
    /// What each pass did, in the order in which they first ran.
    pub passes: Vec<PassStatistics>,
    /// The pass that runs now.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub(crate) current: usize,
}

/// What a pass of shrinking did.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct PassStatistics {
    /// Its name.
    pub name: &'static str,
    /// How many sequences it ran.
    pub executions: u32,
    /// How many of them were smaller and were accepted.
    pub accepted: u32,
}

/// One step of a failing sequence.
///
/// ```
/// # use foolproof_stateful::{Config, Failure, stateful};
/// # let failure: Failure = stateful::<u8, ()>()
/// #     .model(|| 0)
/// #     .sut(|| ())
/// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
/// #     .command("rest", |c| c.run(|(), _, ()| ()))
/// #     .invariant("below four", |model, ()| *model < 4)
/// #     .check(Config { seed: Some(3), ..Config::default() })
/// #     .unwrap_err();
/// let step = &failure.minimal()[0];
/// assert_eq!(step.to_string(), "add(by: 2)");
/// assert_eq!(step.result.as_deref(), Some("2"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct StepReport {
    /// The command.
    pub command: String,
    /// Its arguments, as `name: value`.
    pub arguments: Vec<String>,
    /// Its result, unless it failed before it had one.
    pub result: Option<String>,
}

impl Failure {
    fn of(cause: Cause) -> Self {
        Self { cause, others: Vec::new() }
    }

    /// One failure of several: the first, with the others.
    pub(crate) fn of_all(mut failures: Vec<Self>) -> Option<Self> {
        let others = failures.split_off(failures.len().min(1));
        failures.pop().map(|first| Self { others, ..first })
    }

    pub(crate) fn counterexample(counterexample: Counterexample) -> Self {
        Self::of(Cause::Counterexample(Box::new(counterexample)))
    }

    pub(crate) fn vanished(counterexample: Counterexample) -> Self {
        Self::of(Cause::Vanished(Box::new(counterexample)))
    }

    pub(crate) fn start_failed(failure: StartFailure) -> Self {
        Self::of(Cause::StartFailed(Box::new(failure)))
    }

    pub(crate) fn proposal_failed(failure: ProposalFailure) -> Self {
        Self::of(Cause::ProposalFailed(Box::new(failure)))
    }

    pub(crate) fn too_short(sequence: ShortSequence) -> Self {
        Self::of(Cause::TooShort(Box::new(sequence)))
    }

    pub(crate) fn nothing_ran(statistics: Statistics) -> Self {
        Self::of(Cause::NothingRan { statistics: Box::new(statistics) })
    }

    pub(crate) fn commands_never_ran(problem: String, statistics: Statistics) -> Self {
        Self::of(Cause::CommandsNeverRan { problem, statistics: Box::new(statistics) })
    }

    pub(crate) fn misuse(problem: impl Into<String>) -> Self {
        Self::of(Cause::Misuse(problem.into()))
    }

    fn as_counterexample(&self) -> Option<&Counterexample> {
        match &self.cause {
            Cause::Counterexample(counterexample) | Cause::Vanished(counterexample) => {
                Some(counterexample)
            }
            Cause::StartFailed(_)
            | Cause::ProposalFailed(_)
            | Cause::TooShort(_)
            | Cause::NothingRan { .. }
            | Cause::CommandsNeverRan { .. }
            | Cause::Misuse(_) => None,
        }
    }

    /// Records that this regression file has the sequence.
    pub(crate) fn set_regression_file(&mut self, path: &std::path::Path) {
        if let Cause::Counterexample(found) | Cause::Vanished(found) = &mut self.cause {
            found.regression_file = Some(path.display().to_string());
        }
    }

    /// The line for the regression file; empty if there is none.
    pub(crate) fn record(&self) -> &str {
        self.as_counterexample().map_or("", |counterexample| &counterexample.record)
    }

    /// Every failure of a run that [kept going](crate::Config::keep_going), this one first.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| *model += by))
    ///     .command("first", |c| c.run(|(), _, ()| panic!("the first bug")))
    ///     .command("second", |c| c.pre(|model, ()| *model > 3).run(|(), _, ()| Err::<(), _>("the second")))
    ///     .check(Config { keep_going: true, seed: Some(3), ..Config::default() })
    ///     .unwrap_err();
    /// let mut found: Vec<String> =
    ///     failure.all().map(|failure| failure.minimal().last().unwrap().command.clone()).collect();
    /// found.sort();
    /// assert_eq!(found, ["first", "second"]);
    /// ```
    pub fn all(&self) -> impl Iterator<Item = Self> {
        let first = Self { others: Vec::new(), ..self.clone() };
        std::iter::once(first).chain(self.others.clone())
    }

    /// The minimal failing sequence; empty if no sequence fails.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// let steps: Vec<String> = failure.minimal().iter().map(ToString::to_string).collect();
    /// assert_eq!(steps, ["add(by: 2)", "add(by: 2)"]);
    /// ```
    #[must_use]
    pub fn minimal(&self) -> &[StepReport] {
        self.as_counterexample().map_or(&[], |counterexample| &counterexample.steps)
    }

    /// The fault: of the last step of the minimal sequence, or of a panic outside of any step.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// let fault = failure.fault().unwrap();
    /// assert_eq!(fault.to_string(), "the invariant `below four` is false");
    /// ```
    #[must_use]
    pub fn fault(&self) -> Option<&Fault> {
        match &self.cause {
            Cause::Counterexample(counterexample) | Cause::Vanished(counterexample) => {
                Some(&counterexample.fault)
            }
            Cause::StartFailed(failure) => Some(&failure.fault),
            Cause::ProposalFailed(failure) => Some(&failure.fault),
            Cause::TooShort(_)
            | Cause::NothingRan { .. }
            | Cause::CommandsNeverRan { .. }
            | Cause::Misuse(_) => None,
        }
    }

    /// The length of the failing sequence before shrinking.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert!(failure.original_length() >= failure.minimal().len());
    /// ```
    #[must_use]
    pub fn original_length(&self) -> usize {
        self.as_counterexample().map_or(0, |counterexample| counterexample.original)
    }

    /// How many sequences shrinking ran.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert!((1..=Config::default().max_shrink_runs).contains(&failure.executions()));
    /// ```
    #[must_use]
    pub fn executions(&self) -> u32 {
        self.as_counterexample().map_or(0, |counterexample| counterexample.executions)
    }

    /// Whether a limit of [`Config`](crate::Config) ended shrinking.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert!(!failure.reached_shrink_limit());
    /// ```
    #[must_use]
    pub fn reached_shrink_limit(&self) -> bool {
        self.as_counterexample().is_some_and(|counterexample| counterexample.reached_shrink_limit)
    }

    /// Whether the sequence did not fail every time it ran.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// use std::{cell::Cell, rc::Rc};
    ///
    /// assert!(!failure.is_flaky());
    ///
    /// // Only the hundredth call fails: run again, the sequence passes.
    /// let calls = Rc::new(Cell::new(0));
    /// let failure = stateful::<(), ()>()
    ///     .model(|| ())
    ///     .sut(|| ())
    ///     .command("call", |c| {
    ///         c.run(move |(), (), ()| {
    ///             calls.set(calls.get() + 1);
    ///             calls.get()
    ///         })
    ///         .post(|(), (), (), calls| *calls != 100)
    ///     })
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// assert!(failure.is_flaky());
    /// ```
    #[must_use]
    pub fn is_flaky(&self) -> bool {
        match &self.cause {
            Cause::Counterexample(counterexample) => {
                counterexample.confirmed < counterexample.confirmations
            }
            Cause::Vanished(_) => true,
            Cause::StartFailed(_)
            | Cause::ProposalFailed(_)
            | Cause::TooShort(_)
            | Cause::NothingRan { .. }
            | Cause::CommandsNeverRan { .. }
            | Cause::Misuse(_) => false,
        }
    }

    /// How often the minimal sequence failed when it was run again, and how often it ran.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert_eq!(failure.confirmations(), (3, 3));
    /// ```
    #[must_use]
    pub fn confirmations(&self) -> (u32, u32) {
        self.as_counterexample().map_or((0, 0), |counterexample| {
            (counterexample.confirmed, counterexample.confirmations)
        })
    }

    /// The minimal sequence as text for [`Config::replay`](crate::Config::replay); empty if no sequence
    /// fails.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert!(failure.replay().starts_with("add#"));
    /// assert_eq!(failure.replay().split("; ").count(), failure.minimal().len());
    /// ```
    #[must_use]
    pub fn replay(&self) -> &str {
        self.as_counterexample().map_or("", |counterexample| &counterexample.replay)
    }

    /// The seed of the run, if sequences were run.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("fail", |c| c.run(|(), _, ()| Err::<(), _>("refused")))
    ///     .check(Config { seed: Some(3), ..Config::default() })
    ///     .unwrap_err();
    /// assert_eq!(failure.seed(), Some(3));
    /// ```
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match &self.cause {
            Cause::Counterexample(counterexample) | Cause::Vanished(counterexample) => {
                Some(counterexample.seed)
            }
            Cause::StartFailed(failure) => Some(failure.seed),
            Cause::ProposalFailed(failure) => Some(failure.seed),
            Cause::TooShort(sequence) => Some(sequence.seed),
            Cause::NothingRan { .. } | Cause::CommandsNeverRan { .. } | Cause::Misuse(_) => None,
        }
    }

    /// How many sequences and steps ran until the failure.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// let statistics = failure.statistics().unwrap();
    /// assert!(statistics.runs >= 1 && statistics.commands[0].ran >= 2);
    /// ```
    #[must_use]
    pub fn statistics(&self) -> Option<&Statistics> {
        match &self.cause {
            Cause::Counterexample(counterexample) | Cause::Vanished(counterexample) => {
                Some(&counterexample.statistics)
            }
            Cause::StartFailed(failure) => Some(&failure.statistics),
            Cause::ProposalFailed(failure) => Some(&failure.statistics),
            Cause::TooShort(sequence) => Some(&sequence.statistics),
            Cause::NothingRan { statistics } | Cause::CommandsNeverRan { statistics, .. } => {
                Some(statistics)
            }
            Cause::Misuse(_) => None,
        }
    }

    /// The failing sequence before shrinking; of a step that could not be chosen, the steps before it.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, Failure, stateful};
    /// # let failure: Failure = stateful::<u8, ()>()
    /// #     .model(|| 0)
    /// #     .sut(|| ())
    /// #     .command("add", |c| c.forall("by", 1..3_u8).run(|by, model, ()| { *model += by; *model }))
    /// #     .command("rest", |c| c.run(|(), _, ()| ()))
    /// #     .invariant("below four", |model, ()| *model < 4)
    /// #     .check(Config { seed: Some(3), ..Config::default() })
    /// #     .unwrap_err();
    /// assert_eq!(failure.original().len(), failure.original_length());
    /// ```
    #[must_use]
    pub fn original(&self) -> &[StepReport] {
        match &self.cause {
            Cause::Counterexample(counterexample) | Cause::Vanished(counterexample) => {
                &counterexample.original_steps
            }
            Cause::ProposalFailed(failure) => &failure.steps,
            Cause::TooShort(sequence) => &sequence.steps,
            Cause::StartFailed(_)
            | Cause::NothingRan { .. }
            | Cause::CommandsNeverRan { .. }
            | Cause::Misuse(_) => &[],
        }
    }

    /// The arguments of the initial state ([`given`](crate::Stateful::given)) in the minimal sequence.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let failure = stateful::<u32, ()>()
    ///     .given("size", 0..1_000_u32)
    ///     .model(|size| size)
    ///     .sut(|| ())
    ///     .command("rest", |c| c.run(|(), _, ()| ()))
    ///     .invariant("small", |model, ()| *model < 300)
    ///     .check(Config::default())
    ///     .unwrap_err();
    /// assert_eq!(failure.given(), ["size: 300"]);
    /// ```
    #[must_use]
    pub fn given(&self) -> &[String] {
        self.as_counterexample().map_or(&[], |counterexample| &counterexample.given)
    }

    /// What shrinking did, if a sequence fails.
    #[must_use]
    pub fn shrinking(&self) -> Option<&ShrinkStatistics> {
        self.as_counterexample().map(|counterexample| &counterexample.shrinking)
    }

    /// The line of the regression file that the sequence comes from, if it does.
    #[must_use]
    pub fn regression_line(&self) -> Option<usize> {
        self.as_counterexample().and_then(|counterexample| counterexample.origin)
    }

    /// Whether the test itself is wrong, or the configuration: no sequence was run, or none says anything.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let test = stateful::<u8, ()>().model(|| 0).sut(|| ());
    /// let failure = test.check(Config::default()).unwrap_err();
    /// assert!(failure.is_misuse());
    /// assert_eq!(failure.to_string(), "the test has no commands: call `.command(…)`");
    /// ```
    #[must_use]
    pub fn is_misuse(&self) -> bool {
        matches!(self.cause, Cause::Misuse(_) | Cause::NothingRan { .. })
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What `unwrap` prints.
        write!(formatter, "{self}")
    }
}

impl std::error::Error for Failure {}
