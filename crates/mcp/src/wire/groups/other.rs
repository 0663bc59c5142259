//! Systems without groups of processes: only the process itself is ended, by its handle.

use std::process::{Child, Command};

use super::{GroupSignal, Supervision};
use crate::wire::outcome::ExitStatus;

pub(in crate::wire) fn isolate(_command: &mut Command) {}

pub(super) struct Members;

impl Members {
    pub(super) fn of(_leader: &Child, _supervision: Supervision) -> Self {
        Self
    }

    pub(super) fn signal(&mut self, _kind: GroupSignal) {}
}

/// How a process ended.
pub(in crate::wire) fn exit_status(child: &mut Child, _is_group_live: bool) -> Option<ExitStatus> {
    let status = child.try_wait().ok()??;
    Some(ExitStatus { code: status.code(), signal: None })
}
