//! The checks: what a call or a run is judged by, each with a code and a severity.

use std::{collections::BTreeMap, fmt, str::FromStr};

use foolproof_contract::Untrusted;
use serde::Serialize;

/// Something that a call or a run is judged by. Codes are stable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Check {
    /// The server ended, or closed the connection, during a call.
    Crash,
    /// A call was not answered in time, and the server answers nothing else either.
    ServerUnresponsive,
    /// A call was not answered in time, but the server answers other requests.
    SlowCall,
    /// A message that is against the protocol.
    InvalidMessage,
    /// `structuredContent` does not fit the output schema.
    OutputSchemaMismatch,
    /// A tool with an output schema answered without `structuredContent`.
    MissingStructuredContent,
    /// The server's own validation refused what its tool returned.
    ServerOutputInvalid,
    /// The server's own validation refused arguments that fit the input schema.
    ArgumentsRefused,
    /// A tool answered with an error.
    ErrorAnswer,
    /// The schema of a tool cannot be used.
    ToolSchemaUnusable,
    /// Calls were made, and none succeeded.
    NothingSucceeded,
}

/// What a check that does not hold means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Nothing.
    Off,
    /// A warning.
    Warn,
    /// A failure.
    Fail,
}

impl Check {
    /// All of them, in the order in which they are reported.
    pub const ALL: [Self; 11] = [
        Self::Crash,
        Self::ServerUnresponsive,
        Self::SlowCall,
        Self::InvalidMessage,
        Self::OutputSchemaMismatch,
        Self::MissingStructuredContent,
        Self::ServerOutputInvalid,
        Self::ArgumentsRefused,
        Self::ErrorAnswer,
        Self::ToolSchemaUnusable,
        Self::NothingSucceeded,
    ];

    /// Its code.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::Crash => "crash",
            Self::ServerUnresponsive => "server_unresponsive",
            Self::SlowCall => "slow_call",
            Self::InvalidMessage => "invalid_message",
            Self::OutputSchemaMismatch => "output_schema_mismatch",
            Self::MissingStructuredContent => "missing_structured_content",
            Self::ServerOutputInvalid => "server_output_invalid",
            Self::ArgumentsRefused => "arguments_refused",
            Self::ErrorAnswer => "error_answer",
            Self::ToolSchemaUnusable => "tool_schema_unusable",
            Self::NothingSucceeded => "nothing_succeeded",
        }
    }

    /// What it means if it does not hold and nobody said otherwise.
    #[must_use]
    pub fn default_severity(self) -> Severity {
        match self {
            Self::Crash
            | Self::ServerUnresponsive
            | Self::InvalidMessage
            | Self::OutputSchemaMismatch
            | Self::MissingStructuredContent
            | Self::ServerOutputInvalid
            | Self::NothingSucceeded => Severity::Fail,
            Self::SlowCall | Self::ArgumentsRefused | Self::ToolSchemaUnusable => Severity::Warn,
            Self::ErrorAnswer => Severity::Off,
        }
    }

    /// What it checks, in a sentence.
    #[must_use]
    pub fn description(self) -> &'static str {
        match self {
            Self::Crash => "the server does not end or close the connection during a call",
            Self::ServerUnresponsive => {
                "after a call that takes too long, the server still answers `tools/list`"
            }
            Self::SlowCall => "every call is answered within its time limit",
            Self::InvalidMessage => "every message of the server follows the protocol",
            Self::OutputSchemaMismatch => "`structuredContent` fits the output schema of its tool",
            Self::MissingStructuredContent => {
                "a tool with an output schema answers with `structuredContent`"
            }
            Self::ServerOutputInvalid => {
                "the server's own validation accepts what its tools return"
            }
            Self::ArgumentsRefused => {
                "the server's own validation accepts arguments that fit the input schema"
            }
            Self::ErrorAnswer => "no tool answers with an error (`--errors forbid`)",
            Self::ToolSchemaUnusable => "the schemas of every tool can be read and satisfied",
            Self::NothingSucceeded => "of the calls that were made, at least one succeeded",
        }
    }
}

impl fmt::Display for Check {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.code())
    }
}

impl FromStr for Check {
    type Err = String;

    fn from_str(code: &str) -> Result<Self, String> {
        let known = Self::ALL.into_iter().find(|check| check.code() == code);
        known.ok_or_else(|| {
            let all: Vec<&str> = Self::ALL.into_iter().map(Self::code).collect();
            format!("no check has the code `{code}`; there are {}", all.join(", "))
        })
    }
}

impl FromStr for Severity {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "off" => Ok(Self::Off),
            "warn" => Ok(Self::Warn),
            "fail" => Ok(Self::Fail),
            other => Err(format!("`{other}` is no severity: use fail, warn or off")),
        }
    }
}

/// The severity of every check.
///
/// ```
/// use foolproof_mcp::{Check, Checks, Severity};
///
/// let checks = Checks::default().with(Check::SlowCall, Severity::Fail);
/// assert_eq!(checks.severity(Check::SlowCall), Severity::Fail);
/// assert_eq!(checks.severity(Check::Crash), Severity::Fail);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Checks(BTreeMap<Check, Severity>);

impl Checks {
    /// The same, but for one of them.
    #[must_use]
    pub fn with(mut self, check: Check, severity: Severity) -> Self {
        self.0.insert(check, severity);
        self
    }

    /// What it means if `check` does not hold.
    #[must_use]
    pub fn severity(&self, check: Check) -> Severity {
        self.0.get(&check).copied().unwrap_or_else(|| check.default_severity())
    }
}

/// A check that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Problem {
    /// The check.
    pub check: Check,
    /// What is wrong.
    pub message: Untrusted,
}

impl Problem {
    /// A problem.
    #[must_use]
    pub fn new(check: Check, message: impl Into<Untrusted>) -> Self {
        Self { check, message: message.into() }
    }
}
