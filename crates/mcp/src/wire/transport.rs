//! The transports behind a connection, with one interface.

use std::time::Duration;

use serde_json::json;

use super::{
    endpoint::Endpoint,
    outcome::{CallEnd, ExitStatus},
    session::{Answer, Session},
    start::StartFailure,
    stream::{Limits, StreamTransport},
};

/// What carries the messages of a connection.
pub(super) enum Transport {
    Stream(Box<StreamTransport>),
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
            Endpoint::Url(_) => {
                Err(StartFailure::CouldNotStart { detail: "no HTTP yet".to_owned() })
            }
        }
    }

    pub(super) async fn drain(&mut self, session: &mut Session) -> Option<CallEnd> {
        match self {
            Self::Stream(stream) => stream.drain(session).await,
        }
    }

    /// Sends the request that the session has begun, and reads until it ends.
    pub(super) async fn request(
        &mut self,
        session: &mut Session,
        message: Vec<u8>,
        limits: Limits,
    ) -> CallEnd {
        let end = self.exchange(session, message, limits).await;
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
    pub(super) async fn begin_operation(&mut self, session: &mut Session, _limits: Limits) {
        let message = Session::notification("notifications/initialized", None);
        self.notify(session, message).await;
    }

    /// Gives up the request that waits.
    pub(super) async fn cancel(&mut self, session: &mut Session) {
        let Some(id) = session.cancel_request() else { return };
        let params = json!({ "requestId": id, "reason": "time limit" });
        let message = Session::notification("notifications/cancelled", Some(params));
        self.notify(session, message).await;
    }

    async fn exchange(
        &mut self,
        session: &mut Session,
        message: Vec<u8>,
        limits: Limits,
    ) -> Option<CallEnd> {
        match self {
            Self::Stream(stream) => stream.exchange(session, &message, limits).await,
        }
    }

    pub(super) async fn notify(&mut self, session: &mut Session, message: Vec<u8>) {
        match self {
            Self::Stream(stream) => stream.notify(session, &message).await,
        }
    }

    pub(super) async fn read_for(&mut self, session: &mut Session, limit: Duration) {
        match self {
            Self::Stream(stream) => stream.read_for(session, limit).await,
        }
    }

    pub(super) async fn close(
        &mut self,
        session: &mut Session,
        limit: Duration,
    ) -> Option<ExitStatus> {
        match self {
            Self::Stream(stream) => stream.close(session, limit).await,
        }
    }

    pub(super) fn stderr_tail(&self) -> String {
        match self {
            Self::Stream(stream) => stream.stderr_tail(),
        }
    }

    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        match self {
            Self::Stream(stream) => stream.exit_status(),
        }
    }

    pub(super) fn process_id(&mut self) -> Option<u32> {
        match self {
            Self::Stream(stream) => stream.process().map(|process| process.id()),
        }
    }
}
