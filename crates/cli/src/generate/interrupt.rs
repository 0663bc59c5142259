//! Ctrl-C: the first one cancels the run, the second one ends the process.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{consts::SIGINT, flag};

use crate::exit::{INTERRUPT, interrupted};

/// Whether the user has pressed Ctrl-C.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles Ctrl-C from here on, for the rest of the process.
    pub(super) fn register() -> io::Result<Self> {
        let pressed = Arc::new(AtomicBool::new(false));
        // A signal runs the registered actions in order: at the first one the flag is not set yet when
        // the shutdown is considered, at the second one it is.
        flag::register_conditional_shutdown(
            SIGINT,
            interrupted(INTERRUPT).into(),
            Arc::clone(&pressed),
        )?;
        flag::register(SIGINT, Arc::clone(&pressed))?;
        Ok(Self(pressed))
    }

    /// Set once the user has pressed Ctrl-C.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.0
    }
}
