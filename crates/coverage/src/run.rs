//! Runs: instances of a contract, and what they cover.
//!
//! `Settings` are the options of a run, and `CompiledRun` has everything that is computed once. There
//! are two ways to execute it: [`Run`] is an iterator on the caller's own thread, and
//! [`CompiledRun::stream`] generates on several threads and gives a stream of events. Both record in
//! the same state, so they give the same instances and the same report. A run reads no clock, no
//! environment and no file, and prints nothing: the caller passes what it needs as `RunContext`.

use std::ops::Range;

use foolproof_contract::{Accepted, Document, Error};
use foolproof_generate::{DrawMemory, Meter, PhaseMetrics};

use crate::{HitLog, Hits, Report, TargetSet, entry_set::RunTracker};

mod api;
mod batch;
mod compiled;
mod context;
mod event;
mod plan_record;
mod plan_schema;
mod progress;
mod report;
mod settings;
mod state;
mod stream;

pub(crate) use api::{ApiCompiler, CompiledSide};
pub use api::{ApiError, ApiRun, ApiRunOptions, BrokenOperation, BrokenReason, Parts};
use batch::Item;
pub use compiled::CompiledRun;
pub(crate) use context::NO_TIME;
pub use context::{Encode, RunContext, Timing};
pub use event::{Event, Finished, RunEnd, RunTotals, Stopped};
pub use plan_record::{
    HintRecord, PLAN_VERSION, PlanEngine, PlanRecord, PlannedRun, ScopeRecord, UnitRecord,
};
pub use plan_schema::plan_schema;
pub use progress::CompileProgress;
pub use settings::Settings;
use state::{Kept, RunState};

/// A run on one thread: an iterator of instances that ends with a report.
///
/// A guided run ends early once every active target is hit.
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
/// let mut run = Run::new(&document, Settings::guided(Profile::Balanced))?;
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
    /// Always with coverage.
    compiled: CompiledRun,
    tracker: Option<RunTracker>,
    state: RunState,
    left: Range<u64>,
    meter: Meter,
}

impl Run {
    /// Compiles and plans the run.
    pub fn new(document: &Document, settings: Settings) -> Result<Self, Error> {
        Self::metered(document, settings, Meter::counting())
    }

    /// The same; `meter` counts, and times if it has a clock, what each phase costs.
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
    /// println!("{:?} to observe them", observed.time);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    pub fn metered(
        document: &Document,
        settings: Settings,
        mut meter: Meter,
    ) -> Result<Self, Error> {
        let compiled = CompiledRun::new(document, settings, &mut meter)?;
        let tracker = compiled.entry_set().map(RunTracker::new);
        let state = RunState::new(&compiled, PhaseMetrics::default());
        let left = compiled.settings().indices();
        Ok(Self { compiled, tracker, state, left, meter })
    }

    /// How many instances could not be generated so far.
    #[must_use]
    pub fn missing(&self) -> u64 {
        self.state.totals.missing
    }

    /// How many instances were generated so far.
    #[must_use]
    pub fn generated(&self) -> u64 {
        self.state.totals.generated
    }

    /// The targets that were hit so far.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.hit_log().hits()
    }

    /// The targets of the contract.
    #[must_use]
    pub fn targets(&self) -> &TargetSet {
        self.compiled.targets().expect(WITH_COVERAGE)
    }

    /// The compiled run, which gives the instance at each index.
    #[must_use]
    pub fn compiled(&self) -> &CompiledRun {
        &self.compiled
    }

    /// What each phase cost so far.
    #[must_use]
    pub fn metrics(&self) -> &PhaseMetrics {
        self.meter.metrics()
    }

    /// The report on what was generated so far, whether or not that is all of it.
    ///
    /// Without a clock `startedAt` is the beginning of 1970 and `durationMs` is 0. Set them in
    /// [`Report::run`] if they matter.
    #[must_use]
    pub fn finish(self) -> Report {
        let (totals, context) = (&self.state.totals, RunContext::default());
        let (hit_log, rejections) = (self.hit_log(), &self.state.rejections);
        let mut meter = self.meter.another();
        let report = self.compiled.report(hit_log, totals, rejections, &context, &mut meter);
        report.expect(WITH_COVERAGE)
    }

    fn hit_log(&self) -> &HitLog {
        self.state.hit_log.as_ref().expect(WITH_COVERAGE)
    }
}

const WITH_COVERAGE: &str = "`Run::metered` compiles coverage";

impl Iterator for Run {
    type Item = Accepted;

    fn next(&mut self) -> Option<Accepted> {
        while !self.state.is_covered() {
            let index = self.left.next()?;
            let mut memory = DrawMemory::new();
            let produced = self.compiled.produce(index, &mut memory, &mut self.meter);
            let tracker = self.tracker.as_mut();
            let item = Item::new(index, &produced, tracker, &mut self.meter);
            let kept = self.state.record(item);
            if let (Ok(generated), Kept::Yes) = (produced.generated, kept) {
                return Some(generated.into_generated().into_instance());
            }
            if self.state.gives_up(self.left.clone()) {
                self.left.start = self.left.end;
            }
        }
        None
    }
}
