//! What was hit: which parts of a contract its data exercises.
//!
//! A [`Universe`] lists every target of a contract; an [`Observer`] walks accepted values and says
//! which targets they hit.
#![warn(clippy::disallowed_types, clippy::disallowed_methods)]

mod course;
mod diff;
mod dimension;
mod evaluate;
mod hint;
mod hits;
mod ledger;
mod measure;
mod merge;
mod observe;
mod plan;
mod profile;
mod report;
mod run;
mod target;
mod universe;

pub use course::{Course, Settings};
pub use diff::{Change, DIFF_VERSION, Diff, DiffError, Reported, Side, StatusChange, diff};
pub use dimension::{Dimension, Dimensions, UnknownDimension};
pub use evaluate::{Example, Outcome, RunInfo, evaluate};
pub use hint::Hint;
pub use hits::Hits;
pub use ledger::{Ledger, Watchers};
pub use measure::Measurement;
pub use merge::{MergeError, merge};
pub use observe::{Observer, Watcher};
pub use plan::{Applied, Basis, Followed, LeftOut, Plan, Unit};
pub use profile::{Profile, UnknownProfile};
pub use report::{
    CoverageMode, CoverageStatus, Diagnostics, EngineInfo, Meta, Metrics, Minimum, NotARatio,
    OperationsScope, PlannerCapHit, Polarity, REPORT_VERSION, ReadError, ReasonCode, Report,
    ReportMode, RunRecord, ScopeType, TargetEntry, TargetsByStatus, Thresholds, UnsatisfiedHint,
    report_schema,
};
pub use run::Run;
pub use target::{Params, Path, Status, Target, TargetKind};
pub use universe::{TargetIndex, Universe};

/// The examples of the README and of the guide, as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
#[doc = include_str!("../../../docs/coverage.md")]
struct Papers;
