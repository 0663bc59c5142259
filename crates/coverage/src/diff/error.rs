//! Why two reports cannot be compared.

use std::fmt;

use crate::report::REPORT_VERSION;

/// Why two reports cannot be compared.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DiffError {
    /// One is of another format.
    #[error("the {side} report has the format `{found}`; only `{REPORT_VERSION}` can be compared")]
    OtherVersion {
        /// Which one.
        side: DiffSide,
        /// Its format.
        found: String,
    },
    /// They are of major versions whose ids may differ.
    #[error(
        "the reports were made by versions {before} and {after}; ids are stable only within a major version"
    )]
    OtherMajor {
        /// The version that wrote the earlier one.
        before: String,
        /// The version that wrote the later one.
        after: String,
    },
    /// One does not list its targets.
    #[error(
        "the {side} report is a summary and does not list its targets; write it with `--coverage-report-mode full`"
    )]
    Summary {
        /// Which one.
        side: DiffSide,
    },
    /// One lists a target twice.
    #[error("the {side} report lists `{id}` twice")]
    Twice {
        /// Which one.
        side: DiffSide,
        /// The target.
        id: String,
    },
    /// They have no target in common.
    #[error(
        "the reports have no target in common; are they about the same contract, and the same dimensions?"
    )]
    NothingInCommon,
}

/// One of two reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffSide {
    /// The earlier one.
    Before,
    /// The later one.
    After,
}

impl fmt::Display for DiffSide {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Before => "earlier",
            Self::After => "later",
        })
    }
}

impl DiffError {
    /// A stable identifier for documentation and scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::OtherVersion { .. } => "coverage::other-version",
            Self::OtherMajor { .. } => "coverage::other-major",
            Self::Summary { .. } => "coverage::summary-report",
            Self::Twice { .. } => "coverage::repeated-target",
            Self::NothingInCommon => "coverage::nothing-in-common",
        }
    }
}
