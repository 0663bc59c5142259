//! A run, one instance after the other.

use std::ops::Range;

use foolproof_contract::{Accepted, Document, Error};
use foolproof_generate::{Meter, Phase, PhaseMetrics};

use crate::{CompiledRun, Example, HitLog, HitTracker, Hits, Report, Settings};

/// Makes instances, and knows what they cover.
///
/// It is an iterator, and gives a report in the end. A guided run ends early once everything is hit.
///
/// ```
/// use foolproof_contract::Document;
/// use foolproof_coverage::{Profile, Run, Settings};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "type": "object",
///     "properties": { "size": { "enum": ["S", "M", "L"] }, "note": { "type": "string" } },
///     "required": ["size"],
/// }))?;
/// let mut run = Run::new(&document, Settings::guided(Profile::Quick))?;
/// for instance in &mut run {
///     println!("{}", instance.value());
/// }
/// let report = run.finish();
/// assert_eq!(report.metrics.overall, 1.0);
/// assert_eq!(report.run.actual_instances, 3);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Run {
    compiled: CompiledRun,
    tracker: HitTracker,
    hit_log: HitLog,
    left: Range<u64>,
    made: u64,
    missing: u64,
    meter: Meter,
}

impl Run {
    /// Compiles and plans everything that the run takes.
    pub fn new(document: &Document, settings: Settings) -> Result<Self, Error> {
        Self::metered(document, settings, Meter::counting())
    }

    /// The same; `meter` takes down what each phase takes.
    ///
    /// ```
    /// use std::{sync::LazyLock, time::Instant};
    /// use foolproof_contract::Document;
    /// use foolproof_coverage::{Run, Settings};
    /// use foolproof_generate::{Meter, Phase};
    /// use serde_json::json;
    ///
    /// static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    ///
    /// let document = Document::from_value(json!({ "type": "boolean" }))?;
    /// let meter = Meter::timing(|| START.elapsed());
    /// let mut run = Run::metered(&document, Settings::measure(100), meter)?;
    /// assert_eq!((&mut run).count(), 100);
    /// let observed = run.metrics().of(Phase::Observe);
    /// assert_eq!(observed.count, 100);
    /// println!("{:?} to look at them", observed.time);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn metered(
        document: &Document,
        settings: Settings,
        mut meter: Meter,
    ) -> Result<Self, Error> {
        let compiled = CompiledRun::of(document, settings, &mut meter)?;
        let tracker = HitTracker::new(compiled.observer());
        let hit_log = HitLog::new(compiled.observer());
        let left = compiled.indices();
        Ok(Self { compiled, tracker, hit_log, left, made: 0, missing: 0, meter })
    }

    /// How many instances could not be made so far.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.missing
    }

    /// How many instances were made so far.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made
    }

    /// What they hit.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.hit_log.hits()
    }

    /// What stands at each index.
    #[must_use]
    pub fn compiled(&self) -> &CompiledRun {
        &self.compiled
    }

    /// What each phase took so far.
    #[must_use]
    pub fn metrics(&self) -> &PhaseMetrics {
        self.meter.metrics()
    }

    /// The report on what was made so far, whether or not that is all of it.
    ///
    /// A library has no clock: `startedAt` is the beginning of 1970 and `durationMs` is 0. Set them in
    /// [`Report::run`] if it matters.
    #[must_use]
    pub fn finish(self) -> Report {
        self.compiled.report(&self.hit_log, self.made)
    }
}

impl Iterator for Run {
    type Item = Accepted;

    fn next(&mut self) -> Option<Accepted> {
        loop {
            if self.made > 0 && self.compiled.stops_early() && self.hit_log.is_complete() {
                return None;
            }
            let index = self.left.next()?;
            let Ok(made) = self.compiled.generate(index, &mut self.meter) else {
                self.missing += 1;
                continue;
            };
            self.made += 1;
            let instance = made.into_instance();
            let fresh = self.meter.operation(Phase::Observe, || self.tracker.observe(&instance));
            if !fresh.is_empty() {
                self.hit_log.add(Example::new(index, instance.value(), fresh));
            }
            return Some(instance);
        }
    }
}
