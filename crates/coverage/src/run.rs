//! A run, one instance after the other.

use std::ops::Range;

use foolproof_contract::{Accepted, Document, Error};
use foolproof_generate::{Meter, Metrics, Phase};

use crate::{Course, Example, Hits, Ledger, Report, Settings, Watcher};

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
    course: Course,
    watcher: Watcher,
    ledger: Ledger,
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
        let course = Course::of(document, settings, &mut meter)?;
        let watcher = Watcher::new(course.observer());
        let ledger = Ledger::new(course.observer());
        let left = course.indices();
        Ok(Self { course, watcher, ledger, left, made: 0, missing: 0, meter })
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
        self.ledger.hits()
    }

    /// What stands at each index.
    #[must_use]
    pub fn course(&self) -> &Course {
        &self.course
    }

    /// What each phase took so far.
    #[must_use]
    pub fn metrics(&self) -> &Metrics {
        self.meter.metrics()
    }

    /// The report on what was made so far, whether or not that is all of it.
    ///
    /// A library has no clock: `startedAt` is the beginning of 1970 and `durationMs` is 0. Set them in
    /// [`Report::run`] if it matters.
    #[must_use]
    pub fn finish(self) -> Report {
        self.course.report(&self.ledger, self.made)
    }
}

impl Iterator for Run {
    type Item = Accepted;

    fn next(&mut self) -> Option<Accepted> {
        loop {
            if self.made > 0 && self.course.stops_early() && self.ledger.is_complete() {
                return None;
            }
            let index = self.left.next()?;
            let Ok(made) = self.course.make(index, &mut self.meter) else {
                self.missing += 1;
                continue;
            };
            self.made += 1;
            let instance = made.into_instance();
            let fresh = self.meter.operation(Phase::Observe, || self.watcher.watch(&instance));
            if !fresh.is_empty() {
                self.ledger.add(Example::new(index, instance.value(), fresh));
            }
            return Some(instance);
        }
    }
}
