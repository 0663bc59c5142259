//! Lines of a byte stream, in bounded memory.
//!
//! A line longer than the limit is read and discarded, except for its first bytes, its length and its
//! hash. Lines are returned as ranges of one buffer, so that reading them allocates nothing.

use std::{
    io,
    ops::Range,
    pin::{Pin, pin},
    task::{Context, Poll, ready},
};

use tokio::io::{AsyncRead, AsyncReadExt as _};

use super::{
    log::KEPT_BYTES,
    raw::{Capture, RawMessage},
    session::LONGEST_MESSAGE,
};

/// How much is read at once.
const READ_BYTES: usize = 64 * 1024;

/// A buffer that grew beyond this is given back after its line.
const KEPT_CAPACITY: usize = 1024 * 1024;

/// What was read.
pub(super) enum Line {
    /// A line, without its end. [`LineReader::bytes`] has it until the next read.
    Whole(Range<usize>),
    /// A line that was longer than the limit.
    Oversized(RawMessage),
    /// The stream ended in the middle of this line.
    CutOff(Range<usize>),
    /// The stream ended; the reason, if it is an error.
    End(Option<io::Error>),
}

/// Splits a stream into lines.
pub(super) struct LineReader {
    /// A longer line is discarded.
    longest: usize,
    buffer: Vec<u8>,
    /// Where the next line starts.
    start: usize,
    /// No line end is before this.
    searched: usize,
    /// The line that is too long, while it is being discarded.
    discarded: Option<Capture>,
    has_ended: bool,
}

impl Default for LineReader {
    fn default() -> Self {
        Self::with_longest(LONGEST_MESSAGE)
    }
}

impl LineReader {
    /// A reader that discards lines longer than `longest`.
    pub(super) fn with_longest(longest: usize) -> Self {
        Self {
            longest,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            discarded: None,
            has_ended: false,
        }
    }

    /// How much memory it holds, in bytes.
    #[cfg(feature = "_fuzz")]
    pub(super) fn capacity(&self) -> usize {
        self.buffer.capacity()
    }

    /// The bytes of a line.
    pub(super) fn bytes(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    pub(super) fn poll_line(
        &mut self,
        context: &mut Context<'_>,
        mut reader: Pin<&mut (impl AsyncRead + ?Sized)>,
    ) -> Poll<Line> {
        loop {
            if let Some(line) = self.next_buffered() {
                return Poll::Ready(line);
            }
            if self.has_ended {
                return Poll::Ready(Line::End(None));
            }
            self.make_room();
            let read = {
                let mut reader = reader.as_mut();
                let reading = pin!(reader.read_buf(&mut self.buffer));
                ready!(reading.poll(context))
            };
            match read {
                Ok(0) => return Poll::Ready(self.end(None)),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(self.end(Some(error))),
            }
        }
    }

    /// A line that was read completely, from the buffer.
    fn next_buffered(&mut self) -> Option<Line> {
        let found = self.buffer[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(offset) = found else {
            self.searched = self.buffer.len();
            self.discard_if_too_long();
            return None;
        };
        let line = self.start..self.searched + offset;
        self.start = line.end + 1;
        self.searched = self.start;
        if let Some(mut capture) = self.discarded.take() {
            capture.push(&self.buffer[line], KEPT_BYTES);
            return Some(Line::Oversized(capture.finish()));
        }
        if line.len() > self.longest {
            return Some(Line::Oversized(RawMessage::new(&self.buffer[line], KEPT_BYTES)));
        }
        Some(Line::Whole(line))
    }

    fn discard_if_too_long(&mut self) {
        let rest = &self.buffer[self.start..];
        if self.discarded.is_none() && rest.len() <= self.longest {
            return;
        }
        self.discarded.get_or_insert_default().push(rest, KEPT_BYTES);
        self.buffer.clear();
        (self.start, self.searched) = (0, 0);
    }

    /// Moves the unfinished line to the front if that costs little, and reserves space behind it.
    fn make_room(&mut self) {
        let rest = self.buffer.len() - self.start;
        if rest == 0 && self.buffer.capacity() > KEPT_CAPACITY {
            self.buffer = Vec::new();
        } else if rest < READ_BYTES || rest < self.start {
            self.buffer.drain(..self.start);
        } else {
            self.buffer.reserve(READ_BYTES);
            return;
        }
        (self.start, self.searched) = (0, rest);
        self.buffer.reserve(READ_BYTES);
    }

    fn end(&mut self, error: Option<io::Error>) -> Line {
        self.has_ended = true;
        let rest = self.start..self.buffer.len();
        self.start = rest.end;
        self.searched = rest.end;
        if let Some(mut capture) = self.discarded.take() {
            capture.push(&self.buffer[rest], KEPT_BYTES);
            return Line::Oversized(capture.finish());
        }
        if rest.is_empty() { Line::End(error) } else { Line::CutOff(rest) }
    }
}

#[cfg(test)]
mod tests {
    use std::{future::poll_fn, io::Cursor};

    use super::*;

    fn lines(input: &[u8]) -> Vec<String> {
        let mut source = Cursor::new(input.to_vec());
        let mut reader = LineReader::default();
        let mut seen = Vec::new();
        loop {
            let line = {
                let next = poll_fn(|context| reader.poll_line(context, Pin::new(&mut source)));
                let mut next = pin!(next);
                let mut context = Context::from_waker(std::task::Waker::noop());
                match next.as_mut().poll(&mut context) {
                    Poll::Ready(line) => line,
                    Poll::Pending => unreachable!("a cursor is always ready"),
                }
            };
            match line {
                Line::Whole(line) => {
                    seen.push(format!("whole {}", String::from_utf8_lossy(reader.bytes(line))));
                }
                Line::CutOff(line) => {
                    seen.push(format!("cut {}", String::from_utf8_lossy(reader.bytes(line))));
                }
                Line::Oversized(message) => seen.push(format!("oversized {}", message.length())),
                Line::End(_) => return seen,
            }
        }
    }

    #[test]
    fn lines_are_split() {
        assert_eq!(lines(b"a\n\nbc\nd"), ["whole a", "whole ", "whole bc", "cut d"]);
        assert!(lines(b"").is_empty());
    }

    #[test]
    fn long_lines_arrive_whole_up_to_the_limit() {
        let mut input = vec![b'x'; LONGEST_MESSAGE];
        input.extend(b"\n");
        input.extend(vec![b'y'; LONGEST_MESSAGE + 1]);
        input.extend(b"\nz\n");
        let seen = lines(&input);
        assert_eq!(seen[0].len(), "whole ".len() + LONGEST_MESSAGE);
        assert_eq!(seen[1], format!("oversized {}", LONGEST_MESSAGE + 1));
        assert_eq!(seen[2], "whole z");
    }
}
