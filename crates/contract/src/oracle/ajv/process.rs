//! The Node process that AJV runs in: it reads lines, writes lines, and is certain to end.
//!
//! Separate threads write its input and read its output, so that the time limit also holds for a
//! process that neither reads nor writes. Dropping the process kills and reaps it; if this process is
//! killed, the input of the child closes and it ends.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    path::Path,
    process::{Child, ChildStderr, ChildStdin, Command, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::AjvError;

const SCRIPT: &str = include_str!("script.cjs");

/// How many bytes of the process's standard error are kept.
const MAX_STDERR: u64 = 4096;

#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: Sender<Arc<str>>,
    output: Receiver<String>,
    /// Its standard error, available once it has ended.
    stderr: Option<JoinHandle<String>>,
}

impl Process {
    pub(super) fn start(node: &Path, packages: &Path) -> Result<Self, AjvError> {
        let unavailable =
            |reason: String| AjvError::NodeUnavailable { node: node.to_owned(), reason };
        let mut child = Command::new(node)
            .args(["--input-type=commonjs", "--eval", SCRIPT, "--"])
            .arg(packages)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| unavailable(error.to_string()))?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(stderr)) = pipes else {
            return Err(unavailable("its pipes are missing".to_owned()));
        };
        let (input, lines_in) = channel();
        let (lines_out, output) = channel();
        thread::spawn(move || feed(stdin, &lines_in));
        thread::spawn(move || {
            // Stops when the receiver is dropped.
            let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
            lines.try_for_each(|line| lines_out.send(line))
        });
        let stderr = Some(thread::spawn(move || collect(stderr)));
        Ok(Self { child, input, output, stderr })
    }

    pub(super) fn id(&self) -> u32 {
        self.child.id()
    }

    /// Sends a line without waiting for the answer.
    pub(super) fn send(&self, line: Arc<str>) {
        // If the process has ended, waiting for the answer reports a better error.
        let _ = self.input.send(line);
    }

    /// The next line of the process, if it comes before `deadline`.
    pub(super) fn receive(
        &mut self,
        limit: Duration,
        deadline: Instant,
    ) -> Result<String, AjvError> {
        let left = deadline.saturating_duration_since(Instant::now());
        match self.output.recv_timeout(left) {
            Ok(line) => Ok(line),
            Err(RecvTimeoutError::Timeout) => Err(AjvError::TimedOut { limit }),
            Err(RecvTimeoutError::Disconnected) => Err(self.exit_error()),
        }
    }

    /// Why no further line comes: the exit status and the standard error.
    fn exit_error(&mut self) -> AjvError {
        let _ = self.child.kill();
        let status = match self.child.wait() {
            Ok(status) => status.to_string(),
            Err(error) => error.to_string(),
        };
        let stderr = self.stderr.take().and_then(|thread| thread.join().ok());
        let stderr = stderr.unwrap_or_default();
        AjvError::Died { status, stderr }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail only where the process has ended and been reaped already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Writes lines until there are no more, then closes the input.
fn feed(mut stdin: ChildStdin, lines: &Receiver<Arc<str>>) {
    while let Ok(line) = lines.recv() {
        let written = stdin.write_all(line.as_bytes()).and_then(|()| stdin.write_all(b"\n"));
        if written.and_then(|()| stdin.flush()).is_err() {
            break;
        }
    }
}

/// The beginning of the standard error; the rest is read too, so that the pipe does not fill up.
fn collect(mut stderr: ChildStderr) -> String {
    let mut text = Vec::new();
    let _ = stderr.by_ref().take(MAX_STDERR).read_to_end(&mut text);
    let _ = io::copy(&mut stderr, &mut io::sink());
    String::from_utf8_lossy(&text).trim().to_owned()
}
