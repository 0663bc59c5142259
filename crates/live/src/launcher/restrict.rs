//! The restriction itself: Landlock rules for the calling thread and all that it starts.

use std::path::{Path, PathBuf};

use landlock::{
    ABI, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, Scope,
};

use crate::isolation::{Network, Sandbox};

/// The newest ABI whose rules are used. Newer ones restrict what the documentation says is open.
const NEWEST: ABI = ABI::V7;

/// Devices that hold nothing, and terminals: programs write to them as a matter of course.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts",
];

/// Restricts the calling thread, or says why it cannot be.
pub(super) fn restrict(sandbox: &Sandbox) -> Result<(), String> {
    let writes = AccessFs::from_write(NEWEST);
    let restricted = || -> Result<_, landlock::RulesetError> {
        // Without these there is no protection; the others are as the kernel has them.
        let mut rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules = rules.handle_access(AccessFs::from_write(ABI::V3))?;
        if sandbox.network == Network::NoTcp {
            rules = rules.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
        }
        rules = rules.set_compatibility(CompatLevel::BestEffort);
        rules = rules.handle_access(writes)?.scope(Scope::Signal)?;
        if sandbox.network == Network::NoTcp {
            rules = rules.scope(Scope::AbstractUnixSocket)?;
        }
        let mut rules = rules.create()?;
        for path in DEVICES.iter().map(PathBuf::from).chain(sandbox.writable.clone()) {
            let Ok(opened) = PathFd::new(&path) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, rights(&path, writes)))?;
        }
        rules.restrict_self()
    };
    restricted().map(drop).map_err(|error| format!("the sandbox cannot be set up: {error}"))
}

/// The rights for a path: a file has only some of them.
fn rights(path: &Path, writes: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() { writes } else { writes & AccessFs::from_file(NEWEST) }
}
