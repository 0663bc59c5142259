//! The session: ids, the request that waits for its answer, and what every message means.
//!
//! A transport passes each message to [`Session::receive`] as it arrives. The session records it,
//! interprets it, and leaves an answer for the waiting request, replies to send, or findings. It does
//! no input or output, so it works the same over every transport.

mod interpret;

use std::{
    collections::{BTreeSet, VecDeque},
    mem,
    time::Duration,
};

use serde::Serialize;
use serde_json::Value;

use super::{
    finding::{Finding, FindingKind, Findings, RequestRef},
    input::Responder,
    log::{Channel, Direction, WireLog},
    message::{OutgoingNotification, OutgoingRequest, read_error, seems_to_answer},
    options::ConnectOptions,
    outcome::JsonRpcError,
    raw::RawMessage,
    revision::{Era, Revision},
};

/// A message longer than this is not interpreted.
pub(super) const LONGEST_MESSAGE: usize = 16 * 1024 * 1024;

/// The most characters of what a server sent that a description quotes.
const LONGEST_QUOTE: usize = 1_000;

/// How many requests are remembered, to attribute what arrives after their answers.
const REMEMBERED_REQUESTS: usize = 256;

/// What is known about one endpoint while it is tested.
pub(super) struct Session {
    pub(super) log: WireLog,
    pub(super) findings: Findings,
    pub(super) era: Era,
    pub(super) revision: Revision,
    pub(super) responder: Responder,
    /// Messages to send: answers to requests of the server.
    pub(super) replies: Vec<Vec<u8>>,
    next_id: u64,
    pending: Option<Pending>,
    cancelled: BTreeSet<u64>,
    recent: VecDeque<RequestRef>,
    answer_bytes: usize,
}

/// The request that waits for its answer.
struct Pending {
    id: u64,
    method: &'static str,
    answer: Option<Answer>,
    has_progressed: bool,
}

/// An answer to the waiting request.
pub(super) enum Answer {
    Result(Value),
    Error(JsonRpcError),
    Malformed(FindingKind),
}

/// A message that is being interpreted.
#[derive(Clone, Copy)]
struct Arrival<'a> {
    at: Duration,
    raw: &'a [u8],
}

impl Session {
    pub(super) fn new(options: &ConnectOptions) -> Self {
        Self {
            log: WireLog::new(options.log),
            findings: Findings::default(),
            era: Era::Handshake,
            revision: Revision::V2025_11_25,
            responder: Responder::new(options),
            replies: Vec::new(),
            next_id: 1,
            pending: None,
            cancelled: BTreeSet::new(),
            recent: VecDeque::new(),
            answer_bytes: 0,
        }
    }

    /// Forgets what belongs to a connection that is replaced by another one. Its messages stay in the
    /// log; its findings do not count, since a server may treat an unknown first request as it likes.
    pub(super) fn begin_next_connection(&mut self) {
        self.log.begin_next_connection();
        self.findings = Findings::default();
        self.replies.clear();
        self.pending = None;
        self.cancelled.clear();
        self.recent.clear();
    }

    /// The id that the next request will have.
    pub(super) fn next_id(&self) -> u64 {
        self.next_id
    }

    /// Makes a request the waiting one, and returns its bytes.
    pub(super) fn begin_request<P: Serialize>(
        &mut self,
        method: &'static str,
        tool: Option<&str>,
        params: &P,
    ) -> Vec<u8> {
        let id = self.next_id;
        self.next_id += 1;
        // A caller that dropped the future of its request has given the request up.
        self.cancel_request();
        if self.recent.len() == REMEMBERED_REQUESTS {
            self.recent.pop_front();
        }
        self.recent.push_back(RequestRef { id, method, tool: tool.map(str::to_owned) });
        self.pending = Some(Pending { id, method, answer: None, has_progressed: false });
        serialize(&OutgoingRequest { jsonrpc: "2.0", id, method, params })
    }

    pub(super) fn notification(method: &str, params: Option<Value>) -> Vec<u8> {
        serialize(&OutgoingNotification { jsonrpc: "2.0", method, params })
    }

    pub(super) fn record_sent(&mut self, channel: Channel, message: &[u8]) {
        self.log.record(Direction::ToServer, channel, message);
    }

    pub(super) fn is_answered(&self) -> bool {
        self.pending.as_ref().is_some_and(|pending| pending.answer.is_some())
    }

    /// The id of the request that waits.
    pub(super) fn pending_id(&self) -> Option<u64> {
        self.pending.as_ref().map(|pending| pending.id)
    }

    /// The answer to the waiting request, which then waits no more.
    pub(super) fn finish_request(&mut self) -> Option<Answer> {
        self.pending.take().and_then(|pending| pending.answer)
    }

    /// Gives up the waiting request; a later answer to it is a late one.
    pub(super) fn cancel_request(&mut self) -> Option<u64> {
        let pending = self.pending.take()?;
        self.cancelled.insert(pending.id);
        Some(pending.id)
    }

    /// The length of the message with the latest answer.
    pub(super) fn answer_bytes(&self) -> usize {
        self.answer_bytes
    }

    /// Whether progress was reported since the last time.
    pub(super) fn take_progress(&mut self) -> bool {
        self.pending.as_mut().is_some_and(|pending| mem::take(&mut pending.has_progressed))
    }

    pub(super) fn take_findings(&mut self) -> Findings {
        mem::take(&mut self.findings)
    }

    /// Records a finding that has no message of its own.
    pub(super) fn found(&mut self, kind: FindingKind, detail: impl FnOnce() -> String) {
        let at = self.log.entries().next_back().map_or(Duration::ZERO, |entry| entry.at);
        self.add(kind, None, at, None, detail);
    }

    /// Records and interprets a message.
    pub(super) fn receive(&mut self, channel: Channel, raw: &[u8]) {
        let at = self.log.record(Direction::FromServer, channel, raw);
        self.interpret(Arrival { at, raw });
    }

    /// Interprets a message that is already in the log, as a part of a longer entry.
    pub(super) fn interpret_recorded(&mut self, raw: &[u8]) {
        let at = self.log.entries().next_back().map_or(Duration::ZERO, |entry| entry.at);
        self.interpret(Arrival { at, raw });
    }

    /// Records a body that is not interpreted.
    pub(super) fn record_body(&mut self, status: u16, body: &[u8]) {
        self.log.record(Direction::FromServer, Channel::HttpResponse { status }, body);
    }

    /// Records an event whose data, if any, is interpreted apart from it.
    pub(super) fn record_event(&mut self, event: RawMessage) {
        self.log.push(Direction::FromServer, Channel::Event, event);
    }

    /// Records the body of an HTTP error. A JSON-RPC error in it answers the waiting request; it may
    /// lack the id there.
    pub(super) fn receive_http_error(&mut self, status: u16, body: &[u8]) {
        self.record_body(status, body);
        let Ok(Value::Object(mut object)) = serde_json::from_slice(body) else { return };
        let has_id = object.get("id").is_some_and(|id| !id.is_null());
        if has_id || !object.contains_key("error") {
            if object.contains_key("jsonrpc") {
                self.interpret_recorded(body);
            }
            return;
        }
        let (error, problem) = read_error(object.remove("error").unwrap_or_default());
        // Without a code it is an error of some other kind, such as a proxy's.
        if problem.is_none() {
            self.answer(Answer::Error(error));
        }
    }

    /// Records a message that was too long to keep.
    pub(super) fn receive_oversized(&mut self, channel: Channel, message: RawMessage) {
        let at = self.log.push(Direction::FromServer, channel, message.clone());
        let length = message.length();
        let answers = self.seems_answered_by(message.bytes());
        self.add(FindingKind::Oversized, None, at, Some(message), || {
            format!("a message of {length} bytes is longer than {LONGEST_MESSAGE}")
        });
        if answers {
            self.answer(Answer::Malformed(FindingKind::Oversized));
        }
    }

    /// Records the start of a message whose rest never came.
    pub(super) fn receive_cut_off(&mut self, channel: Channel, raw: &[u8]) {
        if serde_json::from_slice::<Value>(raw).is_ok() {
            return self.receive(channel, raw);
        }
        let at = self.log.record(Direction::FromServer, channel, raw);
        self.find(FindingKind::CutOff, None, Arrival { at, raw }, || {
            format!("the output ended after {} bytes of a message", raw.len())
        });
    }

    /// Records what there is of a body or an event whose end never came, for this reason. It answers nothing, not even if
    /// it reads as a whole message: more was announced.
    pub(super) fn receive_truncated(&mut self, channel: Channel, raw: &[u8], reason: &str) {
        let at = self.log.record(Direction::FromServer, channel, raw);
        self.find(FindingKind::CutOff, None, Arrival { at, raw }, || {
            format!("a response ended after {} bytes of a message: {reason}", raw.len())
        });
    }

    fn answer(&mut self, answer: Answer) {
        if let Some(pending) = &mut self.pending {
            pending.answer.get_or_insert(answer);
        }
    }

    fn seems_answered_by(&self, raw: &[u8]) -> bool {
        self.pending_id().is_some_and(|id| seems_to_answer(raw, id))
    }

    fn find(
        &mut self,
        kind: FindingKind,
        request: Option<u64>,
        arrival: Arrival<'_>,
        detail: impl FnOnce() -> String,
    ) {
        let message =
            self.findings.keeps(kind).then(|| RawMessage::new(arrival.raw, super::log::KEPT_BYTES));
        self.add(kind, request, arrival.at, message, detail);
    }

    /// Adds a finding, attributed to this request or else to the latest one.
    fn add(
        &mut self,
        kind: FindingKind,
        request: Option<u64>,
        at: Duration,
        message: Option<RawMessage>,
        detail: impl FnOnce() -> String,
    ) {
        if !self.findings.keeps(kind) {
            return self.findings.count_one(kind);
        }
        let named = request.and_then(|id| self.recent.iter().rev().find(|known| known.id == id));
        let request = named.or(self.recent.back()).cloned();
        let detail = quoted(&detail());
        self.findings.add(Finding { kind, detail, request, at, message });
    }
}

/// A text of any length, as a description quotes it.
pub(super) fn quoted(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// Serializes what consists of strings, numbers and JSON values, which cannot fail.
fn serialize(message: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(message).expect("keys are strings and writing to memory does not fail")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Messages that are nearly right, so that every branch is reached.
    fn message() -> impl Strategy<Value = String> {
        let value = prop::sample::select(vec![
            "1",
            "2",
            "3",
            "99",
            "1.0",
            "-1",
            "1e400",
            "\"1\"",
            "\"2.0\"",
            "\"ping\"",
            "null",
            "{}",
            "[]",
            "\"roots/list\"",
            "\"notifications/progress\"",
            "{\"progressToken\": 2}",
            "{\"code\": 1, \"message\": \"\"}",
            "{\"content\": []}",
            "[[[[",
            "NaN",
        ]);
        let key =
            prop::sample::select(vec!["jsonrpc", "id", "method", "params", "result", "error"]);
        let object = prop::collection::vec((key, value), 0..6).prop_map(|members| {
            let members: Vec<_> =
                members.iter().map(|(key, value)| format!("\"{key}\": {value}")).collect();
            format!("{{{}}}", members.join(", "))
        });
        let batch = prop::collection::vec(object.clone(), 0..3)
            .prop_map(|messages| format!("[{}]", messages.join(",")));
        prop_oneof![4 => object, 1 => batch]
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop_oneof![
            message().prop_map(String::into_bytes),
            prop::collection::vec(any::<u8>(), 0..40),
        ]
    }

    proptest! {
        #[test]
        fn every_message_is_recorded_and_none_panics(
            messages in prop::collection::vec(bytes(), 1..20),
            is_stateless: bool,
        ) {
            let mut session = Session::new(&ConnectOptions::default());
            session.era = if is_stateless { Era::Stateless } else { Era::Handshake };
            for method in ["tools/list", "tools/call"] {
                session.begin_request(method, None, &());
            }
            for message in &messages {
                session.receive(Channel::Line, message);
            }
            let logged: Vec<_> =
                session.log.entries().map(|entry| entry.message.bytes().to_vec()).collect();
            prop_assert_eq!(logged, messages);
            let kept = session.findings.iter().count() as u64;
            prop_assert!(kept <= session.findings.counts().values().sum());
        }
    }
}
