//! Standard output, buffered.

use std::io::{self, BufWriter, StdoutLock, Write};

use foolproof_contract::Untrusted;

/// Where data goes.
pub(crate) struct Output(BufWriter<StdoutLock<'static>>);

/// The same for text that people read: nothing in it controls their terminal.
pub(crate) struct TextOutput<'a>(&'a mut Output);

impl Output {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(io::stdout().lock()))
    }

    /// For text, which may contain names and answers that somebody else chose.
    pub(crate) fn text(&mut self) -> TextOutput<'_> {
        TextOutput(self)
    }
}

impl Write for TextOutput<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // What is written at a time is whole characters: `write!` writes strings.
        self.0.write_all(Untrusted::new(String::from_utf8_lossy(bytes)).multiline().as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Whether `error` says that the reader has closed the pipe: `foolproof … | head`.
pub(crate) fn is_closed(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}

/// The result of writing, where a reader that has closed the pipe is no failure.
pub(crate) fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    match written {
        Err(error) if is_closed(&error) => Ok(()),
        written => written,
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}
