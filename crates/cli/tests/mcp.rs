//! `foolproof mcp` as a user runs it, against the server that is built in.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

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

    let again = foolproof(&["mcp", "replay", path(&repro)]);
    assert_eq!(code(&again), 1, "{}", text(&again));
    assert!(text(&again).contains("still fails: set_reminder: crash"), "{}", text(&again));
    let fixed = foolproof(&["mcp", "replay", path(&repro), "--", FOOLPROOF, "mcp", "serve"]);
    assert_eq!(code(&fixed), 0, "{}", text(&fixed));
    assert!(text(&fixed).contains("fixed: set_reminder no longer shows crash"), "{}", text(&fixed));
    let gone = foolproof(&["mcp", "replay", path(&repro), "--", "/nonexistent/server"]);
    assert_eq!(code(&gone), 5, "{}", text(&gone));
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
