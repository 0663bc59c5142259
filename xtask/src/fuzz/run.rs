//! One command on one mutant, in a process of its own under limits.

use std::{
    fs::{self, File},
    io,
    os::unix::process::ExitStatusExt,
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use super::fault::Kind;

/// The longest that a run may take.
const LIMIT: Duration = Duration::from_secs(30);

/// The address space that a run may use: 2 GiB for the work, and 4 GiB that large stacks reserve and
/// do not use.
const ADDRESS_SPACE: u64 = 6 << 30;

/// The commands that every mutant goes through, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Subject {
    Inspect,
    Generate,
    Guided,
    Measure,
}

impl Subject {
    pub(super) const ALL: [Self; 4] = [Self::Inspect, Self::Generate, Self::Guided, Self::Measure];

    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Inspect => "inspect",
            Self::Generate => "generate",
            Self::Guided => "guided",
            Self::Measure => "measure",
        }
    }

    /// The arguments, with the files of `folder`.
    fn arguments(self, folder: &Path) -> Vec<PathBuf> {
        let file = |name: &str| folder.join(name);
        let words = |words: &[&str]| words.iter().map(PathBuf::from).collect::<Vec<_>>();
        let contract = file(CONTRACT);
        let report = [PathBuf::from("--coverage-report"), file("report.json")];
        match self {
            Self::Inspect => [words(&["inspect", "--json"]), vec![contract]].concat(),
            Self::Generate => {
                [words(&["generate", "--n", "5", "--threads", "1"]), vec![contract]].concat()
            }
            Self::Guided => {
                let guided = ["generate", "--coverage", "guided", "--n", "5", "--threads", "1"];
                [words(&guided), words(&["--quiet"]), report.to_vec(), vec![contract]].concat()
            }
            Self::Measure => {
                let measure = words(&["coverage", "measure", "--quiet", "--allow-invalid"]);
                [measure, report.to_vec(), vec![contract, file(DATA)]].concat()
            }
        }
    }

    /// The command as a person would type it.
    pub(super) fn command_line(self) -> String {
        let arguments = self.arguments(Path::new(""));
        let words: Vec<String> =
            arguments.iter().map(|argument| argument.display().to_string()).collect();
        format!("foolproof {}", words.join(" "))
    }

    /// The exit codes that `docs/exit-codes.md` allows for these arguments.
    fn codes(self) -> &'static [i32] {
        match self {
            Self::Inspect | Self::Generate | Self::Guided | Self::Measure => &[0, 2, 4],
        }
    }
}

const CONTRACT: &str = "contract.json";
const DATA: &str = "data.jsonl";

/// Data to measure that is there whatever the mutant generates.
const FIXED_DATA: &str =
    "null\n{}\n[]\n{\"a\":{\"a\":[1,\"a\"],\"b\":null}}\n[[[]],{\"a\":0}]\n\"a\"\n-1.5\n";

/// Runs one binary in a folder that belongs to one thread.
pub(super) struct Runner<'a> {
    pub(super) binary: &'a Path,
    pub(super) folder: PathBuf,
}

/// What came out of a run.
pub(super) struct Outcome {
    pub(super) code: Option<i32>,
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    /// What is wrong with it.
    pub(super) kind: Option<Kind>,
}

impl Runner<'_> {
    pub(super) fn set_contract(&self, text: &[u8]) -> io::Result<()> {
        fs::write(self.folder.join(CONTRACT), text)?;
        fs::write(self.folder.join(DATA), self.fixed_data()?)
    }

    /// What is measured in any case. An API reads envelopes, and the first line that is none ends it.
    fn fixed_data(&self) -> io::Result<&'static str> {
        let contract = fs::read(self.folder.join(CONTRACT))?;
        let mentions = |key: &[u8]| contract.windows(key.len()).any(|part| part == key);
        let is_api = mentions(b"\"openapi\"") || mentions(b"\"swagger\"");
        Ok(if is_api { "" } else { FIXED_DATA })
    }

    /// Adds instances to the data that is measured.
    pub(super) fn add_data(&self, lines: &[u8]) -> io::Result<()> {
        fs::write(self.folder.join(DATA), [self.fixed_data()?.as_bytes(), lines].concat())
    }

    pub(super) fn run(&self, subject: Subject) -> io::Result<Outcome> {
        let (out, err) = (self.folder.join("stdout"), self.folder.join("stderr"));
        // `ulimit` is the way to a limit that needs no unsafe code; `exec` keeps the process id.
        let script =
            format!("ulimit -v {} && ulimit -c 0 && exec \"$0\" \"$@\"", ADDRESS_SPACE / 1024);
        let mut child = Command::new("sh")
            .args(["-c", &script])
            .arg(self.binary)
            .args(subject.arguments(&self.folder))
            .stdin(Stdio::null())
            .stdout(File::create(&out)?)
            .stderr(File::create(&err)?)
            .spawn()?;
        let status = wait(&mut child)?;
        let (stdout, stderr) = (fs::read(out)?, fs::read(err)?);
        let kind = judge(subject, status, &stderr);
        Ok(Outcome { code: status.and_then(|status| status.code()), stdout, stderr, kind })
    }
}

/// Waits for the end of `child`, and ends it if that takes too long.
fn wait(child: &mut Child) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > LIMIT {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

fn judge(subject: Subject, status: Option<ExitStatus>, stderr: &[u8]) -> Option<Kind> {
    let Some(status) = status else { return Some(Kind::TooSlow) };
    if let Some(signal) = status.signal() {
        return Some(Kind::Signal(signal));
    }
    let code = status.code().unwrap_or(-1);
    let says = |text: &str| stderr.windows(text.len()).any(|window| window == text.as_bytes());
    if code == 101 || says("panicked at") {
        return Some(Kind::Panic);
    }
    // A shell reports the signal that ended what it executed as a code above 128.
    (!subject.codes().contains(&code)).then_some(Kind::ExitCode(code))
}
