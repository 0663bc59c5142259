//! Process groups and signals.

use std::{
    os::unix::process::{CommandExt as _, ExitStatusExt as _},
    process::{Child, Command},
};

use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid,
};

use super::{GroupSignal, Supervision};
use crate::wire::outcome::ExitStatus;

/// Gives the process of `command` a group of its own.
pub(in crate::wire) fn isolate(command: &mut Command) {
    command.process_group(0);
}

/// The process group of a leader, or a launcher.
pub(super) struct Members {
    leader: Option<Pid>,
    supervision: Supervision,
}

impl Members {
    pub(super) fn of(leader: &Child, supervision: Supervision) -> Self {
        Self { leader: pid(leader), supervision }
    }

    /// Sends a signal to the group. A group that has ended is no error.
    pub(super) fn signal(&mut self, kind: GroupSignal) {
        let Some(leader) = self.leader else { return };
        let _ = match (self.supervision, kind) {
            // What `launcher` in `foolproof-live` understands: a launcher that is killed cannot end anything.
            // A command that is not restricted may have stopped its launcher.
            (Supervision::Launcher, GroupSignal::Kill) => {
                kill_process(leader, Signal::INT).and_then(|()| kill_process(leader, Signal::CONT))
            }
            (Supervision::Launcher, GroupSignal::Terminate) => kill_process(leader, Signal::TERM),
            (Supervision::None, GroupSignal::Kill) => kill_process_group(leader, Signal::KILL),
            (Supervision::None, GroupSignal::Terminate) => kill_process_group(leader, Signal::TERM),
        };
    }
}

/// How a process ended. While its group is registered it is not reaped.
pub(in crate::wire) fn exit_status(child: &mut Child, is_group_live: bool) -> Option<ExitStatus> {
    if !is_group_live {
        let status = child.try_wait().ok()??;
        return Some(ExitStatus { code: status.code(), signal: status.signal() });
    }
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    let status = waitid(WaitId::Pid(pid(child)?), options).ok()??;
    Some(ExitStatus { code: status.exit_status(), signal: status.terminating_signal() })
}

fn pid(child: &Child) -> Option<Pid> {
    i32::try_from(child.id()).ok().and_then(Pid::from_raw)
}
