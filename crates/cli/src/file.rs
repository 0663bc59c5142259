//! Output files that appear only once they are complete.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::Path,
};

use crate::{
    failure::Failure,
    output::check_open,
    outputs::{self, Sink},
};

mod partial;

use partial::Partial;
pub(crate) use partial::remove_all as remove_partial_files;

/// An output file.
pub(crate) enum OutFile<'a> {
    /// A regular file, or one that does not exist yet.
    Pending(Pending<'a>),
    /// Something else that has a path, such as `/dev/null` or a named pipe: it cannot be replaced.
    Special { path: &'a Path, file: BufWriter<File> },
}

/// Writes `bytes` to `path` as a whole.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), Failure> {
    let mut file = OutFile::open(path)?;
    file.write(bytes)?;
    file.finish()
}

/// Fails if `sink` cannot be written, so that this is known before a long run. An existing file does
/// not change.
pub(crate) fn probe_sink(sink: Sink<'_>) -> Result<(), Failure> {
    match sink {
        Sink::Stdout => Ok(check_open()?),
        Sink::File(path) => probe(path),
    }
}

/// The same for a file.
pub(crate) fn probe(path: &Path) -> Result<(), Failure> {
    // A pipe must not be opened twice: its reader would see the end of file after the first time.
    match fs::metadata(path) {
        Ok(found) if !found.is_file() && !found.is_dir() => Ok(()),
        Ok(_) | Err(_) => OutFile::open(path).map(drop),
    }
}

impl<'a> OutFile<'a> {
    pub(crate) fn open(path: &'a Path) -> Result<Self, Failure> {
        let fail = |error| Failure::File { path: path.to_owned(), error };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(path).map_err(fail)?;
                Ok(Self::Special { path, file: BufWriter::new(file) })
            }
            Ok(_) | Err(_) => Ok(Self::Pending(Pending::create(path).map_err(fail)?)),
        }
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let (path, written) = match self {
            Self::Special { path, file } => (*path, file.write_all(bytes)),
            Self::Pending(pending) => (pending.named, pending.partial.writer().write_all(bytes)),
        };
        written.map_err(|error| Failure::File { path: path.to_owned(), error })
    }

    /// Flushes the buffer, and renames a pending file to its final name.
    pub(crate) fn finish(self) -> Result<(), Failure> {
        let (path, finished) = match self {
            Self::Special { path, mut file } => (path, file.flush()),
            Self::Pending(pending) => (pending.named, pending.partial.finish()),
        };
        finished.map_err(|error| Failure::File { path: path.to_owned(), error })
    }
}

/// A file that has a temporary name until it is complete. If it is dropped before that, it is removed.
pub(crate) struct Pending<'a> {
    /// The path as the user wrote it.
    named: &'a Path,
    partial: Partial,
}

impl<'a> Pending<'a> {
    /// The path as the user wrote it.
    pub(crate) fn named(&self) -> &'a Path {
        self.named
    }

    fn create(named: &'a Path) -> io::Result<Self> {
        // With links resolved, so that the target of a link is replaced and not the link.
        let path =
            fs::canonicalize(named).unwrap_or_else(|_| outputs::without_dangling_links(named));
        Ok(Self { named, partial: Partial::create(path)? })
    }
}
