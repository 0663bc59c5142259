//! What was hit: which parts of a contract its data exercises.
//!
//! A [`Universe`] lists every target of a contract; an [`Observer`] walks accepted values and says
//! which targets they hit.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod diff;
mod dimension;
mod evaluate;
mod hint;
mod hit_log;
mod hits;
mod measure;
mod merge;
mod observe;
mod plan;
mod profile;
mod report;
mod run;
mod target;
mod universe;

pub use diff::{
    DIFF_VERSION, Diff, DiffError, DiffSide, OverallRatios, RatioChange, StatusChange, diff,
};
pub use dimension::{Dimension, Dimensions, UnknownDimension};
pub use evaluate::{Example, Outcome, RunInfo, evaluate};
pub use hint::{Hint, HintKind};
use hit_log::{HitLog, TrackerPool};
pub use hits::Hits;
pub use measure::Measurement;
pub use merge::{MergeError, merge};
pub use observe::{HitTracker, Observer};
pub use plan::{AppliedHint, HintOutcome, PlanInput, TestPlan, TestUnit, Unplanned};
pub use profile::{Profile, UnknownProfile};
pub use report::{
    Counts, CoverageMode, CoverageStatus, Diagnostics, EngineInfo, InvalidRatio, Meta, Metrics,
    Minimum, OperationsScope, PlannerCapHit, Polarity, REPORT_VERSION, Ratio, ReadError,
    ReasonCode, Report, ReportMode, RunRecord, ScopeType, TargetEntry, TargetsByStatus, Thresholds,
    UnsatisfiedHint, report_schema,
};
pub use run::{
    CompiledRun, Encode, Event, Finished, Run, RunContext, RunEnd, RunTotals, Settings, Stopped,
    Timing,
};
pub use target::{ConditionalPath, Params, Status, Target, TargetKind};
pub use universe::{TargetIndex, Universe};
