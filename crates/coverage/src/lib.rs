//! Coverage: which parts of a contract data exercises.
//!
//! A [`Universe`] lists every target of a contract. An [`Observer`] decides which targets an accepted
//! value hits. A [`Run`] generates instances, by chance or guided by a [`TestPlan`], and ends with a
//! [`Report`]; a [`Measurement`] does the same for data that exists. [`diff`] and [`merge`] work on
//! reports, and [`html_page`] shows one to people.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod api_measurement;
mod baseline;
mod diff;
mod dimension;
mod entry_set;
mod evaluate;
mod hint;
mod hit_log;
mod hits;
mod html;
mod measure;
mod merge;
mod observe;
mod operations;
mod plan;
mod profile;
mod report;
mod run;
mod statuses;
mod target;
mod target_set;
mod universe;
mod unreachable;

pub use api_measurement::{ApiMeasurement, TrafficVerdict};
pub use diff::{
    ContractChange, DIFF_VERSION, Diff, DiffError, DiffSide, OverallRatios, RatioChange,
    StatusChange, diff,
};
pub use dimension::{Dimension, Dimensions, UnknownDimension};
pub use evaluate::{Example, LongExamples, Outcome, RunInfo, evaluate};
pub use foolproof_contract::openapi::Side;
pub use hint::{Hint, HintKind};
use hit_log::{HitLog, TrackerPool};
pub use hits::Hits;
pub use html::{HtmlError, html_page};
pub use measure::Measurement;
pub use merge::{MergeError, Merger, merge};
pub use observe::{HitTracker, Observer};
pub use operations::{OperationIndex, OperationsInfo, OperationsMeasurement};
pub use plan::{AppliedHint, HintOutcome, PlanInput, TestPlan, TestUnit, UnitScope, Unplanned};
pub use profile::{Profile, UnknownProfile};
pub use report::{
    Counts, CoverageMode, CoverageStatus, Diagnostics, EngineInfo, InvalidRatio, Meta, Metrics,
    Minimum, OperationsScope, PlannerCapHit, Polarity, REPORT_VERSION, Ratio, ReadError,
    ReasonCode, Report, ReportMode, RunRecord, ScopeType, ShardRange, TargetEntry, TargetsByStatus,
    Thresholds, UnsatisfiedHint, report_schema,
};
pub use run::{
    ApiError, ApiRun, ApiRunOptions, BrokenOperation, BrokenReason, CompileProgress, CompiledRun,
    Encode, Event, Finished, HintRecord, PLAN_VERSION, Parts, PlanEngine, PlanRecord, PlannedRun,
    Run, RunContext, RunEnd, RunTotals, ScopeRecord, Settings, Stopped, Timing, UnitRecord,
    plan_schema,
};
pub use target::{ConditionalPath, Params, Status, Target, TargetKind};
pub use target_set::TargetSet;
pub use universe::{TargetIndex, Universe};
pub use unreachable::Unreachable;

/// The types that callers share between threads or send to one.
const _: () = {
    const fn cross_threads<T: Send + Sync>() {}
    cross_threads::<CompiledRun>();
    cross_threads::<Diff>();
    cross_threads::<DiffError>();
    cross_threads::<Finished>();
    cross_threads::<HintOutcome>();
    cross_threads::<HitTracker>();
    cross_threads::<Hits>();
    cross_threads::<Measurement>();
    cross_threads::<MergeError>();
    cross_threads::<Merger>();
    cross_threads::<Observer>();
    cross_threads::<PlanRecord>();
    cross_threads::<ReadError>();
    cross_threads::<OperationsMeasurement>();
    cross_threads::<Report>();
    cross_threads::<Run>();
    cross_threads::<RunContext<'_>>();
    cross_threads::<Settings>();
    cross_threads::<Stopped<()>>();
    cross_threads::<TestPlan>();
    cross_threads::<Timing>();
    cross_threads::<Universe>();
};
