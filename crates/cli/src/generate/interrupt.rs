//! Ctrl-C: the first asks for an orderly end, the second ends the process.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use signal_hook::{consts::SIGINT, flag};

use crate::exit::INTERRUPTED;

/// Whether the user has asked for an end.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Handles Ctrl-C from here on, for the rest of the process.
    pub(super) fn register() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        // Signals run what is registered in order: the first finds the flag down and raises it, the
        // second finds it raised.
        flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(&asked))?;
        flag::register(SIGINT, Arc::clone(&asked))?;
        Ok(Self(asked))
    }

    /// Set once the user has asked for an end.
    pub(super) fn flag(&self) -> &AtomicBool {
        &self.0
    }
}
