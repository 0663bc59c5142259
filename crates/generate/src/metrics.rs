//! Metrics: the cost of each phase of a run, in time and in operations.
//!
//! A library has no clock of its own, so a caller that wants times provides one; without it a [`Meter`]
//! only counts, which costs next to nothing. Metrics never change results.

use std::time::Duration;

use serde_json::{Value, json};

/// A part of the work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Phase {
    /// Resolving the contract into a graph of schema locations, which are counted.
    Normalise,
    /// Compiling canonical forms, the generator's plan and the oracle. Nodes of the plan are counted.
    Compose,
    /// Listing the targets of coverage and planning for them. Planned instances are counted.
    Plan,
    /// Drawing values, which are counted.
    Generate,
    /// Repairing values that the oracle rejected. Attempts are counted.
    Repair,
    /// Checking drawn values with the oracle. Checks are counted.
    Validate,
    /// Observing which targets instances hit. The instances are counted.
    Observe,
    /// Proving that no value can hit a target. The targets that were asked about are counted.
    Prove,
}

impl Phase {
    /// All of them, in the order of the pipeline.
    pub const ALL: [Self; 8] = [
        Self::Normalise,
        Self::Compose,
        Self::Plan,
        Self::Generate,
        Self::Repair,
        Self::Validate,
        Self::Observe,
        Self::Prove,
    ];

    /// The name of the phase.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Normalise => "normalise",
            Self::Compose => "compose",
            Self::Plan => "plan",
            Self::Generate => "generate",
            Self::Repair => "repair",
            Self::Validate => "validate",
            Self::Observe => "observe",
            Self::Prove => "prove",
        }
    }

    /// What the operations of the phase are.
    #[must_use]
    pub fn counts(self) -> &'static str {
        match self {
            Self::Normalise => "schema locations",
            Self::Compose => "plan nodes",
            Self::Plan => "planned instances",
            Self::Generate => "draws",
            Self::Repair => "refused draws",
            Self::Validate => "checks",
            Self::Observe => "instances",
            Self::Prove => "targets asked about",
        }
    }
}

/// The cost of one phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseCost {
    /// The time, over all threads.
    pub time: Duration,
    /// The operations.
    pub count: u64,
}

/// The cost of all phases.
///
/// ```
/// use foolproof_generate::{Generator, Meter, Phase, Seed};
/// use serde_json::json;
///
/// let generator = Generator::of(json!({ "type": "integer" }))?;
/// let mut meter = Meter::counting();
/// for index in 0..10 {
///     generator.generate_metered(Seed::from_number(1), index, &mut meter).unwrap();
/// }
/// assert_eq!(meter.metrics().of(Phase::Validate).count, 10);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhaseMetrics {
    costs: [PhaseCost; Phase::ALL.len()],
}

impl PhaseMetrics {
    /// The cost of `phase`.
    #[must_use]
    pub fn of(&self, phase: Phase) -> PhaseCost {
        self.costs[phase as usize]
    }

    /// Adds other metrics, for example of another thread.
    pub fn add(&mut self, other: &Self) {
        for (cost, more) in self.costs.iter_mut().zip(&other.costs) {
            cost.time += more.time;
            cost.count += more.count;
        }
    }

    /// As JSON: an array with one object for each phase, in the order of the pipeline.
    #[must_use]
    pub fn to_json(&self) -> Value {
        let phase = |phase: Phase| {
            let PhaseCost { time, count } = self.of(phase);
            json!({
                "phase": phase.as_str(),
                "milliseconds": time.as_secs_f64() * 1_000.0,
                "count": count,
                "counted": phase.counts(),
            })
        };
        Phase::ALL.into_iter().map(phase).collect()
    }
}

/// Returns the time since a fixed moment.
pub type Clock = fn() -> Duration;

/// Records the cost of work.
#[derive(Clone, Debug)]
pub struct Meter {
    clock: Option<Clock>,
    metrics: PhaseMetrics,
    /// The values of draws since they were last taken, the discarded ones included.
    drawn: usize,
}

impl Meter {
    /// A meter that counts and has no clock.
    #[must_use]
    pub fn counting() -> Self {
        Self { clock: None, metrics: PhaseMetrics::default(), drawn: 0 }
    }

    /// A meter that counts and reads `clock`.
    #[must_use]
    pub fn timing(clock: Clock) -> Self {
        Self { clock: Some(clock), metrics: PhaseMetrics::default(), drawn: 0 }
    }

    /// A new meter with the same clock.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { clock: self.clock, metrics: PhaseMetrics::default(), drawn: 0 }
    }

    /// Runs `work`, one operation of `phase`.
    pub fn operation<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        self.count(phase, 1);
        self.time(phase, work)
    }

    /// Runs `work` of `phase` without counting an operation.
    pub fn time<T>(&mut self, phase: Phase, work: impl FnOnce() -> T) -> T {
        let start = self.clock.map(|clock| clock());
        let result = work();
        if let (Some(clock), Some(start)) = (self.clock, start) {
            self.metrics.costs[phase as usize].time += clock().saturating_sub(start);
        }
        result
    }

    /// Counts operations of `phase`.
    pub fn count(&mut self, phase: Phase, operations: u64) {
        self.metrics.costs[phase as usize].count += operations;
    }

    /// Counts the values of a draw, the discarded ones included.
    pub(crate) fn count_drawn(&mut self, values: usize) {
        self.drawn = self.drawn.saturating_add(values);
    }

    /// How many values were drawn since the last call, the discarded ones included: what draws cost where values are
    /// filtered. Draws that are accepted at the first attempt are not counted, unless the instance is planned.
    ///
    /// ```
    /// use foolproof_generate::{Generator, Meter, Seed};
    /// use serde_json::json;
    ///
    /// let generator = Generator::of(json!({ "type": "array", "items": { "type": "string" }, "minItems": 9 }))?;
    /// let mut meter = Meter::counting();
    /// generator.try_generate(Seed::from_number(1), 0, &mut meter).unwrap();
    /// assert!(meter.take_drawn() >= 10);
    /// assert_eq!(meter.take_drawn(), 0);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn take_drawn(&mut self) -> usize {
        std::mem::take(&mut self.drawn)
    }

    /// Adds what another meter recorded.
    pub fn add(&mut self, metrics: &PhaseMetrics) {
        self.metrics.add(metrics);
    }

    /// The metrics recorded so far.
    #[must_use]
    pub fn metrics(&self) -> &PhaseMetrics {
        &self.metrics
    }
}
