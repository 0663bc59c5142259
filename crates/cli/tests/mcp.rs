//! `foolproof mcp` as a user runs it, against the server that is built in.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fs,
    path::Path,
    process::{Command, Output, Stdio},
    time::{Duration, Instant},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use serde_json::Value;

const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");

fn foolproof(args: &[&str]) -> Output {
    Command::new(FOOLPROOF).args(args).output().unwrap()
}

/// Tests the server that is built in, with these bugs and further options.
fn stdio(bugs: &str, options: &[&str]) -> Output {
    let server = ["--", FOOLPROOF, "mcp", "serve", "--bugs", bugs];
    let common = ["mcp", "stdio", "--seed", "1", "--value", "alpha", "--value", "3"];
    foolproof(&[&common[..], options, &server[..]].concat())
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn text(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr[..]].concat();
    String::from_utf8(text).unwrap()
}

fn path(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn a_correct_server_passes() {
    let output = stdio("", &["--cases", "4"]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    assert!(text(&output).contains("passed, seed 1"));
    assert!(text(&output).contains("again: foolproof mcp stdio --seed 1 --value alpha"));
}

#[test]
fn a_failure_is_written_replayed_and_fixed() {
    let folder = tempfile::tempdir().unwrap();
    let (repro, junit) = (folder.path().join("repro.json"), folder.path().join("junit.xml"));
    let options = ["--cases", "40", "--tools", "*_task", "--value", "2000"];
    let files = ["--repro", path(&repro), "--junit", path(&junit)];
    let output = stdio("crash", &[&options[..], &["--tools", "set_reminder"], &files[..]].concat());
    assert_eq!(code(&output), 1, "{}", text(&output));
    assert!(text(&output).contains("FAILED set_reminder: crash"), "{}", text(&output));
    assert!(fs::read_to_string(&junit).unwrap().contains("<failure type=\"crash\""));

    let again = foolproof(&["mcp", "replay", path(&repro), "--trust"]);
    assert_eq!(code(&again), 1, "{}", text(&again));
    assert!(text(&again).contains("still fails: set_reminder: crash"), "{}", text(&again));
    let fixed = foolproof(&["mcp", "replay", path(&repro), "--", FOOLPROOF, "mcp", "serve"]);
    assert_eq!(code(&fixed), 0, "{}", text(&fixed));
    assert!(text(&fixed).contains("fixed: set_reminder no longer shows crash"), "{}", text(&fixed));
    let gone = foolproof(&["mcp", "replay", path(&repro), "--", "/nonexistent/server"]);
    assert_eq!(code(&gone), 5, "{}", text(&gone));
}

/// A repro file of a failure in `set_reminder`.
fn recorded(folder: &Path) -> Value {
    let repro = folder.join("repro.json");
    let options = ["--cases", "40", "--value", "2000", "--repro", path(&repro)];
    let output = stdio(
        "crash",
        &[&options[..], &["--tools", "create_task"], &["--tools", "set_reminder"]].concat(),
    );
    assert_eq!(code(&output), 1, "{}", text(&output));
    serde_json::from_slice(&fs::read(&repro).unwrap()).unwrap()
}

#[test]
fn a_repro_file_of_a_stranger_starts_nothing_unless_it_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let (repro, trace) = (folder.path().join("stranger.json"), folder.path().join("trace"));
    let mut file = recorded(folder.path());
    let script = format!("touch {}", trace.display());
    file["server"]["command"] = serde_json::json!(["sh", "-c", script]);
    fs::write(&repro, file.to_string()).unwrap();
    let refused = foolproof(&["mcp", "replay", path(&repro)]);
    assert_eq!(code(&refused), 2, "{}", text(&refused));
    assert!(text(&refused).contains(&format!("command: sh -c '{script}'")), "{}", text(&refused));
    assert!(text(&refused).contains("--trust"), "{}", text(&refused));
    assert!(!trace.exists());

    // A reset command is a program too, also beside a server that was given.
    file["server"]["resetCommand"] = serde_json::json!(script);
    fs::write(&repro, file.to_string()).unwrap();
    let server = ["--", FOOLPROOF, "mcp", "serve"];
    let refused = foolproof(&[&["mcp", "replay", path(&repro)][..], &server].concat());
    assert_eq!(code(&refused), 2, "{}", text(&refused));
    assert!(text(&refused).contains("reset command: "), "{}", text(&refused));
    assert!(!trace.exists());

    // Trusted, it still runs in the sandbox.
    let trusted = foolproof(&["mcp", "replay", path(&repro), "--trust"]);
    assert_eq!(code(&trusted), 5, "{}", text(&trusted));
    if foolproof_live::Support::of_this_system().files {
        assert!(!trace.exists());
    }
}

#[test]
fn a_replay_calls_only_what_a_run_would_call() {
    let folder = tempfile::tempdir().unwrap();
    let repro = folder.path().join("destructive.json");
    let mut file = recorded(folder.path());
    file["steps"][0]["tool"] = serde_json::json!("delete_all_tasks");
    fs::write(&repro, file.to_string()).unwrap();
    let refused = foolproof(&["mcp", "replay", path(&repro), "--trust"]);
    assert_eq!(code(&refused), 2, "{}", text(&refused));
    assert!(text(&refused).contains("`delete_all_tasks` may not be called"), "{}", text(&refused));
    assert!(text(&refused).contains("--allow-destructive"), "{}", text(&refused));
}

#[test]
fn a_rule_that_the_time_left_open_is_not_judged() {
    let options = [
        "--time",
        "0.3s",
        "--cases",
        "100000",
        "--no-uncalled",
        "--tools",
        "create_task",
        "--tools",
        "get_task",
    ];
    let output = stdio("", &options);
    // Both are called within that time, on most machines: then the run passes, and says what was cut off.
    assert!([0, 6].contains(&code(&output)), "{}", text(&output));
    assert!(text(&output).contains("note: the time of 300ms was over after"), "{}", text(&output));
    let never = [&options[..], &["--min-calls", "1000000"]].concat();
    let output = stdio("", &never);
    assert_eq!(code(&output), 6, "{}", text(&output));
    assert!(
        text(&output).contains("not judged: time: coverage_validation_failed"),
        "{}",
        text(&output)
    );
    assert!(text(&output).contains("not judged: the time was over"), "{}", text(&output));
    let json = stdio("", &[&never[..], &["--json"]].concat());
    let report: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(report["outcome"]["status"], "not_judged");
}

#[test]
fn the_report_for_programs_is_json() {
    let output = stdio("junk", &["--cases", "6", "--json"]);
    assert_eq!(code(&output), 1, "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["format"], "foolproof-mcp-report/v1");
    assert_eq!(report["outcome"]["status"], "failed");
    assert_eq!(report["failures"][0]["code"], "invalid_message");
    assert_eq!(report["failures"][0]["tool"], "list_tasks");
    assert!(report["coverage"]["counts"]["create_task"].is_number());
}

#[test]
fn a_server_that_cannot_be_started_is_code_5() {
    let output = foolproof(&["mcp", "stdio", "--", "/nonexistent/server"]);
    assert_eq!(code(&output), 5, "{}", text(&output));
    let output = foolproof(&["mcp", "stdio", "--", "sh", "-c", "echo out of luck >&2; exit 3"]);
    assert_eq!(code(&output), 5, "{}", text(&output));
    assert!(text(&output).contains("stderr: out of luck"), "{}", text(&output));
    let output = stdio("", &["--reset-command", "exit 4"]);
    assert_eq!(code(&output), 5, "{}", text(&output));
}

#[test]
fn nonsense_is_refused_before_anything_starts() {
    for options in [
        &["--min-steps", "9", "--max-steps", "3"][..],
        &["--check", "no_such_check=fail"],
        &["--call-timeout", "soon"],
        &["--min-tools", "130"],
        &["--corpus", "/nonexistent/corpus.json"],
        &["--inherit-env", "SURELY_NOT_SET_ANYWHERE"],
    ] {
        let output = stdio("", options);
        assert_eq!(code(&output), 2, "{options:?}: {}", text(&output));
    }
}

#[test]
fn a_misspelt_tool_is_refused_with_what_may_be_meant() {
    for option in ["--tools", "--coverage-allow", "--coverage-block"] {
        let output = stdio("", &["--cases", "2", option, "create_tsk"]);
        assert_eq!(code(&output), 2, "{}", text(&output));
        let message = "the server has no tool `create_tsk`; did you mean `create_task`";
        assert!(text(&output).contains(message), "{}", text(&output));
    }
    let output = stdio("", &["--dry-run", "--tools", "!zzz*"]);
    assert_eq!(code(&output), 2, "{}", text(&output));
    assert!(text(&output).contains("no tool `zzz*`; it has create_task, "), "{}", text(&output));
}

#[test]
fn a_summary_in_markdown_is_written_and_appended_to_that_of_the_job() {
    let folder = tempfile::tempdir().unwrap();
    let (summary, job) = (folder.path().join("summary.md"), folder.path().join("job.md"));
    fs::write(&job, "before\n").unwrap();
    let options = ["mcp", "stdio", "--seed", "1", "--cases", "6", "--summary-md", path(&summary)];
    let server = ["--", FOOLPROOF, "mcp", "serve", "--bugs", "junk"];
    let mut command = Command::new(FOOLPROOF);
    command.args(options).args(server).env("GITHUB_STEP_SUMMARY", &job);
    let output = command.output().unwrap();
    assert_eq!(code(&output), 1, "{}", text(&output));
    let written = fs::read_to_string(&summary).unwrap();
    assert!(
        written.starts_with("## MCP server foolproof-example-server: failed, by "),
        "{written}"
    );
    assert!(written.contains("| `create_task` |"), "{written}");
    assert!(written.contains("invalid_message"), "{written}");
    assert_eq!(fs::read_to_string(&job).unwrap(), format!("before\n{written}"));
}

#[test]
fn more_and_less_is_printed() {
    let output = stdio("", &["--cases", "2", "--verbose"]);
    assert!(text(&output).contains("\nsequence 2: "), "{}", text(&output));
    let output = stdio("", &["--cases", "2", "--quiet"]);
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn secrets_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let repro = folder.path().join("repro.json");
    let secret = "hunter2-hunter2";
    let options =
        ["--cases", "3", "--env", "API_TOKEN=hunter2-hunter2", "--value", secret, "--repro"];
    let output = stdio("junk", &[&options[..], &[path(&repro)], &["--json"]].concat());
    assert_eq!(code(&output), 1, "{}", text(&output));
    assert!(!text(&output).contains(secret));
    let written = fs::read_to_string(&repro).unwrap();
    assert!(!written.contains(secret));
    assert!(written.contains("API_TOKEN"), "the variable that it needs is named");
}

#[test]
fn a_dry_run_shows_calls_and_makes_none() {
    let output = stdio("crash", &["--dry-run"]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    assert!(text(&output).contains("create_task {"), "{}", text(&output));
    assert!(text(&output).contains("delete_all_tasks: skipped"), "{}", text(&output));
}

#[test]
fn values_can_be_written_and_used_again() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus.json");
    let output = stdio("", &["--cases", "2", "--dump-corpus", path(&corpus)]);
    assert_eq!(code(&output), 0, "{}", text(&output));
    let output = stdio("", &["--cases", "2", "--corpus", path(&corpus)]);
    assert_eq!(code(&output), 0, "{}", text(&output));
}

#[test]
fn every_check_is_listed() {
    let output = foolproof(&["mcp", "checks"]);
    assert_eq!(code(&output), 0);
    for check in ["crash", "output_schema_mismatch", "server_output_invalid", "nothing_succeeded"] {
        assert!(text(&output).contains(check));
    }
}

#[test]
fn reports_fit_their_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str| folder.path().join(name);
    let (repro, corpus, coverage) = (file("repro"), file("corpus"), file("coverage"));
    let files = ["--repro", path(&repro), "--dump-corpus", path(&corpus)];
    let coverage_file = ["--coverage-report", path(&coverage)];
    let options =
        ["--json", "--cases", "30", "--min-calls", "1", "--errors", "forbid", "--mine-text"];
    let output =
        stdio("stale-read,crash", &[&options[..], &files[..], &coverage_file[..]].concat());
    assert_eq!(code(&output), 1, "{}", text(&output));
    let written: [(&[&str], String); 4] = [
        (&["mcp", "schema", "report"], String::from_utf8(output.stdout).unwrap()),
        (&["mcp", "schema", "repro"], fs::read_to_string(&repro).unwrap()),
        (&["mcp", "schema", "corpus"], fs::read_to_string(&corpus).unwrap()),
        (&["coverage", "schema"], fs::read_to_string(&coverage).unwrap()),
    ];
    for (command, text) in written {
        let schema = foolproof(command).stdout;
        let schema = Document::from_value(serde_json::from_slice(&schema).unwrap()).unwrap();
        let oracle = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
        let violations = oracle.violations(&serde_json::from_str(&text).unwrap());
        assert!(violations.is_empty(), "{command:?}: {violations:?}");
    }
    // The coverage report is one that the other commands read.
    let compared = foolproof(&["coverage", "diff", path(&coverage), path(&coverage)]);
    assert_eq!(code(&compared), 0, "{}", text(&compared));
}

#[test]
fn the_coverage_report_has_a_tool_as_an_operation() {
    let folder = tempfile::tempdir().unwrap();
    let measure = |name: &str, options: &[&str]| -> Value {
        let file = folder.path().join(name);
        let output = stdio("", &[&["--coverage-report", path(&file)], options].concat());
        assert_eq!(code(&output), 0, "{}", text(&output));
        serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap()
    };
    let random = measure("random", &["--cases", "6"]);
    let operations = random["metrics"]["byOperation"].as_object().unwrap();
    assert!(operations["create_task"].as_f64().unwrap() > 0.3, "{operations:?}");
    // It was not called, so it is not in the scope.
    assert!(!operations.contains_key("delete_all_tasks"), "{operations:?}");
    assert_eq!(random["run"]["operationsScope"], "selected");
    let find = |report: &Value, id: &str| {
        let targets = report["targets"].as_array().unwrap().iter();
        targets.clone().find(|target| target["id"] == id).cloned().unwrap()
    };
    assert_eq!(find(&random, "op:create_task:request")["hit"], true);
    let title = find(&random, "struct:#/tools/create_task/inputSchema/properties/title");
    assert_eq!(title["meta"]["operations"][0], "create_task");
    assert_eq!(title["meta"]["example"]["title"], "alpha");
    // Sequences at the same time change nothing.
    let many = measure("many", &["--cases", "6", "--concurrency", "4"]);
    assert_eq!(many["metrics"], random["metrics"]);
    // Guided runs cover no less.
    let guided = measure("guided", &["--cases", "6", "--guided"]);
    assert_eq!(guided["engine"]["coverageMode"], "guided");
    let fingerprint = |report: &Value| report["run"]["contractFingerprint"].clone();
    assert!(fingerprint(&random).is_string());
    assert_eq!(fingerprint(&guided), fingerprint(&random));
    // Tools that are not called are part of the contract too.
    let all = measure("all", &["--cases", "1", "--allow-destructive"]);
    assert_eq!(fingerprint(&all), fingerprint(&random));
    let overall = |report: &Value| report["metrics"]["overall"].as_f64().unwrap();
    assert!(overall(&guided) >= overall(&random), "{} {}", overall(&guided), overall(&random));
}

#[test]
fn failures_are_annotations_on_github() {
    let server = ["--", FOOLPROOF, "mcp", "serve", "--bugs", "crash"];
    let options = ["mcp", "stdio", "--seed", "1", "--cases", "20", "--value", "2000"];
    let run = |is_github: bool| {
        let mut command = Command::new(FOOLPROOF);
        command.args(options).args(server).env_remove("GITHUB_ACTIONS");
        if is_github {
            command.env("GITHUB_ACTIONS", "true");
        }
        text(&command.output().unwrap())
    };
    let annotation = "::error title=foolproof mcp::set_reminder: crash: ";
    assert!(run(true).contains(annotation), "{}", run(true));
    assert!(!run(false).contains(annotation));
}

#[test]
fn one_session_serves_all_sequences_until_it_ends() {
    let folder = tempfile::tempdir().unwrap();
    let starts = folder.path().join("starts");
    let reset = format!("echo x >> {}", path(&starts));
    let options = ["--reuse-session", "--cases", "5", "--max-steps", "10", "--json"];
    let reset = ["--reset-command", &reset, "--allow-write", path(folder.path())];
    let output = stdio("", &[&options[..], &reset].concat());
    assert_eq!(code(&output), 0, "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let tools = report["tools"].as_array().unwrap().iter();
    assert_eq!(tools.map(|tool| tool["calls"].as_u64().unwrap()).sum::<u64>(), 50);
    assert_eq!(fs::read_to_string(&starts).unwrap().lines().count(), 1);
}

#[test]
fn time_ends_a_run_within_a_sequence() {
    let start = Instant::now();
    let options = ["--reuse-session", "--cases", "1000000", "--time", "1s"];
    let output = stdio("", &options);
    assert_eq!(code(&output), 0, "{}", text(&output));
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn an_interrupted_run_reports_what_it_has_found() {
    let server = ["--", FOOLPROOF, "mcp", "serve"];
    let options = ["mcp", "stdio", "--seed", "1", "--cases", "1000000", "--value", "alpha"];
    let run = Command::new(FOOLPROOF)
        .args(options)
        .args(server)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let interrupt = format!("kill -INT {}", run.id());
    let interrupt = Command::new("/bin/sh").args(["-c", &interrupt]).status().unwrap();
    assert!(interrupt.success());
    let output = run.wait_with_output().unwrap();
    assert_eq!(code(&output), 130, "{}", text(&output));
    assert!(text(&output).contains("create_task"), "{}", text(&output));
    assert!(text(&output).contains("interrupted: this is about the "), "{}", text(&output));
}
