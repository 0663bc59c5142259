//! Processes that take a moment to end. They are awaited by threads of their own, so that many of them end side by side.

use std::{
    process::Child,
    sync::{Arc, Mutex, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use foolproof_live::SessionFolder;

/// How long a process is awaited. What ends it, does so in less.
const PATIENCE: Duration = Duration::from_secs(6);

/// How often a process is looked at.
const INTERVAL: Duration = Duration::from_millis(2);

static ENDING: Mutex<Vec<JoinHandle<()>>> = Mutex::new(Vec::new());

/// Waits for the end of a process that is being ended, and then gives up its folder.
pub(super) fn hand_over(mut child: Child, folder: Arc<SessionFolder>) {
    let waiting = thread::spawn(move || {
        let end = Instant::now() + PATIENCE;
        while matches!(child.try_wait(), Ok(None)) && Instant::now() < end {
            thread::sleep(INTERVAL);
        }
        drop(folder);
    });
    let mut ending = ENDING.lock().unwrap_or_else(PoisonError::into_inner);
    ending.retain(|thread| !thread.is_finished());
    ending.push(waiting);
}

/// Waits until the processes of connections that are closed have ended, and their folders are removed.
///
/// Closing a connection does not wait for a server that resists. For the end of a program.
pub fn await_ends() {
    let ending = std::mem::take(&mut *ENDING.lock().unwrap_or_else(PoisonError::into_inner));
    for thread in ending {
        // A thread that panicked waits for nothing.
        let _ = thread.join();
    }
}
