//! Ctrl-C: the first asks for an orderly end, the second ends the process.

use std::{
    io,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use signal_hook::{consts::SIGINT, flag};

use crate::exit::INTERRUPTED;

/// Whether the user has asked for an end.
pub(super) struct Interrupt(Arc<AtomicBool>);

impl Interrupt {
    /// Takes Ctrl-C over from the system, for the rest of the process.
    pub(super) fn watch() -> io::Result<Self> {
        let asked = Arc::new(AtomicBool::new(false));
        // Signals run what is registered in order: the first finds the flag down and raises it, the
        // second finds it raised.
        flag::register_conditional_shutdown(SIGINT, INTERRUPTED.into(), Arc::clone(&asked))?;
        flag::register(SIGINT, Arc::clone(&asked))?;
        Ok(Self(asked))
    }

    pub(super) fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
