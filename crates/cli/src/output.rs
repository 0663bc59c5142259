//! Standard output, buffered.
//!
//! The standard library discards what is written to a standard output that is not open, and says nothing. Here it is an
//! error.

use std::io::{self, BufWriter, StdoutLock, Write};

use foolproof_contract::Untrusted;

/// Where data goes.
pub(crate) struct Output(BufWriter<Checked>);

/// The same for text that people read: nothing in it controls their terminal.
pub(crate) struct TextOutput<'a>(&'a mut Output);

impl Output {
    pub(crate) fn new() -> Self {
        Self(BufWriter::new(Checked { stdout: io::stdout().lock(), is_open: check_open().is_ok() }))
    }

    /// For text, which may contain names and answers that somebody else chose.
    pub(crate) fn text(&mut self) -> TextOutput<'_> {
        TextOutput(self)
    }
}

/// Standard output, which fails if it is not open.
struct Checked {
    stdout: StdoutLock<'static>,
    is_open: bool,
}

impl Write for Checked {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.is_open { self.stdout.write(bytes) } else { Err(closed()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.stdout.flush()
    }
}

/// Fails if nothing can be written to standard output.
#[cfg(unix)]
pub(crate) fn check_open() -> io::Result<()> {
    use rustix::{
        fs::{OFlags, fcntl_getfl},
        stdio::stdout,
    };
    let mode = fcntl_getfl(stdout()).map_err(|_| closed())? & OFlags::RWMODE;
    if mode == OFlags::RDONLY { Err(closed()) } else { Ok(()) }
}

#[cfg(windows)]
pub(crate) fn check_open() -> io::Result<()> {
    use std::os::windows::io::AsRawHandle as _;
    if io::stdout().as_raw_handle().is_null() { Err(closed()) } else { Ok(()) }
}

#[cfg(not(any(unix, windows)))]
pub(crate) fn check_open() -> io::Result<()> {
    Ok(())
}

fn closed() -> io::Error {
    let message =
        "standard output is not open; redirect it to a file, or to /dev/null to discard it";
    io::Error::other(message)
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
