//! Server-sent events: the event stream format of the HTML standard, in bounded memory.

use std::{
    collections::VecDeque,
    pin::Pin,
    task::{Context, Poll, ready},
};

use hyper::body::{Body as _, Incoming};

use super::response::describe;
use crate::wire::{
    log::KEPT_BYTES,
    raw::{Capture, RawMessage},
    session::LONGEST_MESSAGE,
};

/// One block of a stream, up to a blank line.
pub(in crate::wire) struct Event {
    /// The block as it arrived.
    pub(in crate::wire) raw: RawMessage,
    pub(in crate::wire) data: EventData,
}

/// The message of an event.
pub(in crate::wire) enum EventData {
    /// A comment, or an event without data.
    None,
    Message(Vec<u8>),
    /// It was longer than the limit.
    Oversized,
    /// The stream ended in the middle of it.
    CutOff(Vec<u8>),
}

/// A response that is a stream of events.
pub(super) struct EventStream {
    body: Incoming,
    decoder: EventDecoder,
    events: VecDeque<Event>,
    has_ended: bool,
    /// Why the stream ended, if it broke.
    pub(super) failure: Option<String>,
    /// Whether it has had the answer to its request, so that only its end is left.
    pub(super) has_answered: bool,
}

impl EventStream {
    pub(super) fn new(body: Incoming) -> Self {
        Self {
            body,
            decoder: EventDecoder::default(),
            events: VecDeque::new(),
            has_ended: false,
            failure: None,
            has_answered: false,
        }
    }

    /// The latest id and the time to wait before the stream is resumed with it.
    pub(super) fn resumption(&self) -> Option<(&str, u64)> {
        self.decoder.resumption()
    }

    /// The next event; `None` at the end.
    pub(super) fn poll_event(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Poll::Ready(Some(event));
            }
            if self.has_ended {
                return Poll::Ready(None);
            }
            match ready!(Pin::new(&mut self.body).poll_frame(context)) {
                Some(Ok(frame)) => {
                    if let Some(bytes) = frame.data_ref() {
                        self.decoder.push(bytes, &mut self.events);
                    }
                }
                Some(Err(error)) => {
                    self.failure = Some(describe(&error));
                    self.has_ended = true;
                    self.events.extend(self.decoder.end());
                }
                None => {
                    self.has_ended = true;
                    self.events.extend(self.decoder.end());
                }
            }
        }
    }
}

/// How long a client waits before it resumes a stream whose server did not say.
const DEFAULT_RETRY_MILLIS: u64 = 500;

/// A longer id is not sent back: servers refuse headers of such a size.
const LONGEST_ID: usize = 4 * 1024;

/// What a stream may begin with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Splits bytes into events.
pub(in crate::wire) struct EventDecoder {
    /// A longer line, or longer data, is discarded.
    longest: usize,
    line: Vec<u8>,
    /// What is skipped at the start of the line: a byte order mark in the first one.
    mark: &'static [u8],
    ended_with_return: bool,
    raw: Capture,
    data: Option<Vec<u8>>,
    is_oversized: bool,
    is_discarding_line: bool,
    /// The latest id, which counts once its event is finished.
    next_id: Option<String>,
    last_id: Option<String>,
    retry_millis: Option<u64>,
}

impl Default for EventDecoder {
    fn default() -> Self {
        Self::with_longest(LONGEST_MESSAGE)
    }
}

impl EventDecoder {
    /// A decoder that discards lines and data longer than `longest`.
    pub(in crate::wire) fn with_longest(longest: usize) -> Self {
        Self {
            longest,
            line: Vec::new(),
            mark: BYTE_ORDER_MARK,
            ended_with_return: false,
            raw: Capture::default(),
            data: None,
            is_oversized: false,
            is_discarding_line: false,
            next_id: None,
            last_id: None,
            retry_millis: None,
        }
    }

    /// The latest id, and the time to wait before the stream is resumed with it.
    pub(in crate::wire) fn resumption(&self) -> Option<(&str, u64)> {
        let id = self.last_id.as_deref()?;
        Some((id, self.retry_millis.unwrap_or(DEFAULT_RETRY_MILLIS)))
    }

    /// How much memory it holds for the event that is being read, in bytes.
    #[cfg(feature = "_fuzz")]
    pub(in crate::wire) fn capacity(&self) -> usize {
        self.line.capacity() + self.data.as_ref().map_or(0, Vec::capacity)
    }

    pub(in crate::wire) fn push(&mut self, mut bytes: &[u8], events: &mut VecDeque<Event>) {
        while let Some(first) = bytes.first() {
            if std::mem::take(&mut self.ended_with_return) && *first == b'\n' {
                bytes = &bytes[1..];
                continue;
            }
            let end = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
            self.extend_line(&bytes[..end.unwrap_or(bytes.len())]);
            let Some(end) = end else { return };
            self.ended_with_return = bytes[end] == b'\r';
            events.extend(self.end_line());
            bytes = &bytes[end + 1..];
        }
    }

    fn extend_line(&mut self, bytes: &[u8]) {
        if self.is_discarding_line {
            return self.raw.push(bytes, KEPT_BYTES);
        }
        let room = (self.longest + 1).saturating_sub(self.line.len());
        let (kept, rest) = bytes.split_at(room.min(bytes.len()));
        self.line.extend_from_slice(kept);
        if self.line.len() > self.longest {
            self.discard_line();
            self.raw.push(rest, KEPT_BYTES);
        }
    }

    /// Begins to discard a line that is too long. Its event is not interpreted.
    fn discard_line(&mut self) {
        let line = std::mem::take(&mut self.line);
        self.raw.push(&line, KEPT_BYTES);
        self.is_oversized = true;
        self.is_discarding_line = true;
    }

    fn end_line(&mut self) -> Option<Event> {
        let mark = std::mem::take(&mut self.mark);
        if std::mem::take(&mut self.is_discarding_line) {
            self.raw.push(b"\n", KEPT_BYTES);
            return None;
        }
        let arrived = std::mem::take(&mut self.line);
        let line = arrived.strip_prefix(mark).unwrap_or(&arrived);
        if line.is_empty() {
            self.last_id.clone_from(&self.next_id);
            return self.dispatch();
        }
        self.raw.push(&arrived, KEPT_BYTES);
        self.raw.push(b"\n", KEPT_BYTES);
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => self.add_data(value),
            b"id" if !value.contains(&0) && value.len() <= LONGEST_ID => {
                self.next_id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry_millis = millis.or(self.retry_millis);
            }
            // A comment, `event`, or a field that the standard says to ignore.
            _ => {}
        }
        None
    }

    fn add_data(&mut self, value: &[u8]) {
        let data = self.data.get_or_insert_default();
        if !data.is_empty() {
            data.push(b'\n');
        }
        data.extend_from_slice(value);
        if data.len() > self.longest {
            self.is_oversized = true;
        }
        if self.is_oversized {
            *data = Vec::new();
        }
    }

    fn dispatch(&mut self) -> Option<Event> {
        let raw = std::mem::take(&mut self.raw);
        let data = self.data.take().filter(|data| !data.is_empty());
        let is_oversized = std::mem::take(&mut self.is_oversized);
        if raw.is_empty() {
            return None;
        }
        let data = match data {
            _ if is_oversized => EventData::Oversized,
            Some(data) => EventData::Message(data),
            None => EventData::None,
        };
        Some(Event { raw: raw.finish(), data })
    }

    /// What the stream left unfinished.
    pub(in crate::wire) fn end(&mut self) -> Option<Event> {
        if !self.line.is_empty() {
            self.end_line();
        }
        let event = self.dispatch()?;
        let data = match event.data {
            EventData::Message(data) => EventData::CutOff(data),
            other @ (EventData::None | EventData::Oversized | EventData::CutOff(_)) => other,
        };
        Some(Event { data, ..event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages(parts: &[&str]) -> Vec<String> {
        let mut decoder = EventDecoder::default();
        let mut events = VecDeque::new();
        for part in parts {
            decoder.push(part.as_bytes(), &mut events);
        }
        events.extend(decoder.end());
        let show = |event: Event| match event.data {
            EventData::None => "none".to_owned(),
            EventData::Message(data) => String::from_utf8(data).unwrap(),
            EventData::Oversized => format!("oversized {}", event.raw.length()),
            EventData::CutOff(data) => format!("cut {}", String::from_utf8(data).unwrap()),
        };
        events.into_iter().map(show).collect()
    }

    #[test]
    fn events_are_split_at_blank_lines() {
        assert_eq!(messages(&["data: a\n\ndata:b\r\n", "\r\n\r\n"]), ["a", "b"]);
        assert_eq!(messages(&["id: 1\ndata: {\ndata: }\r\r"]), ["{\n}"]);
        assert_eq!(messages(&[": comment\n\nid: 7\ndata:\n\n"]), ["none", "none"]);
        assert_eq!(messages(&["event: message\nda", "ta: x"]), ["cut x"]);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_the_first_field() {
        assert_eq!(messages(&["\u{feff}data: a\n\n"]), ["a"]);
        assert_eq!(messages(&["\u{feff}\n\u{feff}data: a\n\n"]), ["none"]);
    }

    fn resumption(text: &str) -> Option<(String, u64)> {
        let mut decoder = EventDecoder::default();
        decoder.push(text.as_bytes(), &mut VecDeque::new());
        let _ = decoder.end();
        decoder.resumption().map(|(id, millis)| (id.to_owned(), millis))
    }

    /// A stream that is resumed after an event of which only the beginning arrived must send it again.
    #[test]
    fn the_id_of_an_event_counts_once_the_event_is_finished() {
        assert_eq!(resumption("id: 1\ndata: a\n\nid: 2\ndata: b"), Some(("1".to_owned(), 500)));
        assert_eq!(resumption("id: 1\ndata: a\n"), None);
        assert_eq!(resumption("id: 1\n\n"), Some(("1".to_owned(), 500)));
    }

    #[test]
    fn a_time_to_wait_is_digits() {
        assert_eq!(resumption("retry: 7\nretry: +8\nid: 1\n\n"), Some(("1".to_owned(), 7)));
    }

    #[test]
    fn long_data_is_discarded() {
        let long = format!("data: {}\n\ndata: a\n\n", "x".repeat(LONGEST_MESSAGE + 100));
        let length = "data: ".len() + LONGEST_MESSAGE + 100 + 1;
        assert_eq!(messages(&[&long]), [format!("oversized {length}"), "a".to_owned()]);
        let many = "data: xxxxxxxxxxxxxxx\n".repeat(LONGEST_MESSAGE / 15);
        assert!(messages(&[&many, "\n"])[0].starts_with("oversized"));
    }

    proptest::proptest! {
        #[test]
        fn events_do_not_depend_on_how_the_bytes_arrive(
            lines in proptest::collection::vec("(data|id|retry|:x|event)?:? ?[a-z]{0,3}", 0..12),
            end in "\r|\n|\r\n",
            size in 1..7_usize,
        ) {
            let text: String = lines.join(&end) + &end;
            let parts: Vec<&str> =
                text.as_bytes().chunks(size).map(|part| std::str::from_utf8(part).unwrap()).collect();
            proptest::prop_assert_eq!(messages(&parts), messages(&[&text]));
        }
    }
}
