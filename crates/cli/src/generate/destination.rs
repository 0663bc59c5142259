//! Where instances go: standard output, or a file that appears only once it is complete.

use std::{io::Write, path::Path};

use crate::{failure::Failure, file::OutFile, output::Output};

/// What the instances are written to.
pub(super) enum Destination<'a> {
    /// Standard output.
    Stdout(&'a mut Output),
    /// The file of `--out`.
    File(OutFile<'a>),
}

/// What an interrupted run has written.
#[derive(Clone, Copy)]
pub(super) enum Kept<'a> {
    /// Everything that was generated.
    Written,
    /// Nothing: the file at this path did not change.
    Nothing(&'a Path),
}

impl<'a> Destination<'a> {
    pub(super) fn open(path: Option<&'a Path>, output: &'a mut Output) -> Result<Self, Failure> {
        path.map_or(Ok(Self::Stdout(output)), |path| OutFile::open(path).map(Self::File))
    }

    /// Flushes the buffer, and gives a file its final name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::File(file) => file.finish(),
        }
    }

    /// Ends an interrupted run: a regular file is discarded, other output stays.
    pub(super) fn interrupt(self) -> Result<Kept<'a>, Failure> {
        match self {
            Self::File(OutFile::Pending(pending)) => Ok(Kept::Nothing(pending.named())),
            Self::File(OutFile::Special { .. }) | Self::Stdout(_) => {
                self.finish().map(|()| Kept::Written)
            }
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.write_all(bytes)?),
            Self::File(file) => file.write(bytes),
        }
    }

    /// Flushes standard output, since a reader may be waiting.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::File(_) => Ok(()),
        }
    }
}
