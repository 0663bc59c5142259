//! The exit codes. `docs/exit-codes.md` has the table.

use std::process::ExitCode;

/// The number of the signal that Ctrl-C sends.
pub(crate) const INTERRUPT: u8 = 2;

/// The code of a run that a signal ended: 128 plus the number of the signal, as in shells.
pub(crate) const fn interrupted(signal: u8) -> u8 {
    128 + signal
}

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// The command did its work, and no check failed.
    Success,
    /// A check failed: a comparison regressed, or data is invalid.
    CheckFailed,
    /// Bad usage or bad input: unreadable, not JSON, not a schema.
    BadInput,
    /// Coverage is below the minimum.
    BelowMinimum,
    /// The contract admits no value, or fewer instances than requested could be generated.
    Unsatisfiable,
    /// The system under test could not be started or reached.
    NotStarted,
    /// The server that is built in ended by a bug that was switched on.
    Crashed,
    /// The time was over before every rule could be judged, and nothing failed.
    NotJudged,
    /// A signal with this number ended it, such as that of Ctrl-C.
    Interrupted(u8),
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(match exit {
            Exit::Success => 0,
            Exit::CheckFailed => 1,
            Exit::BadInput => 2,
            Exit::BelowMinimum => 3,
            Exit::Unsatisfiable => 4,
            Exit::NotStarted => 5,
            Exit::Crashed => foolproof_mcp::example_server::ExampleServer::CRASH_STATUS,
            Exit::NotJudged => 6,
            Exit::Interrupted(signal) => interrupted(signal),
        })
    }
}
