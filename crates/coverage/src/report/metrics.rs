//! How much was covered. Only this module counts targets.
//!
//! Requirements §3.5: deprecated targets do not count, unreachable ones count only if the run does not
//! exclude them, and a ratio over no targets is 1.

use std::{collections::BTreeMap, str::FromStr};

use serde::{Deserialize, Serialize};

use super::{RunRecord, TargetEntry};
use crate::{Dimension, Status};

/// How much was covered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Whether the minimum is met.
    pub coverage_status: CoverageStatus,
    /// The share of all targets that was hit.
    pub overall: f64,
    /// The same for each dimension that was observed.
    pub by_dimension: BTreeMap<Dimension, f64>,
    /// The same for each operation. A target may belong to several.
    pub by_operation: BTreeMap<String, f64>,
    /// How many targets there are of each status.
    pub targets_by_status: TargetsByStatus,
    /// The required minimums.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thresholds: Option<Thresholds>,
}

/// Whether the minimum is met.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum CoverageStatus {
    /// It is, or there is none.
    Ok,
    /// It is not.
    MinCoverageNotMet,
}

/// How many targets there are of each status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TargetsByStatus {
    /// Those that count.
    pub active: usize,
    /// Those that no value can hit.
    pub unreachable: usize,
    /// Those that are only listed.
    pub deprecated: usize,
}

/// The required minimums. Only `overall` is used; the others are reserved for later versions.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Thresholds {
    /// The least overall coverage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub overall: Option<f64>,
    /// The least coverage of dimensions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_dimension: Option<BTreeMap<Dimension, f64>>,
    /// The least coverage of operations.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub by_operation: Option<BTreeMap<String, f64>>,
}

/// The least overall coverage that is required: a share from 0 to 1.
///
/// ```
/// use foolproof_coverage::Minimum;
///
/// assert_eq!("0.8".parse::<Minimum>().map(Minimum::share), Ok(0.8));
/// assert_eq!(
///     "80".parse::<Minimum>().unwrap_err().to_string(),
///     "`80` is no share; write a number from 0 to 1, such as 0.8"
/// );
/// ```
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Minimum(f64);

/// A number that is no share.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is no share; write a number from 0 to 1, such as 0.8")]
pub struct InvalidRatio(String);

impl Minimum {
    /// A share from 0 to 1.
    pub fn new(share: f64) -> Result<Self, InvalidRatio> {
        if (0.0..=1.0).contains(&share) {
            Ok(Self(share))
        } else {
            Err(InvalidRatio(share.to_string()))
        }
    }

    /// The share.
    #[must_use]
    pub fn share(self) -> f64 {
        self.0
    }
}

impl FromStr for Minimum {
    type Err = InvalidRatio;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let share = text.parse().ok().and_then(|share| Self::new(share).ok());
        share.ok_or_else(|| InvalidRatio(text.to_owned()))
    }
}

impl Metrics {
    pub(super) fn set_minimum(&mut self, minimum: Minimum) {
        self.thresholds.get_or_insert_default().overall = Some(minimum.share());
        self.judge();
    }

    fn judge(&mut self) {
        let least = self.thresholds.as_ref().and_then(|thresholds| thresholds.overall);
        let is_met = least.is_none_or(|least| self.overall >= least);
        self.coverage_status =
            if is_met { CoverageStatus::Ok } else { CoverageStatus::MinCoverageNotMet };
    }
}

/// Whether a target enters a metric.
pub(crate) fn counts(status: Status, exclude_unreachable: bool) -> bool {
    match status {
        Status::Active => true,
        Status::Unreachable => !exclude_unreachable,
        Status::Deprecated => false,
    }
}

/// The metrics of `targets` in `run`.
pub(crate) fn metrics(
    run: &RunRecord,
    targets: &[TargetEntry],
    thresholds: Option<Thresholds>,
) -> Metrics {
    let Counts { overall, by_dimension, by_operation, by_status } = Counts::of(run, targets);
    let by_operation = by_operation.into_iter().map(|(key, ratio)| (key.to_owned(), ratio.share()));
    let mut metrics = Metrics {
        coverage_status: CoverageStatus::Ok,
        overall: overall.share(),
        by_dimension: by_dimension.into_iter().map(|(key, ratio)| (key, ratio.share())).collect(),
        by_operation: by_operation.collect(),
        targets_by_status: by_status,
        thresholds,
    };
    metrics.judge();
    metrics
}

/// How many targets of a report count, and how many of them were hit: the counts behind its ratios.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Counts<'r> {
    /// Over all dimensions of the run.
    pub overall: Ratio,
    /// For each dimension of the run.
    pub by_dimension: BTreeMap<Dimension, Ratio>,
    /// For each operation. A target may belong to several.
    pub by_operation: BTreeMap<&'r str, Ratio>,
    /// All targets, by status.
    pub by_status: TargetsByStatus,
}

impl<'r> Counts<'r> {
    pub(super) fn of(run: &'r RunRecord, targets: &'r [TargetEntry]) -> Self {
        let mut found = Self::none(run);
        for target in targets {
            found.add(target, counts(target.status, run.exclude_unreachable));
        }
        found
    }

    /// Every dimension and operation of `run`, with nothing counted.
    fn none(run: &'r RunRecord) -> Self {
        let dimensions = run.dimensions_enabled.iter().map(|key| (*key, Ratio::default()));
        let operations = run.selected_operations.iter().flatten();
        Self {
            overall: Ratio::default(),
            by_dimension: dimensions.collect(),
            by_operation: operations.map(|key| (key.as_str(), Ratio::default())).collect(),
            by_status: TargetsByStatus::default(),
        }
    }

    fn add(&mut self, target: &'r TargetEntry, counts: bool) {
        self.by_status.add(target.status);
        let Some(dimension) = self.by_dimension.get_mut(&target.dimension) else { return };
        dimension.add(counts, target.hit);
        self.overall.add(counts, target.hit);
        // An operation is listed even if none of its targets counts.
        for key in target.operations() {
            self.by_operation.entry(key).or_default().add(counts, target.hit);
        }
    }
}

impl TargetsByStatus {
    fn add(&mut self, status: Status) {
        match status {
            Status::Active => self.active += 1,
            Status::Unreachable => self.unreachable += 1,
            Status::Deprecated => self.deprecated += 1,
        }
    }
}

/// How many of how many targets were hit, as counts, so that comparisons are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ratio {
    /// How many were hit.
    pub hit: usize,
    /// How many count.
    pub total: usize,
}

impl Ratio {
    pub(crate) fn add(&mut self, counts: bool, hit: bool) {
        self.total += usize::from(counts);
        self.hit += usize::from(counts && hit);
    }

    /// The ratio as a number; 1 if there is nothing to hit.
    #[must_use]
    pub fn share(self) -> f64 {
        if self.total == 0 { 1.0 } else { self.hit as f64 / self.total as f64 }
    }

    /// Whether it is less than `other`.
    pub(crate) fn is_below(self, other: Self) -> bool {
        let ((hit, total), (other_hit, other_total)) = (self.parts(), other.parts());
        hit * other_total < other_hit * total
    }

    /// The difference to `other`, with a single division, so that 0.9 minus 0.8 is exactly 0.1.
    pub(crate) fn minus(self, other: Self) -> f64 {
        let ((hit, total), (other_hit, other_total)) = (self.parts(), other.parts());
        (hit * other_total - other_hit * total) as f64 / (total * other_total) as f64
    }

    /// The ratio in tenths of a percent, rounded down: it is 1,000 only if all targets are hit.
    pub(crate) fn permille(self) -> i128 {
        let (hit, total) = self.parts();
        hit * 1_000 / total
    }

    fn parts(self) -> (i128, i128) {
        if self.total == 0 { (1, 1) } else { (self.hit as i128, self.total as i128) }
    }
}
