//! The wire log: every message in both directions, with its time, before it is interpreted.
//!
//! The log is bounded by entries and by bytes; the oldest entries are removed first, and counted.

use std::{
    collections::VecDeque,
    time::{Duration, Instant},
};

use serde::{Serialize, Serializer};

use super::raw::RawMessage;

/// What the log keeps of one message. The rest is represented by its length and hash.
pub(super) const KEPT_BYTES: usize = 64 * 1024;

/// How much a [`WireLog`] keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// The most entries.
    pub entries: usize,
    /// The most bytes of all messages together.
    pub bytes: usize,
}

impl Default for LogLimits {
    /// 10,000 entries and 4 MiB.
    fn default() -> Self {
        Self { entries: 10_000, bytes: 4 * 1024 * 1024 }
    }
}

/// The latest messages of a connection, oldest first.
#[derive(Clone, Debug, Serialize)]
pub struct WireLog {
    entries: VecDeque<LogEntry>,
    /// How many entries were removed because the log was full.
    removed: u64,
    #[serde(skip)]
    limits: LogLimits,
    #[serde(skip)]
    bytes: usize,
    #[serde(skip)]
    begun: Instant,
    #[serde(skip)]
    connection: u32,
}

/// One message of a [`WireLog`].
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct LogEntry {
    /// The time since the first connection to the endpoint began; serialized in microseconds.
    #[serde(rename = "micros", serialize_with = "as_micros")]
    pub at: Duration,
    /// The number of the connection: a probe that needed a connection of its own is 0, and what
    /// follows is 1.
    pub connection: u32,
    /// Who sent the message.
    pub direction: Direction,
    /// What carried the message.
    pub channel: Channel,
    /// The message.
    #[serde(flatten)]
    pub message: RawMessage,
}

/// Who sent a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Direction {
    /// This client.
    ToServer,
    /// The server.
    FromServer,
}

/// What carried a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Channel {
    /// A line of standard input or output, or of a pipe in this process.
    Line,
    /// The body of an HTTP request.
    HttpRequest,
    /// The body of an HTTP response with this status. An empty body is recorded too.
    HttpResponse {
        /// The status code.
        status: u16,
    },
    /// A server-sent event of an HTTP response, with its field names.
    Event,
}

impl WireLog {
    pub(super) fn new(limits: LogLimits) -> Self {
        Self {
            entries: VecDeque::new(),
            removed: 0,
            limits,
            bytes: 0,
            begun: Instant::now(),
            connection: 0,
        }
    }

    /// The entries that were kept, oldest first.
    #[must_use]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &LogEntry> + ExactSizeIterator {
        self.entries.iter()
    }

    /// How many entries were removed because the log was full.
    #[must_use]
    pub fn removed(&self) -> u64 {
        self.removed
    }

    /// Counts a further connection to the same endpoint.
    pub(super) fn begin_next_connection(&mut self) {
        self.connection += 1;
    }

    /// Records a message, and returns the time it has in the log.
    pub(super) fn record(
        &mut self,
        direction: Direction,
        channel: Channel,
        message: &[u8],
    ) -> Duration {
        self.push(direction, channel, RawMessage::new(message, KEPT_BYTES))
    }

    pub(super) fn push(
        &mut self,
        direction: Direction,
        channel: Channel,
        message: RawMessage,
    ) -> Duration {
        let at = self.begun.elapsed();
        self.bytes += message.bytes().len();
        let connection = self.connection;
        self.entries.push_back(LogEntry { at, connection, direction, channel, message });
        while self.entries.len() > self.limits.entries || self.bytes > self.limits.bytes {
            let Some(oldest) = self.entries.pop_front() else { break };
            self.bytes -= oldest.message.bytes().len();
            self.removed += 1;
        }
        at
    }
}

fn as_micros<S: Serializer>(at: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(u64::try_from(at.as_micros()).unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_log_removes_the_oldest_entries() {
        let mut log = WireLog::new(LogLimits { entries: 3, bytes: 10 });
        for message in ["a", "b", "c", "d", "12345678"] {
            log.record(Direction::FromServer, Channel::Line, message.as_bytes());
        }
        let kept: Vec<_> = log.entries().map(|entry| entry.message.text().into_owned()).collect();
        assert_eq!(kept, ["c", "d", "12345678"]);
        assert_eq!(log.removed(), 2);
    }

    #[test]
    fn a_long_message_is_cut() {
        let mut log = WireLog::new(LogLimits::default());
        log.record(Direction::FromServer, Channel::Line, &vec![b'x'; KEPT_BYTES + 1]);
        let value = serde_json::to_value(&log).unwrap();
        let entry = &value["entries"][0];
        assert_eq!(entry["text"].as_str().map(str::len), Some(KEPT_BYTES));
        assert_eq!(entry["length"], KEPT_BYTES + 1);
        assert_eq!(entry["channel"], "line");
        assert_eq!(entry["direction"], "from_server");
    }
}
