//! Where instances go: standard output, or a file that appears only once it is complete.

use std::{
    io::{self, Write},
    path::Path,
};

use crate::{
    failure::Failure,
    file::OutFile,
    output::{Output, is_closed},
};

/// What the instances are written to.
pub(super) enum Destination<'a> {
    /// Standard output.
    Stdout { output: &'a mut Output, reader: Reader },
    /// The file of `--out`.
    File(OutFile<'a>),
}

/// Who reads standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reader {
    /// The only one who needs the run: it may end when the reader closes the pipe.
    Only,
    /// One of several: the run has a report or metrics too, and goes on without the reader.
    OneOfSeveral,
    /// Nobody any more: what is written is discarded.
    Gone,
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
    pub(super) fn open(
        path: Option<&'a Path>,
        output: &'a mut Output,
        reader: Reader,
    ) -> Result<Self, Failure> {
        match path {
            None => Ok(Self::Stdout { output, reader }),
            Some(path) => OutFile::open(path).map(Self::File),
        }
    }

    /// Flushes the buffer, and gives a file its final name.
    pub(super) fn finish(mut self) -> Result<Finish, Failure> {
        self.flush()?;
        match self {
            Self::Stdout { reader: Reader::Gone, .. } => Ok(Finish::WithoutReader),
            Self::Stdout { .. } => Ok(Finish::Written),
            Self::File(file) => file.finish().map(|()| Finish::Written),
        }
    }

    /// Ends an interrupted run: a regular file is discarded, other output stays.
    pub(super) fn interrupt(self) -> Result<Kept<'a>, Failure> {
        match self {
            Self::File(OutFile::Pending(pending)) => Ok(Kept::Nothing(pending.named())),
            Self::File(OutFile::Special { .. }) | Self::Stdout { .. } => {
                self.finish().map(|_| Kept::Written)
            }
        }
    }

    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout { output, reader } => reader.write(|| output.write_all(bytes)),
            Self::File(file) => file.write(bytes),
        }
    }

    /// Flushes standard output, since a reader may be waiting.
    pub(super) fn flush(&mut self) -> Result<(), Failure> {
        match self {
            Self::Stdout { output, reader } => reader.write(|| output.flush()),
            Self::File(_) => Ok(()),
        }
    }
}

impl Reader {
    /// Writes, as long as somebody reads.
    fn write(&mut self, write: impl FnOnce() -> io::Result<()>) -> Result<(), Failure> {
        if *self == Self::Gone {
            return Ok(());
        }
        match write() {
            Err(error) if *self == Self::OneOfSeveral && is_closed(&error) => {
                *self = Self::Gone;
                Ok(())
            }
            written => Ok(written?),
        }
    }
}

/// What became of the instances of a complete run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Finish {
    /// All of them are written.
    Written,
    /// The reader of standard output closed it before the last one.
    WithoutReader,
}
