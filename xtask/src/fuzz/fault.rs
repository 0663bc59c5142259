//! What can be wrong with a run, and where it is kept.

use std::{
    fmt, fs, io,
    path::{Path, PathBuf},
};

use super::run::Subject;

/// What is wrong with a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    /// It was ended by a signal: an abort, a stack overflow, no memory.
    Signal(i32),
    /// It panicked.
    Panic,
    /// It did not end in time.
    TooSlow,
    /// It ended with a code that the manual does not have.
    ExitCode(i32),
    /// It emitted what the schema does not accept.
    Invalid,
    /// The same command gave something else the second time.
    Differs,
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Signal(signal) => write!(formatter, "signal-{signal}"),
            Self::Panic => formatter.write_str("panic"),
            Self::TooSlow => formatter.write_str("too-slow"),
            Self::ExitCode(code) => write!(formatter, "exit-code-{code}"),
            Self::Invalid => formatter.write_str("invalid-instance"),
            Self::Differs => formatter.write_str("differs"),
        }
    }
}

/// A mutant on which a command did something wrong.
pub(super) struct Fault {
    pub(super) index: u64,
    pub(super) subject: Subject,
    pub(super) kind: Kind,
    pub(super) mutant: Vec<u8>,
    /// The smallest contract with the same kind of fault that was found.
    pub(super) minimal: Vec<u8>,
    pub(super) stderr: Vec<u8>,
}

impl Fault {
    /// Writes it to a folder of its own below `folder`.
    pub(super) fn save(&self, folder: &Path, command_line: &str) -> io::Result<PathBuf> {
        let Self { index, subject, kind, .. } = self;
        let folder = folder.join(format!("{index}-{}-{kind}", subject.name()));
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("contract.json"), &self.mutant)?;
        fs::write(folder.join("minimal.json"), &self.minimal)?;
        fs::write(folder.join("command"), command_line)?;
        fs::write(folder.join("stderr"), &self.stderr)?;
        Ok(folder)
    }
}
