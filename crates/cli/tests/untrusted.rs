//! What a server under test says never controls what reads it: a terminal, a CI, a page, a test tool, a shell.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    process::{Command, Output},
};

use serde_json::{Value, json};
use tempfile::TempDir;

const SERVER: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/scripted/server.sh");

/// What a terminal, GitHub Actions, Markdown, XML and a shell would obey.
const EVIL: &str =
    "a\u{1b}[2J\n::error file=README.md::owned\n##[error]x`|<b>$(id)'\"]]>\u{202e}\u{9b}2J";

/// A server with these tools, tested with these options in a job of GitHub Actions.
fn test(info: &Value, tools: &[&str], options: &[&str]) -> (Output, TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let listed: Vec<Value> = tools
        .iter()
        .map(|name| {
            json!({
                "name": name, "inputSchema": { "type": "object" },
                "outputSchema": { "type": "object", "properties": { "n": { "const": EVIL } } }
            })
        })
        .collect();
    fs::write(at("tools"), json!({ "tools": listed }).to_string()).unwrap();
    let text = json!({ "type": "text", "text": EVIL });
    let result = json!({ "content": [text], "structuredContent": { "n": format!("{EVIL}!") } });
    fs::write(at("result"), result.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(["mcp", "stdio", "--seed", "1", "--cases", "2", "--max-steps", "3"])
        .args(options.iter().map(|option| option.replace("{folder}", &at(""))))
        .args(["--", "/bin/sh", SERVER, &info.to_string(), &at("tools"), &at("result"), EVIL])
        .env("GITHUB_ACTIONS", "true")
        .env("GITHUB_STEP_SUMMARY", at("step"))
        .env("FOOLPROOF_CACHE_DIR", at("caches"))
        .output()
        .unwrap();
    (output, folder)
}

fn text(output: &Output) -> String {
    [&output.stdout[..], &output.stderr[..]].map(|it| str::from_utf8(it).unwrap()).concat()
}

/// Lines that GitHub Actions takes for commands.
fn commands(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim_start);
    lines.filter(|line| line.starts_with("::") || line.contains("##[")).collect()
}

#[test]
fn nothing_of_a_server_is_obeyed_by_a_terminal_or_a_ci() {
    let info = json!({ "name": EVIL, "version": EVIL });
    let files = ["--junit", "{folder}/junit", "--summary-md", "{folder}/summary"];
    let repro = ["--repro", "{folder}/repro", "--verbose"];
    let (output, folder) = test(&info, &[EVIL, "::error::b"], &[&files[..], &repro].concat());
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{shown}");
    let obeyed = |char: char| char.is_control() && char != '\n' || char == '\u{202e}';
    assert_eq!(shown.find(obeyed), None, "{shown:?}");
    // One annotation for each failure, on one line, and no other command.
    let commands = commands(&shown);
    assert!(!commands.is_empty(), "{shown}");
    for command in commands {
        assert!(command.starts_with("::error title=foolproof mcp::"), "{command}");
    }
    let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
    let (junit, summary) = (read("junit"), read("summary"));
    assert!(!junit.contains("<b>") && !junit.contains('\u{1b}'), "{junit}");
    assert!(!summary.contains(['\u{1b}', '\u{202e}']), "{summary}");
    let is_html = |line: &&str| line.starts_with("<details>");
    assert!(summary.lines().filter(is_html).all(|line| !line.contains("<b>")), "{summary}");
    assert_eq!(read("step"), summary);
    // Every heading and every item of a list is ours.
    for line in summary.lines().filter(|line| line.starts_with(['#', '-'])) {
        assert!(line.starts_with("## MCP server ") || line.starts_with("- `"), "{line}");
    }

    let replay = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(["mcp", "replay", "--trust"])
        .arg(folder.path().join("repro"))
        .output()
        .unwrap();
    let shown = text(&replay);
    assert_eq!(replay.status.code(), Some(1), "{shown}");
    assert_eq!(shown.find(obeyed), None, "{shown:?}");
    assert!(self::commands(&shown).is_empty(), "{shown}");
}

#[test]
fn a_name_of_65_536_bytes_is_shown_in_short() {
    let long = "x".repeat(65_536);
    let (output, folder) = test(&json!({ "name": long, "version": "1" }), &[&long, "short"], &[]);
    let shown = text(&output);
    assert_eq!(output.status.code(), Some(1), "{}", &shown[..shown.len().min(2_000)]);
    assert!(!shown.contains("panicked"), "{shown}");
    // The command that repeats the run has what was typed.
    let is_repeated = |line: &&str| line.starts_with("again:") || line.starts_with("::error");
    assert!(shown.lines().filter(|line| !is_repeated(line)).all(|line| line.len() < 5_000));
    drop(folder);
    let (output, _folder) = test(&json!({}), &[&long], &["--json"]);
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    assert_eq!(report["tools"][0]["name"].as_str().map(str::len), Some(65_536));
}

#[test]
fn an_option_that_a_report_suggests_is_one_word_of_a_shell() {
    let name = "a; touch /tmp/owned";
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let schema = json!({ "type": "object", "required": [name], "properties": { name: { "type": "string" } } });
    let tools = json!({ "tools": [{ "name": "t", "inputSchema": schema }] });
    fs::write(at("tools"), tools.to_string()).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(["mcp", "stdio", "--cases", "1", "--json", "--", "/bin/sh", SERVER, "{}"])
        .args([&at("tools"), "/dev/null", ""])
        .env("FOOLPROOF_CACHE_DIR", at("caches"))
        .output()
        .unwrap();
    let report: Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)));
    let suggestion = &report["coverage"]["warnings"][0]["suggestion"];
    assert_eq!(suggestion, "--value 'a; touch /tmp/owned=TEXT'", "{report}");
}

#[test]
fn names_of_a_document_stay_in_their_line() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name).display().to_string();
    let response = json!({ "description": "" });
    let statuses: serde_json::Map<String, Value> =
        (0..15_000).map(|number| (format!("x-{number}"), response.clone())).collect();
    let mut responses = statuses;
    responses.extend((100..600).map(|status| (status.to_string(), response.clone())));
    let operation = json!({ "operationId": EVIL, "responses": responses });
    let api = json!({ "openapi": "3.1.0", "info": {}, "paths": { "/a": { "get": operation } } });
    fs::write(at("api.json"), api.to_string()).unwrap();
    let schema =
        json!({ "properties": { EVIL: { "minLength": 3, "maxLength": 2, "type": "string" } } });
    fs::write(at("schema.json"), schema.to_string()).unwrap();
    for args in [
        &["inspect", "api.json"][..],
        &["inspect", "schema.json"],
        &["generate", "schema.json", "--coverage", "measure", "--coverage-report", "report.json"],
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
            .args(args)
            .current_dir(folder.path())
            .output()
            .unwrap();
        let shown = text(&output);
        assert_eq!(output.status.code(), Some(0), "{shown}");
        assert!(commands(&shown).is_empty(), "{args:?}: {shown}");
        assert!(!shown.contains('\u{1b}'), "{shown:?}");
        assert!(shown.lines().all(|line| line.chars().count() < 500), "{args:?}: {shown}");
    }
}
