//! The data that the command line names, as texts of instances, one at a time.

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
    shape: Shape,
}

/// How a file holds its instances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    /// It is one.
    One,
    /// Each line is one.
    Lines,
    /// The same, on standard input.
    Stdin,
}

/// The text of an instance, and where it stands.
pub(super) struct Text<'a> {
    pub(super) file: &'a str,
    /// The line, if the file has one instance a line.
    pub(super) line: Option<u64>,
    pub(super) bytes: &'a [u8],
}

impl<'a> Data<'a> {
    /// Looks at what is at `path`, without reading it.
    pub(super) fn new(path: &'a Path) -> Result<Self, Failure> {
        if path == Path::new("-") {
            return Ok(Self { path, shape: Shape::Stdin });
        }
        let found = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        if found.is_dir() {
            return Err(unreadable(path, io::ErrorKind::IsADirectory.into()));
        }
        let ending = path.extension().map(OsStr::to_ascii_lowercase);
        let shape = match ending.as_ref().and_then(|ending| ending.to_str()) {
            Some("json") => Shape::One,
            Some("jsonl" | "ndjson") => Shape::Lines,
            // A pipe has no name to go by: `<(zcat log.gz)`.
            _ if !found.is_file() => Shape::Lines,
            _ => {
                let path = path.display();
                let message = format!(
                    "cannot tell what `{path}` holds: name it `.json` for one instance, `.jsonl` or `.ndjson` for one a line"
                );
                return Err(Failure::Usage(message));
            }
        };
        Ok(Self { path, shape })
    }

    pub(super) fn is_stdin(&self) -> bool {
        self.shape == Shape::Stdin
    }

    /// Hands each instance to `take`.
    pub(super) fn each(&self, take: impl FnMut(Text<'_>)) -> Result<(), Failure> {
        let name = self.path.display().to_string();
        let open = || File::open(self.path);
        let read = match self.shape {
            Shape::One => open().and_then(|file| whole(&name, file, take)),
            Shape::Lines => open().and_then(|file| lines(&name, BufReader::new(file), take)),
            Shape::Stdin => lines("<stdin>", io::stdin().lock(), take),
        };
        read.map_err(|error| unreadable(self.path, error))
    }
}

fn whole(name: &str, mut file: File, mut take: impl FnMut(Text<'_>)) -> io::Result<()> {
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes)?;
    take(Text { file: name, line: None, bytes: without_mark(bytes.trim_ascii_end()) });
    Ok(())
}

/// One line in memory at a time.
fn lines(name: &str, mut from: impl BufRead, mut take: impl FnMut(Text<'_>)) -> io::Result<()> {
    let mut line = Vec::new();
    let mut number = 0;
    loop {
        line.clear();
        if from.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        number += 1;
        // Only at the end: what is wrong with a line is told by its column.
        let bytes = line.trim_ascii_end();
        let bytes = if number == 1 { without_mark(bytes) } else { bytes };
        if !bytes.is_empty() {
            take(Text { file: name, line: Some(number), bytes });
        }
    }
}

/// `bytes` without the byte order mark that some editors begin a file with.
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
