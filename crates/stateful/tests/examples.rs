//! The examples do what they say, and the report in the guide is the one that `buggy` prints.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::Command,
};

/// The output of an example, which must succeed.
fn output(example: &str) -> String {
    let path = binary(example);
    let output = Command::new(&path).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The binary of an example, in the folder `examples` beside the folder `deps` of this test. A run of all
/// tests builds it; a run of this file alone does not.
fn binary(example: &str) -> PathBuf {
    let this = env::current_exe().unwrap();
    let folder = this.ancestors().nth(2).unwrap().join("examples");
    let path = folder.join(format!("{example}{}", env::consts::EXE_SUFFIX));
    assert!(path.exists(), "run `cargo build --package foolproof-stateful --examples` first");
    path
}

/// Whether `text` reports many steps, and each of these commands.
fn assert_reports(text: &str, commands: &[&str]) {
    let steps: u64 = text.split(": ").nth(1).and_then(first_number).unwrap();
    assert!(steps > 500, "{text}");
    for command in commands {
        let line = text.lines().find_map(|line| line.strip_prefix(&format!("  {command}: ")));
        assert!(line.and_then(first_number).unwrap() > 10, "{command}: {text}");
    }
    assert_eq!(text.lines().count(), commands.len() + 1, "{text}");
}

fn first_number(text: &str) -> Option<u64> {
    text.split(' ').next()?.parse().ok()
}

#[test]
fn the_bounded_queue_is_exercised() {
    assert_reports(&output("queue"), &["send", "receive", "drain", "close"]);
}

#[test]
fn the_store_with_expiry_is_exercised() {
    let commands = ["put", "get", "remove", "touch", "wait", "sweep"];
    assert_reports(&output("expiry"), &commands);
}

#[test]
fn the_table_of_sqlite_is_exercised() {
    let commands = ["insert", "take", "delete", "begin", "commit", "rollback"];
    assert_reports(&output("sqlite"), &commands);
}

#[test]
fn the_service_on_a_socket_is_exercised() {
    let commands = ["connect", "hang up", "set", "get", "delete", "count"];
    assert_reports(&output("tcp"), &commands);
}

/// `REPORT=overwrite cargo test --package foolproof-stateful` records the report again, here and in the guide.
#[test]
fn the_report_in_the_guide_is_what_the_buggy_example_prints() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let recorded = crate_folder.join("examples/buggy.txt");
    let guide = crate_folder.join("../../docs/stateful.md");
    let report = output("buggy");
    if env::var("REPORT").is_ok_and(|value| value == "overwrite") {
        let before = fs::read_to_string(&recorded).unwrap();
        let text = fs::read_to_string(&guide).unwrap().replace(&before, &report);
        fs::write(&guide, text).unwrap();
        fs::write(&recorded, &report).unwrap();
    }
    assert_eq!(report, fs::read_to_string(&recorded).unwrap());
    let is_in_guide = fs::read_to_string(guide).unwrap().contains(&report);
    assert!(is_in_guide, "docs/stateful.md shows another report");
}
