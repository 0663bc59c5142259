//! A filter for the few system calls that reach beyond a sandbox and that Landlock has no rules for.
//!
//! It allows everything else, so that no server lacks what it needs.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule,
};

/// Requests of `ioctl` that type into a terminal. They are the same on all processors that have filters, while their types in
/// `libc` differ.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541C;

/// Refuses these calls to the calling thread and all that it starts, as if the user had no right to them.
///
/// Processors and kernels that have no filters have the rest of the sandbox.
pub(super) fn filter() {
    let _ = program().map(|program| seccompiler::apply_filter(&program));
}

fn program() -> Result<BpfProgram, seccompiler::BackendError> {
    let argument = |index: u8, operator: SeccompCmpOp, value: u64| {
        SeccompCondition::new(index, SeccompCmpArgLen::Dword, operator, value)
            .and_then(|condition| SeccompRule::new(vec![condition]))
    };
    let rules = BTreeMap::from([
        (
            libc::SYS_ioctl,
            vec![
                argument(1, SeccompCmpOp::Eq, TIOCSTI)?,
                argument(1, SeccompCmpOp::Eq, TIOCLINUX)?,
            ],
        ),
        // The limits of other processes, such as the one that ends the server. Zero stands for the caller.
        (libc::SYS_prlimit64, vec![argument(0, SeccompCmpOp::Ne, 0)?]),
    ]);
    let refused = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        refused,
        std::env::consts::ARCH.try_into()?,
    )?;
    filter.try_into()
}
