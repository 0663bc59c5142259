//! One report from the reports of several runs over one contract, or of the shards of one run.
//!
//! A target is hit if it is hit in any report. The metrics are recounted by the code that counts those
//! of a run, so the merged shards of a run have the metrics of the run. The order of the reports
//! decides only what is shown where they disagree, never what is counted.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::{
    CoverageMode, Diagnostics, EngineInfo, OperationsScope, Report, ReportMode, RunRecord,
    TargetEntry,
    evaluate::{admit_hit, uncovered},
    report::{REPORT_VERSION, by_id, metrics},
};

mod hints;
mod targets;

/// Why reports cannot be merged. Reports are counted from 1, in the order they were given.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum MergeError {
    /// There is none.
    #[error("there is no report to merge")]
    Nothing,
    /// One is of another format.
    #[error("report {report} has the format `{found}`; only `{REPORT_VERSION}` can be merged")]
    OtherVersion {
        /// Which one.
        report: usize,
        /// Its format.
        found: String,
    },
    /// One does not list its targets.
    #[error(
        "report {report} is a summary and does not list its targets; write it with `--coverage-report-mode full`"
    )]
    Summary {
        /// Which one.
        report: usize,
    },
    /// One lists a target twice.
    #[error("report {report} lists `{id}` twice")]
    Twice {
        /// Which one.
        report: usize,
        /// The target.
        id: String,
    },
    /// One was made under other rules than the first.
    #[error("report {report} differs from the first in `{field}`: {found} instead of {expected}")]
    OtherRules {
        /// Which one.
        report: usize,
        /// What differs, as the report calls it.
        field: &'static str,
        /// What it says.
        found: String,
        /// What the first report says.
        expected: String,
    },
    /// One has other targets than the first.
    #[error(
        "report {report} and the first do not have the same targets: only one has `{id}`, or it asks for something else there; are they about the same contract?"
    )]
    OtherTargets {
        /// Which one.
        report: usize,
        /// A target that is not in both.
        id: String,
    },
}

impl MergeError {
    /// A stable identifier for documentation and scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Nothing => "coverage::nothing-to-merge",
            Self::OtherVersion { .. } => "coverage::other-version",
            Self::Summary { .. } => "coverage::summary-report",
            Self::Twice { .. } => "coverage::repeated-target",
            Self::OtherRules { .. } => "coverage::other-rules",
            Self::OtherTargets { .. } => "coverage::other-targets",
        }
    }
}

/// Merges reports of the same contract.
///
/// Instances, budgets and times are added up; the earliest start is kept. A minimum is kept if all
/// reports have the same; [`Report::set_minimum`] sets another.
///
/// ```
/// use foolproof_coverage::{Minimum, Report, merge};
/// # let report = |first: bool, second: bool| {
/// #     let target = |index: usize, hit: bool| serde_json::json!({
/// #         "id": format!("enum:#:{index}"), "dimension": "enum", "kind": "ENUM_VALUE_HIT",
/// #         "canonPath": "#", "params": { "enumIndex": index, "value": index }, "hit": hit });
/// #     Report::from_json(&serde_json::json!({
/// #     "version": "coverage-report/v1", "reportMode": "full",
/// #     "engine": { "foundryVersion": "0.1.0", "coverageMode": "measure", "ajvMajor": 8 },
/// #     "run": { "seed": 1, "masterSeed": 1, "maxInstances": 1, "actualInstances": 1,
/// #         "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
/// #         "startedAt": "2025-01-01T12:00:00Z", "durationMs": 1 },
/// #     "metrics": { "coverageStatus": "ok", "overall": 0.5, "byDimension": {}, "byOperation": {},
/// #         "targetsByStatus": {} },
/// #     "targets": [target(0, first), target(1, second)],
/// #     "uncoveredTargets": [], "unsatisfiedHints": [],
/// #     "diagnostics": { "plannerCapsHit": [], "notes": [] }
/// # }).to_string()).unwrap()};
/// # let (one, two) = (report(true, false), report(false, true));
///
/// // Each shard hit one of the two members.
/// let mut whole = merge(&[one, two])?;
/// whole.set_minimum(Minimum::new(0.9).expect("a share"));
/// assert!(whole.is_ok());
/// assert_eq!(whole.metrics.overall, 1.0);
/// assert_eq!(whole.run.actual_instances, 2);
/// # Ok::<(), foolproof_coverage::MergeError>(())
/// ```
pub fn merge(reports: &[Report]) -> Result<Report, MergeError> {
    let Some((first, others)) = reports.split_first() else { return Err(MergeError::Nothing) };
    check(1, first)?;
    for (number, other) in others.iter().enumerate() {
        check(number + 2, other)?;
        check_alike(number + 2, first, other)?;
    }
    let mut targets = targets::merged(reports);
    let mut notes = distinct(reports.iter().flat_map(|report| &report.diagnostics.notes));
    notes.extend(targets.iter_mut().filter_map(admit_hit));
    let run = run(first, reports);
    let thresholds = first.metrics.thresholds.clone();
    let is_agreed = others.iter().all(|other| other.metrics.thresholds == thresholds);
    if !is_agreed {
        notes.push("the merged reports have different minimums; none is kept".into());
    }
    notes.extend(seeds(reports));
    Ok(Report {
        version: REPORT_VERSION.to_owned(),
        report_mode: ReportMode::Full,
        engine: engine(first, reports),
        metrics: metrics(&run, &targets, thresholds.filter(|_| is_agreed)),
        run,
        uncovered_targets: uncovered(&targets),
        unsatisfied_hints: hints::unsatisfied(reports, &targets),
        diagnostics: Diagnostics {
            planner_caps_hit: hints::caps(reports),
            notes: distinct(&notes),
        },
        targets,
    })
}

fn check(report: usize, of: &Report) -> Result<(), MergeError> {
    if of.version != REPORT_VERSION {
        return Err(MergeError::OtherVersion { report, found: of.version.clone() });
    }
    if of.report_mode == ReportMode::Summary {
        return Err(MergeError::Summary { report });
    }
    by_id(&of.targets).map(|_| ()).map_err(|id| MergeError::Twice { report, id })
}

fn check_alike(report: usize, first: &Report, other: &Report) -> Result<(), MergeError> {
    for ((field, expected), (_, found)) in rules(first).into_iter().zip(rules(other)) {
        if expected != found {
            return Err(MergeError::OtherRules { report, field, found, expected });
        }
    }
    let differs = |id: &str| MergeError::OtherTargets { report, id: id.to_owned() };
    let known = by_id(&first.targets).map_err(|id| MergeError::Twice { report: 1, id })?;
    for target in &other.targets {
        if !known.get(target.id.as_str()).is_some_and(|known| known.is_same_as(target)) {
            return Err(differs(&target.id));
        }
    }
    let present: BTreeSet<&str> = other.targets.iter().map(|target| target.id.as_str()).collect();
    let absent = first.targets.iter().find(|target| !present.contains(target.id.as_str()));
    absent.map_or(Ok(()), |target| Err(differs(&target.id)))
}

/// The fields that must be equal in all reports.
fn rules(report: &Report) -> [(&'static str, String); 6] {
    let run = &report.run;
    let dimensions: BTreeSet<&str> =
        run.dimensions_enabled.iter().map(|dimension| dimension.as_str()).collect();
    let dimensions: Vec<&str> = dimensions.into_iter().collect();
    let operations = run.selected_operations.clone().unwrap_or_default();
    let scope = run.operations_scope.map_or("none", OperationsScope::as_str);
    [
        ("engine.foundryVersion", format!("major version {}", report.engine.major())),
        ("engine.ajvMajor", report.engine.ajv_major.to_string()),
        ("run.dimensionsEnabled", dimensions.join(", ")),
        ("run.excludeUnreachable", run.exclude_unreachable.to_string()),
        ("run.operationsScope", scope.to_owned()),
        ("run.selectedOperations", operations.join(", ")),
    ]
}

fn engine(first: &Report, reports: &[Report]) -> EngineInfo {
    let mode = reports.iter().map(|report| report.engine.coverage_mode).max();
    let mut oracles: Vec<&str> = Vec::new();
    for oracle in reports.iter().filter_map(|report| report.engine.oracle.as_deref()) {
        if !oracles.contains(&oracle) {
            oracles.push(oracle);
        }
    }
    EngineInfo {
        coverage_mode: mode.unwrap_or(CoverageMode::Measure),
        oracle: (!oracles.is_empty()).then(|| oracles.join(", ")),
        ..first.engine.clone()
    }
}

/// The runs as one. Each shard reports its part of the budget, so the sum is the budget of the run.
fn run(first: &Report, reports: &[Report]) -> RunRecord {
    let sum = |of: fn(&RunRecord) -> u64| {
        reports.iter().fold(0_u64, |sum, report| sum.saturating_add(of(&report.run)))
    };
    let starts = reports.iter().map(|report| &report.run.started_at);
    RunRecord {
        max_instances: sum(|run| run.max_instances),
        actual_instances: sum(|run| run.actual_instances),
        duration_ms: sum(|run| run.duration_ms),
        started_at: starts.min().cloned().unwrap_or_default(),
        ..first.run.clone()
    }
}

/// The note that lists the seeds, if there are several: the report itself has room for one.
fn seeds(reports: &[Report]) -> Option<Value> {
    let seeds: BTreeSet<u64> = reports.iter().map(|report| report.run.master_seed).collect();
    let list: Vec<String> = seeds.iter().map(u64::to_string).collect();
    (seeds.len() > 1).then(|| format!("merged from runs with the seeds {}", list.join(", ")).into())
}

/// The notes, each once.
fn distinct<'a>(notes: impl IntoIterator<Item = &'a Value>) -> Vec<Value> {
    let mut distinct: Vec<Value> = Vec::new();
    for note in notes {
        if !distinct.contains(note) {
            distinct.push(note.clone());
        }
    }
    distinct
}

/// The targets of the first report in its order, each with its counterparts in all reports.
fn aligned(reports: &[Report]) -> impl Iterator<Item = Vec<(&Report, &TargetEntry)>> {
    let indices: Vec<_> =
        reports.iter().map(|report| (report, by_id(&report.targets).unwrap_or_default())).collect();
    let first = reports.first().map(|report| report.targets.as_slice()).unwrap_or_default();
    first.iter().map(move |target| {
        let same = indices.iter().filter_map(|(report, index)| {
            index.get(target.id.as_str()).map(|target| (*report, *target))
        });
        same.collect()
    })
}
