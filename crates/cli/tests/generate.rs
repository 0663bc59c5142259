//! `foolproof generate` as a process: the same bytes for any threads and shards, and complete output
//! however it ends.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::{BufRead, BufReader, Read},
    path::{Path, PathBuf},
    process::{Child, Command, Output, Stdio},
};

use foolproof_corpus::{Contracts, ajv};
use serde_json::Value;

/// More than any test waits for.
const ENDLESS: &str = "1000000000000";

const ORDER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/generate.in/order.json");
const NOTHING: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cmd/generate.in/nothing.json");

fn generate(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.arg("generate").args(arguments);
    command
}

fn run(arguments: &[&str]) -> Output {
    generate(arguments).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Schemas of all kinds: two of this crate, and some that are spread over the corpus or our contracts.
fn schemas() -> Vec<PathBuf> {
    let sample = Contracts::find().sample(20).into_iter().map(|entry| entry.path().to_owned());
    [ORDER, NOTHING].into_iter().map(PathBuf::from).chain(sample).collect()
}

#[test]
fn neither_threads_nor_shards_change_a_byte() {
    let (schemas, mut compared) = (schemas(), 0);
    for path in &schemas {
        let path = path.to_str().unwrap();
        let run = |more: &[&str]| {
            let options = ["--n", "60", "--seed", "5", "--quiet"];
            run(&[&[path][..], &options, more].concat())
        };
        let whole = run(&["--threads", "1"]);
        assert!([0, 2, 4].contains(&whole.status.code().unwrap()), "{path}: {}", errors(&whole));
        let threaded = run(&["--threads", "8"]);
        assert_eq!(whole, threaded, "{path}");
        let parts = ["1/4", "2/4", "3/4", "4/4"].map(|shard| run(&["--shard", shard]).stdout);
        assert!(parts.concat() == whole.stdout, "{path}: the shards are not the whole");
        compared += usize::from(whole.status.code() == Some(0));
    }
    assert!(compared * 2 > schemas.len(), "only {compared} schemas had instances");
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let script = format!("\"$0\" generate '{ORDER}' --n {ENDLESS}; echo \"code $?\" >&2");
    let output = Command::new("sh")
        .args(["-c", &format!("{{ {script}; }} | head -1"), env!("CARGO_BIN_EXE_foolproof")])
        .output()
        .unwrap();
    assert_eq!(errors(&output), "code 0\n");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 1);
}

/// Starts a run, waits for its first line, and presses Ctrl-C; returns all that it wrote.
fn interrupt(arguments: &[&str], first_line_of: impl FnOnce(&mut Child) -> String) -> Ended {
    let mut child =
        generate(arguments).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = first_line_of(&mut child);
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    if let Some(mut rest) = child.stdout.take() {
        rest.read_to_string(&mut stdout).unwrap();
    }
    let output = child.wait_with_output().unwrap();
    Ended { stdout, errors: errors(&output), code: output.status.code() }
}

struct Ended {
    stdout: String,
    errors: String,
    code: Option<i32>,
}

/// Reads the first line and nothing more.
fn first_line(child: &mut Child) -> String {
    let stdout = child.stdout.as_mut().unwrap();
    let mut line = Vec::new();
    let mut byte = [0];
    while !line.ends_with(b"\n") {
        stdout.read_exact(&mut byte).unwrap();
        line.push(byte[0]);
    }
    String::from_utf8(line).unwrap()
}

#[test]
fn ctrl_c_ends_after_a_complete_line() {
    for threads in ["1", "3"] {
        let ended = interrupt(&[ORDER, "--n", ENDLESS, "--threads", threads], first_line);
        assert_eq!(ended.code, Some(130), "{}", ended.errors);
        assert!(ended.stdout.ends_with('\n'));
        let count = ended.stdout.lines().count();
        assert!(ended.stdout.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()));
        assert_eq!(ended.errors, written(count));
        // What was written is the beginning of the run.
        let n = count.to_string();
        let whole = run(&[ORDER, "--n", &n]);
        assert!(whole.stdout == ended.stdout.as_bytes(), "the lines are not those of the run");
    }
}

#[test]
fn ctrl_c_closes_an_array() {
    let ended = interrupt(&[ORDER, "--n", ENDLESS, "--format", "json"], first_line);
    assert_eq!(ended.code, Some(130), "{}", ended.errors);
    let array: Vec<Value> = serde_json::from_str(&ended.stdout).unwrap();
    assert_eq!(ended.errors, written(array.len()));
}

fn written(count: usize) -> String {
    format!("interrupted: {count} instance{} written\n", if count == 1 { "" } else { "s" })
}

#[test]
fn ctrl_c_does_not_change_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl");
    fs::write(&path, "old\n").unwrap();
    let out = path.to_str().unwrap();
    // The run has begun once the temporary file has content.
    let begun = |child: &mut Child| {
        let begun = |name: &String| {
            let is_partial = name.starts_with(".data.jsonl.") && name.ends_with(".partial");
            is_partial && fs::metadata(folder.path().join(name)).is_ok_and(|it| it.len() > 0)
        };
        while !names(folder.path()).iter().any(begun) {
            assert_eq!(child.try_wait().unwrap(), None, "the run ended before it began");
            std::thread::yield_now();
        }
        String::new()
    };
    let ended = interrupt(&[ORDER, "--n", ENDLESS, "--out", out], begun);
    assert_eq!(ended.code, Some(130), "{}", ended.errors);
    assert!(ended.errors.starts_with("interrupted after "), "{}", ended.errors);
    assert!(ended.errors.ends_with(&format!("nothing written to `{out}`\n")), "{}", ended.errors);
    assert_eq!(names(folder.path()), ["data.jsonl"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
}

#[test]
fn ctrl_c_before_the_first_instance_ends_the_process() {
    // It waits for a contract that never comes.
    let mut child = generate(&["-"]).stdin(Stdio::piped()).spawn().unwrap();
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(kill.success());
    assert!(!child.wait().unwrap().success());
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = generate(&[ORDER]).stdout(full).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "  × cannot write the output: No space left on device (os error 28)\n"
    );
    // A device is written to; it must never be replaced by a file.
    let output = run(&[ORDER, "--out", "/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(
        errors(&output),
        "  × cannot write `/dev/full`: No space left on device (os error 28)\n  help: free some space, or choose another path\n"
    );
    assert!(!fs::metadata("/dev/full").unwrap().is_file());
}

#[test]
fn a_run_that_fails_does_not_change_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("data.jsonl");
    fs::write(&path, "old\n").unwrap();
    // A limit on the size of files simulates a full disk.
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$0\" generate \"$1\" --n 1000000 --out \"$2\"";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_foolproof"), ORDER])
        .arg(&path)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", errors(&output));
    let expected = format!("  × cannot write `{}`: File too large", path.display());
    assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
    assert_eq!(names(folder.path()), ["data.jsonl"]);
    assert_eq!(fs::read_to_string(&path).unwrap(), "old\n");
}

#[test]
fn a_file_is_replaced_as_a_whole() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let folder = tempfile::tempdir().unwrap();
    let (path, link) = (folder.path().join("data.json"), folder.path().join("link.json"));
    fs::write(&path, "old and much longer than nothing at all\n").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    symlink(&path, &link).unwrap();
    let output = run(&[ORDER, "--n", "2", "--format", "json", "--out", link.to_str().unwrap()]);
    assert_eq!(output.status.code(), Some(0), "{}", errors(&output));
    assert!(output.stdout.is_empty());
    let array: Vec<Value> = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    assert_eq!(array.len(), 2);
    assert_eq!(names(folder.path()), ["data.json", "link.json"]);
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_path_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("no/such/folder.jsonl");
    for path in [missing.as_path(), folder.path()] {
        let output = run(&[ORDER, "--out", path.to_str().unwrap()]);
        assert_eq!(output.status.code(), Some(2));
        let expected = format!("  × cannot write `{}`: ", path.display());
        assert!(errors(&output).starts_with(&expected), "{}", errors(&output));
    }
    assert!(names(folder.path()).is_empty());
}

#[test]
fn quiet_prints_only_errors() {
    let output = run(&[ORDER, "--quiet"]);
    assert_eq!((errors(&output).as_str(), output.status.code()), ("", Some(0)));
    let output = run(&[NOTHING, "--quiet"]);
    assert!(
        errors(&output).starts_with("10 of 10 instances could not be generated\n# UNSAT_NUMERIC")
    );
    assert_eq!(output.status.code(), Some(4));
}

#[test]
fn an_impossible_schema_is_reported_at_once() {
    let output = run(&[NOTHING, "--n", ENDLESS, "--format", "json"]);
    assert_eq!((output.stdout.as_slice(), output.status.code()), (&b"[]\n"[..], Some(4)));
    let expected = format!("{ENDLESS} of {ENDLESS} instances could not be generated");
    assert!(errors(&output).contains(&expected), "{}", errors(&output));
}

/// `script` gives the run a terminal.
#[test]
#[cfg(target_os = "linux")]
fn a_bar_shows_on_a_terminal() {
    let bar = "of 1000000000000 [";
    let start = |shell: &str| {
        let command = format!(
            "NO_COLOR=1 '{}' generate '{ORDER}' --n {ENDLESS} {shell}",
            env!("CARGO_BIN_EXE_foolproof")
        );
        Command::new("script")
            .args(["-qefc", &command, "/dev/null"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
    };
    let Ok(mut child) = start("--out /dev/null") else {
        let _: Option<()> = foolproof_corpus::skip("the command `script` is absent");
        return;
    };
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(bar) {
        assert!(screen.read_until(b'\r', &mut seen).unwrap() > 0, "the run ended without a bar");
    }
    // Ctrl-C, as the terminal sends it.
    std::io::Write::write_all(&mut child.stdin.take().unwrap(), &[3]).unwrap();
    screen.read_to_end(&mut seen).unwrap();
    child.wait().unwrap();
    let seen = String::from_utf8_lossy(&seen).into_owned();
    assert!(seen.contains("interrupted: "), "{seen}");
    assert!(!seen.contains("\u{1b}[3"), "the bar has colours: {seen}");
}

#[test]
fn what_ajv_refuses_is_not_written() {
    let Some(packages) = ajv::packages() else { return };
    if ajv::start().is_none() {
        return;
    }
    let run = |more: &[&str]| {
        let arguments = [&[ORDER, "--n", "500", "--oracle", "ajv"][..], more].concat();
        generate(&arguments).current_dir(&packages).output().unwrap()
    };
    let one = run(&["--threads", "1"]);
    assert_eq!(one.status.code(), Some(0), "{}", errors(&one));
    let ours = generate(&[ORDER, "--n", "500"]).output().unwrap();
    assert!(one.stdout != ours.stdout, "AJV refuses some multiples of 0.01");
    assert!(run(&["--threads", "8"]).stdout == one.stdout);
    let parts = ["1/4", "2/4", "3/4", "4/4"].map(|shard| run(&["--shard", shard]).stdout);
    assert!(parts.concat() == one.stdout);
}

#[test]
fn a_second_oracle_that_cannot_answer_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let output = generate(&[ORDER, "--oracle", "ajv"]).env("PATH", folder.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let expected = "ajv::node-unavailable\n\n  × cannot run `node`: ";
    assert!(errors(&output).starts_with(expected), "{}", errors(&output));
    assert!(output.stdout.is_empty());
}
