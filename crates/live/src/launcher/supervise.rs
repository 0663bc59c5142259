//! A launch from beginning to end.

use std::{
    ffi::OsStr,
    fs, io,
    os::{
        fd::OwnedFd,
        unix::{ffi::OsStrExt as _, net::UnixStream, process::CommandExt as _},
    },
    process::{Command, ExitCode},
    thread,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{
        Pid, PidfdFlags, Resource, Rlimit, Signal, WaitStatus, getpid, getppid, kill_process,
        pidfd_open, set_child_subreaper, setrlimit, setsid,
    },
    stdio,
};
use signal_hook::{
    consts::{SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM},
    low_level,
};

use super::{LaunchRequest, VARIABLE_PREFIX, descendants, restrict};
use crate::session_folder;

/// Launches the command and supervises it to its end. Returns only if the launcher has an exit code of its own.
pub(super) fn run(request: &LaunchRequest) -> Result<ExitCode, String> {
    let problem = |what: &str, error: io::Error| format!("{what}: {error}");
    // Without a terminal of its own, the command cannot type into that of the user. It fails for the leader of a group.
    let _ = setsid();
    set_child_subreaper(Some(getpid())).map_err(|error| problem("no subreaper", error.into()))?;
    let events = Events::of(request.parent)?;
    let child = spawn(request)?;
    // The pipes belong to the command alone, so that they are closed when it closes them.
    release_streams().map_err(|error| problem("no /dev/null", error))?;
    let end = events.wait(child);
    let status = match end {
        // What it left behind would go on for ever.
        End::Command(status) => {
            descendants::kill_all(child);
            Some(status)
        }
        End::Asked | End::Parent => descendants::end_all(child),
    };
    // It may have ended meanwhile.
    if events.parent_has_ended()
        && let Some(folder) = &request.abandoned
    {
        session_folder::remove(folder);
    }
    Ok(status.map_or(ExitCode::FAILURE, end_like))
}

/// Starts the command from a thread that is restricted first: what a thread starts inherits its restrictions.
fn spawn(request: &LaunchRequest) -> Result<Pid, String> {
    let mut command = command(request);
    let sandbox = request.sandbox.clone();
    let started = thread::spawn(move || {
        if let Some(sandbox) = sandbox {
            restrict::restrict(&sandbox)?;
        }
        let child = command
            .spawn()
            .map_err(|error| format!("`{}`: {error}", command.get_program().to_string_lossy()))?;
        Ok::<u32, String>(child.id())
    });
    let id = started.join().map_err(|_| "the thread that starts it failed".to_owned())??;
    i32::try_from(id).ok().and_then(Pid::from_raw).ok_or_else(|| "it has no number".to_owned())
}

fn command(request: &LaunchRequest) -> Command {
    let mut command = Command::new(&request.command[0]);
    command.args(&request.command[1..]).env_clear();
    for (name, value) in std::env::vars_os() {
        if let Some(name) = name.as_bytes().strip_prefix(VARIABLE_PREFIX.as_bytes()) {
            command.env(OsStr::from_bytes(name), value);
        }
    }
    // A signal that the command sends to its own group does not reach the launcher.
    command.process_group(0);
    command
}

fn release_streams() -> io::Result<()> {
    let null = fs::File::options().read(true).write(true).open("/dev/null")?;
    stdio::dup2_stdin(&null)?;
    stdio::dup2_stdout(&null)?;
    stdio::dup2_stderr(&null)?;
    Ok(())
}

/// Why a launch ends.
enum End {
    /// The command has ended.
    Command(WaitStatus),
    /// The tester wants it to.
    Asked,
    /// The tester has ended.
    Parent,
}

/// What a launcher waits for.
struct Events {
    parent: OwnedFd,
    children: UnixStream,
    terminate: UnixStream,
    kill: UnixStream,
}

impl Events {
    fn of(parent: u32) -> Result<Self, String> {
        let pid = i32::try_from(parent).ok().and_then(Pid::from_raw);
        let gone = || "the process that asked for it has ended".to_owned();
        let pid = pid.ok_or_else(gone)?;
        let parent = pidfd_open(pid, PidfdFlags::empty()).map_err(|_| gone())?;
        // If it had ended before, its number could belong to another process by now.
        if getppid() != Some(pid) {
            return Err(gone());
        }
        let listen = |signals: &[i32]| -> io::Result<UnixStream> {
            let (receiver, sender) = UnixStream::pair()?;
            receiver.set_nonblocking(true)?;
            for signal in signals {
                low_level::pipe::register(*signal, sender.try_clone()?)?;
            }
            Ok(receiver)
        };
        let all = || -> io::Result<Self> {
            Ok(Self {
                parent,
                children: listen(&[SIGCHLD])?,
                // The end of the tester is noticed by itself: what a terminal sends to all is passed on, no more.
                terminate: listen(&[SIGTERM, SIGHUP, SIGQUIT])?,
                kill: listen(&[SIGINT])?,
            })
        };
        all().map_err(|error| format!("signals cannot be received: {error}"))
    }

    fn parent_has_ended(&self) -> bool {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.parent, PollFlags::IN)], Some(&now))
            .is_ok_and(|found| found > 0)
    }

    /// Waits until the command, the tester or a signal ends the launch.
    fn wait(&self, child: Pid) -> End {
        loop {
            let mut fds = [
                PollFd::new(&self.parent, PollFlags::IN),
                PollFd::new(&self.kill, PollFlags::IN),
                PollFd::new(&self.terminate, PollFlags::IN),
                PollFd::new(&self.children, PollFlags::IN),
            ];
            // It fails only if it was interrupted by a signal, which is then readable.
            let _ = poll(&mut fds, None);
            let [parent, kill, terminate, children] = fds.map(|fd| !fd.revents().is_empty());
            if parent {
                return End::Parent;
            }
            if kill {
                return End::Asked;
            }
            if terminate {
                drain(&self.terminate);
                descendants::signal_all(Signal::TERM);
            }
            if children {
                drain(&self.children);
                if let Some(status) = descendants::reap(child).status {
                    return End::Command(status);
                }
            }
        }
    }
}

fn drain(mut stream: &UnixStream) {
    use std::io::Read as _;
    let mut buffer = [0; 64];
    while let Ok(1..) = stream.read(&mut buffer) {}
}

/// Ends this process as another one ended.
fn end_like(status: WaitStatus) -> ExitCode {
    if let Some(code) = status.exit_status() {
        return ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX));
    }
    if let Some(signal) = status.terminating_signal() {
        // The command may have left a core dump; another one of the launcher would help nobody.
        let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
        // For signals that are handled here; the kernel takes care of the others.
        let _ = low_level::emulate_default_handler(signal);
        if let Some(signal) = Signal::from_named_raw(signal) {
            let _ = kill_process(getpid(), signal);
        }
    }
    ExitCode::FAILURE
}
