//! Reports of earlier versions stay readable: those in `tests/reports` were written before reports had
//! `engine.streamVersion` and `run.contractFingerprint`.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use foolproof_contract::{Document, FormatPolicy, Oracle};
use serde_json::Value;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn foolproof(folder: &Path, arguments: &[&Path]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_foolproof"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The report in a file, after checking that it satisfies the published schema.
fn report(path: &Path) -> Value {
    let report: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    let schema = Document::from_value(foolproof_coverage::report_schema()).unwrap();
    let oracle = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
    assert_eq!(oracle.violations(&report), [], "{}", path.display());
    report
}

#[test]
fn old_reports_satisfy_the_published_schema() {
    for name in ["measured.json", "guided.json", "api.json"] {
        let report = report(&fixture("reports").join(name));
        assert!(report["run"].get("contractFingerprint").is_none(), "{name} is not old");
    }
}

#[test]
fn old_reports_can_be_compared_and_merged() {
    let folder = tempfile::tempdir().unwrap();
    let [measured, guided] =
        ["measured.json", "guided.json"].map(|name| fixture("reports").join(name));
    let [coverage, diff, merge, out] = ["coverage", "diff", "merge", "--out"].map(Path::new);
    let held = foolproof(folder.path(), &[coverage, diff, &guided, &guided]);
    assert_eq!(held.status.code(), Some(0), "{}", text(&held.stderr));
    assert!(!text(&held.stdout).contains("contract"), "{}", text(&held.stdout));
    let compared = foolproof(folder.path(), &[coverage, diff, &measured, &guided]);
    assert!(compared.status.code() < Some(2), "{}", text(&compared.stderr));

    let merged = Path::new("merged.json");
    let arguments = [coverage, merge, &measured, &guided, out, merged];
    let output = foolproof(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let merged = report(&folder.path().join(merged));
    assert_eq!(merged["run"]["actualInstances"], 5);
}

#[test]
fn old_reports_can_be_compared_and_merged_with_new_ones() {
    let folder = tempfile::tempdir().unwrap();
    let contract = fixture("reports").join("contract.json");
    let options = "--coverage measure --n 3 --seed 58 --coverage-min 0.2 -q";
    let options: Vec<&Path> = options.split(' ').map(Path::new).collect();
    let arguments = [&[Path::new("generate"), &contract][..], &options].concat();
    let output = foolproof(folder.path(), &arguments);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));

    let old = fixture("reports").join("measured.json");
    let new = folder.path().join("coverage-report.json");
    let [coverage, diff, merge, out] = ["coverage", "diff", "merge", "--out"].map(Path::new);
    for pair in [[&old, &new], [&new, &old]] {
        let [before, after] = pair.map(PathBuf::as_path);
        let compared = foolproof(folder.path(), &[coverage, diff, before, after]);
        assert_eq!(compared.status.code(), Some(0), "{}", text(&compared.stdout));
        assert!(text(&compared.stdout).starts_with("Coverage held: "));
        assert!(!text(&compared.stdout).contains("contract"), "{}", text(&compared.stdout));

        let merged = folder.path().join("merged.json");
        let arguments = [coverage, merge, before, after, out, &merged];
        let output = foolproof(folder.path(), &arguments);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let merged = report(&merged);
        assert_eq!(merged["run"]["actualInstances"], 6);
        assert!(merged["run"]["contractFingerprint"].is_string());
        assert_eq!(merged["metrics"], report(&old)["metrics"]);
    }
}
