//! How far a system under test is kept apart from the machine it runs on.

use std::{
    env,
    ffi::OsString,
    fmt, io,
    path::{Path, PathBuf},
};

/// The first argument of a launch: what makes a program that calls [`crate::launcher::run_if_asked`] a launcher.
pub(crate) const LAUNCH: &str = "--foolproof-launch";

/// How a command is kept apart from the machine.
///
/// There is no default: who starts a stranger's program decides.
///
/// ```
/// use foolproof_live::{Isolation, Launcher, Sandbox};
///
/// let launcher = Launcher::new("/usr/local/bin/foolproof");
/// let isolation = Isolation::Sandboxed(launcher, Sandbox::default());
/// assert!(isolation.sandbox().is_some());
/// assert!(Isolation::Unconfined.sandbox().is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// Not at all. The command may do whatever its user may, and descendants that leave its process group survive it.
    Unconfined,
    /// All descendants are ended with the command; it may do whatever its user may.
    Supervised(Launcher),
    /// All descendants are ended with the command, and it may write only where the sandbox allows it.
    Sandboxed(Launcher, Sandbox),
}

impl Isolation {
    /// The program that supervises the command, if one does.
    #[must_use]
    pub fn launcher(&self) -> Option<&Launcher> {
        match self {
            Self::Unconfined => None,
            Self::Supervised(launcher) | Self::Sandboxed(launcher, _) => Some(launcher),
        }
    }

    /// What the command may do, if it is restricted.
    #[must_use]
    pub fn sandbox(&self) -> Option<&Sandbox> {
        match self {
            Self::Unconfined | Self::Supervised(_) => None,
            Self::Sandboxed(_, sandbox) => Some(sandbox),
        }
    }
}

/// A program that starts commands and supervises them.
///
/// The command `foolproof` is one. So is every program that calls [`crate::launcher::run_if_asked`] first thing in its
/// `main`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Launcher(PathBuf);

impl Launcher {
    /// The program at `path`.
    #[must_use]
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self(path.into())
    }

    /// The program that runs now. It must call [`crate::launcher::run_if_asked`].
    pub fn current_exe() -> io::Result<Self> {
        // The file may be replaced while a run lasts, as `cargo build` does it. This link leads to the file that runs.
        let own = Path::new("/proc/self/exe");
        if cfg!(target_os = "linux") && own.exists() {
            let pid = std::process::id();
            return Ok(Self(PathBuf::from(format!("/proc/{pid}/exe"))));
        }
        env::current_exe().map(Self)
    }

    /// Where the program is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

/// What a restricted command may do beside reading.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sandbox {
    /// Files and folders that it may write, beside the folder of its session.
    pub writable: Vec<PathBuf>,
    /// Whether it may use the network.
    pub network: Network,
}

/// Whether a command may use the network.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Network {
    /// It may.
    #[default]
    Open,
    /// It may neither connect nor listen over TCP, not even on this machine. UDP, TCP Fast Open and Unix sockets stay
    /// open, since the kernel has no rules for them.
    NoTcp,
}

/// Which restrictions this system can enforce.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Support {
    /// Where a process may write: Landlock from ABI 3 on. Before that, files could be truncated anywhere.
    pub files: bool,
    /// Whether it may use TCP: from ABI 4 on.
    pub network: bool,
    /// Whether it may send signals to processes outside: from ABI 6 on.
    pub signals: bool,
}

impl Support {
    /// What this system supports.
    #[cfg(target_os = "linux")]
    #[must_use]
    pub fn of_this_system() -> Self {
        use landlock::{
            AccessFs, AccessNet, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _, Scope,
        };
        let strict = || Ruleset::default().set_compatibility(CompatLevel::HardRequirement);
        Self {
            files: strict().handle_access(AccessFs::Truncate).is_ok(),
            network: strict().handle_access(AccessNet::ConnectTcp).is_ok(),
            signals: strict().scope(Scope::Signal).is_ok(),
        }
    }

    /// What this system supports: nothing.
    #[cfg(not(target_os = "linux"))]
    #[must_use]
    pub fn of_this_system() -> Self {
        Self::default()
    }
}

/// What restricts a system under test, for people to read. The one place that words it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Confinement {
    /// It runs in this process, as a part of the test.
    InProcess,
    /// It is a process in a sandbox.
    Sandboxed(Sandbox),
    /// Nothing restricts it, for this reason.
    None(String),
}

impl Confinement {
    /// Whether it cannot harm the machine.
    #[must_use]
    pub fn is_in_force(&self) -> bool {
        match self {
            Self::InProcess | Self::Sandboxed(_) => true,
            Self::None(_) => false,
        }
    }
}

impl fmt::Display for Confinement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::InProcess => f.write_str("in this process"),
            Self::Sandboxed(sandbox) => {
                f.write_str("on: writes only below its session's folder")?;
                for path in &sandbox.writable {
                    write!(f, ", {}", path.display())?;
                }
                f.write_str(match sandbox.network {
                    Network::Open => "; network open",
                    Network::NoTcp => "; no TCP",
                })
            }
            Self::None(reason) => write!(f, "NONE: {reason}"),
        }
    }
}

/// The arguments that make `program` launch something.
pub(crate) fn launch_arguments() -> [OsString; 1] {
    [OsString::from(LAUNCH)]
}
