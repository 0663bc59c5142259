//! Byte streams of a server as this crate reads them, without connections: for fuzz targets.

use std::{
    collections::VecDeque,
    io,
    pin::Pin,
    task::{Context, Poll, Waker},
};

use tokio::io::{AsyncRead, ReadBuf};

use super::{
    ConnectOptions, Era, Findings, RawMessage,
    http::{EventDecoder, ReceivedData, ReceivedEvent},
    lines::{Line, LineReader},
    log::Channel,
    session::{Answer, Session},
};

/// A line of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadLine {
    /// It was read whole.
    Whole(Vec<u8>),
    /// It was longer than the limit.
    Oversized(RawMessage),
    /// The stream ended in the middle of it.
    CutOff(Vec<u8>),
}

/// What was read of a stream, and the most memory that reading it held at once, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read<T> {
    /// Lines or events.
    pub items: Vec<T>,
    /// Not more than a multiple of the limit, however long the stream is.
    pub most_memory: usize,
}

/// The lines of a stream that arrives in `chunks`, where none is ready before the one before it was read.
#[must_use]
pub fn lines<'c>(chunks: impl IntoIterator<Item = &'c [u8]>, longest: usize) -> Read<ReadLine> {
    let mut stream = Chunks { chunks: chunks.into_iter().collect(), is_pending: false };
    let mut reader = LineReader::with_longest(longest);
    let mut context = Context::from_waker(Waker::noop());
    let mut read = Read { items: Vec::new(), most_memory: 0 };
    loop {
        let line = reader.poll_line(&mut context, Pin::new(&mut stream));
        read.most_memory = read.most_memory.max(reader.capacity());
        let Poll::Ready(line) = line else { continue };
        read.items.push(match line {
            Line::Whole(line) => ReadLine::Whole(reader.bytes(line).to_vec()),
            Line::CutOff(line) => ReadLine::CutOff(reader.bytes(line).to_vec()),
            Line::Oversized(message) => ReadLine::Oversized(message),
            Line::End(_) => return read,
        });
    }
}

struct Chunks<'c> {
    chunks: VecDeque<&'c [u8]>,
    is_pending: bool,
}

impl AsyncRead for Chunks<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.is_pending = !self.is_pending;
        if self.is_pending {
            return Poll::Pending;
        }
        // An empty read is the end of a stream.
        let Some(chunk) = self.chunks.iter_mut().find(|chunk| !chunk.is_empty()) else {
            return Poll::Ready(Ok(()));
        };
        let (now, later) = chunk.split_at(chunk.len().min(buffer.remaining()));
        buffer.put_slice(now);
        *chunk = later;
        while self.chunks.front().is_some_and(|chunk| chunk.is_empty()) {
            self.chunks.pop_front();
        }
        Poll::Ready(Ok(()))
    }
}

/// A server-sent event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadEvent {
    /// The block as it arrived.
    pub raw: RawMessage,
    /// Its message.
    pub data: EventData,
}

/// The message of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EventData {
    /// There is none.
    None,
    /// All of it.
    Message(Vec<u8>),
    /// It was longer than the limit.
    Oversized,
    /// The stream ended in the middle of it.
    CutOff(Vec<u8>),
}

/// The events of a stream that arrives in `chunks`, and with which id and after how many milliseconds it would be
/// resumed.
#[must_use]
pub fn events<'c>(
    chunks: impl IntoIterator<Item = &'c [u8]>,
    longest: usize,
) -> (Read<ReadEvent>, Option<(String, u64)>) {
    let mut decoder = EventDecoder::with_longest(longest);
    let mut found = VecDeque::new();
    let mut most_memory = 0;
    for chunk in chunks {
        decoder.push(chunk, &mut found);
        most_memory = most_memory.max(decoder.capacity());
    }
    found.extend(decoder.end());
    let shown = |event: ReceivedEvent| {
        let data = match event.data {
            ReceivedData::None => EventData::None,
            ReceivedData::Message(data) => EventData::Message(data),
            ReceivedData::Oversized => EventData::Oversized,
            ReceivedData::CutOff(data) => EventData::CutOff(data),
        };
        ReadEvent { raw: event.raw, data }
    };
    let resumption = decoder.resumption().map(|(id, millis)| (id.to_owned(), millis));
    (Read { items: found.into_iter().map(shown).collect(), most_memory }, resumption)
}

/// What a session made of the messages of a server.
#[derive(Debug)]
pub struct Interpreted {
    /// The messages as they were logged, in their order.
    pub logged: Vec<RawMessage>,
    /// What was against the protocol.
    pub findings: Findings,
    /// What the client replies.
    pub replies: Vec<Vec<u8>>,
    /// How the waiting request was answered: `result`, `error` or `malformed`.
    pub answer: Option<&'static str>,
}

/// Interprets `messages` while the requests 1 (given up) and 2 (waiting) are open.
#[must_use]
pub fn interpret(era: Era, messages: &[&[u8]]) -> Interpreted {
    let mut session = Session::new(&ConnectOptions::default());
    session.era = era;
    for method in ["tools/list", "tools/call"] {
        let _ = session.begin_request(method, None, &());
    }
    for message in messages {
        session.receive(Channel::Line, message);
    }
    let answer = session.finish_request().map(|answer| match answer {
        Answer::Result(_) => "result",
        Answer::Error(_) => "error",
        Answer::Malformed(_) => "malformed",
    });
    Interpreted {
        logged: session.log.entries().map(|entry| entry.message.clone()).collect(),
        findings: session.take_findings(),
        replies: std::mem::take(&mut session.replies),
        answer,
    }
}
