//! The Streamable HTTP transport, in both eras.
//!
//! Every message is a POST; its response is one answer, or a stream of events that ends with the
//! answer. In the handshake era there are a session, a further stream that the server may offer, and
//! answers to requests of the server. Redirects are not followed: the server under test is the one
//! that was named.

mod events;
mod headers;
mod requests;
mod response;

use std::{
    future::poll_fn,
    pin::{Pin, pin},
    task::{Context, Poll},
    time::Duration,
};

use bytes::Bytes;
use http_body_util::Full;
use hyper::{Response, StatusCode, body::Incoming, header::HeaderValue};
use hyper_rustls::{HttpsConnector, HttpsConnectorBuilder};
use hyper_util::{
    client::legacy::{Client, Error, ResponseFuture, connect::HttpConnector},
    rt::TokioExecutor,
};
use rustls::ClientConfig;
use tokio::{
    task::consume_budget,
    time::{Instant, sleep_until, timeout, timeout_at},
};

#[cfg(feature = "_fuzz")]
pub(super) use self::events::{Event as ReceivedEvent, EventData as ReceivedData, EventDecoder};
pub(super) use self::headers::{HeaderParam, annotations};
use self::{
    events::{Event, EventData, EventStream},
    requests::{Requests, SESSION_ID},
    response::{BodyReader, Head, WholeBody, describe},
};
use super::{
    certificates::roots,
    endpoint::UrlEndpoint,
    finding::FindingKind,
    limits::{Limits, after},
    log::Channel,
    outcome::CallEnd,
    revision::Era,
    session::{Session, quoted},
    transport::Outgoing,
};

/// How long a notification or a reply may take to be accepted.
const ACCEPT_LIMIT: Duration = Duration::from_secs(5);

/// How many streams without a waiting request are read; the oldest is dropped beyond that.
const MOST_STREAMS: usize = 4;

/// How many events are read at most when nothing is awaited.
const DRAINED_EVENTS: usize = 256;

/// How often the stream of one request is resumed.
const MOST_RESUMPTIONS: u32 = 5;

/// How much of a connection is read at once, which is also the longest head of a response. What is in this buffer is parsed
/// without a pause: with the 400 KiB that are usual, a flood of interim responses keeps the thread busy for seconds.
const MOST_BUFFERED: usize = 64 * 1024;

/// How much of a body an error quotes.
const QUOTED_BYTES: usize = 300;

/// A connection to a URL.
pub(super) struct HttpTransport {
    client: Client<HttpsConnector<HttpConnector>, Full<Bytes>>,
    requests: Requests,
    /// Streams without a waiting request.
    streams: Vec<EventStream>,
    /// The stream of the server that is being opened.
    opening: Option<ResponseFuture>,
}

/// How far the waiting request is.
enum Phase {
    Sent(ResponseFuture),
    Body(Head, BodyReader),
    Events(EventStream),
    /// The stream broke off, and is resumed at this time.
    Paused(Instant, HeaderValue),
}

/// What happened next.
enum Step {
    Response(Result<Response<Incoming>, Error>),
    Body(Head, WholeBody),
    Event(Event),
    EventsEnd,
    Resume,
    /// On a stream that belongs to no waiting request.
    OtherEvent(Event),
    /// Such a stream broke for this reason, after the answer to its request.
    OtherBroken(String),
    /// The stream of the server was refused with this status.
    StreamRefused(StatusCode),
    Time,
}

impl HttpTransport {
    pub(super) fn new(endpoint: &UrlEndpoint) -> Result<Self, String> {
        let requests = Requests::new(endpoint)?;
        let provider = rustls::crypto::ring::default_provider();
        let tls = ClientConfig::builder_with_provider(provider.into())
            .with_safe_default_protocol_versions()
            .map_err(|error| format!("TLS is not available: {error}"))?
            .with_root_certificates(roots(endpoint.ca_certificates.as_ref()))
            .with_no_client_auth();
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        connector.enforce_http(false);
        let builder = HttpsConnectorBuilder::new().with_tls_config(tls);
        let connector = builder.https_or_http().enable_http1().wrap_connector(connector);
        let mut client = Client::builder(TokioExecutor::new());
        client.http1_max_buf_size(MOST_BUFFERED);
        Ok(Self { client: client.build(connector), requests, streams: Vec::new(), opening: None })
    }

    /// Remembers which arguments of a tool are repeated in headers.
    pub(super) fn learn(&mut self, tool: &str, params: Vec<HeaderParam>) {
        self.requests.params.insert(tool.to_owned(), params);
    }

    /// Opens the stream for messages of the server, if it offers one.
    pub(super) fn open_stream(&mut self, session: &Session) {
        self.opening = Some(self.client.request(self.requests.get(session, None)));
    }

    /// Reads what has arrived on other streams, without waiting but for replies to be accepted, until `until` at most.
    pub(super) async fn drain(&mut self, session: &mut Session, until: Instant) {
        // The tasks that read the connections run only when this one yields.
        tokio::task::yield_now().await;
        for _ in 0..DRAINED_EVENTS {
            let step = poll_fn(|context| match self.poll_streams(context) {
                Poll::Ready(step) => Poll::Ready(Some(step)),
                Poll::Pending => Poll::Ready(None),
            });
            let Some(step) = step.await else { return };
            self.handle_other(session, step, until).await;
        }
    }

    /// Reads other streams for a limited time.
    pub(super) async fn read_for(&mut self, session: &mut Session, limit: Duration) {
        let end = after(limit);
        while Instant::now() < end {
            let mut timer = pin!(sleep_until(end));
            let step = poll_fn(|context| {
                if let Poll::Ready(step) = self.poll_streams(context) {
                    return Poll::Ready(Some(step));
                }
                timer.as_mut().poll(context).map(|()| None)
            });
            let Some(step) = step.await else { return };
            consume_budget().await;
            self.handle_other(session, step, end).await;
        }
    }

    /// Sends a request and reads until it is answered.
    pub(super) async fn exchange(
        &mut self,
        session: &mut Session,
        outgoing: Outgoing<'_>,
        limits: Limits,
    ) -> Option<CallEnd> {
        let request = self.requests.post(session, &outgoing);
        session.record_sent(Channel::HttpRequest, &outgoing.message);
        let mut phase = Phase::Sent(self.client.request(request));
        let mut resumptions = 0;
        let mut deadline = limits.deadline();
        loop {
            // Events that are there already are read without waiting.
            consume_budget().await;
            match self.next_step(&mut phase, deadline).await {
                Step::Response(Err(error)) => return Some(closed(&describe(&error))),
                Step::Response(Ok(response)) => phase = self.begin_response(session, response),
                Step::Body(head, body) => return self.end_body(session, &head, body),
                Step::Event(event) => receive_event(session, event),
                Step::EventsEnd => match self.resume_at(session, &phase, &mut resumptions) {
                    Ok(paused) => phase = paused,
                    Err(detail) => return Some(closed(&detail)),
                },
                Step::Resume => {
                    let Phase::Paused(_, id) = &phase else { continue };
                    phase = Phase::Sent(self.client.request(self.requests.get(session, Some(id))));
                }
                step @ (Step::OtherEvent(_) | Step::OtherBroken(_) | Step::StreamRefused(_)) => {
                    self.handle_other(session, step, deadline).await;
                }
                Step::Time => {}
            }
            self.send_replies(session, deadline).await;
            if session.is_answered() {
                if let Phase::Events(stream) = &mut phase {
                    stream.has_answered = true;
                }
                self.keep(phase);
                self.drain(session, deadline).await;
                return None;
            }
            if session.take_progress() {
                deadline = limits.deadline();
            }
            if Instant::now() >= deadline {
                // In the stateless era, the end of the stream is the cancellation.
                if session.era == Era::Handshake {
                    self.keep(phase);
                }
                return Some(CallEnd::TimedOut);
            }
        }
    }

    /// Sends a notification or a reply, and waits until it is accepted, or this time.
    pub(super) async fn notify(&mut self, session: &mut Session, message: Vec<u8>, until: Instant) {
        session.record_sent(Channel::HttpRequest, &message);
        let outgoing = Outgoing { method: None, call: None, message };
        let sent = self.client.request(self.requests.post(session, &outgoing));
        let until = until.min(after(ACCEPT_LIMIT));
        let Ok((head, body)) = timeout_at(until, whole_response(sent)).await else {
            return session.found(FindingKind::UnexpectedStatus, || {
                "a notification or reply was not accepted in time".to_owned()
            });
        };
        // A connection that fails is reported by the next request.
        let Some(head) = head else { return };
        if let WholeBody::Bytes(bytes) = &body {
            session.record_body(head.status.as_u16(), bytes);
        }
        if head.status != StatusCode::ACCEPTED {
            session.found(FindingKind::UnexpectedStatus, || {
                format!("a notification or reply got the status {} instead of 202", head.status)
            });
        }
    }

    /// Ends the session.
    pub(super) async fn close(&mut self, session: &mut Session, limit: Duration) {
        self.drain(session, after(limit)).await;
        self.streams.clear();
        self.opening = None;
        if self.requests.session_id.is_none() {
            return;
        }
        let sent = self.client.request(self.requests.delete(session));
        if let Ok((Some(head), body)) = timeout(limit, whole_response(sent)).await {
            if let WholeBody::Bytes(bytes) = &body {
                session.record_body(head.status.as_u16(), bytes);
            }
            let is_fine = head.status.is_success()
                || matches!(head.status, StatusCode::METHOD_NOT_ALLOWED | StatusCode::NOT_FOUND);
            if !is_fine {
                session.found(FindingKind::UnexpectedStatus, || {
                    format!("the end of the session got the status {}", head.status)
                });
            }
        }
        self.requests.session_id = None;
    }

    async fn next_step(&mut self, phase: &mut Phase, deadline: Instant) -> Step {
        let mut timer = pin!(sleep_until(deadline));
        let resume = match phase {
            Phase::Paused(at, _) => *at,
            Phase::Sent(_) | Phase::Body(..) | Phase::Events(_) => deadline,
        };
        let mut resume = pin!(sleep_until(resume));
        poll_fn(|context| {
            let step = match phase {
                Phase::Sent(future) => Pin::new(future).poll(context).map(Step::Response),
                Phase::Body(head, body) => {
                    body.poll_whole(context).map(|whole| Step::Body(head.clone(), whole))
                }
                Phase::Events(stream) => stream
                    .poll_event(context)
                    .map(|event| event.map_or(Step::EventsEnd, Step::Event)),
                Phase::Paused(..) => resume.as_mut().poll(context).map(|()| Step::Resume),
            };
            if step.is_ready() {
                return step;
            }
            let other = self.poll_streams(context);
            if other.is_ready() {
                return other;
            }
            timer.as_mut().poll(context).map(|()| Step::Time)
        })
        .await
    }

    /// Polls the streams without a waiting request. Those that have ended are removed.
    fn poll_streams(&mut self, context: &mut Context<'_>) -> Poll<Step> {
        if let Some(opening) = &mut self.opening
            && let Poll::Ready(response) = Pin::new(opening).poll(context)
        {
            self.opening = None;
            if let Ok(response) = response {
                let head = Head::new(&response);
                if head.status == StatusCode::OK && head.is_event_stream() {
                    self.push_stream(EventStream::new(response.into_body()));
                } else if head.status != StatusCode::METHOD_NOT_ALLOWED {
                    return Poll::Ready(Step::StreamRefused(head.status));
                }
            }
        }
        let mut index = 0;
        while index < self.streams.len() {
            match self.streams[index].poll_event(context) {
                Poll::Ready(Some(event)) => return Poll::Ready(Step::OtherEvent(event)),
                Poll::Ready(None) => {
                    let ended = self.streams.remove(index);
                    if let Some(reason) = ended.failure.filter(|_| ended.has_answered) {
                        return Poll::Ready(Step::OtherBroken(reason));
                    }
                }
                Poll::Pending => index += 1,
            }
        }
        Poll::Pending
    }

    async fn handle_other(&mut self, session: &mut Session, step: Step, until: Instant) {
        match step {
            Step::OtherEvent(event) => receive_event(session, event),
            Step::OtherBroken(reason) => session.found(FindingKind::CutOff, || {
                format!("a response broke off after its answer: {reason}")
            }),
            Step::StreamRefused(status) => session.found(FindingKind::UnexpectedStatus, || {
                format!("GET got the status {status}: it must be an event stream, or 405")
            }),
            Step::Response(_)
            | Step::Body(..)
            | Step::Event(_)
            | Step::EventsEnd
            | Step::Resume
            | Step::Time => {}
        }
        self.send_replies(session, until).await;
    }

    /// Sends what the server has asked for. What it has not accepted by this time is dropped.
    async fn send_replies(&mut self, session: &mut Session, until: Instant) {
        let replies = std::mem::take(&mut session.replies);
        let count = replies.len();
        for (sent, reply) in replies.into_iter().enumerate() {
            if Instant::now() >= until {
                return session.found(FindingKind::UnreadAnswers, || {
                    format!("{} of {count} answers to it were not accepted in time", count - sent)
                });
            }
            self.notify(session, reply, until).await;
        }
    }

    /// Goes on reading a stream after its request has ended.
    fn keep(&mut self, phase: Phase) {
        if let Phase::Events(stream) = phase {
            self.push_stream(stream);
        }
    }

    fn push_stream(&mut self, stream: EventStream) {
        if self.streams.len() == MOST_STREAMS {
            self.streams.remove(0);
        }
        self.streams.push(stream);
    }

    fn begin_response(&mut self, session: &Session, response: Response<Incoming>) -> Phase {
        if session.era == Era::Handshake && self.requests.session_id.is_none() {
            self.requests.session_id = response.headers().get(SESSION_ID).cloned();
        }
        let head = Head::new(&response);
        if head.status.is_success() && head.is_event_stream() {
            Phase::Events(EventStream::new(response.into_body()))
        } else {
            Phase::Body(head, BodyReader::new(response.into_body()))
        }
    }

    /// A stream of the handshake era whose events have ids can be resumed.
    fn resume_at(
        &self,
        session: &Session,
        phase: &Phase,
        resumptions: &mut u32,
    ) -> Result<Phase, String> {
        let Phase::Events(stream) = phase else { return Err("no stream".to_owned()) };
        if session.era == Era::Handshake
            && *resumptions < MOST_RESUMPTIONS
            && let Some((id, millis)) = stream.resumption()
            && let Ok(id) = HeaderValue::from_str(id)
        {
            *resumptions += 1;
            return Ok(Phase::Paused(Instant::now() + Duration::from_millis(millis), id));
        }
        let reason = stream.failure.as_deref().map(|failure| format!(": {failure}"));
        let reason = reason.unwrap_or_default();
        Err(format!("the event stream of {} ended without an answer{reason}", self.requests.uri))
    }

    /// What a whole response means for the waiting request.
    fn end_body(&self, session: &mut Session, head: &Head, body: WholeBody) -> Option<CallEnd> {
        let status = head.status.as_u16();
        let channel = Channel::HttpResponse { status };
        let bytes = match body {
            WholeBody::Bytes(bytes) => bytes,
            WholeBody::Oversized(message) => {
                session.receive_oversized(channel, message);
                let kind = FindingKind::Oversized;
                return (!session.is_answered()).then_some(CallEnd::Malformed { kind });
            }
            WholeBody::CutOff(bytes, reason) => {
                session.receive_truncated(channel, &bytes, &reason);
                return Some(closed(&format!("the response was cut off: {reason}")));
            }
        };
        if head.status.is_redirection() {
            session.record_body(status, &bytes);
            let to = head.location.as_deref().unwrap_or("nowhere");
            return Some(closed(&format!("{}: the redirect to {to} is not followed", head.status)));
        }
        if head.status == StatusCode::NOT_FOUND && self.requests.session_id.is_some() {
            session.record_body(status, &bytes);
            return Some(closed(&format!("{}: the session has expired", head.status)));
        }
        if !head.status.is_success() {
            return self.end_error(session, head, &bytes);
        }
        if head.is_json() && !bytes.is_empty() {
            session.receive(channel, &bytes);
            let detail = "the response does not answer the request";
            return (!session.is_answered()).then(|| closed(detail));
        }
        session.record_body(status, &bytes);
        if bytes.is_empty() {
            session.found(FindingKind::UnexpectedStatus, || {
                format!("a request got the status {} without an answer", head.status)
            });
            return Some(closed(&format!("{} without an answer", head.status)));
        }
        let kind = FindingKind::UnexpectedContentType;
        session.found(kind, || format!("a response has the type `{}`", head.content_type));
        Some(CallEnd::Malformed { kind })
    }

    /// An HTTP error is a refusal if its body is a JSON-RPC error for the request, or for none.
    fn end_error(&self, session: &mut Session, head: &Head, bytes: &[u8]) -> Option<CallEnd> {
        session.receive_http_error(head.status.as_u16(), bytes);
        if session.is_answered() {
            return None;
        }
        let quoted = &bytes[..bytes.len().min(QUOTED_BYTES)];
        let quoted = String::from_utf8_lossy(quoted);
        let text = quoted.trim();
        Some(closed(&if text.is_empty() {
            format!("{} from {}", head.status, self.requests.uri)
        } else {
            format!("{} from {}: {text}", head.status, self.requests.uri)
        }))
    }
}

fn receive_event(session: &mut Session, event: Event) {
    match event.data {
        EventData::Oversized => session.receive_oversized(Channel::Event, event.raw),
        EventData::CutOff(data) => {
            session.receive_truncated(Channel::Event, &data, "the event has no end");
        }
        EventData::None => session.record_event(event.raw),
        EventData::Message(data) => {
            session.record_event(event.raw);
            session.interpret_recorded(&data);
        }
    }
}

/// The response, unless the connection failed, and its body.
async fn whole_response(sent: ResponseFuture) -> (Option<Head>, WholeBody) {
    match sent.await {
        Ok(response) => {
            let head = Head::new(&response);
            let mut body = BodyReader::new(response.into_body());
            let whole = poll_fn(|context| body.poll_whole(context)).await;
            (Some(head), whole)
        }
        Err(error) => (None, WholeBody::CutOff(Vec::new(), describe(&error))),
    }
}

fn closed(detail: &str) -> CallEnd {
    CallEnd::Closed { detail: quoted(detail) }
}
