//! Where instances go: standard output, or a file that appears only once it is complete.

use std::{io::Write, path::Path};

use crate::{args::FormatArg, failure::Failure, file::OutFile, output::Output};

/// What the instances are written to.
pub(super) enum Target<'a> {
    /// A reader who may be waiting.
    Stdout(&'a mut Output),
    /// What `--out` names.
    File(OutFile<'a>),
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
        path.map_or(Ok(Self::Stdout(output)), |path| OutFile::open(path).map(Self::File))
    }

    /// Writes what is still on its way; a file gets its name.
    pub(super) fn finish(self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::File(file) => file.finish(),
        }
    }

    /// Ends an interrupted run.
    pub(super) fn keep_what_cannot_be_undone(self) -> Result<Kept<'a>, Failure> {
        match self {
            Self::File(OutFile::Pending(pending)) => Ok(Kept::Nothing(pending.named())),
            Self::File(OutFile::Special { .. }) | Self::Stdout(_) => {
                self.finish().map(|()| Kept::Written)
            }
        }
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.write_all(bytes)?),
            Self::File(file) => file.write(bytes),
        }
    }

    /// Shows a waiting reader what there is.
    fn show(&mut self) -> Result<(), Failure> {
        match self {
            Self::Stdout(output) => Ok(output.flush()?),
            Self::File(_) => Ok(()),
        }
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
