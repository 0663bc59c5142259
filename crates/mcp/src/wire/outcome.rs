//! How a call ends.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::finding::FindingKind;

/// How a request to a server ended.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum CallEnd {
    /// The server answered with a result. Its shape may still be wrong, which is a
    /// [finding](super::FindingKind::WrongResultShape).
    Answered(CallResult),
    /// The server answered with a JSON-RPC error.
    Refused(JsonRpcError),
    /// The server answered, but the answer cannot be used. The finding has the message.
    Malformed {
        /// What is wrong with the answer.
        kind: FindingKind,
    },
    /// The process of the server ended.
    Crashed {
        /// How it ended.
        status: ExitStatus,
        /// Whether the request had been sent: if not, the process ended before this call, and the
        /// cause is an earlier one.
        request_sent: bool,
    },
    /// The connection ended without the end of a process, or an HTTP request failed.
    Closed {
        /// What happened.
        detail: String,
    },
    /// No answer arrived in time. The request has been cancelled.
    TimedOut,
}

impl fmt::Display for CallEnd {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Answered(_) => f.write_str("answered"),
            Self::Refused(error) => write!(f, "refused: {error}"),
            Self::Malformed { kind } => write!(f, "the answer cannot be used: {kind}"),
            Self::Crashed { status, request_sent: true } => write!(f, "the server ended: {status}"),
            Self::Crashed { status, request_sent: false } => {
                write!(f, "the server had ended before the call: {status}")
            }
            Self::Closed { detail } => write!(f, "the connection is closed: {detail}"),
            Self::TimedOut => f.write_str("no answer in time"),
        }
    }
}

/// The result of a call, as the server sent it.
///
/// ```
/// use foolproof_mcp::wire::CallResult;
/// use serde_json::json;
///
/// let result = CallResult::from(json!({"content": [], "structuredContent": {"id": 7}}));
/// assert!(!result.is_error());
/// assert_eq!(result.structured_content(), Some(&json!({"id": 7})));
/// assert!(result.content().is_empty());
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult(Value);

impl CallResult {
    /// The whole result.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.0
    }

    /// The whole result.
    #[must_use]
    pub fn into_raw(self) -> Value {
        self.0
    }

    /// Whether `isError` is `true`.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.0.get("isError").and_then(Value::as_bool).unwrap_or(false)
    }

    /// `structuredContent`, if it is there.
    #[must_use]
    pub fn structured_content(&self) -> Option<&Value> {
        self.0.get("structuredContent")
    }

    /// The blocks of `content`; none if it is missing or no array.
    #[must_use]
    pub fn content(&self) -> &[Value] {
        self.0.get("content").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }
}

impl From<Value> for CallResult {
    fn from(result: Value) -> Self {
        Self(result)
    }
}

/// An error that a server answered.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JsonRpcError {
    /// The code. 0 if the server gave none.
    pub code: i64,
    /// The message. Empty if the server gave none.
    pub message: String,
    /// More information.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Value>,
}

impl fmt::Display for JsonRpcError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.message, self.code)
    }
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ExitStatus {
    /// The exit code, if the process ended by itself.
    pub code: Option<i32>,
    /// The signal that ended the process.
    pub signal: Option<i32>,
}

impl fmt::Display for ExitStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.code, self.signal) {
            (Some(code), _) => write!(f, "exit code {code}"),
            (None, Some(signal)) => write!(f, "signal {signal}"),
            (None, None) => f.write_str("unknown exit status"),
        }
    }
}
