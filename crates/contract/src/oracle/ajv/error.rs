//! What can go wrong between AJV and us.

use std::{path::PathBuf, time::Duration};

use thiserror::Error;

/// Why AJV gave no answer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum AjvError {
    /// Node could not be started.
    #[error("cannot run `{}`: {reason}", node.display())]
    NodeUnavailable {
        /// The executable as it was named.
        node: PathBuf,
        /// What the operating system said.
        reason: String,
    },
    /// One of the packages is not there.
    #[error("AJV is not installed for `{}` ({reason}); run `npm install ajv ajv-formats ajv-draft-04` there", packages.display())]
    NotInstalled {
        /// The folder that the packages were looked for from.
        packages: PathBuf,
        /// What Node said.
        reason: String,
    },
    /// AJV is there, but not version 8.
    #[error(
        "AJV {found} is installed, but version 8 is needed; run `npm install ajv@8 ajv-formats@3 ajv-draft-04@1`"
    )]
    WrongVersion {
        /// The version found.
        found: String,
    },
    /// AJV does not compile the schema.
    #[error("AJV refuses the schema: {message}")]
    Refused {
        /// What AJV said.
        message: String,
    },
    /// AJV gave up on an instance, for example because it nests too deeply.
    #[error("AJV failed on instance {index} of the batch: {message}")]
    Failed {
        /// The place of the instance in its batch.
        index: usize,
        /// What AJV said.
        message: String,
    },
    /// The process ended, and so did the one that replaced it.
    #[error("the AJV process ended ({status}){}{complaint}", if complaint.is_empty() { "" } else { ": " })]
    Died {
        /// How it ended.
        status: String,
        /// What it said on its error output.
        complaint: String,
    },
    /// No answer came in time, nor from the process that replaced the first.
    #[error("AJV gave no answer within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The time given.
        limit: Duration,
    },
    /// The process said something that is no answer.
    #[error("the AJV process answered `{line}`")]
    Garbled {
        /// What it said.
        line: String,
    },
}

impl AjvError {
    /// A stable identifier for documentation, tests and reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NodeUnavailable { .. } => "ajv::node-unavailable",
            Self::NotInstalled { .. } => "ajv::not-installed",
            Self::WrongVersion { .. } => "ajv::wrong-version",
            Self::Refused { .. } => "ajv::refused",
            Self::Failed { .. } => "ajv::failed",
            Self::Died { .. } => "ajv::died",
            Self::TimedOut { .. } => "ajv::timed-out",
            Self::Garbled { .. } => "ajv::garbled",
        }
    }

    /// Whether a new process might do better.
    pub(super) fn is_passing(&self) -> bool {
        match self {
            Self::Died { .. } | Self::TimedOut { .. } | Self::Garbled { .. } => true,
            Self::NodeUnavailable { .. }
            | Self::NotInstalled { .. }
            | Self::WrongVersion { .. }
            | Self::Refused { .. }
            | Self::Failed { .. } => false,
        }
    }
}
