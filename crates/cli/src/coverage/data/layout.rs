//! What a data file holds, decided by its content.
//!
//! The first line decides: one that is a whole JSON value, with more text after it, is the first of many;
//! one that is only the start of a value is the start of a file with one value. Names matter only where the
//! content does not decide.

use std::{
    ffi::OsStr,
    io::{self, Cursor, Read},
    path::Path,
};

use serde::de::IgnoredAny;

/// What a file holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nothing.
    Empty,
    /// One JSON value that is no array, or a text that is no JSON.
    Instance,
    /// One JSON array.
    Array,
    /// One JSON value per line.
    Lines,
}

/// The start of a file: enough to decide what the file holds.
#[derive(Default)]
pub(super) struct Head {
    bytes: Vec<u8>,
}

/// How much is read at first. More only if the first line is longer, and then it may be an instance, which
/// is in memory as a whole anyway.
const CHUNK: usize = 64 << 10;

impl Head {
    pub(super) fn read(file: &mut impl Read) -> io::Result<Self> {
        let mut head = Self::default();
        while !head.is_enough() {
            // Twice as much each time, since the first line is searched again each time.
            let more = head.bytes.len().max(CHUNK) as u64;
            if file.by_ref().take(more).read_some(&mut head.bytes)? == 0 {
                break;
            }
        }
        Ok(head)
    }

    pub(super) fn into_bytes(self) -> Cursor<Vec<u8>> {
        Cursor::new(self.bytes)
    }

    /// What the file at `path` holds, of which this is the start.
    pub(super) fn layout(&self, path: &Path) -> Layout {
        let content = self.content();
        let Some(first) = content.first() else {
            // A file for one value that has none is an error, which reading it reports.
            return if is_named(path, &["json"]) { Layout::Instance } else { Layout::Empty };
        };
        let whole = if *first == b'[' { Layout::Array } else { Layout::Instance };
        let (line, rest) = split_line(content);
        let is_whole = match parse(line) {
            Ok(_) => rest.trim_ascii().is_empty(),
            Err(error) if error.is_eof() => !(is_named_lines(path) && is_cut_off(line, rest)),
            // The first line of a JSON value is never wrong before its end.
            Err(_) => false,
        };
        if is_whole { whole } else { Layout::Lines }
    }

    /// Without what may precede the first value.
    fn content(&self) -> &[u8] {
        super::without_mark(&self.bytes).trim_ascii_start()
    }

    /// Whether the first line that is not empty is complete, and something follows it; or whether the file
    /// is an array on one line, which must not be read as a whole.
    fn is_enough(&self) -> bool {
        let content = self.content();
        match split_line(content) {
            (line, []) => line.first() == Some(&b'[') && content.len() >= CHUNK,
            (_, rest) => !rest.trim_ascii().is_empty(),
        }
    }
}

fn parse(text: &[u8]) -> serde_json::Result<IgnoredAny> {
    serde_json::from_slice(text)
}

/// Whether a first line that is only the start of a value looks like a record that was cut off, and not like
/// the start of an indented value: the next line is a value of its own.
fn is_cut_off(line: &[u8], rest: &[u8]) -> bool {
    let is_bracket = matches!(line.trim_ascii(), b"[" | b"{");
    let (next, _) = split_line(rest.trim_ascii_start());
    !is_bracket && parse(next).is_ok()
}

/// Whether the name of the file at `path` says that it has one instance per line.
pub(super) fn is_named_lines(path: &Path) -> bool {
    is_named(path, &["jsonl", "ndjson"])
}

fn is_named(path: &Path, endings: &[&str]) -> bool {
    let ending = path.extension().map(OsStr::to_ascii_lowercase);
    ending.is_some_and(|ending| endings.iter().any(|known| ending == *known))
}

/// The first line, and what follows it, from its line break on.
fn split_line(content: &[u8]) -> (&[u8], &[u8]) {
    let end = content.iter().position(|byte| *byte == b'\n').unwrap_or(content.len());
    content.split_at(end)
}

trait ReadSome {
    /// Reads at least one byte to the end of `into`, unless there is none. What is there is enough: whoever
    /// writes to a pipe may wait for an answer before writing more.
    fn read_some(self, into: &mut Vec<u8>) -> io::Result<usize>;
}

impl<R: Read> ReadSome for io::Take<R> {
    fn read_some(mut self, into: &mut Vec<u8>) -> io::Result<usize> {
        let start = into.len();
        let most = usize::try_from(self.limit()).unwrap_or(usize::MAX);
        into.resize(start + most, 0);
        let read = loop {
            match self.read(&mut into[start..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => break read,
            }
        };
        into.truncate(start + read.as_ref().copied().unwrap_or(0));
        read
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout_of(name: &str, text: &str) -> Layout {
        Head::read(&mut text.as_bytes()).unwrap().layout(Path::new(name))
    }

    #[test]
    fn the_content_decides() {
        let cases = [
            ("{\"a\": 1}", Layout::Instance),
            ("{\"a\": 1}\n", Layout::Instance),
            ("{\n  \"a\": 1\n}\n", Layout::Instance),
            ("1", Layout::Instance),
            ("{\"a\": 1}\n{\"a\": 2}\n", Layout::Lines),
            ("\n\n{\"a\": 1}\r\n\r\n{\"a\": 2}", Layout::Lines),
            ("1\n2\n", Layout::Lines),
            ("[1]\n[2]\n", Layout::Lines),
            ("[1, 2]", Layout::Array),
            ("\u{feff} [\n1,\n2\n]\n", Layout::Array),
            ("[", Layout::Array),
            ("{\"a\": oops\n{\"a\": 2}\n", Layout::Lines),
            ("{} {}", Layout::Lines),
            ("", Layout::Empty),
            (" \n \n", Layout::Empty),
        ];
        for (text, expected) in cases {
            assert_eq!(layout_of("-", text), expected, "{text:?}");
        }
    }

    #[test]
    fn the_name_decides_where_the_content_does_not() {
        assert_eq!(layout_of("a.jsonl", "{\"a\":\n{\"a\": 2}\n"), Layout::Lines);
        assert_eq!(layout_of("a.jsonl", "{\n\"a\": 2\n}\n"), Layout::Instance);
        assert_eq!(layout_of("a.jsonl", "[\n1\n]\n"), Layout::Array);
        assert_eq!(layout_of("a.json", "{\"a\":\n{\"a\": 2}\n"), Layout::Instance);
        assert_eq!(layout_of("a.json", ""), Layout::Instance);
        assert_eq!(layout_of("a.ndjson", ""), Layout::Empty);
    }

    #[test]
    fn a_long_array_on_one_line_is_not_read_as_a_whole() {
        let text = format!("[{}1]", "1,".repeat(10 * CHUNK));
        let mut reader = text.as_bytes();
        let head = Head::read(&mut reader).unwrap();
        assert_eq!(head.layout(Path::new("-")), Layout::Array);
        assert!(head.into_bytes().into_inner().len() <= CHUNK);
    }
}
