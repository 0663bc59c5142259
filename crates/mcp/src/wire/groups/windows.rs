//! Job objects: a process and what it starts belong to a job, which ends all of them when it is closed.
//!
//! A process joins its job right after it was started. What it starts in the instant before that does not belong to
//! the job.

use std::{
    os::windows::{io::AsRawHandle as _, process::CommandExt as _},
    process::{Child, Command},
};

use win32job::{ExtendedLimitInfo, Job};

use super::{GroupSignal, Supervision};
use crate::wire::outcome::ExitStatus;

/// `CREATE_NEW_PROCESS_GROUP`: Ctrl-C in the terminal reaches this program only, which ends its servers itself.
const NEW_PROCESS_GROUP: u32 = 0x0000_0200;

/// Keeps the process of `command` from the signals of the terminal.
pub(in crate::wire) fn isolate(command: &mut Command) {
    command.creation_flags(NEW_PROCESS_GROUP);
}

/// The job of a process; `None` once it is closed, or if the system refuses one.
pub(super) struct Members(Option<Job>);

impl Members {
    pub(super) fn of(leader: &Child, _supervision: Supervision) -> Self {
        let mut limits = ExtendedLimitInfo::new();
        limits.limit_kill_on_job_close();
        let job = Job::create_with_limit_info(&limits).ok();
        // A handle is a pointer that is used as a number here.
        let handle = leader.as_raw_handle() as isize;
        Self(job.filter(|job| job.assign_process(handle).is_ok()))
    }

    /// Closes the job, which ends its processes. They cannot be asked to end.
    pub(super) fn signal(&mut self, kind: GroupSignal) {
        match kind {
            GroupSignal::Terminate => {}
            GroupSignal::Kill => self.0 = None,
        }
    }
}

/// How a process ended.
pub(in crate::wire) fn exit_status(child: &mut Child, _is_group_live: bool) -> Option<ExitStatus> {
    let status = child.try_wait().ok()??;
    Some(ExitStatus { code: status.code(), signal: None })
}
