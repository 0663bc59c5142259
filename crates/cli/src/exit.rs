//! The exit codes. `docs/exit-codes.md` has the table.

use std::process::ExitCode;

/// The code of a run that Ctrl-C ended: 128 plus the number of the signal, as in shells.
pub(crate) const INTERRUPTED: u8 = 130;

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
    /// The user has pressed Ctrl-C.
    Interrupted,
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
            Exit::Interrupted => INTERRUPTED,
        })
    }
}
