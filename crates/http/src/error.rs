//! Why recorded traffic could not be read.

use thiserror::Error;

/// Why recorded traffic could not be read.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The text is not JSON.
    #[error("invalid JSON at line {line}, column {column}: {message}")]
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What the parser said.
        message: String,
    },
    /// JSON that is not an HTTP archive.
    #[error("not an HTTP archive: `log.entries` must be an array")]
    NotAnArchive,
    /// JSON that is not an envelope.
    #[error("value {index} is not an envelope: {message}")]
    NotAnEnvelope {
        /// Which value, from 0.
        index: usize,
        /// What is wrong with it.
        message: String,
    },
}

impl ReadError {
    /// A stable identifier for documentation and reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::Syntax { .. } => "http::syntax",
            Self::NotAnArchive => "http::not-an-archive",
            Self::NotAnEnvelope { .. } => "http::not-an-envelope",
        }
    }

    /// The error of the parser, without the position that its message ends with.
    pub(crate) fn syntax(error: &serde_json::Error) -> Self {
        let (line, column) = (error.line(), error.column());
        let message = error.to_string();
        let position = format!(" at line {line} column {column}");
        let message = message.strip_suffix(&position).unwrap_or(&message).to_owned();
        Self::Syntax { line, column, message }
    }
}
