//! Launchers of projects work in the sandbox without options: what they have to write is done once, before it.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use foolproof_live::Support;
use serde_json::Value;
use tempfile::TempDir;

const FOOLPROOF: &str = env!("CARGO_BIN_EXE_foolproof");

/// A server of the standard library alone, which says where it may write.
const MAIN: &str = r##"
use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let Some((_, rest)) = line.split_once("\"id\":") else { continue };
        let id: String = rest.chars().take_while(char::is_ascii_digit).collect();
        let result = if line.contains("\"initialize\"") {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"built","version":"1"}}"#.to_owned()
        } else if line.contains("\"tools/list\"") {
            r#"{"tools":[{"name":"write","inputSchema":{"type":"object"}}]}"#.to_owned()
        } else if line.contains("\"tools/call\"") {
            let own = std::fs::write(format!("{}/x", std::env::var("HOME").unwrap()), "").is_ok();
            let project = std::fs::write("written", "").is_ok();
            format!(r#"{{"content":[],"structuredContent":{{"own":{own},"project":{project}}}}}"#)
        } else {
            println!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#);
            continue;
        };
        println!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#);
    }
}
"##;

struct Project {
    folder: TempDir,
}

impl Project {
    /// `None` after reporting that what needs a sandbox is skipped.
    fn new(files: &[(&str, &str)]) -> Option<Self> {
        if !Support::of_this_system().files {
            return foolproof_corpus::skip("no sandbox on this system (Linux with Landlock ABI 3)");
        }
        let project = Self { folder: tempfile::tempdir().unwrap() };
        for (name, content) in files {
            let path = project.at(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        }
        Some(project)
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join("project").join(name)
    }

    fn test(&self, command: &[&str]) -> Output {
        let usual = ["mcp", "stdio", "--cases", "2", "--seed", "1", "--json", "--"];
        Command::new(FOOLPROOF)
            .args([&usual[..], command].concat())
            .current_dir(self.at(""))
            .env("FOOLPROOF_CACHE_DIR", self.folder.path().join("caches"))
            .env_remove("CARGO_TARGET_DIR")
            .output()
            .unwrap()
    }
}

fn assert_works(project: &Project, command: &[&str], preparation: &str) {
    // The second time there is nothing left to prepare.
    for _ in 0..2 {
        let output = project.test(command);
        let errors = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{errors}");
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(report["sandbox"]["inForce"], true);
        assert_ne!(report["tools"][0]["successes"], 0, "{report}");
        assert!(report["notes"].to_string().contains(preparation), "{report}");
        assert!(errors.contains(preparation), "{errors}");
        assert!(!project.at("written").exists());
    }
}

#[test]
fn cargo_run_builds_before_the_sandbox() {
    let manifest = "[package]\nname = \"server\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let Some(project) = Project::new(&[("Cargo.toml", manifest), ("src/main.rs", MAIN)]) else {
        return;
    };
    assert_works(&project, &["cargo", "run", "--quiet"], " build --quiet");
}

#[test]
fn a_project_that_does_not_build_says_why() {
    let manifest = "[package]\nname = \"server\"\nversion = \"0.1.0\"\nedition = \"2024\"\n";
    let files = [("Cargo.toml", manifest), ("src/main.rs", "fn main() { missing(); }")];
    let Some(project) = Project::new(&files) else { return };
    let output = project.test(&["cargo", "run"]);
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(5), "{errors}");
    assert!(errors.contains("build` failed, which runs before the first session"), "{errors}");
}

#[test]
fn uv_run_syncs_before_the_sandbox() {
    let is_there = Command::new("uv").arg("--version").output().is_ok_and(|it| it.status.success());
    if !is_there {
        return foolproof_corpus::skip("uv is not installed").unwrap_or_default();
    }
    let project =
        "[project]\nname = \"server\"\nversion = \"0.1.0\"\nrequires-python = \">=3.9\"\n";
    let Some(project) = Project::new(&[("pyproject.toml", project), ("server.py", PYTHON)]) else {
        return;
    };
    assert_works(
        &project,
        &["uv", "run", "--no-python-downloads", "server.py"],
        "uv sync --inexact",
    );
    assert!(Path::new(&project.at(".venv")).is_dir());
}

const PYTHON: &str = r#"
import json, os, sys
for line in sys.stdin:
    request = json.loads(line)
    if "id" not in request: continue
    answer = {"jsonrpc": "2.0", "id": request["id"]}
    if request["method"] == "initialize":
        answer["result"] = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {"name": "s", "version": "1"}}
    elif request["method"] == "tools/list":
        answer["result"] = {"tools": [{"name": "write", "inputSchema": {"type": "object"}}]}
    elif request["method"] == "tools/call":
        try: open("written", "w"); project = True
        except OSError: project = False
        answer["result"] = {"content": [], "structuredContent": {"project": project}}
    else:
        answer["error"] = {"code": -32601, "message": "unknown"}
    print(json.dumps(answer), flush=True)
"#;
