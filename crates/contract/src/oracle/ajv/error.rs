//! Errors of the AJV process.

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
        /// The message of the operating system.
        reason: String,
    },
    /// One of the packages is not installed.
    #[error("AJV is not installed for `{}` ({reason}); run `npm install ajv ajv-formats ajv-draft-04` there", packages.display())]
    NotInstalled {
        /// The folder in which the search for the packages starts.
        packages: PathBuf,
        /// The message of Node.
        reason: String,
    },
    /// AJV is installed, but not version 8.
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
        /// The message of AJV.
        message: String,
    },
    /// AJV gave up on an instance, for example because it nests too deeply.
    #[error("AJV failed on instance {index} of the batch: {message}")]
    Failed {
        /// The index of the instance in its batch.
        index: usize,
        /// The message of AJV.
        message: String,
    },
    /// The process ended, and so did the one that replaced it.
    #[error("the AJV process ended ({status}){}{stderr}", if stderr.is_empty() { "" } else { ": " })]
    Died {
        /// How it ended.
        status: String,
        /// What it wrote to its standard error.
        stderr: String,
    },
    /// No answer came in time, nor from the process that replaced the first.
    #[error("AJV gave no answer within {} s", limit.as_secs_f64())]
    TimedOut {
        /// The time limit.
        limit: Duration,
    },
    /// The process wrote a line that is no answer.
    #[error("the AJV process answered `{line}`")]
    Garbled {
        /// The line.
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

    /// Whether a new process might succeed.
    pub(super) fn is_transient(&self) -> bool {
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
