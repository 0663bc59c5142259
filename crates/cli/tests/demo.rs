//! `foolproof demo`: what a newcomer sees first.

use std::{fs, process::Command, time::Instant};

#[test]
fn the_demo_shows_the_three_jobs_and_writes_a_page() {
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    let start = Instant::now();
    let demo = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .args(["demo", "--out"])
        .arg(&page)
        .current_dir(folder.path())
        .output()
        .unwrap();
    assert!(demo.status.success());
    // Twenty seconds are promised of a release build.
    assert!(start.elapsed().as_secs() < 60);
    let text = String::from_utf8(demo.stdout).unwrap();
    let expected = [
        "100.0 % [####################]",
        "FAILED get_task: output_schema_mismatch",
        "minimal sequence (3 of",
        "`get(key: 0)` failed: the system does not answer what the model predicts",
        "minimal sequence (5 of",
        &page.display().to_string(),
    ];
    for part in expected {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
    let html = fs::read_to_string(&page).unwrap();
    assert!(html.starts_with("<!DOCTYPE html>") && html.contains("ticket.json"));
    let left: Vec<_> = fs::read_dir(folder.path()).unwrap().collect();
    assert_eq!(left.len(), 1, "nothing else is written: {left:?}");
}

#[test]
fn the_demo_is_the_same_every_time_but_for_times() {
    let run = || {
        let folder = tempfile::tempdir().unwrap();
        let page = folder.path().join("page.html");
        let mut demo = Command::new(env!("CARGO_BIN_EXE_foolproof"));
        demo.args(["demo", "--out"]).arg(&page).output().unwrap();
        fs::read_to_string(&page).unwrap()
    };
    assert_eq!(run(), run());
}
