//! The restriction itself, of the calling thread and all that it starts: Landlock rules, a filter of system calls for what those
//! have no rules for, and no rights of an administrator.

use std::{
    io,
    path::{Path, PathBuf},
};

use landlock::{
    ABI, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, PathBeneath, PathFd, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, Scope,
};
use rustix::thread::{CapabilitySet, CapabilitySets, capabilities, set_capabilities};

#[cfg(all(target_endian = "little", target_pointer_width = "64"))]
use super::system_calls;
use crate::isolation::{Network, Sandbox};

/// The newest ABI whose rules are used. Newer ones restrict what the documentation says is open.
const NEWEST: ABI = ABI::V7;

/// Devices that hold nothing: programs write to them as a matter of course. Terminals are not among them, since what is written to
/// one may control it, or be typed into the shell of the user.
const DEVICES: [&str; 5] = ["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// What a process of the superuser keeps of its capabilities: those for its own files and users. Others change the machine, such
/// as devices and limits of other processes.
const KEPT: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER)
    .union(CapabilitySet::FSETID)
    .union(CapabilitySet::KILL)
    .union(CapabilitySet::SETGID)
    .union(CapabilitySet::SETUID)
    .union(CapabilitySet::SETPCAP)
    .union(CapabilitySet::NET_BIND_SERVICE)
    .union(CapabilitySet::SYS_CHROOT);

/// Restricts the calling thread, or says why it cannot be.
pub(super) fn restrict(sandbox: &Sandbox) -> Result<(), String> {
    drop_capabilities().map_err(|error| format!("capabilities cannot be given up: {error}"))?;
    // A device that is made is a way to whatever it stands for.
    let (handled, devices) =
        (AccessFs::from_write(NEWEST), AccessFs::MakeBlock | AccessFs::MakeChar);
    let writes = handled & !devices;
    let restricted = || -> Result<_, landlock::RulesetError> {
        // Without these there is no protection; the others are as the kernel has them.
        let mut rules = Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        rules = rules.handle_access(AccessFs::from_write(ABI::V3))?;
        if sandbox.network == Network::NoTcp {
            rules = rules.handle_access(AccessNet::BindTcp | AccessNet::ConnectTcp)?;
        }
        rules = rules.set_compatibility(CompatLevel::BestEffort);
        rules = rules.handle_access(handled)?.scope(Scope::Signal)?;
        if sandbox.network == Network::NoTcp {
            rules = rules.scope(Scope::AbstractUnixSocket)?;
        }
        let mut rules = rules.create()?;
        for path in DEVICES.iter().map(PathBuf::from).chain(outermost(&sandbox.writable)) {
            let Ok(opened) = PathFd::new(&path) else { continue };
            rules = rules.add_rule(PathBeneath::new(opened, rights(&path, writes)))?;
        }
        rules.restrict_self()
    };
    restricted().map_err(|error| format!("the sandbox cannot be set up: {error}"))?;
    #[cfg(all(target_endian = "little", target_pointer_width = "64"))]
    system_calls::filter();
    Ok(())
}

/// Paths that are not inside of others. One that is might have been replaced by a link, since what is around it may be written.
fn outermost(paths: &[PathBuf]) -> impl Iterator<Item = PathBuf> {
    let is_outermost =
        |path: &&PathBuf| !paths.iter().any(|other| *path != other && path.starts_with(other));
    paths.iter().filter(is_outermost).cloned()
}

/// Gives up what [`KEPT`] does not have, for good: programs that are started get no more than the thread has, since Landlock asks
/// for `no_new_privs`.
fn drop_capabilities() -> io::Result<()> {
    let own = capabilities(None)?;
    if KEPT.contains(own.permitted) {
        return Ok(());
    }
    let kept = CapabilitySets {
        effective: own.effective & KEPT,
        permitted: own.permitted & KEPT,
        inheritable: own.inheritable & KEPT,
    };
    Ok(set_capabilities(None, kept)?)
}

/// The rights for a path: a file has only some of them.
fn rights(path: &Path, writes: BitFlags<AccessFs>) -> BitFlags<AccessFs> {
    if path.is_dir() { writes } else { writes & AccessFs::from_file(NEWEST) }
}
