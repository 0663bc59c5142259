//! The launcher: a process of ours that starts a command, restricts it, supervises it and ends all of its descendants.
//!
//! Three processes: the tester, the launcher, the command. The launcher is a child subreaper, so whatever the command starts
//! stays its descendant, however it detaches. It ends all of them as soon as the command ends or the tester does, and then
//! ends as the command did: with its exit code, or by its signal.
//!
//! Why it stays instead of becoming the command: a parent-death signal is lost by grandchildren, and is sent when the
//! *thread* that started the process ends. Why the restriction takes no `unsafe`: Landlock restricts one thread, and what
//! a thread starts inherits it.
//!
//! What the tester may ask by a signal: `SIGTERM` is passed on to all descendants, `SIGINT` ends them. They are asked by `SIGTERM`
//! first, and killed soon after, so that launchers such as `npx` release their locks.

use std::{
    ffi::{OsStr, OsString},
    fmt,
    path::PathBuf,
    process::ExitCode,
};

use crate::isolation::{Isolation, LAUNCH, Network, Sandbox, launch_arguments};

#[cfg(target_os = "linux")]
mod descendants;
#[cfg(target_os = "linux")]
mod restrict;
#[cfg(target_os = "linux")]
mod supervise;
#[cfg(all(target_os = "linux", target_endian = "little", target_pointer_width = "64"))]
mod system_calls;

/// Variables of the command have this prefix on their way through the launcher, so that none of them can change how the
/// launcher itself is loaded.
const VARIABLE_PREFIX: &str = "FOOLPROOF_LAUNCH_";

/// The exit code of a launcher that could not start its command.
const NOT_LAUNCHED: u8 = 125;

/// What a launcher is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LaunchRequest {
    /// The process whose end ends everything.
    pub parent: u32,
    /// What the command may do; everything if there is none.
    pub sandbox: Option<Sandbox>,
    /// A folder to remove if the parent ends before the command, because nobody else will.
    pub abandoned: Option<PathBuf>,
    /// The program and its arguments.
    pub command: Vec<OsString>,
}

/// Does what a launcher does and returns its exit code, if this process was started as one.
///
/// It must be the first thing in `main`: before threads are started, and before signals are handled.
///
/// ```
/// use std::process::ExitCode;
///
/// fn main() -> ExitCode {
///     if let Some(code) = foolproof_live::launcher::run_if_asked() {
///         return code;
///     }
///     // … the program …
///     ExitCode::SUCCESS
/// }
/// ```
#[must_use]
pub fn run_if_asked() -> Option<ExitCode> {
    let mut args = std::env::args_os().skip(1);
    (args.next()? == LAUNCH).then(|| run(args))
}

#[cfg(target_os = "linux")]
fn run(args: impl Iterator<Item = OsString>) -> ExitCode {
    let request = LaunchRequest::from_args(args);
    let request = request.ok_or_else(|| "the request is incomplete".to_owned());
    request.and_then(|request| supervise::run(&request)).unwrap_or_else(|problem| fail(&problem))
}

#[cfg(not(target_os = "linux"))]
fn run(_: impl Iterator<Item = OsString>) -> ExitCode {
    fail("this system has no launcher")
}

/// Ends without having started the command. The tester shows what the process wrote to standard error.
fn fail(problem: &str) -> ExitCode {
    use std::io::Write as _;
    // Where the message cannot be written, the exit code has to do.
    let _ = writeln!(std::io::stderr(), "foolproof cannot start the command: {problem}");
    ExitCode::from(NOT_LAUNCHED)
}

impl LaunchRequest {
    /// The request for a command with this isolation, as the arguments of its launcher; `None` if it needs no launcher.
    #[must_use]
    pub fn new(isolation: &Isolation, command: Vec<OsString>) -> Option<Self> {
        isolation.launcher()?;
        Some(Self {
            parent: std::process::id(),
            sandbox: isolation.sandbox().cloned(),
            abandoned: None,
            command,
        })
    }

    /// The arguments of the launcher.
    #[must_use]
    pub fn to_args(&self) -> Vec<OsString> {
        let mut args = Vec::from(launch_arguments());
        args.push(self.parent.to_string().into());
        if let Some(sandbox) = &self.sandbox {
            args.push("--sandbox".into());
            for path in &sandbox.writable {
                args.extend(["--write".into(), path.clone().into_os_string()]);
            }
            if sandbox.network == Network::NoTcp {
                args.push("--no-tcp".into());
            }
        }
        if let Some(folder) = &self.abandoned {
            args.extend(["--abandoned".into(), folder.clone().into_os_string()]);
        }
        args.push("--".into());
        args.extend(self.command.iter().cloned());
        args
    }

    /// The request that these arguments are, after the first.
    fn from_args(mut args: impl Iterator<Item = OsString>) -> Option<Self> {
        let parent = args.next()?.to_str()?.parse().ok()?;
        let mut request = Self { parent, sandbox: None, abandoned: None, command: Vec::new() };
        loop {
            let option = args.next()?;
            let sandbox = &mut request.sandbox;
            match option.to_str()? {
                "--sandbox" => *sandbox = Some(Sandbox::default()),
                "--write" => sandbox.as_mut()?.writable.push(args.next()?.into()),
                "--no-tcp" => sandbox.as_mut()?.network = Network::NoTcp,
                "--abandoned" => request.abandoned = Some(args.next()?.into()),
                "--" => break,
                _ => return None,
            }
        }
        request.command = args.collect();
        (!request.command.is_empty()).then_some(request)
    }

    /// A variable of the command, as the launcher receives it.
    #[must_use]
    pub fn variable(name: &OsStr) -> OsString {
        let mut passed = OsString::from(VARIABLE_PREFIX);
        passed.push(name);
        passed
    }
}

impl fmt::Display for LaunchRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.command.iter().map(|word| word.to_string_lossy()).collect();
        f.write_str(&words.join(" "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_arrives_as_it_was_sent() {
        let sandbox =
            Sandbox { writable: vec!["/a b".into(), "--".into()], network: Network::NoTcp };
        let request = LaunchRequest {
            parent: 7,
            sandbox: Some(sandbox),
            abandoned: Some("/tmp/x".into()),
            command: vec!["server".into(), "--write".into(), "--".into()],
        };
        let args = request.to_args();
        assert_eq!(args[0], LAUNCH);
        assert_eq!(LaunchRequest::from_args(args.into_iter().skip(1)), Some(request));
        let plain =
            LaunchRequest { parent: 7, sandbox: None, abandoned: None, command: vec!["a".into()] };
        assert_eq!(LaunchRequest::from_args(plain.to_args().into_iter().skip(1)), Some(plain));
    }

    #[test]
    fn an_incomplete_request_starts_nothing() {
        for args in
            [&[][..], &["7"], &["7", "--"], &["x", "--", "a"], &["7", "--write", "/", "--", "a"]]
        {
            let args = args.iter().map(OsString::from);
            assert_eq!(LaunchRequest::from_args(args), None);
        }
    }
}
