//! Signals during a run: the first one cancels it, the second one ends the process.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{consts::SIGINT, flag};

use crate::{
    exit::{Exit, INTERRUPT, interrupted},
    signals,
};

/// Whether the run is to end early.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles Ctrl-C, `SIGTERM` and `SIGHUP` from here on, for the rest of the process.
    pub(super) fn register() -> io::Result<Self> {
        let wanted = Arc::new(AtomicBool::new(false));
        if !signals::cancel_first(&wanted) {
            // A signal runs the registered actions in order: at the first one the flag is not set yet when
            // the shutdown is considered, at the second one it is.
            let status = interrupted(INTERRUPT).into();
            flag::register_conditional_shutdown(SIGINT, status, Arc::clone(&wanted))?;
            flag::register(SIGINT, Arc::clone(&wanted))?;
        }
        Ok(Self(wanted))
    }

    /// Set once a signal has come.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.0
    }

    /// How a run ends that was cancelled.
    pub(super) fn exit() -> Exit {
        Exit::Interrupted(signals::received())
    }
}
