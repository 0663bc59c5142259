//! Why a test failed: a counterexample, or a problem of the test itself.

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
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(transparent))]
pub struct Failure {
    cause: Cause,
}

/// The reason of a failure.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
enum Cause {
    /// A sequence fails.
    #[cfg_attr(feature = "serde", serde(rename = "found"))]
    Counterexample(Box<Counterexample>),
    /// A sequence failed once and passed when it was run again.
    #[cfg_attr(feature = "serde", serde(rename = "vanished"))]
    NotReproduced { seed: u64, run: Option<u64>, replay: String, statistics: Statistics },
    /// A panic outside of any step: in a factory, a precondition or a strategy.
    #[cfg_attr(feature = "serde", serde(rename = "broken"))]
    PanicOutsideStep { fault: Fault, seed: u64, run: u64, statistics: Statistics },
    /// A command never ran.
    #[cfg_attr(feature = "serde", serde(rename = "unused"))]
    CommandsNeverRan { problem: String, statistics: Statistics },
    /// The test itself is wrong.
    Misuse(String),
}

/// A failing sequence after shrinking.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
pub(crate) struct Counterexample {
    pub(crate) seed: u64,
    pub(crate) run: Option<u64>,
    pub(crate) original: usize,
    pub(crate) steps: Vec<StepReport>,
    pub(crate) fault: Fault,
    pub(crate) models: (String, String),
    pub(crate) executions: u32,
    #[cfg_attr(feature = "serde", serde(rename = "isStopped"))]
    pub(crate) reached_shrink_limit: bool,
    /// How many of the confirmations failed.
    #[cfg_attr(feature = "serde", serde(rename = "failedAgain"))]
    pub(crate) confirmed: u32,
    /// How often the minimal sequence was run again.
    #[cfg_attr(feature = "serde", serde(rename = "triedAgain"))]
    pub(crate) confirmations: u32,
    pub(crate) replay: String,
    pub(crate) statistics: Statistics,
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
    pub(crate) fn counterexample(counterexample: Counterexample) -> Self {
        Self { cause: Cause::Counterexample(Box::new(counterexample)) }
    }

    pub(crate) fn not_reproduced(
        seed: u64,
        run: Option<u64>,
        replay: String,
        statistics: Statistics,
    ) -> Self {
        Self { cause: Cause::NotReproduced { seed, run, replay, statistics } }
    }

    pub(crate) fn panic_outside_step(
        fault: Fault,
        seed: u64,
        run: u64,
        statistics: Statistics,
    ) -> Self {
        Self { cause: Cause::PanicOutsideStep { fault, seed, run, statistics } }
    }

    pub(crate) fn commands_never_ran(problem: String, statistics: Statistics) -> Self {
        Self { cause: Cause::CommandsNeverRan { problem, statistics } }
    }

    pub(crate) fn misuse(problem: impl Into<String>) -> Self {
        Self { cause: Cause::Misuse(problem.into()) }
    }

    fn as_counterexample(&self) -> Option<&Counterexample> {
        match &self.cause {
            Cause::Counterexample(counterexample) => Some(counterexample),
            Cause::NotReproduced { .. }
            | Cause::PanicOutsideStep { .. }
            | Cause::CommandsNeverRan { .. }
            | Cause::Misuse(_) => None,
        }
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
            Cause::Counterexample(counterexample) => Some(&counterexample.fault),
            Cause::PanicOutsideStep { fault, .. } => Some(fault),
            Cause::NotReproduced { .. } | Cause::CommandsNeverRan { .. } | Cause::Misuse(_) => None,
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
            Cause::NotReproduced { .. } => true,
            Cause::PanicOutsideStep { .. } | Cause::CommandsNeverRan { .. } | Cause::Misuse(_) => {
                false
            }
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
        match &self.cause {
            Cause::Counterexample(counterexample) => &counterexample.replay,
            Cause::NotReproduced { replay, .. } => replay,
            Cause::PanicOutsideStep { .. } | Cause::CommandsNeverRan { .. } | Cause::Misuse(_) => {
                ""
            }
        }
    }

    /// The seed of the run, if sequences were run.
    #[must_use]
    pub fn seed(&self) -> Option<u64> {
        match &self.cause {
            Cause::Counterexample(counterexample) => Some(counterexample.seed),
            Cause::NotReproduced { seed, .. } | Cause::PanicOutsideStep { seed, .. } => Some(*seed),
            Cause::CommandsNeverRan { .. } | Cause::Misuse(_) => None,
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
            Cause::Counterexample(counterexample) => Some(&counterexample.statistics),
            Cause::NotReproduced { statistics, .. }
            | Cause::PanicOutsideStep { statistics, .. }
            | Cause::CommandsNeverRan { statistics, .. } => Some(statistics),
            Cause::Misuse(_) => None,
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // What `unwrap` prints.
        write!(formatter, "{self}")
    }
}

impl std::error::Error for Failure {}
