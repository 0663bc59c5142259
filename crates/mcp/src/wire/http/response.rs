//! Responses to a request: their bodies, read in bounded memory.

use std::{
    error::Error,
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::{
    Response, StatusCode,
    body::{Body as _, Incoming},
    header::{CONTENT_TYPE, LOCATION},
};

use crate::wire::{
    log::KEPT_BYTES,
    raw::{Capture, RawMessage},
    session::LONGEST_MESSAGE,
};

/// What a response says before its body.
#[derive(Clone)]
pub(super) struct Head {
    pub(super) status: StatusCode,
    pub(super) content_type: String,
    pub(super) location: Option<String>,
}

impl Head {
    pub(super) fn new(response: &Response<Incoming>) -> Self {
        let header = |name| {
            let value = response.headers().get(name)?;
            Some(String::from_utf8_lossy(value.as_bytes()).into_owned())
        };
        Self {
            status: response.status(),
            content_type: header(CONTENT_TYPE).unwrap_or_default(),
            location: header(LOCATION),
        }
    }

    pub(super) fn is_json(&self) -> bool {
        self.has_type("application/json")
    }

    pub(super) fn is_event_stream(&self) -> bool {
        self.has_type("text/event-stream")
    }

    /// Media types are compared without their parameters and their case.
    fn has_type(&self, expected: &str) -> bool {
        let media_type = self.content_type.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case(expected)
    }
}

/// The error with its causes, since the outermost one says little.
pub(super) fn describe(error: &dyn Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        text.push_str(&format!(": {cause}"));
        source = cause.source();
    }
    text
}

/// A whole body.
pub(super) enum WholeBody {
    Bytes(Vec<u8>),
    Oversized(RawMessage),
    /// It could not be read to its end; what was read, and why.
    CutOff(Vec<u8>, String),
}

/// A body that is being read.
pub(super) struct BodyReader {
    body: Incoming,
    bytes: Vec<u8>,
    discarded: Option<Capture>,
}

impl BodyReader {
    pub(super) fn new(body: Incoming) -> Self {
        Self { body, bytes: Vec::new(), discarded: None }
    }

    pub(super) fn poll_whole(&mut self, context: &mut Context<'_>) -> Poll<WholeBody> {
        loop {
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Some(bytes) = frame.data_ref() {
                        self.push(bytes);
                    }
                }
                Some(Err(error)) => return Poll::Ready(self.end(Some(describe(&error)))),
                None => return Poll::Ready(self.end(None)),
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        if let Some(discarded) = &mut self.discarded {
            return discarded.push(bytes, KEPT_BYTES);
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > LONGEST_MESSAGE {
            let read = std::mem::take(&mut self.bytes);
            self.discarded.get_or_insert_default().push(&read, KEPT_BYTES);
        }
    }

    fn end(&mut self, error: Option<String>) -> WholeBody {
        if let Some(discarded) = self.discarded.take() {
            return WholeBody::Oversized(discarded.finish());
        }
        let bytes = std::mem::take(&mut self.bytes);
        match error {
            Some(error) => WholeBody::CutOff(bytes, error),
            None => WholeBody::Bytes(bytes),
        }
    }
}
