//! `foolproof coverage measure` on an archive that Chromium recorded (`tools/openapi-peers/har/record.py`):
//! it reports what was really sent.

use std::{fs, path::Path, process::Command};

use serde_json::{Value, json};

/// The recording, in the order of its entries:
///
/// 1. a page, which no operation describes;
/// 2. `listNotes` with `tag=work&tag=home&limit=50`;
/// 3. `listNotes` with `limit=51`, which is too much;
/// 4. `addNote` with `work`;
/// 5. `addNote` with an empty text and a member that is not allowed;
/// 6. `readNote` with `X-Trace: on`;
/// 7. `readNote`, answered without the text that is required;
/// 8. `search` with a form;
/// 9. `addNote` with a blob, whose bytes Chromium does not record;
/// 10. a path that no operation has.
#[test]
fn a_recording_of_a_browser_gives_what_was_sent() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/har");
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .current_dir(folder.path())
        .args(["coverage", "measure"])
        .args([fixtures.join("notes.yaml"), fixtures.join("chromium.har")])
        .args(["--base-url", "http://127.0.0.1:8080/v1", "--coverage-report", "report.json"])
        .arg("--allow-invalid")
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{errors}");
    for refused in [
        "entry 3: `listNotes`, request: `#/query/limit` breaks `maximum`",
        "entry 5: `addNote`, request: `#/body` breaks `additionalProperties`",
        "entry 7: `readNote`, response: `#` breaks `required`",
        "no operation matches GET http://127.0.0.1:8080/ (1",
        "no operation matches GET http://127.0.0.1:8080/v1/nothing (1",
    ] {
        assert!(errors.contains(refused), "`{refused}` is not in {errors}");
    }
    let report = fs::read(folder.path().join("report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(
        report["diagnostics"]["notes"],
        json!([
            "2 of 10 records matched no operation",
            "1 of 10 records had a body that was not recorded",
            "3 of 10 records had a request or response that is not valid"
        ])
    );
    // Two sides of eight entries without the body of a blob; three of them are not valid.
    let run = &report["run"];
    assert_eq!((&run["maxInstances"], &run["actualInstances"]), (&json!(15), &json!(12)));
    let active =
        report["targets"].as_array().unwrap().iter().filter(|it| it["status"] == json!("active"));
    let (hit, missed): (Vec<&Value>, Vec<&Value>) = active.partition(|it| it["hit"] == json!(true));
    assert_eq!(hit.len(), 34);
    let mut missed: Vec<&str> = missed.iter().map(|it| it["id"].as_str().unwrap()).collect();
    missed.sort_unstable();
    assert_eq!(
        missed,
        [
            "bound:#/components/schemas/NewNote/properties/text:maxLength",
            "bound:#/components/schemas/NewNote/properties/text:minLength",
            "bound:#/paths/~1notes/get/parameters/1/schema:minimum",
            "enum:#/components/schemas/NewNote/properties/tag:1",
            "enum:#/components/schemas/NewNote/properties/tag:2",
            "enum:#/components/schemas/Note/properties/tag:0",
            "enum:#/components/schemas/Note/properties/tag:2",
            "enum:#/paths/~1notes/get/parameters/0/schema/items:2",
            "enum:#/paths/~1notes~1{id}/get/parameters/1/schema:1",
        ]
    );
}

/// The content decides, so an archive needs no name.
#[test]
fn a_recording_may_come_from_standard_input() {
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/har");
    let folder = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_foolproof"))
        .current_dir(folder.path())
        .args(["coverage", "measure"])
        .arg(fixtures.join("notes.yaml"))
        .args(["-", "--base-url", "http://127.0.0.1:8080/v1", "--coverage-report", "-"])
        .stdin(fs::File::open(fixtures.join("chromium.har")).unwrap())
        .output()
        .unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "some records are not valid: {errors}");
    assert!(errors.contains("<stdin>: entry 3: `listNotes`, request: "), "{errors}");
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report["run"]["actualInstances"], 12);
}
