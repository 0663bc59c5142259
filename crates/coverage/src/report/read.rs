//! Reading a report.

use serde::{Deserialize, Deserializer, de::Error};

use super::{REPORT_VERSION, Report};

/// Why a text is not a report that this version reads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// It is not JSON, or the fields of a report are missing or of another type.
    #[error("not a coverage report: {0}")]
    Malformed(#[from] serde_json::Error),
    /// It is a report of another format.
    #[error("the format is `{found}`; this version reads `{REPORT_VERSION}`")]
    OtherVersion {
        /// The format that it names.
        found: String,
    },
}

impl ReadError {
    /// A stable identifier for documentation and scripts.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Malformed(_) => "coverage::malformed-report",
            Self::OtherVersion { .. } => "coverage::other-version",
        }
    }
}

impl Report {
    /// Reads a report.
    pub fn from_json(text: &str) -> Result<Self, ReadError> {
        // The version first: another format may differ in everything else.
        let VersionOnly { version } = serde_json::from_str(text)?;
        if version != REPORT_VERSION {
            return Err(ReadError::OtherVersion { found: version });
        }
        Ok(serde_json::from_str(text)?)
    }
}

#[derive(Deserialize)]
struct VersionOnly {
    version: String,
}

/// The same check for callers that deserialize a report with serde instead of [`Report::from_json`].
pub(super) fn known_version<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    let found = String::deserialize(from)?;
    if found == REPORT_VERSION {
        Ok(found)
    } else {
        Err(D::Error::custom(ReadError::OtherVersion { found }))
    }
}
