//! The transports behind a connection, with one interface.

use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::Instant;

use super::{
    endpoint::Endpoint,
    http::{HttpTransport, annotations},
    limits::{Limits, after},
    outcome::{CallEnd, ExitStatus},
    revision::Era,
    session::{Answer, Session},
    start::StartFailure,
    stream::StreamTransport,
};

/// How long a cancellation may take to be accepted, whatever the limits of its request were.
const CANCEL_GRACE: Duration = Duration::from_millis(100);

/// What carries the messages of a connection.
pub(super) enum Transport {
    Stream(Box<StreamTransport>),
    Http(Box<HttpTransport>),
}

/// A message to send, with what HTTP repeats of it in headers.
pub(super) struct Outgoing<'a> {
    /// The method of a request; `None` for anything else.
    pub(super) method: Option<&'static str>,
    /// The tool and the arguments of a `tools/call`.
    pub(super) call: Option<(&'a str, &'a Value)>,
    pub(super) message: Vec<u8>,
}

impl Transport {
    /// Begins a fresh connection.
    pub(super) fn connect(endpoint: &Endpoint) -> Result<Self, StartFailure> {
        match endpoint {
            Endpoint::Command(command) => {
                let stream = StreamTransport::start(command).map_err(|error| {
                    let detail = format!("`{}`: {error}", command.program);
                    StartFailure::CouldNotStart { detail }
                })?;
                Ok(Self::Stream(Box::new(stream)))
            }
            Endpoint::Factory(factory) => {
                Ok(Self::Stream(Box::new(StreamTransport::over_pipe(factory.connect()))))
            }
            Endpoint::Url(url) => {
                let http = HttpTransport::new(url).map_err(|error| {
                    let detail = format!("`{}`: {error}", url.url);
                    StartFailure::CouldNotStart { detail }
                })?;
                Ok(Self::Http(Box::new(http)))
            }
        }
    }

    /// Reads what has arrived, without waiting. How the connection ended, if it has, which is known by this time.
    pub(super) async fn drain(&mut self, session: &mut Session, until: Instant) -> Option<CallEnd> {
        match self {
            Self::Stream(stream) => stream.drain(session, until).await,
            Self::Http(http) => {
                http.drain(session, until).await;
                None
            }
        }
    }

    /// Sends the request that the session has begun, and reads until it ends.
    pub(super) async fn request(
        &mut self,
        session: &mut Session,
        outgoing: Outgoing<'_>,
        limits: Limits,
    ) -> CallEnd {
        let end = match self {
            Self::Stream(stream) => stream.exchange(session, &outgoing.message, limits).await,
            Self::Http(http) => http.exchange(session, outgoing, limits).await,
        };
        match end {
            Some(CallEnd::TimedOut) => CallEnd::TimedOut,
            Some(end) => {
                session.finish_request();
                end
            }
            None => match session.finish_request() {
                Some(Answer::Result(result)) => CallEnd::Answered(result.into()),
                Some(Answer::Error(error)) => CallEnd::Refused(error),
                Some(Answer::Malformed(kind)) => CallEnd::Malformed { kind },
                None => CallEnd::Closed { detail: "the request was given up".to_owned() },
            },
        }
    }

    /// Reports that the handshake is complete.
    pub(super) async fn begin_operation(&mut self, session: &mut Session, until: Instant) {
        let message = Session::notification("notifications/initialized", None);
        self.notify(session, message, until).await;
        if let Self::Http(http) = self {
            http.open_stream(session);
        }
    }

    /// Gives up the request that waits. A server may take until `end` to accept that, or a moment if that has passed.
    pub(super) async fn cancel(&mut self, session: &mut Session, end: Instant) {
        let Some(id) = session.cancel_request() else { return };
        if matches!(self, Self::Http(_)) && session.era == Era::Stateless {
            // The end of its response was the cancellation.
            return;
        }
        let params = json!({ "requestId": id, "reason": "time limit" });
        let message = Session::notification("notifications/cancelled", Some(params));
        self.notify(session, message, end.max(after(CANCEL_GRACE))).await;
    }

    async fn notify(&mut self, session: &mut Session, message: Vec<u8>, until: Instant) {
        match self {
            Self::Stream(stream) => stream.notify(session, &message).await,
            Self::Http(http) => http.notify(session, message, until).await,
        }
    }

    /// Prepares for calls of a tool. What is wrong with its description, if it cannot be called.
    pub(super) fn learn(
        &mut self,
        session: &Session,
        name: &str,
        tool: &Value,
    ) -> Result<(), String> {
        if let Self::Http(http) = self
            && session.era == Era::Stateless
        {
            let params = tool.get("inputSchema").map_or(Ok(Vec::new()), annotations)?;
            http.learn(name, params);
        }
        Ok(())
    }

    pub(super) async fn read_for(&mut self, session: &mut Session, limit: Duration) {
        match self {
            Self::Stream(stream) => stream.read_for(session, limit).await,
            Self::Http(http) => http.read_for(session, limit).await,
        }
    }

    pub(super) async fn close(&mut self, session: &mut Session, limit: Duration) {
        match self {
            Self::Stream(stream) => {
                stream.close(session, limit).await;
            }
            Self::Http(http) => http.close(session, limit).await,
        }
    }

    pub(super) fn stderr_tail(&self) -> String {
        match self {
            Self::Stream(stream) => stream.stderr_tail(),
            Self::Http(_) => String::new(),
        }
    }

    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        match self {
            Self::Stream(stream) => stream.exit_status(),
            Self::Http(_) => None,
        }
    }

    pub(super) fn process_id(&mut self) -> Option<u32> {
        match self {
            Self::Stream(stream) => stream.process().map(|process| process.id()),
            Self::Http(_) => None,
        }
    }
}
