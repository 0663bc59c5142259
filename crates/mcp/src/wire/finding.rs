//! Findings: what a server sent against the protocol, kept with the raw message.
//!
//! A flood of the same fault keeps the first of each kind and counts the rest, so that memory stays
//! bounded and nothing is lost without being counted.

use std::{collections::BTreeMap, fmt, time::Duration};

use serde::Serialize;

use super::raw::RawMessage;

/// How many findings of a kind are kept until they are taken.
const KEPT_OF_A_KIND: usize = 16;

/// What a finding keeps of its message.
const KEPT_BYTES: usize = 16 * 1024;

/// What is wrong with a message of the server, or with the order of messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum FindingKind {
    /// A line or body is no JSON.
    NotJson,
    /// A line or body is not UTF-8. It is interpreted with replacement characters.
    InvalidUtf8,
    /// A message is longer than 16 MiB. It is not interpreted.
    Oversized,
    /// A message is nested more than 127 levels deep. It is not interpreted.
    NestedTooDeep,
    /// The output ended in the middle of a message.
    CutOff,
    /// `jsonrpc` is missing or not `"2.0"`.
    WrongJsonrpc,
    /// JSON that is no request, notification or answer.
    InvalidMessage,
    /// A batch, which only revision 2025-03-26 allows, or an empty one.
    Batch,
    /// A number that does not fit a 64-bit float, such as `1e400`, or one with more than 1,100 characters.
    NumberOutOfRange,
    /// An answer without an id.
    MissingId,
    /// An answer to a request that was never sent.
    UnknownId,
    /// An answer whose id has the value of the request's, but another type: `"1"` or `1.0` for `1`.
    IdTypeChanged,
    /// A further answer to a request that has been answered.
    DuplicateAnswer,
    /// An answer to a request that had been cancelled after its time limit.
    LateAnswer,
    /// An answer with both `result` and `error`.
    ResultAndError,
    /// An answer with neither `result` nor `error`.
    NoResultNoError,
    /// `error` without an integer `code` or a string `message`.
    InvalidError,
    /// `result` has the wrong shape for the method.
    WrongResultShape,
    /// The revision that the server answered is unknown.
    UnknownRevision,
    /// A request of the server in the stateless era, which has none.
    UnexpectedRequest,
    /// A request of the server that this client does not implement. It is refused with -32601.
    UnknownRequest,
    /// Answers to requests of the server are not sent, since the server does not read them.
    UnreadAnswers,
    /// An answer required input that this client cannot give.
    UnknownInputRequest,
    /// A call required input too often.
    TooManyInputRounds,
    /// A list gave a cursor a second time. The list ends there.
    RepeatedCursor,
    /// A list has too many pages or too many bytes. It ends there.
    ListTooLong,
    /// A tool has no `name`, or one that is no string.
    ToolWithoutName,
    /// A tool has an `x-mcp-header` that the specification forbids. The tool is left out of the list.
    InvalidHeaderAnnotation,
    /// An HTTP response has a status that the transport does not allow here.
    UnexpectedStatus,
    /// An HTTP response to a request is neither JSON nor an event stream.
    UnexpectedContentType,
}

impl FindingKind {
    /// A stable identifier for reports.
    #[must_use]
    pub fn code(self) -> &'static str {
        match self {
            Self::NotJson => "not_json",
            Self::InvalidUtf8 => "invalid_utf8",
            Self::Oversized => "oversized",
            Self::NestedTooDeep => "nested_too_deep",
            Self::CutOff => "cut_off",
            Self::WrongJsonrpc => "wrong_jsonrpc",
            Self::InvalidMessage => "invalid_message",
            Self::Batch => "batch",
            Self::NumberOutOfRange => "number_out_of_range",
            Self::MissingId => "missing_id",
            Self::UnknownId => "unknown_id",
            Self::IdTypeChanged => "id_type_changed",
            Self::DuplicateAnswer => "duplicate_answer",
            Self::LateAnswer => "late_answer",
            Self::ResultAndError => "result_and_error",
            Self::NoResultNoError => "no_result_no_error",
            Self::InvalidError => "invalid_error",
            Self::WrongResultShape => "wrong_result_shape",
            Self::UnknownRevision => "unknown_revision",
            Self::UnexpectedRequest => "unexpected_request",
            Self::UnknownRequest => "unknown_request",
            Self::UnreadAnswers => "unread_answers",
            Self::UnknownInputRequest => "unknown_input_request",
            Self::TooManyInputRounds => "too_many_input_rounds",
            Self::RepeatedCursor => "repeated_cursor",
            Self::ListTooLong => "list_too_long",
            Self::ToolWithoutName => "tool_without_name",
            Self::InvalidHeaderAnnotation => "invalid_header_annotation",
            Self::UnexpectedStatus => "unexpected_status",
            Self::UnexpectedContentType => "unexpected_content_type",
        }
    }
}

impl fmt::Display for FindingKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// The request during which something arrived.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct RequestRef {
    /// The JSON-RPC id.
    pub id: u64,
    /// The method.
    pub method: &'static str,
    /// The tool, in a `tools/call`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
}

/// One thing that a server did against the protocol.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// What is wrong, in words, with the values concerned.
    pub detail: String,
    /// The request it is attributed to: the one whose id the message has, or else the latest one
    /// that was sent before it was read. `None` before the first request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<RequestRef>,
    /// When it was read, as in the [`WireLog`](super::WireLog).
    #[serde(skip)]
    pub at: Duration,
    /// The message, if there is one; at most 16 KiB of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<RawMessage>,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// The findings since they were last taken: the first 16 of each kind in the order of their arrival,
/// and how many there were of each kind.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    kept: Vec<Finding>,
    counts: BTreeMap<FindingKind, u64>,
}

impl Findings {
    /// The findings that were kept, in the order of their arrival.
    pub fn iter(&self) -> std::slice::Iter<'_, Finding> {
        self.kept.iter()
    }

    /// How many findings of a kind there were, kept or not.
    #[must_use]
    pub fn count(&self, kind: FindingKind) -> u64 {
        self.counts.get(&kind).copied().unwrap_or(0)
    }

    /// How many findings of each kind there were, kept or not.
    #[must_use]
    pub fn counts(&self) -> &BTreeMap<FindingKind, u64> {
        &self.counts
    }

    /// Whether nothing was found.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    pub(super) fn add(&mut self, mut finding: Finding) {
        let count = self.counts.entry(finding.kind).or_default();
        *count += 1;
        if *count <= KEPT_OF_A_KIND as u64 {
            finding.message = finding.message.map(|message| message.shortened(KEPT_BYTES));
            self.kept.push(finding);
        }
    }

    /// Whether a further finding of this kind would be kept.
    pub(super) fn keeps(&self, kind: FindingKind) -> bool {
        self.count(kind) < KEPT_OF_A_KIND as u64
    }

    /// Counts a finding that is not kept.
    pub(super) fn count_one(&mut self, kind: FindingKind) {
        *self.counts.entry(kind).or_default() += 1;
    }
}

impl<'a> IntoIterator for &'a Findings {
    type Item = &'a Finding;
    type IntoIter = std::slice::Iter<'a, Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl IntoIterator for Findings {
    type Item = Finding;
    type IntoIter = std::vec::IntoIter<Finding>;

    fn into_iter(self) -> Self::IntoIter {
        self.kept.into_iter()
    }
}
