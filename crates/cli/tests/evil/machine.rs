//! A machine of a user in a scratch folder: the command is run on it, watched, and searched for what it left.

use std::{
    fs,
    os::unix::process::ExitStatusExt as _,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Mutex, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

pub(crate) const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");

/// How often something that should happen is looked for.
const PAUSE: Duration = Duration::from_millis(10);

/// How long processes and folders of a server may outlive the command.
pub(crate) const GRACE: Duration = Duration::from_secs(2);

/// The most memory of the command in KiB. A message may have 16 MiB, and a few copies of it exist at a time.
const MOST_MEMORY: u64 = 400 * 1024;

/// Home, folder for temporary files, caches and outputs of a user.
pub(crate) struct Machine {
    root: TempDir,
}

/// A command that runs.
pub(crate) struct Running<'a> {
    machine: &'a Machine,
    child: Child,
    begun: Instant,
    peak: u64,
}

/// A command that has ended.
#[derive(Debug)]
pub(crate) struct Ended {
    /// Its exit code, or 128 and the number of the signal that ended it.
    pub(crate) code: i32,
    pub(crate) time: Duration,
    /// The most memory it had, in KiB.
    pub(crate) peak: u64,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let root = TempDir::with_prefix("evil-").unwrap();
        for folder in ["home", "tmp", "cache", "project", "bin"] {
            fs::create_dir(root.path().join(folder)).unwrap();
        }
        Self { root }
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.root.path().join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let output = |name: &str| fs::File::create(self.at(name)).unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        let mut command = Command::new(FOOLPROOF);
        command.args(args).current_dir(self.at("project"));
        command.env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        command.env("PATH", format!("{}:{path}", self.at("bin").display()));
        command.env("FOOLPROOF_CACHE_DIR", self.at("cache"));
        command.env_remove("XDG_CACHE_HOME").env_remove("GITHUB_ACTIONS");
        command.stdin(Stdio::null()).stdout(output("stdout")).stderr(output("stderr"));
        command
    }

    /// Starts the command.
    pub(crate) fn start(&self, args: &[&str]) -> Running<'_> {
        let child = self.command(args).spawn().unwrap();
        Running { machine: self, child, begun: Instant::now(), peak: 0 }
    }

    /// Options that make the command write every file that it can write.
    pub(crate) fn outputs(&self) -> Vec<String> {
        ["repro", "junit", "dump-corpus", "summary-md", "coverage-report", "coverage-html"]
            .map(|name| format!("--{name}={}", self.at(name).display()))
            .to_vec()
    }

    /// The processes that were started on this machine: all have its folder in their arguments or their environment.
    pub(crate) fn processes(&self) -> Vec<String> {
        let mark = self.root.path().to_str().unwrap().as_bytes();
        let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok).map(|it| it.path());
        let numbered = entries.filter(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.bytes().all(|byte| byte.is_ascii_digit())
        });
        let has_mark = |path: &Path| {
            ["environ", "cmdline"].iter().any(|file| {
                let text = fs::read(path.join(file)).unwrap_or_default();
                text.windows(mark.len()).any(|window| window == mark)
            })
        };
        let show = |path: PathBuf| {
            let words = fs::read(path.join("cmdline")).unwrap_or_default();
            format!("{} {}", path.display(), String::from_utf8_lossy(&words).replace('\0', " "))
        };
        numbered.filter(|path| has_mark(path)).map(show).collect()
    }

    /// Files and folders that nobody but a run needs: those for temporary files, and files that are not complete.
    pub(crate) fn leftovers(&self) -> Vec<PathBuf> {
        let names = |folder: PathBuf| {
            let entries = fs::read_dir(folder).unwrap();
            entries.filter_map(Result::ok).map(|entry| entry.path()).collect::<Vec<_>>()
        };
        let is_partial = |path: &PathBuf| path.extension().is_some_and(|end| end == "partial");
        let mut found = names(self.at("tmp"));
        found.extend(names(self.root.path().to_owned()).into_iter().filter(is_partial));
        found
    }

    /// How many of the sessions that exist have reached this moment: their servers leave a file of that name.
    pub(crate) fn reached(&self, moment: &str) -> usize {
        let folders = fs::read_dir(self.at("tmp")).unwrap().filter_map(Result::ok);
        let files = folders.map(|folder| folder.path().join("tmp/.tmp").join(moment));
        files.filter(|file| file.exists()).count()
    }

    /// What is left in spite of everything, in words.
    pub(crate) fn census(&self) -> Result<(), String> {
        let is_empty = || self.processes().is_empty() && self.leftovers().is_empty();
        if wait_until(GRACE, is_empty) {
            return Ok(());
        }
        Err(format!("left: {:?} {:?}", self.processes(), self.leftovers()))
    }
}

impl Running<'_> {
    /// Waits for the end of the command, which is killed at this time.
    pub(crate) fn wait(mut self, limit: Duration) -> Result<Ended, String> {
        let mut status = None;
        wait_until(limit, || {
            self.peak = self.peak.max(memory(self.child.id()));
            status = self.child.try_wait().unwrap();
            status.is_some()
        });
        let time = self.begun.elapsed();
        let read = |name: &str| {
            String::from_utf8_lossy(&fs::read(self.machine.at(name)).unwrap()).into_owned()
        };
        let Some(status) = status else {
            self.child.kill().unwrap();
            self.child.wait().unwrap();
            return Err(format!("it did not end: {:.2000}", read("stderr")));
        };
        let ended = Ended {
            code: code(status),
            time,
            peak: self.peak,
            stdout: read("stdout"),
            stderr: read("stderr"),
        };
        ended.checked()
    }

    pub(crate) fn signal(&self, signal: Signal) {
        let pid = Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap();
        kill_process(pid, signal).unwrap();
    }

    /// Waits until the command is in the phase that `is_reached` describes.
    pub(crate) fn wait_until(
        &mut self,
        is_reached: impl Fn(&Machine) -> bool,
    ) -> Result<(), String> {
        let (machine, child) = (self.machine, &mut self.child);
        let mut has_ended = false;
        let is_there = wait_until(Duration::from_secs(30), || {
            has_ended = child.try_wait().unwrap().is_some();
            has_ended || is_reached(machine)
        });
        if is_there && !has_ended {
            return Ok(());
        }
        let stderr = fs::read_to_string(machine.at("stderr")).unwrap_or_default();
        Err(format!("the phase was not reached: {stderr}"))
    }
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    pub(crate) fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    fn checked(self) -> Result<Self, String> {
        let text = self.text();
        if text.contains("panicked") || [101, 134, 139].contains(&self.code) {
            return Err(format!("it panicked: code {}: {text:.3000}", self.code));
        }
        if self.peak > MOST_MEMORY {
            return Err(format!("it needs {} MiB", self.peak / 1024));
        }
        Ok(self)
    }
}

fn code(status: ExitStatus) -> i32 {
    status.code().or(status.signal().map(|signal| 128 + signal)).unwrap()
}

/// The most memory that a process had until now, in KiB.
fn memory(pid: u32) -> u64 {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let number = line.and_then(|line| line.split_whitespace().next());
    number.and_then(|number| number.parse().ok()).unwrap_or(0)
}

/// Whether this becomes true in time.
pub(crate) fn wait_until(limit: Duration, mut is_true: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + limit;
    loop {
        if is_true() {
            return true;
        }
        if Instant::now() >= end {
            return false;
        }
        thread::sleep(PAUSE);
    }
}

/// Runs every case, several at a time since they mostly wait, and fails with all that failed. `EVIL` chooses some by name.
pub(crate) fn each<T: Sync>(
    cases: &[T],
    at_a_time: usize,
    name: impl Fn(&T) -> String + Sync,
    run: impl Fn(&T) -> Result<(), String> + Sync,
) {
    // Tests of one binary run at the same time, and would measure one another.
    static TURN: Mutex<()> = Mutex::new(());
    let turn = TURN.lock();
    let chosen = std::env::var("EVIL").unwrap_or_default();
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..at_a_time {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let name = name(case);
                    if name.contains(&chosen)
                        && let Err(problem) = run(case)
                    {
                        failed.lock().unwrap().push(format!("{name}: {problem}"));
                    }
                }
            });
        }
    });
    drop(turn);
    let failed = failed.into_inner().unwrap();
    assert!(failed.is_empty(), "{} failed:\n{}", failed.len(), failed.join("\n\n"));
}

/// Python, and the file with the servers; `None` after reporting that there is no Python.
pub(crate) fn python() -> Option<[String; 4]> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let program = FOUND.get_or_init(|| {
        // What is in the path may be a script that takes longer than the interpreter.
        let find = ["-c", "import sys; print(sys.executable)"];
        let found = Command::new("python3").args(find).output().ok()?;
        found.status.success().then(|| String::from_utf8_lossy(&found.stdout).trim().to_owned())
    });
    let Some(program) = program else { return foolproof_corpus::skip("python3 is not installed") };
    let server = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/evil/server.py");
    Some([program.clone(), "-I".to_owned(), "-S".to_owned(), server.to_owned()])
}
