//! What the exit code says. The table stands in `docs/exit-codes.md`.

use std::process::ExitCode;

/// The code of a run that Ctrl-C ended: 128 and the number of the signal, as shells have it.
pub(crate) const INTERRUPTED: u8 = 130;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exit {
    /// Everything is fine.
    Success,
    /// A check failed: a comparison regressed, or `--strict` met invalid data.
    CheckFailed,
    /// Bad usage or bad input: unreadable, not JSON, not a schema.
    BadInput,
    /// Coverage is below the minimum.
    BelowMinimum,
    /// The contract admits no value, or fewer than asked for could be made.
    Unsatisfiable,
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
            Exit::Interrupted => INTERRUPTED,
        })
    }
}
