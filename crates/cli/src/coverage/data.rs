//! The data files of the command line, read as the texts of instances, one at a time.

use std::{
    ffi::OsStr,
    fs::{self, File},
    io::{self, BufRead, BufReader, Read},
    path::{Path, PathBuf},
};

use crate::failure::Failure;

/// A file of instances.
pub(super) struct Data<'a> {
    path: &'a Path,
    layout: Layout,
}

/// The layout of the instances in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Layout {
    /// The whole file is one instance.
    One,
    /// Each line is one instance.
    Lines,
    /// Each line of standard input is one instance.
    Stdin,
}

/// The text of an instance, with the file and the line that it is in.
pub(super) struct Text<'a> {
    pub(super) file: &'a str,
    /// The line, if the file has one instance per line.
    pub(super) line: Option<u64>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Data<'a> {
    /// Decides the layout of the file at `path`, without reading it.
    pub(super) fn new(path: &'a Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self { path, layout: Layout::Stdin });
        }
        let found = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        if found.is_dir() {
            return Err(unreadable(path, io::ErrorKind::IsADirectory.into()));
        }
        let ending = path.extension().map(OsStr::to_ascii_lowercase);
        let layout = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("json") => Layout::One,
            Some("jsonl" | "ndjson") => Layout::Lines,
            // A pipe has no name with an extension: `<(zcat log.gz)`.
            _ if !found.is_file() => Layout::Lines,
            _ => {
                let path = path.display();
                let message = format!(
                    "unknown format of `{path}`: name it `.json` for one instance, `.jsonl` or `.ndjson` for one per line"
                );
                return Err(Failure::Usage(message));
            }
        };
        Ok(Self { path, layout })
    }

    /// Calls `handle` with each instance.
    pub(super) fn each(&self, handle: impl FnMut(Text<'_>)) -> Result<(), Failure> {
        let name = self.path.display().to_string();
        let open = || File::open(self.path);
        let read = match self.layout {
            Layout::One => open().and_then(|file| whole(&name, file, handle)),
            Layout::Lines => open().and_then(|file| lines(&name, BufReader::new(file), handle)),
            Layout::Stdin => lines("<stdin>", io::stdin().lock(), handle),
        };
        read.map_err(|error| unreadable(self.path, error))
    }
}

fn whole(name: &str, mut file: File, mut handle: impl FnMut(Text<'_>)) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    handle(Text { file: name, line: None, bytes: without_mark(bytes.trim_ascii_end()) });
    Ok(())
}

/// Calls `handle` with each line, with one line in memory at a time.
fn lines(name: &str, mut from: impl BufRead, mut handle: impl FnMut(Text<'_>)) -> io::Result<()> {
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
            handle(Text { file: name, line: Some(number), bytes });
        }
    }
}

/// `bytes` without a byte order mark at the start.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

fn unreadable(path: &Path, error: io::Error) -> Failure {
    let is_stdin = path == Path::new("-");
    let path = if is_stdin { PathBuf::from("<stdin>") } else { path.to_owned() };
    Failure::Unreadable { path, error }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<(Option<u64>, Vec<u8>)> {
        let mut found = Vec::new();
        lines("", text, |text| found.push((text.line, text.bytes.to_vec()))).unwrap();
        found
    }

    #[test]
    fn empty_lines_count_as_lines_but_not_as_instances() {
        let found = read(b"\xef\xbb\xbf1\r\n\n  \t\r\n2");
        assert_eq!(found, [(Some(1), b"1".to_vec()), (Some(4), b"2".to_vec())]);
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\n\n"), []);
    }
}
