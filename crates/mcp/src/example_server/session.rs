//! The state that the requests of one client share: over a pipe one for each connection, over HTTP
//! one for each session of the handshake era and one for all stateless requests.

use std::sync::{
    Mutex, MutexGuard, PoisonError,
    atomic::{AtomicBool, Ordering},
};

use super::store::Store;

/// The state of one client.
#[derive(Debug)]
pub(super) struct Session {
    store: Mutex<Store>,
    initialized: AtomicBool,
    frozen: AtomicBool,
}

impl Session {
    pub(super) fn new(seed: u64) -> Self {
        Self {
            store: Mutex::new(Store::new(seed)),
            initialized: AtomicBool::new(false),
            frozen: AtomicBool::new(false),
        }
    }

    /// The tasks, for one call.
    pub(super) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether `initialize` was answered.
    pub(super) fn is_initialized(&self) -> bool {
        self.initialized.load(Ordering::SeqCst)
    }

    /// Records that `initialize` was answered; returns whether it already was.
    pub(super) fn initialize(&self) -> bool {
        self.initialized.swap(true, Ordering::SeqCst)
    }

    /// Whether nothing is answered any more.
    pub(super) fn is_frozen(&self) -> bool {
        self.frozen.load(Ordering::SeqCst)
    }

    /// Records that nothing is answered any more.
    pub(super) fn freeze(&self) {
        self.frozen.store(true, Ordering::SeqCst);
    }
}
