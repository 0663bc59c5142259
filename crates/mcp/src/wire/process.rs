//! Server processes: isolated as their endpoint says, in an environment of their own, standard error captured.
//!
//! However a connection ends, its process and all descendants are ended, and the process is reaped after that.

use std::{
    collections::VecDeque,
    env,
    ffi::{OsStr, OsString},
    io,
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use foolproof_live::{
    Caches, LaunchRequest, Network, SessionFolder,
    environment::{self, Variables},
};
use tokio::{
    io::AsyncReadExt as _,
    process::{ChildStderr, ChildStdin, ChildStdout},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

use super::{
    ending,
    endpoint::{CommandEndpoint, Environment, Pipe},
    groups::{Group, GroupSignal, Supervision, exit_status, isolate},
    limits::after,
    outcome::ExitStatus,
};
use crate::target::TMP;

/// What is kept of standard error.
const STDERR_BYTES: usize = 64 * 1024;

/// How long the rest of standard error is awaited after a process has ended: what it wrote is already in
/// the pipe.
const STDERR_GRACE: Duration = Duration::from_millis(200);

/// How long the thread waits for a process that is being ended, which rarely takes more than some milliseconds. A process that
/// resists is awaited elsewhere.
const END_GRACE: Duration = Duration::from_millis(50);

/// A server process.
pub(crate) struct Process {
    id: u32,
    /// `None` once it is awaited elsewhere.
    child: Option<Child>,
    /// `None` once the group has been ended.
    group: Option<Group>,
    status: Option<ExitStatus>,
    stderr: Arc<Mutex<Tail>>,
    stderr_reader: Option<JoinHandle<()>>,
    /// It is removed after the process has ended.
    folder: Arc<SessionFolder>,
}

impl Process {
    /// Starts a process, and returns it with the pipe to its standard input and output.
    pub(crate) fn start(endpoint: &CommandEndpoint) -> io::Result<(Self, Pipe)> {
        let folder = match &endpoint.folder {
            Some(folder) => Arc::clone(folder),
            None => Arc::new(SessionFolder::create()?),
        };
        let mut child = command(endpoint, &folder)?.spawn()?;
        // From here on the group is ended if anything fails.
        let is_supervised = endpoint.isolation.launcher().is_some();
        let supervision = if is_supervised { Supervision::Launcher } else { Supervision::None };
        let group = Group::register(&child, supervision);
        let stdin = child.stdin.take().map(ChildStdin::from_std).transpose();
        let stdout = child.stdout.take().map(ChildStdout::from_std).transpose();
        let stderr = child.stderr.take().map(ChildStderr::from_std).transpose();
        let tail = Arc::new(Mutex::new(Tail::default()));
        let mut process = Self {
            id: child.id(),
            child: Some(child),
            group: Some(group),
            status: None,
            stderr: Arc::clone(&tail),
            stderr_reader: None,
            folder,
        };
        let (Some(writer), Some(reader), Some(stderr)) = (stdin?, stdout?, stderr?) else {
            return Err(io::Error::other("a standard stream is missing"));
        };
        process.stderr_reader = Some(tokio::spawn(read_stderr(stderr, tail)));
        Ok((process, Pipe { reader: Box::new(reader), writer: Box::new(writer) }))
    }

    /// The number of the process, or of the launcher that supervises it; on Unix it is also the number of its group.
    pub(super) fn id(&self) -> u32 {
        self.id
    }

    /// How the process ended, if it has. Its group may live on.
    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none()
            && let Some(child) = &mut self.child
        {
            self.status = exit_status(child, self.group.is_some());
        }
        self.status
    }

    /// Whether an end of the process has been noticed. It asks nothing.
    pub(super) fn is_known_to_have_ended(&self) -> bool {
        self.status.is_some()
    }

    /// Waits for the end of the process, for a limited time.
    pub(crate) async fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
        let end = after(limit);
        let mut pause = Duration::from_micros(200);
        loop {
            if let Some(status) = self.exit_status() {
                return Some(status);
            }
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return None;
            }
            // The status is polled, since a notification would have to reap the process.
            sleep(pause.min(left)).await;
            pause = (pause * 2).min(Duration::from_millis(10));
        }
    }

    /// Ends the process and its group: its input is already closed.
    pub(crate) async fn end(&mut self, limit: Duration) -> Option<ExitStatus> {
        if self.wait(limit).await.is_none() {
            if let Some(group) = &self.group {
                group.signal(GroupSignal::Terminate);
            }
            self.wait(limit).await;
        }
        self.kill_group();
        self.finish_stderr().await;
        self.status
    }

    /// The latest bytes of standard error.
    pub(crate) fn stderr_tail(&self) -> String {
        self.stderr.lock().unwrap_or_else(PoisonError::into_inner).text()
    }

    /// Waits for what the process wrote to standard error before it ended.
    pub(super) async fn finish_stderr(&mut self) {
        if let Some(reader) = &mut self.stderr_reader
            && timeout(STDERR_GRACE, reader).await.is_ok()
        {
            self.stderr_reader = None;
        }
    }

    /// Ends what is left of the group, and reaps the process.
    fn kill_group(&mut self) {
        // The status is read first, since a process that has ended by itself was not killed.
        self.exit_status();
        if self.group.take().is_none() {
            return;
        }
        if cfg!(not(unix)) {
            let _ = self.child.as_mut().map(Child::kill);
        }
        let end = Instant::now() + END_GRACE;
        while let Some(Ok(None)) = self.child.as_mut().map(Child::try_wait) {
            if Instant::now() >= end {
                if let Some(child) = self.child.take() {
                    ending::hand_over(child, Arc::clone(&self.folder));
                }
                return;
            }
            thread::sleep(Duration::from_micros(200));
        }
        self.exit_status();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill_group();
        if let Some(reader) = &self.stderr_reader {
            reader.abort();
        }
    }
}

/// The command that starts the process, by its launcher if it has one.
fn command(endpoint: &CommandEndpoint, folder: &SessionFolder) -> io::Result<Command> {
    let caches = caches(endpoint, folder);
    let variables = variables(endpoint, folder, caches.as_ref())?;
    let words = [&endpoint.program].into_iter().chain(&endpoint.args).map(OsString::from);
    let request = LaunchRequest::new(&endpoint.isolation, words.collect());
    let launcher = endpoint.isolation.launcher();
    let mut command = if let (Some(mut request), Some(launcher)) = (request, launcher) {
        // The launcher could only say so on standard error.
        find_program(endpoint, &variables)?;
        request.abandoned = Some(folder.outer().to_owned());
        if let Some(sandbox) = &mut request.sandbox {
            sandbox.writable.push(folder.path().to_owned());
            sandbox.writable.extend(caches.map(|caches| caches.folder().to_owned()));
        }
        let mut command = Command::new(launcher.path());
        command.args(request.to_args()).env_clear();
        command.envs(variables.iter().map(|(name, value)| (LaunchRequest::variable(name), value)));
        command
    } else {
        let mut command = Command::new(&endpoint.program);
        command.args(&endpoint.args).env_clear().envs(&variables);
        command
    };
    if let Some(folder) = &endpoint.cwd {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if launcher.is_none() {
        // A launcher makes a session of its own.
        isolate(&mut command);
    }
    Ok(command)
}

/// The folders of launchers, for this command alone. Its session has another folder each time, which makes no difference.
fn caches(endpoint: &CommandEndpoint, folder: &SessionFolder) -> Option<Caches> {
    let tmp = folder.path().display().to_string();
    let words = [&endpoint.program].into_iter().chain(&endpoint.args);
    let words: Vec<String> = words.map(|word| word.replace(&tmp, TMP)).collect();
    let is_sandboxed = endpoint.isolation.sandbox().is_some();
    let of_user = Caches::of_user().ok()?;
    of_user.of_command(is_sandboxed, words.iter().map(String::as_str)).ok()
}

fn variables(
    endpoint: &CommandEndpoint,
    folder: &SessionFolder,
    caches: Option<&Caches>,
) -> io::Result<Variables> {
    let mut variables = environment::of_session(folder.path(), caches)?;
    match endpoint.environment {
        Environment::Minimal => {}
        Environment::Whole => {
            let temporary = ["TMPDIR", "TMP", "TEMP"].map(OsString::from);
            let whole = env::vars_os().filter(|(name, _)| !temporary.contains(name));
            variables.extend(whole);
        }
    }
    if endpoint.isolation.sandbox().is_some_and(|sandbox| sandbox.network == Network::NoTcp) {
        variables.extend(environment::offline());
    }
    for name in &endpoint.inherit {
        variables.extend(env::var_os(name).map(|value| (name.into(), value)));
    }
    variables.extend(endpoint.env.iter().map(|(name, value)| (name.into(), value.into())));
    Ok(variables)
}

/// Fails if there is no such program.
fn find_program(endpoint: &CommandEndpoint, variables: &Variables) -> io::Result<()> {
    let program = Path::new(&endpoint.program);
    let own = env::current_dir().unwrap_or_default();
    let folder = endpoint.cwd.as_ref().map_or(own.clone(), |cwd| own.join(cwd));
    if program.components().count() > 1 {
        return folder.join(program).metadata().map(drop);
    }
    let path = variables.get(OsStr::new("PATH")).cloned().unwrap_or_default();
    let mut places = env::split_paths(&path);
    if places.any(|place| folder.join(place).join(program).is_file()) {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::NotFound, "there is no such program in PATH"))
    }
}

/// Reads standard error to its end. It runs as a task, since a server must not block on it between calls.
async fn read_stderr(mut stderr: ChildStderr, tail: Arc<Mutex<Tail>>) {
    let mut buffer = vec![0; 8 * 1024];
    while let Ok(count @ 1..) = stderr.read(&mut buffer).await {
        tail.lock().unwrap_or_else(PoisonError::into_inner).push(&buffer[..count]);
    }
}

/// The latest bytes of a stream.
#[derive(Default)]
struct Tail(VecDeque<u8>);

impl Tail {
    fn push(&mut self, bytes: &[u8]) {
        self.0.extend(bytes);
        let excess = self.0.len().saturating_sub(STDERR_BYTES);
        self.0.drain(..excess);
    }

    fn text(&self) -> String {
        let (front, back) = self.0.as_slices();
        String::from_utf8_lossy(&[front, back].concat()).into_owned()
    }
}
