//! `foolproof generate --coverage` as a process: the acceptance criteria of the requirements, and what
//! holds for every contract. The criterion on OpenAPI comes with generating from OpenAPI.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_corpus::Contracts;
use serde_json::{Value, json};
use tempfile::TempDir;

/// A folder with the schema in `schema.json`.
fn folder(schema: &Value) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("schema.json"), schema.to_string()).unwrap();
    folder
}

fn generate(folder: &Path, schema: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).arg("generate").arg(schema).args(arguments).output().unwrap()
}

fn run(folder: &TempDir, arguments: &[&str]) -> Output {
    generate(folder.path(), Path::new("schema.json"), arguments)
}

fn errors(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// The report of a run, after checking that it satisfies the schema of reports.
fn report(folder: &TempDir) -> Value {
    report_at(&folder.path().join("coverage-report.json"))
}

fn report_at(path: &Path) -> Value {
    let report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let schema = Document::from_value(foolproof_coverage::report_schema()).unwrap();
    let oracle = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
    assert_eq!(oracle.violations(&report), [], "{}", path.display());
    report
}

/// The ids of the targets of `kind`, with whether they were hit.
fn targets(report: &Value, kind: &str) -> Vec<(String, bool)> {
    let all = report["targets"].as_array().unwrap().iter();
    let those = all.filter(|target| target["kind"] == kind);
    let pair = |target: &Value| {
        (target["id"].as_str().unwrap().to_owned(), target["hit"].as_bool().unwrap())
    };
    those.map(pair).collect()
}

fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn criterion_1_one_of_branches() {
    let schema = json!({ "oneOf": [
        { "type": "object", "properties": { "card": { "type": "string" } }, "required": ["card"] },
        { "type": "object", "properties": { "iban": { "type": "string" } }, "required": ["iban"] },
        { "const": "cash" }
    ] });
    let folder = folder(&schema);
    let output = run(&folder, &["--coverage", "guided", "--coverage-min", "1"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report = report(&folder);
    let expected = ["branch:#/oneOf:0", "branch:#/oneOf:1", "branch:#/oneOf:2"];
    let found = targets(&report, "ONEOF_BRANCH");
    assert_eq!(found, expected.map(|id| (id.to_owned(), true)));
    assert_eq!(report["metrics"]["byDimension"]["branches"], 1.0);
    assert!(lines(&output).contains(&json!("cash")));
}

#[test]
fn criterion_2_optional_properties() {
    let schema = json!({ "type": "object", "required": ["id"], "properties": {
        "id": { "type": "integer" }, "name": { "type": "string" }, "mail": { "format": "email" },
        "tags": { "type": "array", "items": { "type": "string" } }
    } });
    let folder = folder(&schema);
    let off = run(&folder, &["--n", "3", "--seed", "9"]);
    let measured = run(&folder, &["--n", "3", "--seed", "9", "--coverage", "measure"]);
    assert_eq!(code(&measured), 0, "{}", errors(&measured));
    assert_eq!(off.stdout, measured.stdout);
    let seen = |name: &str| lines(&off).iter().any(|instance| instance.get(name).is_some());
    let expected = ["mail", "name", "tags"]
        .map(|name| (format!("prop:#/properties/{name}:present"), seen(name)));
    assert_eq!(targets(&report(&folder), "PROPERTY_PRESENT"), expected);
}

#[test]
fn criterion_3_enums() {
    let sizes = json!({ "type": "object", "required": ["size"], "properties": {
        "size": { "enum": ["S", "M", "L", "XL"] } } });
    let folder = folder(&sizes);
    assert_eq!(code(&run(&folder, &["--coverage", "guided"])), 0);
    let all = targets(&report(&folder), "ENUM_VALUE_HIT");
    assert!(all.len() == 4 && all.iter().all(|(_, hit)| *hit), "{all:?}");

    // Too few instances for four values: the report says which are missing, and why.
    assert_eq!(code(&run(&folder, &["--coverage", "guided", "--n", "3"])), 0);
    let report = report(&folder);
    let missed = report["uncoveredTargets"].as_array().unwrap();
    assert_eq!(missed.len(), 1, "{missed:#?}");
    assert!(missed[0]["meta"]["reason"].as_str().unwrap().contains("`--n`"));
    let hint = &report["unsatisfiedHints"][0];
    assert_eq!(
        (&hint["kind"], &hint["reasonCode"]),
        (&json!("coverEnumValue"), &json!("PLANNER_CAP"))
    );
}

#[test]
fn criterion_4_coverage_threshold() {
    let schema = json!({ "enum": ["a", "b", "c", "d"] });
    let folder = folder(&schema);
    let options = ["--coverage", "measure", "--coverage-dimensions", "enum", "--n", "1"];
    let output = run(&folder, &[&options[..], &["--coverage-min", "0.8"]].concat());
    assert_eq!(code(&output), 3);
    let report = report(&folder);
    assert_eq!(report["metrics"]["overall"], 0.25);
    assert_eq!(report["metrics"]["coverageStatus"], "minCoverageNotMet");
    assert_eq!(report["metrics"]["thresholds"]["overall"], 0.8);
    let text = errors(&output);
    assert!(text.contains("NOT met") && text.contains("Not covered (3)"), "{text}");
    assert_eq!(code(&run(&folder, &[&options[..], &["--coverage-min", "0.25"]].concat())), 0);
}

#[test]
fn criterion_6_reproducibility() {
    let schema = json!({ "type": "object", "properties": {
        "a": { "oneOf": [{ "type": "integer", "minimum": 3 }, { "enum": ["x", "y"] }] },
        "b": { "type": "array", "items": { "$ref": "#" }, "maxItems": 2 }, "c": false } });
    let folder = folder(&schema);
    for mode in ["measure", "guided"] {
        let one = |name: &str, threads: &str| {
            let options = ["--coverage", mode, "--seed", "3", "--n", "40", "--threads", threads];
            let output = run(&folder, &[&options[..], &["--coverage-report", name]].concat());
            let mut report = report_at(&folder.path().join(name));
            report["run"]["startedAt"].take();
            report["run"]["durationMs"].take();
            (output.stdout, report.to_string())
        };
        let first = one("first.json", "1");
        assert_eq!(first, one("second.json", "1"), "{mode}");
        assert_eq!(first, one("third.json", "8"), "{mode}");
    }
}

#[test]
fn measuring_changes_no_byte() {
    let contracts = Contracts::find();
    let folder = tempfile::tempdir().unwrap();
    let mut measured_runs = 0;
    for entry in contracts.sample(200) {
        let path = entry.path();
        let options = ["--n", "8", "--seed", "4", "--quiet"];
        let off = generate(folder.path(), path, &options);
        let measured =
            generate(folder.path(), path, &[&options[..], &["--coverage", "measure"]].concat());
        assert_eq!(off.stdout, measured.stdout, "{}", path.display());
        assert_eq!(code(&off), code(&measured), "{}: {}", path.display(), errors(&measured));
        if code(&off) != 2 {
            report_at(&folder.path().join("coverage-report.json"));
            measured_runs += 1;
        }
    }
    assert!(measured_runs > contracts.either(190, 40), "only {measured_runs} runs were measured");
}

#[test]
fn merged_shards_measure_what_the_whole_run_measures() {
    let schema = json!({ "type": "object", "properties": {
        "size": { "enum": ["S", "M", "L", "XL"] },
        "price": { "type": "number", "minimum": 0, "maximum": 9 },
        "by": { "anyOf": [{ "const": 1 }, { "type": "string", "maxLength": 4 }] } } });
    for mode in ["measure", "guided"] {
        let folder = folder(&schema);
        let options = ["--coverage", mode, "--n", "30", "--seed", "2", "--quiet"];
        let mut shards = Vec::new();
        let mut data = Vec::new();
        for shard in ["1/3", "2/3", "3/3"] {
            let name = format!("{}.json", shard.replace('/', "of"));
            let more = ["--shard", shard, "--coverage-report", &name];
            let output = run(&folder, &[&options[..], &more].concat());
            assert_eq!(code(&output), 0, "{}", errors(&output));
            data.extend(output.stdout);
            shards.push(name);
        }
        let merged = Command::new(env!("CARGO_BIN_EXE_foolproof"))
            .current_dir(folder.path())
            .args(["coverage", "merge", "--quiet", "--out", "merged.json"])
            .args(&shards)
            .status()
            .unwrap();
        assert!(merged.success());
        let whole = run(&folder, &options);
        // A guided run ends early, and a shard never does.
        assert!(data.starts_with(&whole.stdout), "{mode}");
        let merged = report_at(&folder.path().join("merged.json"));
        assert_eq!(merged["metrics"], report(&folder)["metrics"], "{mode}");
    }
}

#[test]
fn a_guided_run_stops_when_everything_is_covered_and_notes_it() {
    let folder = folder(&json!({ "enum": [1, 2, 3] }));
    let output = run(&folder, &["--coverage", "guided", "--format", "json"]);
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let mut values: Vec<u64> = serde_json::from_slice(&output.stdout).unwrap();
    values.sort_unstable();
    assert_eq!(values, [1, 2, 3]);
    let report = report(&folder);
    assert_eq!(
        (&report["run"]["maxInstances"], &report["run"]["actualInstances"]),
        (&json!(350), &json!(3))
    );
    let note = "stopped after 3 of at most 350 instances: every active target is hit";
    assert_eq!(report["diagnostics"]["notes"], json!([note]));
    assert!(errors(&output).contains(note));
}

#[test]
fn a_profile_gives_the_number_of_instances_unless_n_does() {
    let folder = folder(&json!({ "type": "string", "maxLength": 1_000_000 }));
    let most = |options: &[&str]| {
        let output = run(&folder, &[&["--coverage", "guided", "--quiet"], options].concat());
        assert_eq!(code(&output), 0, "{}", errors(&output));
        let report = report(&folder);
        // No instance hits the boundary; those that hit nothing new are left out.
        assert_eq!(report["run"]["actualInstances"], lines(&output).len());
        assert!(lines(&output).len() < 5, "{} rows", lines(&output).len());
        report["run"]["maxInstances"].as_u64().unwrap()
    };
    assert_eq!(most(&["--coverage-profile", "quick"]), 75);
    assert_eq!(most(&[]), 350);
    assert_eq!(most(&["--coverage-profile", "thorough"]), 1_000);
    assert_eq!(most(&["--coverage-profile", "thorough", "--n", "5"]), 5);
}

#[test]
fn a_cap_is_reported() {
    let members: Vec<String> = (0..150).map(|index| format!("value {index}")).collect();
    let folder = folder(&json!({ "type": "array", "maxItems": 8, "items": { "enum": members } }));
    let options = ["--coverage", "guided", "--coverage-profile", "quick"];
    let output = run(&folder, &[&options[..], &["--coverage-dimensions", "enum"]].concat());
    assert_eq!(code(&output), 0, "{}", errors(&output));
    let report = report(&folder);
    let caps = &report["diagnostics"]["plannerCapsHit"];
    let sampled = report["targets"].as_array().unwrap().len();
    assert_eq!(
        caps,
        &json!([{ "dimension": "enum", "scopeType": "schema", "scopeKey": "#",
            "totalTargets": sampled, "plannedTargets": 100, "unplannedTargets": sampled - 100 }])
    );
    let unplanned = report["targets"].as_array().unwrap().iter();
    let unplanned = unplanned.filter(|target| target["meta"]["planned"] == false);
    assert_eq!(unplanned.count(), sampled - 100);
}

#[test]
fn a_contract_without_targets_is_covered_by_one_instance() {
    let folder = folder(&json!({ "type": "integer" }));
    let output = run(&folder, &["--coverage", "guided", "--coverage-dimensions", "enum"]);
    assert_eq!((code(&output), lines(&output).len()), (0, 1), "{}", errors(&output));
    assert_eq!(report(&folder)["metrics"]["overall"], 1.0);
}

#[test]
fn a_contract_that_admits_nothing_is_a_failure_whatever_the_minimum() {
    let folder = folder(&json!({ "type": "integer", "minimum": 3, "maximum": 2 }));
    let output = run(&folder, &["--coverage", "guided", "--coverage-min", "1"]);
    assert_eq!(code(&output), 4, "{}", errors(&output));
    assert_eq!(report(&folder)["run"]["actualInstances"], 0);
}

#[test]
fn options_without_effect_are_refused_before_any_work() {
    let folder = folder(&json!(true));
    let refused = |arguments: &[&str], expected: &str| {
        let output = run(&folder, arguments);
        assert_eq!((code(&output), output.stdout.len()), (2, 0), "{arguments:?}");
        assert!(errors(&output).contains(expected), "{}", errors(&output));
    };
    refused(&["--coverage-min", "0.5"], "`--coverage-min` needs `--coverage measure`");
    refused(&["--coverage-profile", "quick"], "`--coverage-profile` needs");
    refused(&["--coverage", "guided", "--coverage-profile", "slow"], "`slow` is no profile");
    refused(&["--coverage", "guided", "--coverage-min", "80"], "`80` is no share");
    refused(&["--coverage", "measure", "--coverage-report", "no/such/folder.json"], "cannot write");
    refused(&["--metrics", "no/such/folder.json"], "cannot write");
    let twice = ["--coverage", "measure", "--coverage-report", "x.json", "--out", "x.json"];
    refused(&twice, "`x.json` would be written twice");
}

#[test]
fn metrics_have_the_time_and_count_of_each_phase() {
    let folder = folder(&json!({ "type": "object", "properties": { "a": { "enum": [1, 2] } } }));
    for (mode, observed) in [("off", 0), ("measure", 20)] {
        let options = ["--coverage", mode, "--n", "20", "--quiet", "--metrics", "metrics.json"];
        assert_eq!(code(&run(&folder, &options)), 0);
        let text = fs::read(folder.path().join("metrics.json")).unwrap();
        let metrics: Value = serde_json::from_slice(&text).unwrap();
        let phases = metrics["phases"].as_array().unwrap();
        let names: Vec<&str> =
            phases.iter().map(|phase| phase["phase"].as_str().unwrap()).collect();
        let expected =
            ["normalise", "compose", "plan", "generate", "repair", "validate", "observe", "prove"];
        assert_eq!(names, expected);
        assert_eq!((&phases[5]["count"], &phases[6]["count"]), (&json!(20), &json!(observed)));
        assert!(phases[3]["milliseconds"].as_f64().unwrap() > 0.0, "{metrics:#}");
    }
}
