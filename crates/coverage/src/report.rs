//! The report on a run, in the format `coverage-report/v1`.
//!
//! The types mirror the requirements field for field; `docs/coverage-report.md` explains each. A
//! report is a function of its data, with one fixed order of keys, so equal runs have equal bytes
//! except for `startedAt` and `durationMs`. Fields that this version does not know are ignored when a
//! report is read (those in `params` and `meta` are kept); another format version is an error.

use std::{collections::BTreeMap, fmt, sync::Arc};

use serde::{Deserialize, Serialize};

use crate::Dimension;

mod by_name;
mod diagnostics;
mod entry;
mod metrics;
mod read;
mod schema;

pub use diagnostics::{Diagnostics, PlannerCapHit, ReasonCode, ScopeType, UnsatisfiedHint};
pub(crate) use entry::by_id;
pub use entry::{Meta, Polarity, TargetEntry};
pub use metrics::{
    Counts, CoverageStatus, InvalidRatio, Metrics, Minimum, Ratio, TargetsByStatus, Thresholds,
};
pub(crate) use metrics::{counts, metrics};
pub use read::ReadError;
pub use schema::report_schema;

/// The format that this crate reads and writes.
pub const REPORT_VERSION: &str = "coverage-report/v1";

/// A coverage report.
///
/// ```
/// use foolproof_coverage::{ReadError, Report};
///
/// let refused = Report::from_json(r#"{ "version": "coverage-report/v2" }"#).unwrap_err();
/// assert_eq!(
///     refused.to_string(),
///     "the format is `coverage-report/v2`; this version reads `coverage-report/v1`"
/// );
/// ```
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Report {
    /// The format: [`REPORT_VERSION`].
    #[serde(deserialize_with = "read::known_version")]
    pub version: String,
    /// Whether all targets are listed.
    pub report_mode: ReportMode,
    /// The software that wrote the report.
    pub engine: EngineInfo,
    /// What was run.
    pub run: RunRecord,
    /// How much was covered.
    pub metrics: Metrics,
    /// Every target, in the order of the contract; empty in a summary.
    pub targets: Vec<TargetEntry>,
    /// The targets that were not hit, the most important first.
    pub uncovered_targets: Vec<TargetEntry>,
    /// The hints that no instance satisfied.
    pub unsatisfied_hints: Vec<UnsatisfiedHint>,
    /// What limited the run, and what else a reader should know.
    pub diagnostics: Diagnostics,
    /// The beginnings of the JSON texts of examples that are too long for a file, by the indices of their
    /// instances, if [`Settings::long_examples`](crate::Settings::long_examples) asks for them. Only in
    /// memory, for [`html_page`](crate::html_page).
    #[serde(skip)]
    pub example_texts: BTreeMap<u64, Arc<str>>,
}

/// Which targets a report lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum ReportMode {
    /// All of them.
    #[default]
    Full,
    /// The first uncovered ones of each dimension. The metrics still count all targets.
    Summary,
}

/// What coverage does in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum CoverageMode {
    /// Nothing.
    Off,
    /// It observes the instances.
    Measure,
    /// It decides which instances are generated.
    Guided,
}

/// The software that wrote a report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EngineInfo {
    /// The version of foolproof. Ids are stable within a major version.
    pub foundry_version: String,
    /// What coverage did.
    pub coverage_mode: CoverageMode,
    /// The major version of AJV whose verdicts the oracle is checked against.
    pub ajv_major: u32,
    /// The oracle that accepted the values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oracle: Option<String>,
    /// The version of what seeds generate: equal seeds give equal data only under the same version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stream_version: Option<u32>,
}

impl EngineInfo {
    /// The major version, up to the first point.
    pub(crate) fn major(&self) -> &str {
        self.foundry_version.split('.').next().unwrap_or_default()
    }
}

/// What was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunRecord {
    /// The seed that was used.
    pub seed: u64,
    /// The seed in the options: the same.
    pub master_seed: u64,
    /// The most instances that the run might generate.
    pub max_instances: u64,
    /// How many it generated.
    pub actual_instances: u64,
    /// The part of its run that it is about, if that is not the whole.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shard: Option<ShardRange>,
    /// The dimensions that were observed.
    pub dimensions_enabled: Vec<Dimension>,
    /// Whether unreachable targets are left out of the metrics.
    pub exclude_unreachable: bool,
    /// When it began. Not part of what is deterministic.
    pub started_at: String,
    /// How long it took. Not part of what is deterministic.
    pub duration_ms: u64,
    /// Which operations of an API were in scope.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations_scope: Option<OperationsScope>,
    /// Their keys, if not all of them were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub selected_operations: Option<Vec<String>>,
    /// What the contract is recognised by
    /// ([`Document::fingerprint`](foolproof_contract::Document::fingerprint)).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contract_fingerprint: Option<String>,
}

/// The part of a run that a shard generates: the instances from `start` up to `end`, of so many.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShardRange {
    /// The first instance of the part.
    pub start: u64,
    /// The first one after it.
    pub end: u64,
    /// The most instances of the whole run.
    pub instances: u64,
}

impl fmt::Display for ShardRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { start, end, instances } = self;
        write!(formatter, "instances {start} to {end} of {instances}")
    }
}

/// Which operations of an API were in the scope of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum OperationsScope {
    /// All of them.
    All,
    /// Those that the options select.
    Selected,
}

impl OperationsScope {
    /// The key that reports use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Selected => "selected",
        }
    }
}

impl Report {
    /// The counts behind the ratios of the report; nothing if it does not list its targets.
    #[must_use]
    pub fn counts(&self) -> Option<Counts<'_>> {
        (self.report_mode == ReportMode::Full).then(|| Counts::of(&self.run, &self.targets))
    }

    /// The report as the text of a file: indented JSON that ends with a line break.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("every key of a report is a text");
        text.push('\n');
        text
    }

    /// Sets the least overall coverage, and updates the status.
    ///
    /// For reports that have none, such as a merged report.
    pub fn set_minimum(&mut self, minimum: Minimum) {
        self.metrics.set_minimum(minimum);
    }

    /// Whether the minimum is met, if there is one.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.metrics.coverage_status == CoverageStatus::Ok
    }
}
