//! Server processes: a minimal environment, a process group of their own, standard error captured.
//!
//! However a connection ends, its whole group is killed, and the process is reaped after that.

use std::{
    collections::VecDeque,
    env, io,
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use tokio::{
    io::AsyncReadExt as _,
    process::{ChildStderr, ChildStdin, ChildStdout},
    task::JoinHandle,
    time::{Instant, sleep, timeout},
};

use super::{
    endpoint::{CommandEndpoint, Pipe},
    groups::{Group, GroupSignal, exit_status, isolate},
    limits::after,
    outcome::ExitStatus,
};

/// What is kept of standard error.
const STDERR_BYTES: usize = 64 * 1024;

/// How long the rest of standard error is awaited after a process has ended: what it wrote is already in
/// the pipe.
const STDERR_GRACE: Duration = Duration::from_millis(200);

/// How long a killed process may take to be gone. It blocks the thread, and is rarely more than a
/// millisecond.
const KILL_GRACE: Duration = Duration::from_millis(500);

/// Variables that every server gets if they are set here. The last ones are what Windows needs to start
/// most programs.
const INHERITED: [&str; 11] = [
    "PATH",
    "HOME",
    "TMPDIR",
    "LANG",
    "SystemRoot",
    "SystemDrive",
    "TEMP",
    "TMP",
    "PATHEXT",
    "USERPROFILE",
    "COMSPEC",
];

/// A server process.
pub(super) struct Process {
    child: Child,
    /// `None` once the group has been ended.
    group: Option<Group>,
    status: Option<ExitStatus>,
    stderr: Arc<Mutex<Tail>>,
    stderr_reader: Option<JoinHandle<()>>,
}

impl Process {
    /// Starts a process, and returns it with the pipe to its standard input and output.
    pub(super) fn start(endpoint: &CommandEndpoint) -> io::Result<(Self, Pipe)> {
        let mut child = command(endpoint).spawn()?;
        // From here on the group is ended if anything fails.
        let group = Group::register(&child);
        let stdin = child.stdin.take().map(ChildStdin::from_std).transpose();
        let stdout = child.stdout.take().map(ChildStdout::from_std).transpose();
        let stderr = child.stderr.take().map(ChildStderr::from_std).transpose();
        let tail = Arc::new(Mutex::new(Tail::default()));
        let mut process = Self {
            child,
            group: Some(group),
            status: None,
            stderr: Arc::clone(&tail),
            stderr_reader: None,
        };
        let (Some(writer), Some(reader), Some(stderr)) = (stdin?, stdout?, stderr?) else {
            return Err(io::Error::other("a standard stream is missing"));
        };
        process.stderr_reader = Some(tokio::spawn(read_stderr(stderr, tail)));
        Ok((process, Pipe { reader: Box::new(reader), writer: Box::new(writer) }))
    }

    /// The number of the process, which on Unix is also the number of its group.
    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// How the process ended, if it has. Its group may live on.
    pub(super) fn exit_status(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = exit_status(&mut self.child, self.group.is_some());
        }
        self.status
    }

    /// Whether an end of the process has been noticed. It asks nothing.
    pub(super) fn is_known_to_have_ended(&self) -> bool {
        self.status.is_some()
    }

    /// Waits for the end of the process, for a limited time.
    pub(super) async fn wait(&mut self, limit: Duration) -> Option<ExitStatus> {
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
    pub(super) async fn end(&mut self, limit: Duration) -> Option<ExitStatus> {
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
    pub(super) fn stderr_tail(&self) -> String {
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

    /// Kills what is left of the group, and reaps the process.
    fn kill_group(&mut self) {
        if self.group.is_none() {
            return;
        }
        // The status is read first, since a process that has ended by itself was not killed.
        self.exit_status();
        self.group = None;
        if cfg!(not(unix)) {
            let _ = self.child.kill();
        }
        let end = Instant::now() + KILL_GRACE;
        while let Ok(None) = self.child.try_wait()
            && Instant::now() < end
        {
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

fn command(endpoint: &CommandEndpoint) -> Command {
    let mut command = Command::new(&endpoint.program);
    command.args(&endpoint.args).env_clear();
    let inherited = INHERITED.into_iter().chain(endpoint.inherit.iter().map(String::as_str));
    for name in inherited {
        if let Some(value) = env::var_os(name) {
            command.env(name, value);
        }
    }
    command.envs(&endpoint.env);
    if let Some(folder) = &endpoint.cwd {
        command.current_dir(folder);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    isolate(&mut command);
    command
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
