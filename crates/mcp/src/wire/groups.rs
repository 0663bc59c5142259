//! Process groups of live servers, so that all of them can be ended at once.
//!
//! These are by hand and not those of the crate `process-wrap`: it reaps the leader when it asks whether the group has
//! ended, so a signal after that may reach an unrelated process, and it finds no descendant that has left the group. A
//! process that a launcher supervises needs no group: the launcher ends its descendants when it is asked to.
//!
//! What differs between systems is in [`system`]: process groups and signals on Unix, job objects on Windows. On Unix the
//! leader of a group is not reaped before its group leaves the registry: until then the operating system cannot give
//! its number to another process, so a signal reaches no unrelated one.

use std::{
    collections::BTreeMap,
    process::Child,
    sync::{Mutex, PoisonError},
};

#[cfg(not(any(unix, windows)))]
#[path = "groups/other.rs"]
mod system;
#[cfg(unix)]
#[path = "groups/unix.rs"]
mod system;
#[cfg(windows)]
#[path = "groups/windows.rs"]
mod system;

use system::Members;
pub(super) use system::{exit_status, isolate};

static LIVE: Mutex<BTreeMap<u32, Members>> = Mutex::new(BTreeMap::new());

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
    for members in LIVE.lock().unwrap_or_else(PoisonError::into_inner).values_mut() {
        members.signal(GroupSignal::Kill);
    }
}

/// How a group is ended.
#[derive(Clone, Copy)]
pub(super) enum GroupSignal {
    /// `SIGTERM`, which lets a process clean up. Windows has no such signal.
    Terminate,
    /// At once.
    Kill,
}

/// Who ends the descendants of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Supervision {
    /// Nobody but this registry.
    None,
    /// The process is a launcher, which does it when it is asked to.
    Launcher,
}

/// The group of a process that has not been reaped. It is killed when this is dropped.
pub(super) struct Group {
    leader: u32,
}

impl Group {
    pub(super) fn register(leader: &Child, supervision: Supervision) -> Self {
        let members = Members::of(leader, supervision);
        let leader = leader.id();
        LIVE.lock().unwrap_or_else(PoisonError::into_inner).insert(leader, members);
        Self { leader }
    }

    pub(super) fn signal(&self, kind: GroupSignal) {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(members) = live.get_mut(&self.leader) {
            members.signal(kind);
        }
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        let mut live = LIVE.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mut members) = live.remove(&self.leader) {
            members.signal(GroupSignal::Kill);
        }
    }
}
