//! Streams of server-sent events.
//!
//! - Events are those that the HTML standard (§9.2.6) finds in the whole stream, however it arrives, but for two
//!   decisions of ours: an event whose data is empty has no message, and what a stream leaves unfinished is cut off instead of
//!   dropped.
//! - The id to resume with is that of the latest finished event.
//! - Memory is bounded by the longest message, not by the stream.

use foolproof_mcp::fuzz::{EventData, events};

use super::chunks::Stream;
use crate::Reached;

/// How long a client waits if the server does not say, in milliseconds.
const DEFAULT_RETRY: u64 = 500;

/// Checks the laws of event streams.
pub fn server_sent_events(data: &[u8]) -> Reached {
    let Some(stream) = Stream::of(data) else { return Reached::Refused };
    let (expected, resumption) = Model::of(&stream);
    for (how, (read, resumed)) in [
        ("in chunks", events(stream.chunks(), stream.longest)),
        ("at once", events(stream.whole(), stream.longest)),
    ] {
        let found: Vec<EventData> = read.items.iter().map(|event| event.data.clone()).collect();
        assert_eq!(found, expected, "{how}");
        assert_eq!(resumed, resumption, "resumed {how}");
        // A line and data, each in memory that at most doubles.
        assert!(read.most_memory <= 4 * stream.longest + 64, "{} bytes", read.most_memory);
        let length: u64 = read.items.iter().map(|event| event.raw.length()).sum();
        assert!(length <= stream.bytes.len() as u64 + 1, "more than has arrived");
    }
    let has_message = expected.iter().any(|data| matches!(data, EventData::Message(_)));
    if has_message { Reached::Checked } else { Reached::Refused }
}

/// The standard's algorithm, on a stream that is there as a whole.
#[derive(Default)]
struct Model {
    longest: usize,
    events: Vec<EventData>,
    is_first_line: bool,
    /// Whether the current event has any line.
    has_lines: bool,
    is_oversized: bool,
    data: Vec<u8>,
    id: Option<String>,
    finished_id: Option<String>,
    retry: Option<u64>,
}

impl Model {
    fn of(stream: &Stream) -> (Vec<EventData>, Option<(String, u64)>) {
        let mut model = Self { longest: stream.longest, is_first_line: true, ..Self::default() };
        let mut rest = stream.bytes.as_slice();
        while let Some(end) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            model.line(&rest[..end]);
            model.is_first_line = false;
            let length = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
            rest = &rest[end + length..];
        }
        model.end(rest);
        let retry = model.retry.unwrap_or(DEFAULT_RETRY);
        (model.events, model.finished_id.map(|id| (id, retry)))
    }

    fn line(&mut self, arrived: &[u8]) {
        let mark: &[u8] = if self.is_first_line { b"\xef\xbb\xbf" } else { b"" };
        let line = arrived.strip_prefix(mark).unwrap_or(arrived);
        if line.is_empty() && arrived.len() <= self.longest {
            self.finished_id.clone_from(&self.id);
            if let Some(data) = self.finish() {
                self.events.push(data);
            }
            return;
        }
        self.has_lines = true;
        if arrived.len() > self.longest {
            self.is_oversized = true;
            return;
        }
        let mut parts = line.splitn(2, |byte| *byte == b':');
        let field = parts.next().unwrap_or_default();
        let value = parts.next().unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"data" => {
                if !self.data.is_empty() {
                    self.data.push(b'\n');
                }
                self.data.extend(value);
                self.is_oversized |= self.data.len() > self.longest;
            }
            b"id" if !value.contains(&0) => {
                self.id = Some(String::from_utf8_lossy(value).into_owned());
            }
            b"retry" if value.iter().all(u8::is_ascii_digit) => {
                let millis = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
                self.retry = millis.or(self.retry);
            }
            _ => {}
        }
    }

    fn end(&mut self, rest: &[u8]) {
        if !rest.is_empty() {
            self.line(rest);
        }
        let last = match self.finish() {
            Some(EventData::Message(data)) => Some(EventData::CutOff(data)),
            other => other,
        };
        self.events.extend(last);
    }

    /// What the lines since the last blank one are.
    fn finish(&mut self) -> Option<EventData> {
        let data = std::mem::take(&mut self.data);
        let is_oversized = std::mem::take(&mut self.is_oversized);
        if !std::mem::take(&mut self.has_lines) {
            return None;
        }
        Some(match data.is_empty() {
            _ if is_oversized => EventData::Oversized,
            true => EventData::None,
            false => EventData::Message(data),
        })
    }
}
