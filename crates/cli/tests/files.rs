//! The files that commands write and read: what is left of one that is killed, whose place a file takes, and what is not read.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    ffi::OsStr,
    fs,
    io::Write as _,
    os::unix::{
        ffi::OsStrExt as _,
        fs::{MetadataExt as _, PermissionsExt as _, symlink},
        process::ExitStatusExt as _,
    },
    path::Path,
    process::{Child, Command, Output, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const SIZES: &str = r#"{ "enum": ["S", "M", "L", "XL"] }"#;

/// More instances than a test waits for.
const ENDLESS: &str = "1000000000000";

/// Longer than any of these commands takes on a busy machine: only waiting for ever takes longer.
const LIMIT: Duration = Duration::from_secs(60);

fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sizes.json"), SIZES).unwrap();
    folder
}

fn foolproof(folder: &Path, arguments: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).args(arguments.split_whitespace());
    command
}

/// Runs a shell script in which `$0` is the command.
fn shell(folder: &Path, script: &str) -> Command {
    let mut command = Command::new("sh");
    command.current_dir(folder).args(["-c", script, env!("CARGO_BIN_EXE_foolproof")]);
    command
}

/// The output of a command that does not wait for ever.
fn output(command: &mut Command) -> Output {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    ended(child.spawn().unwrap())
}

/// A process that ends with the test, also if that fails.
struct Running(Option<Child>);

impl Running {
    fn start(command: &mut Command) -> Self {
        Self(Some(command.stderr(Stdio::piped()).spawn().unwrap()))
    }

    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    fn ended(mut self) -> Output {
        ended(self.0.take().unwrap())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if let Some(mut child) = self.0.take() {
            child.kill().unwrap();
            child.wait().unwrap();
        }
    }
}

fn ended(mut child: Child) -> Output {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LIMIT {
            child.kill().unwrap();
            panic!("it does not end: {:?}", child.wait_with_output());
        }
        thread::sleep(Duration::from_millis(5));
    }
    child.wait_with_output().unwrap()
}

fn run(folder: &Path, arguments: &str) -> Output {
    output(&mut foolproof(folder, arguments))
}

fn succeeds(folder: &Path, arguments: &str) {
    let output = run(folder, arguments);
    assert_eq!(code(&output), 0, "{arguments}: {}", errors(&output));
}

fn refused(output: &Output, expected: &str) {
    let errors = errors(output);
    assert_eq!(output.status.code(), Some(2), "expected {expected}: {errors}");
    // Messages are broken into lines.
    let words: Vec<&str> = errors.split(|it: char| it.is_whitespace() || it == '│').collect();
    let text = words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    assert!(text.contains(expected), "expected {expected}: {text}");
    assert!(output.stdout.is_empty());
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap_or_else(|| panic!("{output:?}"))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|it| it.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

fn partial_files(folder: &Path) -> Vec<String> {
    names(folder).into_iter().filter(|name| name.ends_with(".partial")).collect()
}

fn signal(child: &Child, name: &str) {
    let kill = Command::new("kill").args(["-s", name, &child.id().to_string()]).status();
    assert!(kill.unwrap().success());
}

/// Waits until a partial file has content.
fn writes(child: &mut Child, folder: &Path) {
    let has_content = |name: &String| fs::metadata(folder.join(name)).is_ok_and(|it| it.len() > 0);
    while !partial_files(folder).iter().any(has_content) {
        assert_eq!(child.try_wait().unwrap(), None, "the run ended before it began");
        thread::sleep(Duration::from_millis(1));
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn a_link_that_somebody_planted_is_not_followed() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("victim"), "precious").unwrap();
    // The number of the process is all that such a name could be made of without chance.
    let script = "ln -s victim out.jsonl.$$.partial; ln -s victim .out.jsonl.$$.partial
        exec \"$0\" generate sizes.json --out out.jsonl";
    let output = output(&mut shell(folder.path(), script));
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "precious");
    assert!(fs::symlink_metadata(at("out.jsonl")).unwrap().is_file());
}

#[test]
fn the_target_of_a_link_is_replaced_and_not_the_link() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("real")).unwrap();
    fs::write(at("real/data"), "old").unwrap();
    symlink("real/data", at("link")).unwrap();
    symlink("real/new", at("dangling")).unwrap();
    for (link, target) in [("link", "real/data"), ("dangling", "real/new")] {
        succeeds(folder.path(), &format!("generate sizes.json --n 1 --out {link}"));
        assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(at(target)).unwrap().lines().count(), 1);
    }
}

#[test]
fn a_new_file_has_the_permissions_of_the_umask_and_another_those_of_what_it_replaces() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for (name, before, umask, expected) in [
        ("new", None, "022", 0o644),
        ("group", None, "007", 0o660),
        ("secret", Some(0o600), "022", 0o600),
        ("shared", Some(0o664), "077", 0o664),
        ("fixed", Some(0o444), "022", 0o444),
    ] {
        if let Some(mode) = before {
            fs::write(at(name), "old").unwrap();
            fs::set_permissions(at(name), fs::Permissions::from_mode(mode)).unwrap();
        }
        let script = format!("umask {umask}; exec \"$0\" generate sizes.json --out {name}");
        let output = output(&mut shell(folder.path(), &script));
        assert_eq!(code(&output), 0, "{}", errors(&output));
        assert_eq!(mode(&at(name)), expected, "{name}: {:o}", mode(&at(name)));
    }
}

#[test]
fn a_file_is_not_readable_for_more_people_while_it_is_written() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("data"), "old").unwrap();
    fs::set_permissions(at("data"), fs::Permissions::from_mode(0o600)).unwrap();
    let script = format!("umask 0; exec \"$0\" generate sizes.json --n {ENDLESS} --out data");
    let mut running = Running::start(&mut shell(folder.path(), &script));
    writes(running.child(), folder.path());
    let partial = at(&partial_files(folder.path())[0]);
    assert_eq!(mode(&partial), 0o600);
}

#[test]
fn names_of_any_length_and_bytes_are_written() {
    let folder = folder();
    let long = "x".repeat(255);
    let mut all: Vec<&OsStr> = vec![OsStr::new(&long), OsStr::new(".hidden")];
    if cfg!(target_os = "linux") {
        all.push(OsStr::from_bytes(b"not\xffutf8"));
    }
    for name in all {
        let mut command = foolproof(folder.path(), "generate sizes.json --n 1 --out");
        let output = output(command.arg(name));
        assert_eq!(code(&output), 0, "{name:?}: {}", errors(&output));
        assert!(folder.path().join(name).is_file());
    }
    assert_eq!(partial_files(folder.path()), [""; 0]);
}

/// Moments spread over a time, in an order that is not that of time.
fn moments(count: u32, time: Duration) -> impl Iterator<Item = Duration> {
    // The golden ratio spreads any number of points evenly.
    (1..=count).map(move |number| time.mul_f64(f64::from(number) * 0.618_033_988_749_895 % 1.0))
}

#[test]
fn an_output_of_a_killed_process_is_the_old_one_or_the_new_one() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let sizes: Vec<String> = (0..4000).map(|it| format!("size {it:0>100}")).collect();
    fs::write(at("many.json"), json!({ "enum": sizes }).to_string()).unwrap();
    let arguments = "generate many.json --n 60000 --coverage measure --out data --coverage-report report --quiet";
    let start = Instant::now();
    succeeds(folder.path(), arguments);
    let time = start.elapsed();
    let new = fs::read(at("data")).unwrap();
    let report = fs::metadata(at("report")).unwrap().len();
    assert!(new.len() > 5_000_000 && report > 100_000, "{} and {report} bytes", new.len());

    let (mut killed, mut leftovers, mut replaced) = (0, 0, 0);
    for (number, moment) in moments(60, time.mul_f64(1.1)).enumerate() {
        let is_old = number % 2 == 0;
        for name in ["data", "report"] {
            let _ = fs::remove_file(at(name));
            if is_old {
                fs::write(at(name), "old").unwrap();
            }
        }
        let mut child = foolproof(folder.path(), arguments).spawn().unwrap();
        thread::sleep(moment);
        let _ = child.kill();
        killed += usize::from(child.wait().unwrap().signal() == Some(9));
        leftovers += partial_files(folder.path()).len();
        for name in ["data", "report"] {
            let found = fs::read(at(name)).ok();
            if found.as_deref() == is_old.then_some(b"old") {
                continue;
            }
            let found = found.unwrap();
            replaced += 1;
            match name {
                "data" => assert!(found == new, "{number}: {} bytes of the data", found.len()),
                // It has times in it.
                _ => assert!(serde_json::from_slice::<Value>(&found).is_ok(), "{number}"),
            }
        }
        // Also runs that are killed remove what was left before.
        assert!(partial_files(folder.path()).len() <= 4, "{:?}", names(folder.path()));
    }
    // How many depends on how fast a process starts at the time.
    assert!(killed >= 20 && leftovers >= 10, "{killed} killed, {leftovers} left, {replaced} new");
    succeeds(folder.path(), arguments);
    assert_eq!(names(folder.path()), ["data", "many.json", "report", "sizes.json"]);
    assert!(fs::read(at("data")).unwrap() == new);
}

#[test]
fn two_runs_that_write_the_same_output_at_once_both_succeed() {
    let folder = folder();
    let arguments = "generate sizes.json --n 20000 --out data --quiet";
    let start = || foolproof(folder.path(), arguments).stderr(Stdio::piped()).spawn().unwrap();
    let children: Vec<Child> = (0..6).map(|_| start()).collect();
    for child in children {
        let output = ended(child);
        assert_eq!(code(&output), 0, "{}", errors(&output));
    }
    assert_eq!(names(folder.path()), ["data", "sizes.json"]);
    assert_eq!(fs::read_to_string(folder.path().join("data")).unwrap().lines().count(), 20_000);
}

/// Whether a signal is ignored in this process.
fn is_ignored(number: i32) -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok());
    mask.is_some_and(|mask| mask >> (number - 1) & 1 == 1)
}

#[test]
fn a_signal_leaves_no_partial_file_of_generate() {
    for (name, number) in [("INT", 2), ("QUIT", 3), ("TERM", 15), ("HUP", 1)] {
        // Children inherit it, and then it stays ignored: tests may have been started by `nohup`, or in the background of a
        // shell. Ctrl-C is for `generate` all the same.
        if name != "INT" && is_ignored(number) {
            eprintln!("skipped: SIG{name} was ignored when the tests were started");
            continue;
        }
        let folder = folder();
        fs::write(folder.path().join("data"), "old").unwrap();
        let script =
            format!("ulimit -c 0; exec \"$0\" generate sizes.json --n {ENDLESS} --out data");
        let mut running = Running::start(&mut shell(folder.path(), &script));
        writes(running.child(), folder.path());
        signal(running.child(), name);
        let output = running.ended();
        assert_eq!(output.status.code(), Some(128 + number), "{name}: {output:?}");
        assert_eq!(names(folder.path()), ["data", "sizes.json"], "{name}");
        assert_eq!(fs::read_to_string(folder.path().join("data")).unwrap(), "old");
        if name != "QUIT" {
            assert!(errors(&output).starts_with("interrupted"), "{name}: {}", errors(&output));
        }
    }
}

#[test]
fn a_signal_leaves_no_partial_file_of_other_commands() {
    let folder = folder();
    let sizes: Vec<String> = (0..4000).map(|it| format!("size {it:0>100}")).collect();
    fs::write(folder.path().join("many.json"), json!({ "enum": sizes }).to_string()).unwrap();
    fs::write(folder.path().join("data"), "\"size 1\"\n").unwrap();
    let measure = "coverage measure many.json data --allow-invalid --coverage-html page --coverage-report report --quiet";
    let start = Instant::now();
    succeeds(folder.path(), measure);
    let time = start.elapsed();
    // Files are written at the end.
    for (number, moment) in moments(60, time.mul_f64(0.5)).enumerate() {
        let child = foolproof(folder.path(), measure).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(time.mul_f64(0.5) + moment);
        signal(&child, ["TERM", "HUP", "INT"][number % 3]);
        ended(child);
        assert_eq!(partial_files(folder.path()), [""; 0]);
    }
}

#[test]
fn a_signal_that_was_ignored_at_the_start_still_is() {
    let folder = folder();
    let script = format!("trap '' HUP; exec \"$0\" generate sizes.json --n {ENDLESS} --out data");
    let mut running = Running::start(&mut shell(folder.path(), &script));
    writes(running.child(), folder.path());
    signal(running.child(), "HUP");
    let path = folder.path().join(&partial_files(folder.path())[0]);
    let before = fs::metadata(&path).unwrap().len();
    while fs::metadata(&path).unwrap().len() < before + 1_000_000 {
        assert_eq!(running.child().try_wait().unwrap(), None, "`nohup` does not work");
    }
    signal(running.child(), "TERM");
    assert_eq!(code(&running.ended()), 143);
}

#[test]
fn an_output_is_never_an_input() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    for report in ["a", "b"] {
        let arguments = "generate sizes.json --coverage measure --out data --coverage-report";
        succeeds(folder.path(), &format!("{arguments} {report}"));
    }
    fs::hard_link(at("b"), at("hard")).unwrap();
    let before: Vec<Vec<u8>> = ["a", "b"].map(|name| fs::read(at(name)).unwrap()).into();
    for (arguments, expected) in [
        ("coverage merge a b --out a", "`a` would overwrite the report"),
        ("coverage merge a b --out ./b", "`./b` would overwrite the report `b`"),
        ("coverage merge a b --out hard", "`hard` would overwrite the report `b`"),
        ("coverage merge a --out c --summary-md a", "`a` would overwrite the report"),
        ("coverage merge a --out c --coverage-junit a", "`a` would overwrite the report"),
        ("coverage accept a --baseline a", "`a` would overwrite the report"),
        ("coverage html a --out a", "`a` would overwrite the report"),
        ("coverage html a --contract sizes.json --out sizes.json", "would overwrite the contract"),
        ("coverage measure sizes.json data --coverage-html data", "would overwrite the data"),
        ("coverage measure sizes.json data --summary-md sizes.json", "overwrite the contract"),
        ("mcp stdio --corpus a --dump-corpus ./a -- false", "`./a` would overwrite the corpus `a`"),
        ("mcp stdio --corpus a --repro a -- false", "`a` would overwrite the corpus"),
        ("mcp stdio --corpus a --summary-md a -- false", "`a` would overwrite the corpus"),
        ("mcp http http://localhost:1 --corpus a --junit a", "`a` would overwrite the corpus"),
        ("mcp stdio --junit c --repro c -- false", "`c` would be written twice"),
    ] {
        refused(&run(folder.path(), arguments), expected);
    }
    for (arguments, name, expected) in [
        ("coverage diff a b", "b", "standard output would overwrite the report `b`"),
        ("inspect sizes.json", "sizes.json", "standard output would overwrite the contract"),
        ("mcp replay a --trust", "a", "standard output would overwrite the repro file `a`"),
    ] {
        let to = fs::File::options().append(true).open(at(name)).unwrap();
        let child = foolproof(folder.path(), arguments).stdout(to).stderr(Stdio::piped()).spawn();
        refused(&ended(child.unwrap()), expected);
    }
    assert!(fs::read(at("a")).unwrap() == before[0] && fs::read(at("b")).unwrap() == before[1]);
    assert_eq!(fs::read_to_string(at("sizes.json")).unwrap(), SIZES);
}

/// Every command that prints data.
const PRINTING: [&str; 14] = [
    "generate sizes.json",
    "generate sizes.json --coverage measure",
    "inspect sizes.json",
    "inspect sizes.json --json",
    "coverage diff report report",
    "coverage schema",
    "coverage html report --out -",
    "coverage measure sizes.json data --coverage-report -",
    "completions bash",
    "man",
    "mcp checks",
    "mcp schema report",
    "--help",
    "--version",
];

#[test]
fn a_standard_output_that_is_not_open_is_an_error() {
    let folder = folder();
    let arguments = "generate sizes.json --coverage measure --out data --coverage-report report";
    succeeds(folder.path(), arguments);
    fs::write(folder.path().join("other"), "").unwrap();
    for arguments in PRINTING {
        for closed in [">&-", ">&- <&-", "1</dev/null", "1<other"] {
            let script = format!("exec \"$0\" {arguments} {closed}");
            let output = output(&mut shell(folder.path(), &script));
            refused(&output, "cannot write the output: standard output is not open");
        }
        let output =
            output(&mut shell(folder.path(), &format!("exec \"$0\" {arguments} >/dev/full")));
        refused(&output, "cannot write the output: ");
    }
    // Nothing is printed, so it does not matter.
    let script = format!("exec \"$0\" {arguments} >&-");
    assert_eq!(code(&output(&mut shell(folder.path(), &script))), 0);
}

#[test]
fn a_standard_output_that_is_discarded_is_none() {
    let folder = folder();
    let arguments = "generate sizes.json --coverage measure --out data --coverage-report report";
    succeeds(folder.path(), arguments);
    for arguments in PRINTING {
        // Node and Python open it for reading and writing.
        for discarded in [">/dev/null", "1<>/dev/null", ">/dev/null <&-"] {
            let script = format!("exec \"$0\" {arguments} {discarded}");
            let output = output(&mut shell(folder.path(), &script));
            assert_eq!(code(&output), 0, "{script}: {}", errors(&output));
        }
    }
}

#[test]
fn a_contract_is_a_regular_file() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    symlink("pipe", at("link")).unwrap();
    fs::create_dir(at("sub")).unwrap();
    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    fs::write(at("data"), "\"S\"\n").unwrap();
    for (path, kind) in [
        ("pipe", "a named pipe"),
        ("link", "a named pipe"),
        ("sub", "a folder"),
        ("socket", "a socket"),
        ("/dev/zero", "a device"),
        ("/dev/null", "a device"),
    ] {
        for command in ["inspect FILE", "generate FILE", "coverage measure FILE data"] {
            let output = run(folder.path(), &command.replace("FILE", path));
            refused(&output, &format!("`{path}` is {kind}, not a regular file"));
            assert!(errors(&output).contains("contract::not-a-file"));
        }
    }
}

#[test]
fn a_stream_that_the_user_opens_is_read_as_a_contract() {
    let folder = folder();
    for script in [
        "cat sizes.json | \"$0\" inspect -",
        "cat sizes.json | \"$0\" inspect /dev/stdin",
        "ln -s /dev/stdin link; cat sizes.json | \"$0\" inspect link",
        "\"$0\" inspect /dev/stdin <sizes.json",
        "cat sizes.json | \"$0\" inspect /dev/fd/3 3<&0",
        "cat sizes.json | \"$0\" inspect /proc/self/fd/0",
        "bash -c '\"$0\" inspect <(cat sizes.json)' \"$0\"",
    ] {
        if script.contains("/proc/") && cfg!(not(target_os = "linux")) {
            continue;
        }
        let output = output(&mut shell(folder.path(), script));
        assert_eq!(code(&output), 0, "{script}: {}", errors(&output));
    }
}

#[test]
fn a_reference_is_only_followed_to_regular_files() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert!(Command::new("mkfifo").arg(at("pipe")).status().unwrap().success());
    symlink("/dev/zero", at("zero")).unwrap();
    symlink("/dev/stdin", at("stdin")).unwrap();
    for (target, folder_option, expected) in [
        ("pipe", "", "is a named pipe, not a regular file"),
        ("/dev/zero", "=/dev", "is a device, not a regular file"),
        ("zero", "", "lies outside"),
        ("stdin", "=/", "leaves the document"),
        ("sub/..", "", "is a folder, not a regular file"),
    ] {
        fs::create_dir_all(at("sub")).unwrap();
        let prefix = if target.starts_with('/') { "file://" } else { "" };
        fs::write(at("root.json"), json!({ "$ref": format!("{prefix}{target}") }).to_string())
            .unwrap();
        let arguments = format!("inspect root.json --allow-file-refs{folder_option}");
        let mut command = foolproof(folder.path(), &arguments);
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        refused(&ended(child.spawn().unwrap()), expected);
    }
    // In an API it takes out what needs it.
    let api = json!({ "openapi": "3.1.0", "info": { "title": "t", "version": "1" }, "paths": {
        "/a": { "get": { "parameters": [{ "name": "a", "in": "query", "schema": { "$ref": "pipe" } }] } } } });
    fs::write(at("api.json"), api.to_string()).unwrap();
    let output = run(folder.path(), "inspect api.json --allow-file-refs");
    assert_eq!(code(&output), 4, "{}", errors(&output));
    assert!(String::from_utf8_lossy(&output.stdout).contains("is a named pipe"));
}

#[test]
fn a_contract_has_a_size_limit_that_an_option_raises() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let schema = json!({ "description": "x".repeat(2000) }).to_string();
    fs::write(at("large.json"), &schema).unwrap();
    fs::write(at("root.json"), json!({ "$ref": "large.json" }).to_string()).unwrap();
    fs::write(at("data"), "1\n").unwrap();
    succeeds(folder.path(), "generate large.json --coverage measure --out all --coverage-report r");
    let (size, limit) = (schema.len() as u64, schema.len() - 1);
    let expected =
        format!("the contract is too large with `large.json`: {size} bytes, the limit is {limit}");
    for command in [
        "inspect large.json",
        "generate large.json",
        "coverage measure large.json data",
        "coverage html r --contract large.json",
    ] {
        let output = run(folder.path(), &format!("{command} --max-contract-bytes {limit}"));
        refused(&output, &expected);
        let errors = errors(&output);
        assert!(errors.contains("contract::too-large") && errors.contains("--max-contract-bytes"));
        succeeds(folder.path(), &format!("{command} --max-contract-bytes {size}"));
    }
    // What it refers to counts.
    let whole = size + fs::metadata(at("root.json")).unwrap().len();
    let inspect = "inspect root.json --allow-file-refs --max-contract-bytes";
    refused(&run(folder.path(), &format!("{inspect} {}", whole - 1)), &format!("{whole} bytes"));
    succeeds(folder.path(), &format!("{inspect} {whole}"));
    // A stream is read up to the limit.
    for (option, limit) in [("--max-contract-bytes 1000", 1000), ("", 64 << 20)] {
        for input in ["-", "/dev/stdin"] {
            let script = format!("exec \"$0\" inspect {input} {option} </dev/zero");
            let expected = format!("more than {limit} bytes, the limit is {limit}");
            refused(&output(&mut shell(folder.path(), &script)), &expected);
        }
    }
    // A file is not read at all.
    fs::File::create(at("huge.json")).unwrap().set_len(1 << 40).unwrap();
    refused(&run(folder.path(), "inspect huge.json"), "1099511627776 bytes, the limit is 67108864");
}

#[test]
fn standard_input_that_cannot_be_read_is_no_output_that_cannot_be_written() {
    let folder = folder();
    let output = output(&mut shell(folder.path(), "exec \"$0\" inspect - <."));
    refused(&output, "cannot read `<stdin>`: ");
}

#[test]
fn pages_of_the_manual_replace_those_that_were_there() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    succeeds(folder.path(), "man --out pages");
    let first = names(&at("pages"));
    assert!(first.contains(&"foolproof.1".to_owned()), "{first:?}");
    assert!(first.contains(&"foolproof-coverage-merge.1".to_owned()), "{first:?}");
    succeeds(folder.path(), "man --out pages");
    assert_eq!(names(&at("pages")), first);
}

#[test]
fn the_page_of_the_demo_is_not_written_through_a_link_of_others() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("foolproof-demo-ada")).unwrap();
    let mut victim = fs::File::create(at("victim")).unwrap();
    victim.write_all(b"precious").unwrap();
    symlink(at("victim"), at("foolproof-demo-ada/coverage.html")).unwrap();
    let mut command = foolproof(folder.path(), "demo");
    let output = output(command.env("TMPDIR", folder.path()).env("USER", "ada"));
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert_eq!(fs::read_to_string(at("victim")).unwrap(), "precious");
    assert_eq!(mode(&at("foolproof-demo-ada")), 0o700);
}
