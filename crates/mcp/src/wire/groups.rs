//! Process groups of live servers, so that all of them can be ended at once.
//!
//! The leader of a group is not reaped before its group leaves the registry: until then the operating
//! system cannot give its number to another process, so a signal reaches no unrelated one.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

static LIVE: Mutex<BTreeSet<u32>> = Mutex::new(BTreeSet::new());

/// Ends every process that any connection of this process has started, with all their children.
///
/// For the end of the program by a signal or a panic, when no destructor runs: connections whose
/// servers are ended this way report them as crashed. It takes a lock and does not wait, so it may be
/// called from a panic hook, but not from a signal handler itself.
///
/// ```
/// foolproof_mcp::wire::end_all();
/// ```
pub fn end_all() {
    for leader in LIVE.lock().unwrap_or_else(PoisonError::into_inner).iter() {
        signal(*leader, GroupSignal::Kill);
    }
}

/// The signals that end a group.
#[derive(Clone, Copy)]
pub(super) enum GroupSignal {
    /// `SIGTERM`, which lets a process clean up.
    Terminate,
    /// `SIGKILL`.
    Kill,
}

/// The group of a process that has not been reaped. It is killed when this is dropped.
pub(super) struct Group {
    leader: u32,
}

impl Group {
    pub(super) fn register(leader: u32) -> Self {
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(leader);
        Self { leader }
    }

    pub(super) fn signal(&self, kind: GroupSignal) {
        signal(self.leader, kind);
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        signal(self.leader, GroupSignal::Kill);
        live.remove(&self.leader);
    }
}

/// Sends a signal to a group. A group that has ended is no error.
#[cfg(unix)]
fn signal(leader: u32, kind: GroupSignal) {
    use rustix::process::{Pid, Signal, kill_process_group};

    let signal = match kind {
        GroupSignal::Terminate => Signal::TERM,
        GroupSignal::Kill => Signal::KILL,
    };
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(leader, signal);
    }
}

/// Without process groups, only the child itself is ended, by its handle.
#[cfg(not(unix))]
fn signal(_leader: u32, _kind: GroupSignal) {}
