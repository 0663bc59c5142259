//! The examples of docs/ci.md: they are parsed, and their commands are executed.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde::Deserialize as _;
use serde_json::Value;

const SCHEMA: &str = r#"{
  "type": "object", "required": ["id"], "additionalProperties": false,
  "properties": {
    "id": { "type": "integer", "minimum": 1, "maximum": 99999 },
    "size": { "enum": ["S", "M", "L"] },
    "note": { "type": "string", "maxLength": 20 }
  }
}"#;

/// The YAML documents of the page, in their order.
fn examples() -> Vec<Value> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/ci.md");
    let page = fs::read_to_string(page).unwrap();
    let blocks = page.split("```yaml\n").skip(1);
    let texts: Vec<&str> = blocks.map(|rest| rest.split("```").next().unwrap()).collect();
    let documents = texts.iter().flat_map(|text| yaml_serde::Deserializer::from_str(text));
    documents.map(|document| Value::deserialize(document).unwrap()).collect()
}

/// Runs a line of a shell that finds the program under test, and demands that it succeeds.
fn sh(line: &str, folder: &Path, variables: &[(&str, String)]) {
    let program = PathBuf::from(env!("CARGO_BIN_EXE_foolproof"));
    let own = program.parent().unwrap().to_owned();
    let paths = env::var_os("PATH").unwrap_or_default();
    let paths = env::join_paths(std::iter::once(own).chain(env::split_paths(&paths))).unwrap();
    let mut command = Command::new("sh");
    command.args(["-e", "-c", line]).current_dir(folder).env("PATH", paths);
    for name in ["GITHUB_ACTIONS", "GITHUB_STEP_SUMMARY"] {
        command.env_remove(name);
    }
    let done = command.envs(variables.iter().cloned()).output().unwrap();
    let errors = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{line}\n{errors}");
}

/// The lines that a job of GitHub Actions runs, but for installations.
fn lines(job: &Value) -> Vec<&str> {
    let steps = job["steps"].as_array().unwrap().iter();
    let lines = steps.filter_map(|step| step.get("run")?.as_str());
    lines.filter(|line| !line.starts_with("cargo install")).collect()
}

#[test]
fn the_workflow_of_github_generates_merges_and_compares() {
    let examples = examples();
    let workflow = examples.iter().find(|it| it.get("jobs").is_some()).expect("a workflow");
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("schema.json"), SCHEMA).unwrap();

    let shard = &workflow["jobs"]["shard"];
    for number in shard["strategy"]["matrix"]["shard"].as_array().unwrap() {
        for line in lines(shard) {
            let line = line.replace("${{ matrix.shard }}", &number.to_string());
            assert!(!line.contains("${{"), "{line}");
            sh(&line, folder.path(), &[]);
        }
    }
    let parts: String = (1..=4)
        .map(|part| fs::read_to_string(at(&format!("data-{part}.jsonl"))).unwrap())
        .collect();
    sh("foolproof generate schema.json --n 2000 --out whole.jsonl", folder.path(), &[]);
    assert!(parts == fs::read_to_string(at("whole.jsonl")).unwrap(), "the parts are the whole run");

    let gate = lines(&workflow["jobs"]["gate"]);
    sh(gate[0], folder.path(), &[]);
    // In a repository the baseline is there already.
    let accept = "foolproof coverage accept coverage-report.json --baseline coverage-baseline.json";
    sh(accept, folder.path(), &[]);
    for line in &gate[1..] {
        sh(line, folder.path(), &[]);
    }
    assert!(fs::read_to_string(at("summary.md")).unwrap().starts_with("## Coverage: "));
    assert!(fs::read_to_string(at("coverage.html")).unwrap().starts_with("<!DOCTYPE html>"));
}

#[test]
fn the_jobs_of_kubernetes_generate_and_merge() {
    let examples = examples();
    let jobs: Vec<&Value> = examples.iter().filter(|it| it["kind"] == "Job").collect();
    let folder = tempfile::tempdir().unwrap();
    let contract = folder.path().join("contract");
    let results = folder.path().join("results");
    fs::create_dir_all(&contract).unwrap();
    fs::create_dir_all(&results).unwrap();
    fs::write(contract.join("schema.json"), SCHEMA).unwrap();
    for job in jobs {
        let container = &job["spec"]["template"]["spec"]["containers"][0];
        let command = container["command"].as_array().unwrap();
        assert_eq!(command[..2], ["sh", "-c"]);
        let line = command[2].as_str().unwrap();
        let line = line.replace("/contract/", &format!("{}/", contract.display()));
        let line = line.replace("/results/", &format!("{}/", results.display()));
        for index in 0..job["spec"]["completions"].as_u64().unwrap_or(1) {
            sh(&line, folder.path(), &[("JOB_COMPLETION_INDEX", index.to_string())]);
        }
    }
    let report = fs::read_to_string(results.join("coverage-report.json")).unwrap();
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["metrics"]["coverageStatus"], "ok");
    assert_eq!(report["run"]["actualInstances"], 8000);
}
