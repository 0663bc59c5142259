//! Comparing two reports over the same contract, or two versions of it.
//!
//! Only targets that both reports have are compared (requirements §7.4): a new target that is not hit
//! is a gap and no regression, and a removed one is neither. Ratios are recounted over the targets in
//! both, so that a contract that grows does not appear as a drop in coverage. A dimension that only one
//! report observes is neither added nor removed with its targets.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::{
    Dimension, Report, ReportMode, Status, TargetEntry,
    evaluate::by_priority,
    report::{REPORT_VERSION, by_id},
};

mod change;
mod contract;
mod error;
mod text;

pub use change::RatioChange;
use change::RatioPair;
pub use contract::ContractChange;
pub use error::{DiffError, DiffSide};

/// The format of a comparison.
pub const DIFF_VERSION: &str = "coverage-diff/v1";

/// What differs between two reports. `Display` is for people, serde for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Diff {
    /// The format: [`DIFF_VERSION`].
    pub version: &'static str,
    is_regression: bool,
    /// The overall coverage that the reports themselves give, each over all of its targets.
    pub reported: OverallRatios,
    /// Whether the contract changed.
    pub contract: ContractChange,
    /// The dimensions that only the earlier report observes, with the number of their targets. These are
    /// not removed.
    pub dimensions_only_before: BTreeMap<Dimension, usize>,
    /// The dimensions that only the later report observes, with the number of their targets. These are
    /// not added.
    pub dimensions_only_after: BTreeMap<Dimension, usize>,
    /// Overall coverage of the targets in both.
    pub overall: RatioChange,
    /// The same for each dimension that has some.
    pub by_dimension: BTreeMap<Dimension, RatioChange>,
    /// The same for each operation that reaches some in both reports.
    pub by_operation: BTreeMap<String, RatioChange>,
    /// In both, hit before, and not hit now. The example is the one from before.
    pub newly_uncovered: Vec<TargetEntry>,
    /// Not there before, or there for something else, and not hit now.
    pub new_gaps: Vec<TargetEntry>,
    /// In both, not hit before, and hit now.
    pub newly_covered: Vec<TargetEntry>,
    /// In both with another status.
    pub status_changed: Vec<StatusChange>,
    /// Only in the later report, of dimensions that both observe.
    pub added: Vec<TargetEntry>,
    /// Only in the earlier report, of dimensions that both observe.
    pub removed: Vec<TargetEntry>,
    /// In both under the same id, with another meaning: another member of an enumeration at the same
    /// index, another bound. Never compared.
    pub redefined: Vec<TargetEntry>,
    /// The ids of those in both with the same status.
    pub unchanged: Vec<String>,
}

/// The overall coverage that two reports give.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct OverallRatios {
    /// The earlier one.
    pub before: f64,
    /// The later one.
    pub after: f64,
}

/// A target whose status changed.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct StatusChange {
    /// Its status in the earlier report.
    pub before: Status,
    /// Its status in the later report.
    pub after: Status,
    /// The target as it is now.
    pub target: TargetEntry,
}

impl Diff {
    /// Whether coverage fell over the targets in both reports: a target that was hit is not hit any
    /// more, or overall coverage or that of an operation fell. Targets that are deprecated in either
    /// report do not matter, nor do added and removed ones.
    #[must_use]
    pub fn is_regression(&self) -> bool {
        self.is_regression
    }
}

/// Compares an earlier report with a later one.
///
/// ```
/// use foolproof_coverage::{Report, diff};
/// # let report = |hit: bool| Report::from_json(&serde_json::json!({
/// #     "version": "coverage-report/v1", "reportMode": "full",
/// #     "engine": { "foundryVersion": "0.1.0", "coverageMode": "measure", "ajvMajor": 8 },
/// #     "run": { "seed": 1, "masterSeed": 1, "maxInstances": 1, "actualInstances": 1,
/// #         "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
/// #         "startedAt": "2025-01-01T12:00:00Z", "durationMs": 1 },
/// #     "metrics": { "coverageStatus": "ok", "overall": 1, "byDimension": {}, "byOperation": {},
/// #         "targetsByStatus": {} },
/// #     "targets": [{ "id": "enum:#:0", "dimension": "enum", "kind": "ENUM_VALUE_HIT",
/// #         "canonPath": "#", "params": { "enumIndex": 0, "value": "S" }, "hit": hit }],
/// #     "uncoveredTargets": [], "unsatisfiedHints": [],
/// #     "diagnostics": { "plannerCapsHit": [], "notes": [] }
/// # }).to_string()).unwrap();
/// # let (yesterday, today) = (report(true), report(false));
///
/// let diff = diff(&yesterday, &today)?;
/// assert!(diff.is_regression());
/// assert_eq!(diff.newly_uncovered[0].id, "enum:#:0");
/// assert!(diff.to_string().starts_with("Coverage fell: 1 target was hit before and is not now\n"));
/// # Ok::<(), foolproof_coverage::DiffError>(())
/// ```
pub fn diff(before: &Report, after: &Report) -> Result<Diff, DiffError> {
    let earlier = targets(DiffSide::Before, before)?;
    let later = targets(DiffSide::After, after)?;
    if before.engine.major() != after.engine.major() {
        let versions = [before, after].map(|report| report.engine.foundry_version.clone());
        let [before, after] = versions;
        return Err(DiffError::OtherMajor { before, after });
    }
    let fingerprints = ContractChange::by_fingerprint(&before.run, &after.run);
    let is_disjoint = !earlier.keys().any(|id| later.contains_key(id));
    let is_replaced = fingerprints == ContractChange::Changed;
    if is_disjoint && !is_replaced && !(earlier.is_empty() && later.is_empty()) {
        return Err(DiffError::NothingInCommon);
    }
    let mut found = compare(before, after, &earlier, &later);
    found.contract = fingerprints.or_by_targets(&found, &before.run, &after.run);
    found.count(after, &earlier);
    found.reported = OverallRatios { before: before.metrics.overall, after: after.metrics.overall };
    found.is_regression = !found.newly_uncovered.is_empty()
        || found.overall.is_drop()
        || found.by_operation.values().any(RatioChange::is_drop);
    Ok(found)
}

fn targets(side: DiffSide, report: &Report) -> Result<BTreeMap<&str, &TargetEntry>, DiffError> {
    if report.version != REPORT_VERSION {
        return Err(DiffError::OtherVersion { side, found: report.version.clone() });
    }
    if report.report_mode == ReportMode::Summary {
        return Err(DiffError::Summary { side });
    }
    by_id(&report.targets).map_err(|id| DiffError::Twice { side, id })
}

/// Classifies the targets; losses and gaps are listed by priority.
fn compare(
    before: &Report,
    after: &Report,
    earlier: &BTreeMap<&str, &TargetEntry>,
    later: &BTreeMap<&str, &TargetEntry>,
) -> Diff {
    let mut found = Diff::nothing();
    let is_observed = |report: &Report, target: &TargetEntry| {
        report.run.dimensions_enabled.contains(&target.dimension)
    };
    for target in &after.targets {
        match earlier.get(target.id.as_str()) {
            None if !is_observed(before, target) => {
                *found.dimensions_only_after.entry(target.dimension).or_default() += 1;
            }
            None => found.added.push(target.clone()),
            Some(old) if !old.is_same_as(target) => found.redefined.push(target.clone()),
            Some(old) => found.add_common(old, target),
        }
    }
    let is_gone = |target: &&TargetEntry| !later.contains_key(target.id.as_str());
    for target in before.targets.iter().filter(is_gone) {
        if is_observed(after, target) {
            found.removed.push(target.clone());
        } else {
            *found.dimensions_only_before.entry(target.dimension).or_default() += 1;
        }
    }
    let is_gap = |target: &&TargetEntry| !target.hit && target.status != Status::Deprecated;
    found.new_gaps = found.added.iter().chain(&found.redefined).filter(is_gap).cloned().collect();
    for listed in [&mut found.newly_uncovered, &mut found.new_gaps, &mut found.newly_covered] {
        listed.sort_by(by_priority);
    }
    found
}

impl Diff {
    fn nothing() -> Self {
        Self {
            version: DIFF_VERSION,
            is_regression: false,
            reported: OverallRatios { before: 1.0, after: 1.0 },
            contract: ContractChange::Unknown,
            dimensions_only_before: BTreeMap::new(),
            dimensions_only_after: BTreeMap::new(),
            overall: RatioPair::default().change(),
            by_dimension: BTreeMap::new(),
            by_operation: BTreeMap::new(),
            newly_uncovered: Vec::new(),
            new_gaps: Vec::new(),
            newly_covered: Vec::new(),
            status_changed: Vec::new(),
            added: Vec::new(),
            removed: Vec::new(),
            redefined: Vec::new(),
            unchanged: Vec::new(),
        }
    }

    /// Adds a target that is in both reports.
    fn add_common(&mut self, old: &TargetEntry, new: &TargetEntry) {
        if old.status == new.status {
            self.unchanged.push(new.id.clone());
        } else {
            let (before, after) = (old.status, new.status);
            self.status_changed.push(StatusChange { before, after, target: new.clone() });
        }
        if old.status == Status::Deprecated || new.status == Status::Deprecated {
            return;
        }
        if old.hit && !new.hit {
            let mut lost = new.clone();
            lost.meta.example.clone_from(&old.meta.example);
            lost.meta.instance = old.meta.instance;
            self.newly_uncovered.push(lost);
        } else if new.hit && !old.hit {
            self.newly_covered.push(new.clone());
        }
    }

    /// Counts the targets in both. Each side counts by its own statuses; whether unreachable targets
    /// count is decided by the later report.
    fn count(&mut self, after: &Report, earlier: &BTreeMap<&str, &TargetEntry>) {
        let exclude = after.run.exclude_unreachable;
        let mut overall = RatioPair::default();
        let mut dimensions: BTreeMap<Dimension, RatioPair> = BTreeMap::new();
        let mut operations: BTreeMap<&str, RatioPair> = BTreeMap::new();
        for new in &after.targets {
            let Some(old) = earlier.get(new.id.as_str()).filter(|old| old.is_same_as(new)) else {
                continue;
            };
            overall.add(old, new, exclude);
            dimensions.entry(new.dimension).or_default().add(old, new, exclude);
            // An operation is compared over the targets that it reaches in both reports.
            let reached: BTreeSet<&str> = old.operations().collect();
            for key in new.operations().filter(|key| reached.contains(key)) {
                operations.entry(key).or_default().add(old, new, exclude);
            }
        }
        self.overall = overall.change();
        self.by_dimension =
            dimensions.into_iter().map(|(key, tally)| (key, tally.change())).collect();
        self.by_operation =
            operations.into_iter().map(|(key, tally)| (key.to_owned(), tally.change())).collect();
    }
}
