//! Where instances go: standard output, or a file that appears only once it is complete.

use std::{
    fs::{self, File},
    io::{self, BufWriter, Write},
    path::{Path, PathBuf},
};

use crate::{args::FormatArg, failure::Failure, output::Output};

/// What the instances are written to.
pub(super) enum Target<'a> {
    /// A reader who may be waiting.
    Stdout(&'a mut Output),
    /// A regular file, or one that is not there yet.
    File(Pending<'a>),
    /// Something else that has a path, such as `/dev/null` or a named pipe: it cannot be replaced.
    Special { path: &'a Path, file: BufWriter<File> },
}

/// What an interrupted run leaves behind.
#[derive(Clone, Copy)]
pub(super) enum Kept<'a> {
    /// Everything that was made.
    Written,
    /// The file of this name is as it was.
    Nothing(&'a Path),
}

impl<'a> Target<'a> {
    pub(super) fn open(path: Option<&'a Path>, output: &'a mut Output) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self::Stdout(output)) };
        let fail = |error| Failure::File { path: path.to_owned(), error };
        match fs::metadata(path) {
            Ok(found) if found.is_dir() => Err(fail(io::ErrorKind::IsADirectory.into())),
            Ok(found) if !found.is_file() => {
                let file = File::options().write(true).open(path).map_err(fail)?;
                Ok(Self::Special { path, file: BufWriter::new(file) })
            }
            Ok(_) | Err(_) => Ok(Self::File(Pending::create(path).map_err(fail)?)),
        }
    }

    /// Writes what is still on its way; a file gets its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::Special { path, mut file } => {
                file.flush().map_err(|error| Failure::File { path: path.to_owned(), error })
            }
            Self::File(pending) => {
                let named = pending.named;
                pending.finish().map_err(|error| Failure::File { path: named.to_owned(), error })
            }
        }
    }

    /// Ends an interrupted run.
    pub(super) fn keep_what_cannot_be_undone(self) -> Result<Kept<'a>, Failure> {
        match self {
            Self::File(pending) => Ok(Kept::Nothing(pending.named)),
            Self::Stdout(_) | Self::Special { .. } => self.finish().map(|()| Kept::Written),
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        let (path, written) = match self {
            Self::Stdout(output) => return Ok(output.write_all(bytes)?),
            Self::Special { path, file } => (*path, file.write_all(bytes)),
            Self::File(pending) => (pending.named, pending.file.write_all(bytes)),
        };
        written.map_err(|error| Failure::File { path: path.to_owned(), error })
    }

    /// Shows a waiting reader what there is.
    fn show(&mut self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::Special { .. } | Self::File(_) => Ok(()),
        }
    }
}

/// A file under another name until it is complete. Dropped before that, it is removed.
pub(super) struct Pending<'a> {
    /// The path as the user wrote it.
    named: &'a Path,
    /// The file it stands for: a link stays a link.
    path: PathBuf,
    partial: PathBuf,
    file: BufWriter<File>,
}

impl<'a> Pending<'a> {
    fn create(named: &'a Path) -> io::Result<Self> {
        let path = fs::canonicalize(named).unwrap_or_else(|_| named.to_owned());
        let mut name = path.file_name().ok_or(io::ErrorKind::InvalidFilename)?.to_owned();
        name.push(format!(".{}.partial", std::process::id()));
        let partial = path.with_file_name(name);
        let file = BufWriter::new(File::create(&partial)?);
        Ok(Self { named, path, partial, file })
    }

    fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        let file = self.file.get_ref();
        if let Ok(replaced) = fs::metadata(&self.path) {
            file.set_permissions(replaced.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&self.partial, &self.path)
    }
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        // After a rename it is not there; and that the rest of a failed run stays changes nothing.
        let _ = fs::remove_file(&self.partial);
    }
}

/// Puts batches together: lines as they are, or as the members of an array.
pub(super) struct Writer<'t, 'a> {
    format: FormatArg,
    target: &'t mut Target<'a>,
    is_empty: bool,
}

impl<'t, 'a> Writer<'t, 'a> {
    pub(super) fn new(format: FormatArg, target: &'t mut Target<'a>) -> Self {
        Self { format, target, is_empty: true }
    }

    /// Writes the text of a batch.
    pub(super) fn put(&mut self, text: &[u8]) -> Result<(), Failure> {
        if text.is_empty() {
            return Ok(());
        }
        match (self.format, self.is_empty) {
            (FormatArg::Jsonl, _) => {}
            (FormatArg::Json, true) => self.target.write(b"[\n")?,
            (FormatArg::Json, false) => self.target.write(b",\n")?,
        }
        self.is_empty = false;
        self.target.write(text)?;
        self.target.show()
    }

    /// Closes the array.
    pub(super) fn end(self) -> Result<(), Failure> {
        match (self.format, self.is_empty) {
            (FormatArg::Jsonl, _) => Ok(()),
            (FormatArg::Json, true) => self.target.write(b"[]\n"),
            (FormatArg::Json, false) => self.target.write(b"\n]\n"),
        }
    }
}
