//! What `foolproof generate` and `foolproof coverage` write, and what they refuse to write: readers that
//! go away, files that are the same, plans.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader},
    os::unix::fs::symlink,
    path::Path,
    process::{Command, Output, Stdio},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_corpus::ajv;
use serde_json::{Value, json};
use tempfile::TempDir;

const SIZES: &str = r#"{ "type": "object", "required": ["size"], "properties": {
    "size": { "enum": ["S", "M", "L", "XL"] }, "note": { "type": "string" } } }"#;

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

fn run(folder: &Path, arguments: &str) -> Output {
    foolproof(folder, arguments).output().unwrap()
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn json_at(path: impl AsRef<Path>) -> Value {
    serde_json::from_slice(&fs::read(path).unwrap()).unwrap()
}

/// Runs a command whose reader closes standard output after one line.
fn head(folder: &Path, arguments: &str) -> Output {
    let mut command = foolproof(folder, arguments);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.ends_with('\n'), "{line}");
    child.wait_with_output().unwrap()
}

#[test]
fn a_run_whose_reader_goes_away_still_has_its_report_and_its_exit_code() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::write(at("coverage-report.json"), "old").unwrap();
    // More than a pipe holds, so that the reader is gone before the last instance.
    let options = "generate sizes.json --n 30000 --coverage measure --metrics metrics.json";
    let output = head(folder.path(), options);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report = json_at(at("coverage-report.json"));
    assert_eq!(report["run"]["actualInstances"], 30_000);
    assert_eq!(json_at(at("metrics.json"))["instances"], 30_000);
    let closed =
        "standard output was closed before the last instance; the run went on without it\n";
    assert!(errors(&output).starts_with(closed), "{}", errors(&output));
    assert!(errors(&output).contains("The report is in `coverage-report.json`"));

    // The same report as with a reader.
    let read = run(folder.path(), &format!("{options} --coverage-report read.json --quiet"));
    assert_eq!(code(&read), 0);
    assert_eq!(json_at(at("read.json"))["targets"], report["targets"]);

    // A boundary that no instance meets.
    fs::write(at("long.json"), r#"{ "type": "string", "maxLength": 1000000 }"#).unwrap();
    let below = "generate long.json --n 30000 --coverage measure --coverage-min 1 --quiet";
    let output = head(folder.path(), below);
    let reason = errors(&output);
    assert!(code(&output) == 3 && reason.ends_with("below the minimum of 100 %\n"), "{reason}");
    let report = json_at(at("coverage-report.json"));
    assert_eq!(report["metrics"]["coverageStatus"], "minCoverageNotMet");
}

#[test]
fn a_run_without_a_report_ends_with_its_reader() {
    let folder = folder();
    let output = head(folder.path(), "generate sizes.json --n 1000000000000");
    assert_eq!((code(&output), errors(&output).as_str()), (0, ""));
}

#[test]
fn a_regression_is_one_even_if_nobody_reads_it() {
    let folder = folder();
    for (n, report) in [("9", "all.json"), ("1", "one.json")] {
        let options = format!("generate sizes.json --n {n} --coverage measure --coverage-report");
        assert_eq!(code(&run(folder.path(), &format!("{options} {report}"))), 0);
    }
    for format in ["text", "json"] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let diff = format!("coverage diff all.json one.json --format {format}");
        let output = foolproof(folder.path(), &diff).stdout(writer).output().unwrap();
        assert_eq!((code(&output), errors(&output).as_str()), (1, ""));
    }
}

#[test]
fn an_output_is_never_the_contract_or_another_output() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    symlink("sizes.json", at("link.json")).unwrap();
    fs::hard_link(at("sizes.json"), at("hard.json")).unwrap();
    symlink("new.json", at("dangling.json")).unwrap();
    fs::write(at("data.jsonl"), "{\"size\":\"S\"}\n").unwrap();
    let guided = "generate sizes.json --coverage guided";
    let cases = [
        ("generate sizes.json --out sizes.json", "`sizes.json` would overwrite the contract;"),
        (
            "generate sizes.json --out sub/../sizes.json",
            "`sub/../sizes.json` would overwrite the contract `sizes.json`;",
        ),
        ("generate sizes.json --out link.json", "`link.json` would overwrite the contract"),
        ("generate sizes.json --out hard.json", "`hard.json` would overwrite the contract"),
        ("generate link.json --metrics sizes.json", "would overwrite the contract `link.json`"),
        (&format!("{guided} --coverage-report sizes.json"), "would overwrite the contract"),
        (&format!("{guided} --coverage-plan ./sizes.json"), "would overwrite the contract"),
        (&format!("{guided} --out a --coverage-report a"), "`a` would be written twice"),
        (
            &format!("{guided} --out a --coverage-report ./a"),
            "`a` and `./a` are the same file, which would be written twice",
        ),
        (
            &format!("{guided} --coverage-plan new.json --metrics dangling.json"),
            "`new.json` and `dangling.json` are the same file",
        ),
        (&format!("{guided} --coverage-report a --coverage-plan sub/../a"), "are the same file"),
        (
            "coverage measure sizes.json data.jsonl --coverage-report link.json",
            "`link.json` would overwrite the contract `sizes.json`",
        ),
        (
            "coverage measure sizes.json data.jsonl --coverage-report ./data.jsonl",
            "`./data.jsonl` would overwrite the data `data.jsonl`",
        ),
    ];
    for (arguments, expected) in cases {
        let output = run(folder.path(), arguments);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{arguments}");
        assert!(errors(&output).contains(expected), "{arguments}: {}", errors(&output));
    }
    assert_eq!(fs::read_to_string(at("sizes.json")).unwrap(), SIZES);
    assert!(!at("a").exists() && !at("new.json").exists());
}

#[test]
fn a_redirected_stream_is_the_file_that_it_is_redirected_to() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let append = |name: &str| File::options().append(true).create(true).open(at(name)).unwrap();
    let refused = |command: &mut Command, expected: &str| {
        let output = command.output().unwrap();
        assert_eq!(code(&output), 2, "{}", errors(&output));
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    let measure = "generate sizes.json --coverage measure --coverage-report all.json";
    refused(
        foolproof(folder.path(), measure).stdout(append("all.json")),
        "standard output and `all.json` are the same file",
    );
    refused(
        foolproof(folder.path(), "generate sizes.json").stdout(append("sizes.json")),
        "standard output would overwrite the contract `sizes.json`",
    );
    let stdin = File::open(at("sizes.json")).unwrap();
    refused(
        foolproof(folder.path(), "generate - --out sizes.json").stdin(stdin),
        "`sizes.json` would overwrite the contract",
    );
    assert_eq!(fs::read_to_string(at("sizes.json")).unwrap(), SIZES);
    // With the instances elsewhere, standard output is not written to.
    let elsewhere = format!("{measure} --out data.jsonl");
    let output = foolproof(folder.path(), &elsewhere).stdout(append("all.json")).output().unwrap();
    assert_eq!(code(&output), 0, "{}", errors(&output));
}

#[test]
fn a_file_that_the_contract_refers_to_is_not_overwritten() {
    let folder = folder();
    fs::write(folder.path().join("root.json"), r#"{ "$ref": "sizes.json" }"#).unwrap();
    let options = "generate root.json --allow-file-refs --out sizes.json";
    let output = run(folder.path(), options);
    assert_eq!(code(&output), 2, "{}", errors(&output));
    assert!(errors(&output).contains("`sizes.json` would overwrite the part of the contract"));
    assert_eq!(fs::read_to_string(folder.path().join("sizes.json")).unwrap(), SIZES);
}

#[test]
fn a_report_goes_to_standard_output_if_no_data_does() {
    let folder = folder();
    let guided = "generate sizes.json --coverage guided --coverage-report -";
    let output = run(folder.path(), guided);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    let expected = "`--coverage-report -` writes to standard output, where the instances go: write those to a file with `--out`";
    assert!(errors(&output).contains(expected), "{}", errors(&output));

    let output = run(folder.path(), &format!("{guided} --out data.jsonl"));
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["version"], "coverage-report/v1");
    assert!(!folder.path().join("-").exists());

    let measure = "coverage measure sizes.json data.jsonl --coverage-report -";
    let output = run(folder.path(), measure);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["metrics"]["overall"], 1.0);

    let both = format!("{guided} --out data.jsonl --coverage-plan -");
    let output = run(folder.path(), &both);
    assert_eq!((code(&output), output.stdout.len()), (2, 0));
    assert!(errors(&output).contains("standard output would be written twice"));
}

/// The plan in a file, which the published schema admits.
fn plan_at(folder: &Path, name: &str) -> Value {
    let schema = run(folder, "coverage schema plan");
    assert_eq!(code(&schema), 0, "{}", errors(&schema));
    let schema = Document::from_value(serde_json::from_slice(&schema.stdout).unwrap()).unwrap();
    let oracle = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
    let plan = json_at(folder.join(name));
    assert_eq!(oracle.violations(&plan), []);
    plan
}

#[test]
fn the_plan_of_a_guided_run_is_a_file() {
    let folder = folder();
    let at = |name: &str| folder.path().join(name);
    let plan = |name: &str, more: &str| {
        let guided = "generate sizes.json --coverage guided --seed 7 --quiet --coverage-plan";
        let output = run(folder.path(), &format!("{guided} {name} {more}"));
        assert_eq!(code(&output), 0, "{}", errors(&output));
        (fs::read(at(name)).unwrap(), output.stdout)
    };
    let (bytes, instances) = plan("plan.json", "");
    assert_eq!(plan("again.json", "--threads 4").0, bytes);
    assert_eq!(plan("shard.json", "--shard 1/2").0, bytes);

    let plan = plan_at(folder.path(), "plan.json");
    assert_eq!(plan["version"], "coverage-plan/v1");
    assert_eq!(plan["run"]["masterSeed"], 7);
    let report = json_at(at("coverage-report.json"));
    assert_eq!(plan["run"]["contractFingerprint"], report["run"]["contractFingerprint"]);
    assert_eq!(plan["engine"]["streamVersion"], report["engine"]["streamVersion"]);
    let units = plan["units"].as_array().unwrap();
    assert_eq!(units.len(), instances.split(|byte| *byte == b'\n').count() - 1);
    for (number, unit) in units.iter().enumerate() {
        assert_eq!((&unit["id"], &unit["count"]), (&json!(format!("unit:{number}")), &json!(1)));
        assert!(unit["seed"].is_u64(), "{unit}");
        let paths = unit["scope"]["schemaPaths"].as_array().unwrap();
        assert!(
            !paths.is_empty() && paths.iter().all(|path| path.as_str().unwrap().starts_with('#'))
        );
    }
    let hints = units.iter().flat_map(|unit| unit["hints"].as_array().unwrap());
    let sizes = hints.filter(|hint| hint["kind"] == "coverEnumValue");
    let mut sizes: Vec<u64> =
        sizes.map(|hint| hint["params"]["valueIndex"].as_u64().unwrap()).collect();
    sizes.sort_unstable();
    sizes.dedup();
    assert_eq!(sizes, [0, 1, 2, 3]);

    for mode in ["off", "measure"] {
        let output = run(
            folder.path(),
            &format!("generate sizes.json --coverage {mode} --coverage-plan no.json"),
        );
        assert_eq!((code(&output), output.stdout.len()), (2, 0));
        assert!(errors(&output).contains("`--coverage-plan` needs `--coverage guided`"));
        assert!(!at("no.json").exists());
    }
}

#[test]
fn the_plan_of_an_api_names_the_operations() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/har");
    let folder = folder();
    fs::copy(fixtures.join("notes.yaml"), folder.path().join("notes.yaml")).unwrap();
    let guided = "generate notes.yaml --coverage guided --quiet --coverage-plan plan.json";
    let output = run(folder.path(), guided);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let plan = plan_at(folder.path(), "plan.json");
    let units = plan["units"].as_array().unwrap();
    let has = |key: &str| units.iter().any(|unit| unit["scope"]["operationKey"] == key);
    for key in ["listNotes", "addNote", "readNote", "search"] {
        assert!(has(key), "no unit of `{key}`");
    }
    assert!(units.iter().all(|unit| unit["scope"]["operationKey"].is_string()));
}

#[test]
fn metrics_count_what_planning_generates() {
    let folder = folder();
    let guided = "generate sizes.json --coverage guided --quiet --metrics metrics.json";
    let output = run(folder.path(), guided);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let metrics = json_at(folder.path().join("metrics.json"));
    let instances = metrics["instances"].as_u64().unwrap();
    let phases = metrics["phases"].as_array().unwrap();
    let count = |name: &str| {
        let phase = phases.iter().find(|phase| phase["phase"] == name).unwrap();
        phase["count"].as_u64().unwrap()
    };
    // Every instance of the run was generated in planning.
    assert_eq!(count("plan"), instances);
    for phase in ["generate", "validate", "observe"] {
        assert!(count(phase) >= instances, "{phase}: {metrics:#}");
    }
}

#[test]
fn more_names_than_there_are_targets_for_are_noted() {
    let folder = folder();
    let schema = |pattern: &str| {
        json!({ "type": "object", "properties": { "at": { "type": "object",
            "patternProperties": { pattern: {} }, "additionalProperties": false } } })
    };
    let notes = |pattern: &str| {
        fs::write(folder.path().join("names.json"), schema(pattern).to_string()).unwrap();
        let output = run(folder.path(), "generate names.json --coverage measure --quiet");
        assert_eq!(code(&output), 0, "{}", errors(&output));
        json_at(folder.path().join("coverage-report.json"))["diagnostics"]["notes"].clone()
    };
    assert_eq!(notes("^[a-p]$"), json!([]));
    let note = "the names that only `patternProperties` admits are no targets where there are more than 16 of them: at `#/properties/at`";
    assert_eq!(notes("^[a-q]$"), json!([note]));
    assert_eq!(notes("^x-"), json!([note]));
}

#[test]
fn what_ajv_rejects_is_the_reason_for_what_is_missed() {
    let Some(packages) = ajv::packages() else { return };
    if ajv::start().is_none() {
        return;
    }
    let folder = folder();
    let at = |name: &str| folder.path().join(name).display().to_string();
    // JavaScript divides 0.3 by 0.1 and gets 2.9999999999999996.
    let schema = json!({ "type": "object", "required": ["step"], "properties": {
        "step": { "enum": [0.3, 0.5], "multipleOf": 0.1 } } });
    fs::write(at("step.json"), schema.to_string()).unwrap();
    let arguments = format!(
        "generate {} --oracle ajv --coverage guided --n 2 --coverage-report {}",
        at("step.json"),
        at("report.json")
    );
    let output = run(&packages, &arguments);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report = json_at(at("report.json"));
    let missed = &report["uncoveredTargets"][0];
    assert_eq!(missed["id"], "enum:#/properties/step:0");
    let expected = "AJV rejected the instance that was planned for it: ";
    let reason = missed["meta"]["reason"].as_str().unwrap();
    assert!(reason.starts_with(expected) && reason.contains("multipleOf"), "{reason}");
    let hint = &report["unsatisfiedHints"][0];
    assert_eq!((&hint["reasonCode"], &hint["reasonDetail"]), (&json!("UNKNOWN"), &json!(reason)));
}
