//! The data files of the command line, read as instances, one at a time.
//!
//! What a file holds is decided by its content, or by `--data-format`. Lines and the items of an array are
//! read one by one, so a file may be larger than memory.

use std::{
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::args::DataFormatArg;
use crate::failure::Failure;

mod items;
mod layout;

use layout::{Head, Layout};

/// A file of instances.
pub(super) struct Data<'a> {
    path: &'a Path,
    format: Option<DataFormatArg>,
}

/// An instance, with where it is.
pub(super) struct Instance<'a> {
    /// The file.
    pub(super) file: &'a str,
    /// Where in the file.
    pub(super) place: Place,
    /// The instance, unless its text is not JSON.
    pub(super) value: Result<Value, serde_json::Error>,
}

/// Where an instance is in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// It is the whole file.
    Whole,
    /// It is the line with this number, from 1.
    Line(u64),
    /// It is the item with this index, from 0.
    Item(u64),
}

/// Whether the schema admits arrays: then the content of a file does not say whether an array is an
/// instance or holds instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RootArrays {
    /// It does, or that is not known.
    Admitted,
    /// It does not.
    Refused,
}

/// The text of one or more records, with the line that it is in.
pub(super) struct Text<'a> {
    /// The line, if the file has one record per line.
    pub(super) line: Option<u64>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Data<'a> {
    /// The file.
    pub(super) fn path(&self) -> &'a Path {
        self.path
    }

    /// The file at `path`, which is not read yet; `-` is standard input.
    pub(super) fn new(path: &'a Path, format: Option<DataFormatArg>) -> Result<Self, Failure> {
        if path != Path::new("-") {
            let found = fs::metadata(path).map_err(|error| unreadable(path, error))?;
            if found.is_dir() {
                return Err(unreadable(path, io::ErrorKind::IsADirectory.into()));
            }
        }
        Ok(Self { path, format })
    }

    /// Calls `handle` with each instance.
    pub(super) fn each(
        &self,
        arrays: RootArrays,
        mut handle: impl FnMut(Instance<'_>),
    ) -> Result<(), Failure> {
        let file = self.name();
        let fail = |error| unreadable(self.path, error);
        let (layout, mut reader) = self.open().map_err(fail)?;
        let layout = self.settle(layout, arrays)?;
        let mut give = |place, value| handle(Instance { file: &file, place, value });
        match layout {
            Layout::Empty => Ok(()),
            Layout::Instance => whole(&mut reader).map(|bytes| {
                give(Place::Whole, serde_json::from_slice(without_mark(&bytes)));
            }),
            Layout::Lines => lines(reader, |number, line| {
                give(Place::Line(number), serde_json::from_slice(line));
            }),
            Layout::Array => items::each(reader, |index, item| give(Place::Item(index), item)),
        }
        .map_err(fail)
    }

    /// Calls `handle` with the text of the file: line by line if it has one record per line, or else as a
    /// whole.
    pub(super) fn each_text(&self, mut handle: impl FnMut(Text<'_>)) -> Result<(), Failure> {
        let fail = |error| unreadable(self.path, error);
        let (layout, mut reader) = self.open().map_err(fail)?;
        match layout {
            Layout::Empty => Ok(()),
            Layout::Instance | Layout::Array => whole(&mut reader)
                .map(|bytes| handle(Text { line: None, bytes: without_mark(&bytes) })),
            Layout::Lines => lines(reader, |line, bytes| handle(Text { line: Some(line), bytes })),
        }
        .map_err(fail)
    }

    /// How messages name the file.
    pub(super) fn name(&self) -> String {
        shown(self.path).display().to_string()
    }

    /// Opens the file and decides its layout. The reader gives all of it.
    fn open(&self) -> io::Result<(Layout, impl BufRead + use<>)> {
        let mut file: Box<dyn Read> = if self.path == Path::new("-") {
            Box::new(io::stdin().lock())
        } else {
            Box::new(File::open(self.path)?)
        };
        let head = match self.format {
            Some(_) => Head::default(),
            None => Head::read(&mut file)?,
        };
        let layout = match self.format {
            Some(DataFormatArg::Instance) => Layout::Instance,
            Some(DataFormatArg::Array) => Layout::Array,
            Some(DataFormatArg::Jsonl) => Layout::Lines,
            None => head.layout(self.path),
        };
        Ok((layout, BufReader::new(head.into_bytes().chain(file))))
    }

    /// Whether an array holds instances.
    fn settle(&self, layout: Layout, arrays: RootArrays) -> Result<Layout, Failure> {
        let is_open = self.format.is_none() && layout == Layout::Array;
        if !is_open || arrays == RootArrays::Refused {
            return Ok(layout);
        }
        if layout::is_named_lines(self.path) {
            return Ok(Layout::Lines);
        }
        Err(Failure::Usage(format!(
            "`{}` is a JSON array, and the schema admits arrays: add `--data-format array` if its items are the instances, or `--data-format instance` if the array is one",
            self.name()
        )))
    }
}

fn whole(reader: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    bytes.truncate(bytes.trim_ascii_end().len());
    Ok(bytes)
}

/// Calls `handle` with each line that is not empty, with one line in memory at a time.
fn lines(mut from: impl BufRead, mut handle: impl FnMut(u64, &[u8])) -> io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        number += 1;
        // Trimmed only at the end, since errors name the column.
        let bytes = line.trim_ascii_end();
        let bytes = if number == 1 { without_mark(bytes) } else { bytes };
        if !bytes.is_empty() {
            handle(number, bytes);
        }
    }
}

/// `bytes` without a byte order mark at the start.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn shown(path: &Path) -> &Path {
    if path == Path::new("-") { Path::new("<stdin>") } else { path }
}

fn unreadable(path: &Path, error: io::Error) -> Failure {
    Failure::Unreadable { path: PathBuf::from(shown(path)), error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(u64, Vec<u8>)> {
        let mut found = Vec::new();
        lines(text, |number, line| found.push((number, line.to_vec()))).unwrap();
        found
    }

    #[test]
    fn empty_lines_count_as_lines_but_not_as_instances() {
        let found = read(b"\xef\xbb\xbf1\r\n\n  \t\r\n2");
        assert_eq!(found, [(1, b"1".to_vec()), (4, b"2".to_vec())]);
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\n\n"), []);
    }
}
