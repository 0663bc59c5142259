//! `foolproof coverage` as a process: exit codes, large and broken data, and files that appear only once
//! they are complete.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use serde_json::{Value, json};
use tempfile::TempDir;

const SIZES: &str = r#"{ "type": "object", "required": ["size"], "properties": {
    "size": { "enum": ["S", "M", "L", "XL"] }, "note": { "type": "string" } } }"#;

/// A folder with a schema of sizes in it.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("sizes.json"), SIZES).unwrap();
    folder
}

fn coverage(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).arg("coverage").args(arguments);
    command
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    coverage(folder, arguments).output().unwrap()
}

/// Runs `measure` over `data` on standard input.
fn measure(folder: &Path, data: &[u8], more: &[&str]) -> Output {
    let arguments = [&["measure", "sizes.json", "-"], more].concat();
    let mut child = coverage(folder, &arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A run that ends before it reads closes the pipe; its exit code is checked by the caller.
    let _ = child.stdin.take().unwrap().write_all(data);
    child.wait_with_output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn report(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
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
fn the_schema_is_the_one_that_reports_satisfy() {
    let folder = folder();
    let output = run(folder.path(), &["schema"]);
    assert_eq!((code(&output), errors(&output).as_str()), (0, ""));
    assert!(output.stdout.starts_with(b"{\n  ") && output.stdout.ends_with(b"}\n"));
    let schema: Value = serde_json::from_slice(&output.stdout).unwrap();
    let oracle = Oracle::new(&Document::from_value(schema).unwrap(), FormatPolicy::Assert).unwrap();
    for mode in ["full", "summary"] {
        let data = b"{\"size\":\"M\"}\n{\"size\":0}\n";
        let options = ["--coverage-report-mode", mode, "--allow-invalid"];
        let output = measure(folder.path(), data, &options);
        assert_eq!(code(&output), 0, "{}", errors(&output));
        let report = report(folder.path().join("coverage-report.json"));
        assert_eq!(oracle.violations(&report), [], "{report}");
        assert_eq!(report["reportMode"], mode);
    }
}

#[test]
fn the_report_counts_what_was_read_and_what_is_valid() {
    let folder = folder();
    let data = b"\xef\xbb\xbf{\"size\":\"XXL\"}\r\n\r\n{\"size\":\"M\"}\n[\n{\"size\":\"S\",\"note\":\"\"}";
    let options = ["--coverage-report", "r.json", "--allow-invalid"];
    let output = measure(folder.path(), data, &options);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(output.stdout.is_empty());
    assert_eq!(names(folder.path()), ["r.json", "sizes.json"]);
    let report = report(folder.path().join("r.json"));
    assert_eq!(report["engine"]["coverageMode"], "measure");
    let run = &report["run"];
    assert_eq!((&run["seed"], &run["maxInstances"]), (&json!(0), &json!(4)));
    assert_eq!(run["actualInstances"], 2);
    // The last line that is not empty is the fourth.
    let targets = report["targets"].as_array().unwrap();
    let small = targets.iter().find(|target| target["params"]["value"] == "S").unwrap();
    assert_eq!(small["meta"], json!({ "example": { "size": "S", "note": "" }, "instance": 3 }));
}

#[test]
fn every_exit_code_has_its_cause_and_the_worse_one_takes_precedence() {
    let folder = folder();
    fs::write(folder.path().join("nothing.json"), "false").unwrap();
    let (good, bad) = (&b"{\"size\":\"S\"}\n"[..], &b"{\"size\":\"S\"}\n0\n"[..]);
    let measured = |data, more: &[&str]| code(&measure(folder.path(), data, more));
    assert_eq!(measured(good, &[]), 0);
    assert_eq!(measured(bad, &[]), 1);
    assert_eq!(measured(bad, &["--allow-invalid"]), 0);
    assert_eq!(measured(good, &["--coverage-min", "0.9"]), 3);
    assert_eq!(measured(bad, &["--coverage-min", "0.9", "--allow-invalid"]), 3);
    assert_eq!(measured(bad, &["--coverage-min", "0.9"]), 1);
    assert_eq!(measured(bad, &["--coverage-min", "0.9", "--coverage-report", "/no/such/a"]), 2);
    assert_eq!(measured(good, &["missing.json"]), 2);
    fs::write(folder.path().join("bad.json"), bad).unwrap();
    let impossible = ["measure", "nothing.json", "bad.json"];
    let output = run(folder.path(), &impossible);
    assert_eq!(code(&output), 4);
    assert!(
        errors(&output).ends_with("The schema admits no value; `foolproof inspect` says why\n")
    );
}

#[test]
fn a_quiet_run_below_a_minimum_says_why_in_one_line() {
    let folder = folder();
    let minimum = ["--coverage-dimensions", "enum", "--coverage-min", "0.9"];
    let quiet = [&minimum[..], &["--quiet"]].concat();
    let reason = "overall: coverage is 25.0 %, below the minimum of 90 %\n";
    let output = measure(folder.path(), b"{\"size\":\"S\"}\n", &quiet);
    assert_eq!((code(&output), errors(&output).as_str()), (3, reason));
    let merged = ["merge", "coverage-report.json", "--out", "merged.json", "--coverage-min", "0.9"];
    let output = run(folder.path(), &[&merged[..], &["--quiet"]].concat());
    assert_eq!((code(&output), errors(&output).as_str()), (3, reason));
    // The summary has it, if there is one.
    let output = measure(folder.path(), b"{\"size\":\"S\"}\n", &minimum);
    assert!(errors(&output).contains("90 %, NOT met"), "{}", errors(&output));
    assert!(!errors(&output).contains("overall: coverage is"), "{}", errors(&output));
}

#[test]
fn a_minimum_is_met_by_what_equals_it() {
    let folder = folder();
    let only_enum = ["--coverage-dimensions", "enum", "--coverage-min"];
    let measured = |minimum| {
        let output =
            measure(folder.path(), b"{\"size\":\"S\"}", &[&only_enum[..], &[minimum]].concat());
        (code(&output), report(folder.path().join("coverage-report.json")))
    };
    let (met, report) = measured("0.25");
    assert_eq!((met, &report["metrics"]["coverageStatus"]), (0, &json!("ok")));
    let (missed, report) = measured("0.2500001");
    assert_eq!((missed, &report["metrics"]["coverageStatus"]), (3, &json!("minCoverageNotMet")));
}

#[test]
fn refused_instances_are_listed_up_to_a_limit() {
    let folder = folder();
    let mut data = b"{\"size\":\"S\"}\n".repeat(3);
    data.extend(b"{\"size\":1}\n".repeat(15));
    data.extend(b"\"\xff\"\n".repeat(4));
    data.extend(b"{\"size\":2}\n".repeat(6));
    let output = measure(folder.path(), &data, &["--quiet"]);
    assert_eq!(code(&output), 1);
    let text = errors(&output);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 22, "{text}");
    let invalid = "not valid: `#/size` breaks `enum` at `#/properties/size/enum`";
    assert_eq!(lines[0], format!("<stdin>:4: {invalid}"));
    assert!(lines[15].starts_with("<stdin>:19:2: not JSON: "), "{text}");
    assert_eq!(lines[19], format!("<stdin>:23: {invalid}"));
    assert_eq!(lines[20], "and 5 more");
    assert_eq!(lines[21], "25 of 28 instances do not count: 21 not valid, 4 not JSON");
    let report = report(folder.path().join("coverage-report.json"));
    assert_eq!(report["run"]["actualInstances"], 3);
}

#[test]
fn broken_data_is_reported_without_a_panic() {
    let folder = folder();
    let deep = "[".repeat(1_000_000);
    let files: [(&str, &[u8], &str); 5] = [
        ("empty.json", b"", "empty.json:1:0: not JSON: EOF while parsing a value\n"),
        (
            "two.json",
            b"{\n\"size\":\"S\"}\n{\"size\":\"S\"}",
            "two.json:3:1: not JSON: trailing characters\n",
        ),
        ("deep.json", deep.as_bytes(), "deep.json:1:128: not JSON: recursion limit exceeded\n"),
        ("zero.jsonl", b"\0\0\0\n", "zero.jsonl:1:1: not JSON: expected value\n"),
        (
            "array.json",
            b"[{\"size\":\"S\"},\n0, {]",
            "array.json#/1: not valid: `#` breaks `type` at `#/type` (object)\narray.json:2:5: not JSON: key must be a string\n",
        ),
    ];
    for (name, bytes, expected) in files {
        fs::write(folder.path().join(name), bytes).unwrap();
        let output = run(folder.path(), &["measure", "sizes.json", name, "--quiet"]);
        assert_eq!(code(&output), 1, "{name}: {}", errors(&output));
        assert!(errors(&output).starts_with(expected), "{name}: {}", errors(&output));
    }
    fs::create_dir(folder.path().join("folder.json")).unwrap();
    let output = run(folder.path(), &["measure", "sizes.json", "folder.json"]);
    assert_eq!(code(&output), 2);
    assert_eq!(
        errors(&output),
        "  × cannot read `folder.json`: is a directory\n  help: name a file, not a folder\n"
    );
}

/// Measures `data` in a file of this name, and returns how many instances were read and are valid.
fn counted(folder: &Path, schema: &str, name: &str, data: &str, more: &[&str]) -> (Value, Value) {
    fs::write(folder.join(name), data).unwrap();
    let arguments = [&["measure", schema, name, "--quiet", "--allow-invalid"], more].concat();
    let output = run(folder, &arguments);
    assert_eq!(code(&output), 0, "{data:?}: {}", errors(&output));
    let run = report(folder.join("coverage-report.json"))["run"].take();
    (run["maxInstances"].clone(), run["actualInstances"].clone())
}

#[test]
fn the_content_decides_what_a_file_holds() {
    let folder = folder();
    let cases = [
        ("{\"size\": \"S\"}", 1, 1),
        ("{\n  \"size\": \"S\"\n}\n", 1, 1),
        ("[{\"size\": \"S\"}, {\"size\": \"M\"}]", 2, 2),
        ("[\n  {\n    \"size\": \"S\"\n  },\n  0\n]\n", 2, 1),
        ("[]", 0, 0),
        ("{\"size\": \"S\"}\n{\"size\": \"M\"}\n\n0\n", 3, 2),
        ("[1]\n[2]\n", 2, 0),
        ("0\n", 1, 0),
    ];
    for (data, read, valid) in cases {
        for name in ["data.json", "data.jsonl", "data.txt", "data"] {
            let found = counted(folder.path(), "sizes.json", name, data, &[]);
            assert_eq!(found, (json!(read), json!(valid)), "{name}: {data:?}");
        }
        let output = measure(folder.path(), data.as_bytes(), &["--allow-invalid"]);
        assert_eq!(code(&output), 0, "{data:?}: {}", errors(&output));
        let report = report(folder.path().join("coverage-report.json"));
        assert_eq!(report["run"]["maxInstances"], json!(read), "{data:?}");
    }
}

#[test]
fn an_array_needs_a_format_if_the_schema_admits_arrays() {
    let folder = folder();
    fs::write(folder.path().join("list.json"), r#"{ "type": ["array", "integer"] }"#).unwrap();
    fs::write(folder.path().join("data.json"), "[1, [2], \"x\"]").unwrap();
    let output = run(folder.path(), &["measure", "list.json", "data.json"]);
    assert_eq!(code(&output), 2);
    let expected = "`data.json` is a JSON array, and the schema admits arrays: add `--data-format array` if its items are the instances, or `--data-format instance` if the array is one";
    assert!(errors(&output).contains(expected), "{}", errors(&output));
    assert!(!folder.path().join("coverage-report.json").exists());

    let format = |name: &str, data: &str, format: &str| {
        counted(folder.path(), "list.json", name, data, &["--data-format", format])
    };
    let count = |read: u64, valid: u64| (json!(read), json!(valid));
    assert_eq!(format("data.json", "[1, [2], \"x\"]", "array"), count(3, 2));
    assert_eq!(format("data.json", "[1, [2], \"x\"]", "instance"), count(1, 1));
    assert_eq!(format("data.json", "[1, [2], \"x\"]\n", "jsonl"), count(1, 1));
    // What else a file holds is never in doubt.
    let plain = |name: &str, data: &str| counted(folder.path(), "list.json", name, data, &[]);
    assert_eq!(plain("data.json", "[1]\n[2]\n"), count(2, 2));
    assert_eq!(plain("data.json", "1"), count(1, 1));
    // The name says that the line is one of many.
    assert_eq!(plain("data.jsonl", "[1, 2]\n"), count(1, 1));
}

#[test]
fn a_format_that_does_not_fit_is_a_failure() {
    let folder = folder();
    let measured = |format: &str, data: &str| {
        let output = measure(folder.path(), data.as_bytes(), &["--quiet", "--data-format", format]);
        assert_eq!(code(&output), 1, "{}", errors(&output));
        errors(&output)
    };
    let text = measured("array", "{\"size\": \"S\"}");
    assert!(
        text.starts_with("<stdin>:1:1: not JSON: invalid type: map, expected an array"),
        "{text}"
    );
    let text = measured("jsonl", "{\n\"size\": \"S\"}");
    assert!(text.starts_with("<stdin>:1:1: not JSON: "), "{text}");
    let text = measured("instance", "[{\"size\": \"S\"}]");
    assert!(text.starts_with("<stdin>: not valid: `#` breaks `type`"), "{text}");
}

/// The peak memory of the process `pid`, in bytes.
#[cfg(target_os = "linux")]
fn peak(pid: u32) -> usize {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
    line.trim().strip_suffix(" kB").unwrap().parse::<usize>().unwrap() * 1_024
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_data() {
    let folder = folder();
    let mut child = coverage(folder.path(), &["measure", "sizes.json", "-", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let note = "x".repeat(10_000);
    // Every instance is different, so that no two can share memory.
    let mut send = |indices: std::ops::Range<usize>| {
        for index in indices {
            writeln!(stdin, r#"{{"size":"S","note":"{index}{note}"}}"#).unwrap();
        }
        stdin.flush().unwrap();
    };
    // A pipe holds 64 KiB, so all but the last few lines have been read when writing returns.
    send(0..500);
    let early = peak(child.id());
    send(500..10_000);
    let late = peak(child.id());
    assert!(late < early + (16 << 20), "{early} bytes grew to {late} over 100 MB of data");
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let report = report(folder.path().join("coverage-report.json"));
    assert_eq!(report["run"]["actualInstances"], 10_000);
}

#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_items_of_an_array() {
    let folder = folder();
    let mut child = coverage(folder.path(), &["measure", "sizes.json", "-", "--quiet"])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let note = "x".repeat(10_000);
    write!(stdin, r#"[{{"size":"S"}}"#).unwrap();
    let mut send = |indices: std::ops::Range<usize>| {
        for index in indices {
            write!(stdin, r#",{{"size":"S","note":"{index}{note}"}}"#).unwrap();
        }
        stdin.flush().unwrap();
    };
    send(0..500);
    let early = peak(child.id());
    send(500..10_000);
    let late = peak(child.id());
    assert!(late < early + (16 << 20), "{early} bytes grew to {late} over 100 MB of data");
    write!(stdin, "]").unwrap();
    drop(stdin);
    assert!(child.wait().unwrap().success());
    let report = report(folder.path().join("coverage-report.json"));
    assert_eq!(report["run"]["actualInstances"], 10_001);
}

/// A named pipe for the last report keeps the run alive, so that its peak can be read.
#[test]
#[cfg(target_os = "linux")]
fn memory_does_not_grow_with_the_number_of_merged_reports() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let members: Vec<String> = (0..250).map(|index| "x".repeat(900) + &index.to_string()).collect();
    fs::write(at("long.json"), json!({ "enum": members }).to_string()).unwrap();
    fs::write(at("data.jsonl"), format!("{}\n", json!(members[0]))).unwrap();
    let output = run(folder.path(), &["measure", "long.json", "data.jsonl", "--quiet"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    assert!(Command::new("mkfifo").arg(at("last.json")).status().unwrap().success());
    // Without the time, nobody can tell that they are about the same run.
    let mut untimed = report(at("coverage-report.json"));
    untimed["run"]["durationMs"] = json!(0);
    let text = serde_json::to_vec(&untimed).unwrap();
    fs::write(at("coverage-report.json"), &text).unwrap();
    assert!(text.len() > 400_000, "{} bytes", text.len());
    let peak_of = |count: usize| {
        let reports = vec!["coverage-report.json"; count];
        let merge = [&["merge", "--quiet", "--out", "merged.json"], &reports[..], &["last.json"]];
        let mut child = coverage(folder.path(), &merge.concat()).spawn().unwrap();
        // Opening waits until the run has merged all others.
        let mut pipe = fs::File::options().write(true).open(at("last.json")).unwrap();
        let peak = peak(child.id());
        pipe.write_all(&text).unwrap();
        drop(pipe);
        assert!(child.wait().unwrap().success());
        assert_eq!(report(at("merged.json"))["run"]["maxInstances"], count + 1);
        peak
    };
    let (few, many) = (peak_of(2), peak_of(60));
    assert!(many < few + (8 << 20), "{few} bytes grew to {many} with 60 reports");
}

#[test]
fn merged_parts_are_the_whole() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let lines = [r#"{"size":"S"}"#, r#"{"size":"M","note":"a"}"#, r#"{"size":"XL"}"#, "0"];
    fs::write(at("all.jsonl"), lines.join("\n")).unwrap();
    fs::write(at("one.jsonl"), lines[..2].join("\n")).unwrap();
    fs::write(at("two.jsonl"), lines[2..].join("\n")).unwrap();
    for name in ["all", "one", "two"] {
        let (data, to) = (format!("{name}.jsonl"), format!("{name}-report.json"));
        let measure = ["measure", "sizes.json", &data, "--coverage-report", &to, "--allow-invalid"];
        let output = run(folder.path(), &measure);
        assert_eq!(code(&output), 0, "{}", errors(&output));
    }
    let merge = ["merge", "one-report.json", "two-report.json", "--out", "merged.json"];
    let merged = run(folder.path(), &merge);
    assert_eq!(code(&merged), 0, "{}", errors(&merged));
    let (whole, merged) = (report(at("all-report.json")), report(at("merged.json")));
    assert_eq!(whole["metrics"], merged["metrics"]);
    assert_eq!(whole["uncoveredTargets"], merged["uncoveredTargets"]);
    for field in ["maxInstances", "actualInstances"] {
        assert_eq!(whole["run"][field], merged["run"][field]);
    }
    let diff = |from, to| code(&run(folder.path(), &["diff", from, to]));
    assert_eq!(diff("all-report.json", "merged.json"), 0);
    assert_eq!(diff("merged.json", "all-report.json"), 0);
    assert_eq!(diff("all-report.json", "one-report.json"), 1);
    assert_eq!(diff("one-report.json", "all-report.json"), 0);
}

#[test]
fn shards_are_merged_if_all_are_there_once() {
    let folder = folder();
    for shard in ["1/3", "2/3", "3/3"] {
        let to = format!("report-{}.json", &shard[..1]);
        let mut generate = Command::new(env!("CARGO_BIN_EXE_foolproof"));
        generate.args(["generate", "sizes.json", "--n", "30", "--seed", "7", "--shard", shard]);
        generate.args(["--coverage", "measure", "--quiet", "--coverage-report", &to]);
        assert!(generate.current_dir(folder.path()).output().unwrap().status.success());
    }
    let merge = |options: &[&str]| {
        run(folder.path(), &[&["merge", "--out", "merged.json"], options].concat())
    };
    let (one, two, three) = ("report-1.json", "report-2.json", "report-3.json");
    assert_eq!(report(folder.path().join(two))["run"]["shard"]["start"], 10);
    let with_gap = merge(&[one, three]);
    assert_eq!(code(&with_gap), 2);
    assert!(errors(&with_gap).contains("instances 10 to 20 of 30"), "{}", errors(&with_gap));
    let doubled = merge(&[one, two, two, three]);
    assert_eq!(code(&doubled), 2);
    assert!(errors(&doubled).contains(two), "{}", errors(&doubled));
    assert!(!folder.path().join("merged.json").exists());
    assert_eq!(code(&merge(&[three, one, "--partial"])), 0);
    let notes = report(folder.path().join("merged.json"))["diagnostics"]["notes"].to_string();
    assert!(notes.contains("merged without instances 10 to 20 of 30"), "{notes}");
    assert_eq!(code(&merge(&[three, one, two])), 0);
    let merged = report(folder.path().join("merged.json"));
    assert!(merged["run"]["shard"].is_null() && merged["run"]["maxInstances"] == 30);
}

#[test]
fn a_report_is_replaced_as_a_whole_or_not_at_all() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let output = measure(folder.path(), b"{\"size\":\"S\"}", &["--coverage-report", "a.json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    fs::write(at("out.json"), "old\n").unwrap();
    // A limit on the size of files simulates a full disk.
    let script = "trap '' XFSZ; ulimit -f 1; exec \"$0\" coverage \"$@\"";
    let limited = |arguments: &[&str]| {
        let mut command = Command::new("sh");
        command.current_dir(folder.path()).args(["-c", script, env!("CARGO_BIN_EXE_foolproof")]);
        command.args(arguments).stdin(Stdio::null()).output().unwrap()
    };
    let full = "  × cannot write `out.json`: File too large (os error 27)";
    let merge = ["merge", "a.json", "--out", "out.json"];
    for arguments in [&merge[..], &["measure", "sizes.json", "-", "--coverage-report", "out.json"]]
    {
        let output = limited(arguments);
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert_eq!(errors(&output).lines().next(), Some(full));
        assert_eq!(fs::read_to_string(at("out.json")).unwrap(), "old\n");
    }
    // A failed merge does not change it either.
    fs::write(at("broken.json"), "{").unwrap();
    assert_eq!(
        code(&run(folder.path(), &["merge", "a.json", "broken.json", "--out", "out.json"])),
        2
    );
    assert_eq!(fs::read_to_string(at("out.json")).unwrap(), "old\n");
    assert_eq!(names(folder.path()), ["a.json", "broken.json", "out.json", "sizes.json"]);
    // Nor one that would replace what it reads.
    let before = fs::read(at("a.json")).unwrap();
    assert_eq!(code(&run(folder.path(), &["merge", "a.json", "a.json", "--out", "a.json"])), 2);
    assert_eq!(fs::read(at("a.json")).unwrap(), before);
}

#[test]
fn reports_that_cannot_be_read_are_named() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    assert_eq!(code(&measure(folder.path(), b"", &["--coverage-report", "good.json"])), 0);
    fs::write(at("bytes.json"), b"\xff\xfe").unwrap();
    fs::write(at("list.json"), "[]").unwrap();
    fs::write(at("deep.json"), "[".repeat(1_000_000)).unwrap();
    let mut cut = fs::read(at("good.json")).unwrap();
    cut.truncate(cut.len() / 2);
    fs::write(at("cut.json"), cut).unwrap();
    for name in ["bytes.json", "list.json", "deep.json", "cut.json", "missing.json", "."] {
        for arguments in [
            &["diff", "good.json", name][..],
            &["diff", name, "good.json", "--format", "json"],
            &["merge", "good.json", name, "--out", "merged.json"],
        ] {
            let output = run(folder.path(), arguments);
            assert_eq!(code(&output), 2, "{arguments:?}: {}", errors(&output));
            assert!(errors(&output).contains(&format!("`{name}`: ")), "{}", errors(&output));
            assert!(output.stdout.is_empty());
        }
    }
    assert!(!at("merged.json").exists());
}

#[test]
fn a_reader_that_closes_the_pipe_is_no_failure() {
    let folder = folder();
    assert_eq!(code(&measure(folder.path(), b"", &["--coverage-report", "a.json"])), 0);
    for arguments in [&["schema"][..], &["diff", "a.json", "a.json"]] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = coverage(folder.path(), arguments).stdout(writer).output().unwrap();
        assert_eq!((code(&output), errors(&output).as_str()), (0, ""), "{arguments:?}");
    }
}

#[test]
fn equal_runs_differ_only_in_time() {
    let folder = folder();
    let measured = || {
        let output = measure(folder.path(), b"{\"size\":\"S\"}\n[]\n", &[]);
        let text = fs::read_to_string(folder.path().join("coverage-report.json")).unwrap();
        let is_timeless =
            |line: &&str| !line.contains("\"startedAt\"") && !line.contains("\"durationMs\"");
        let kept: Vec<String> = text.lines().filter(is_timeless).map(str::to_owned).collect();
        assert_eq!(text.lines().count(), kept.len() + 2);
        (errors(&output), kept)
    };
    assert_eq!(measured(), measured());
}

/// `script` gives the run a terminal.
#[test]
#[cfg(target_os = "linux")]
fn progress_shows_on_a_terminal() {
    use std::io::{BufRead, BufReader, Read};
    let folder = folder();
    let binary = env!("CARGO_BIN_EXE_foolproof");
    let command =
        format!("timeout 60 yes '{{\"size\":\"S\"}}' | '{binary}' coverage measure sizes.json -");
    // A shell in the background switches Ctrl-C off for all that it starts, and these tests may be among it.
    let mut script = Command::new("env");
    script.args(["--default-signal=INT", "script", "-qefc", &command, "/dev/null"]);
    script.current_dir(folder.path());
    let probe = Command::new("env").args(["--default-signal=INT", "script", "--version"]).output();
    if !probe.is_ok_and(|output| output.status.success()) {
        let _: Option<()> =
            foolproof_corpus::skip("the command `script`, or `env` with signals, is absent");
        return;
    }
    let mut child = script.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut screen = BufReader::new(child.stdout.take().unwrap());
    let mut seen = Vec::new();
    while !String::from_utf8_lossy(&seen).contains(" instances read in ") {
        assert!(screen.read_until(b'\r', &mut seen).unwrap() > 0, "the run ended without a word");
    }
    // Ctrl-C, as the terminal sends it.
    child.stdin.take().unwrap().write_all(&[3]).unwrap();
    screen.read_to_end(&mut seen).unwrap();
    child.wait().unwrap();
    assert_eq!(names(folder.path()), ["sizes.json"], "an interrupted run leaves nothing behind");
}
