//! A share of targets hit, before and after.

use serde::Serialize;

use crate::{
    TargetEntry,
    report::{Ratio, counts},
};

/// A share of targets hit, before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RatioChange {
    /// The share before.
    pub before: f64,
    /// The share after.
    pub after: f64,
    /// The difference; negative if the share fell.
    pub delta: f64,
    /// How many targets were hit before.
    pub hit_before: usize,
    /// How many targets counted before.
    pub targets_before: usize,
    /// How many targets are hit after.
    pub hit_after: usize,
    /// How many targets count after.
    pub targets_after: usize,
}

impl RatioChange {
    /// Whether the share fell. Exact: it compares the counts.
    #[must_use]
    pub fn is_drop(&self) -> bool {
        self.ratio_after().is_below(self.ratio_before())
    }

    /// Whether the share rose.
    #[must_use]
    pub fn is_rise(&self) -> bool {
        self.ratio_before().is_below(self.ratio_after())
    }

    pub(super) fn ratio_before(&self) -> Ratio {
        Ratio { hit: self.hit_before, total: self.targets_before }
    }

    pub(super) fn ratio_after(&self) -> Ratio {
        Ratio { hit: self.hit_after, total: self.targets_after }
    }
}

/// Both sides, while they are counted.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RatioPair {
    before: Ratio,
    after: Ratio,
}

impl RatioPair {
    pub(super) fn add(&mut self, old: &TargetEntry, new: &TargetEntry, exclude_unreachable: bool) {
        self.before.add(counts(old.status, exclude_unreachable), old.hit);
        self.after.add(counts(new.status, exclude_unreachable), new.hit);
    }

    pub(super) fn change(self) -> RatioChange {
        let Self { before, after } = self;
        RatioChange {
            before: before.share(),
            after: after.share(),
            delta: after.minus(before),
            hit_before: before.hit,
            targets_before: before.total,
            hit_after: after.hit,
            targets_after: after.total,
        }
    }
}
