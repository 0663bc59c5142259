//! Why reports cannot be merged.

use crate::{ShardRange, report::REPORT_VERSION};

fn list(missing: &[ShardRange]) -> String {
    missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
}

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
    /// One is about another contract than those before it.
    #[error(
        "report {report} is about another contract than those before it: its `run.contractFingerprint` is {found} instead of {expected}"
    )]
    OtherContract {
        /// Which one.
        report: usize,
        /// Its fingerprint.
        found: String,
        /// The fingerprint of those before it.
        expected: String,
    },
    /// One is about instances that another one is about.
    #[error(
        "report {report} is about {shard}, and an earlier one about some of the same: each shard counts once"
    )]
    Overlap {
        /// Which one.
        report: usize,
        /// What it is about.
        shard: ShardRange,
    },
    /// One is the same as an earlier one.
    #[error("report {report} is about the same run as an earlier one")]
    Repeated {
        /// Which one.
        report: usize,
    },
    /// Parts of a run are missing.
    #[error("shards are missing: {}", list(.0))]
    Missing(Vec<ShardRange>),
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
            Self::OtherContract { .. } => "coverage::other-contract",
            Self::OtherTargets { .. } => "coverage::other-targets",
            Self::Overlap { .. } | Self::Repeated { .. } => "coverage::repeated-report",
            Self::Missing(_) => "coverage::missing-shards",
        }
    }
}
