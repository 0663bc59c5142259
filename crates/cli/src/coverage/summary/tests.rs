//! Summaries of reports that no run of this version writes, and of hostile ones.

use foolproof_coverage::Report;
use serde_json::{Value, json};

use super::summary;
use crate::terminal::WIDTH;

fn report(targets: &[Value], change: impl FnOnce(&mut Value)) -> Report {
    let mut report = json!({
        "version": "coverage-report/v1", "reportMode": "full",
        "engine": { "foundryVersion": "0.1.0", "coverageMode": "guided", "ajvMajor": 8 },
        "run": {
            "seed": 1, "masterSeed": 1, "maxInstances": 1, "actualInstances": 1,
            "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
            "startedAt": "2025-01-01T12:00:00Z", "durationMs": 1
        },
        "metrics": {
            "coverageStatus": "ok", "overall": 0.5, "byDimension": { "enum": 0.5 },
            "byOperation": {}, "targetsByStatus": { "active": targets.len() }
        },
        "targets": targets, "uncoveredTargets": targets, "unsatisfiedHints": [],
        "diagnostics": { "plannerCapsHit": [], "notes": [] }
    });
    change(&mut report);
    Report::from_json(&report.to_string()).unwrap()
}

fn missed(kind: &str, params: &Value) -> Value {
    json!({ "id": kind, "dimension": "enum", "kind": kind, "canonPath": "#", "params": params,
        "status": "active", "hit": false })
}

#[test]
fn every_kind_says_what_no_instance_did() {
    let kinds = [
        ("SCHEMA_NODE", json!({}), "no value reached this schema"),
        ("PROPERTY_PRESENT", json!({}), "the property was never present"),
        ("ONEOF_BRANCH", json!({ "branchIndex": 2 }), "no value took the branch with index 2"),
        ("ANYOF_BRANCH", json!({ "branchIndex": 0 }), "no value took the branch with index 0"),
        ("CONDITIONAL_PATH", json!({ "path": "if+then" }), "no value met the condition"),
        ("CONDITIONAL_PATH", json!({ "path": "if+else" }), "no value failed the condition"),
        (
            "ENUM_VALUE_HIT",
            json!({ "enumIndex": 0, "value": { "a": 1 } }),
            "no value was {\"a\":1}",
        ),
        ("NUMERIC_MAX_HIT", json!({ "bound": 5, "value": 4 }), "no number was 4"),
        ("STRING_MIN_LENGTH_HIT", json!({ "value": 3 }), "no string had the length 3"),
        ("ARRAY_MAX_ITEMS_HIT", json!({ "value": 7 }), "no array had the length 7"),
        ("OP_REQUEST_COVERED", json!({}), "no request of the operation"),
        ("OP_RESPONSE_COVERED", json!({}), "no response of the operation"),
        ("OF_A_LATER_VERSION", json!({}), "no value hit it"),
    ];
    for (kind, params, expected) in kinds {
        let text = summary(&report(&[missed(kind, &params)], |_| {}));
        let expected =
            format!("\nNot covered (1), the most important first:\n  {kind}\n    {expected}\n");
        assert!(text.ends_with(&expected), "{text}");
    }
}

#[test]
fn the_order_is_that_of_the_requirements() {
    let text = summary(&report(&[missed("SCHEMA_NODE", &json!({}))], |report| {
        report["metrics"]["byOperation"] = json!({ "a": 0.9, "b": 0.1 });
        report["unsatisfiedHints"] =
            json!([{ "kind": "preferBranch", "canonPath": "#/oneOf", "reasonCode": "UNKNOWN" }]);
        report["diagnostics"]["plannerCapsHit"] = json!([{
            "dimension": "enum", "scopeType": "schema", "scopeKey": "#",
            "totalTargets": 2, "plannedTargets": 1, "unplannedTargets": 1
        }]);
        report["diagnostics"]["notes"] = json!(["a note", { "of": "another kind" }]);
    }));
    let offsets: Vec<usize> = [
        "  enum ",
        "By operation",
        " b\n",
        " a\n",
        "overall",
        "1 active",
        "The planner left out 1 target",
        "No instance satisfied 1 hint",
        "a note",
        "{\"of\":\"another kind\"}",
        "Not covered",
    ]
    .iter()
    .map(|part| text.find(part).unwrap_or_else(|| panic!("no `{part}` in\n{text}")))
    .collect();
    assert!(offsets.is_sorted(), "{offsets:?}\n{text}");
}

#[test]
fn a_summary_of_a_summary_has_no_counts() {
    let mut report = report(&[missed("SCHEMA_NODE", &json!({}))], |_| {});
    assert!(summary(&report).contains("  0 of 1 target\n"));
    report.summarize();
    let text = summary(&report);
    assert!(!text.contains(" of 1 target"), "{text}");
    assert!(text.contains("\nNot covered, the most important first:\n"), "{text}");
}

#[test]
fn nothing_to_cover_is_no_full_coverage() {
    let text = summary(&report(&[], |report| {
        report["metrics"]["overall"] = json!(1);
        report["metrics"]["byDimension"] = json!({ "enum": 1 });
        report["metrics"]["byOperation"] = json!({ "a": 1 });
        report["run"]["selectedOperations"] = json!(["a"]);
    }));
    assert!(text.contains("\n  enum        no targets\n"), "{text}");
    assert!(text.contains("\n  overall     no targets\n"), "{text}");
    assert!(text.contains(&format!("\n  {:<30}  a\n", "no targets")), "{text}");
    assert!(!text.contains('%'), "{text}");
}

#[test]
fn hints_that_a_reader_can_do_something_about_come_first() {
    let hint = |path: &str, code: &str| json!({ "kind": "preferBranch", "canonPath": path, "reasonCode": code });
    let text = summary(&report(&[], |report| {
        let mut hints = vec![hint("#/impossible", "CONFLICTING_CONSTRAINTS"); 6];
        hints.insert(3, hint("#/unreachable", "UNREACHABLE_BRANCH"));
        hints.push(hint("#/unknown", "UNKNOWN"));
        hints.push(hint("#/capped", "PLANNER_CAP"));
        report["unsatisfiedHints"] = json!(hints);
    }));
    let counts = "  1 PLANNER_CAP, 1 UNKNOWN, 6 CONFLICTING_CONSTRAINTS, 1 UNREACHABLE_BRANCH\n";
    let first =
        "  preferBranch at #/capped: the planner left it out\n  preferBranch at #/unknown: ";
    assert!(text.contains(&format!("{counts}{first}")), "{text}");
}

#[test]
fn a_list_that_is_cut_says_so() {
    let targets = vec![missed("SCHEMA_NODE", &json!({})); 13];
    let text = summary(&report(&targets, |report| {
        let operations = (0..12).map(|key| (format!("get{key:02}"), json!(f64::from(key) / 20.0)));
        report["metrics"]["byOperation"] = Value::Object(operations.collect());
    }));
    assert!(text.contains("get09\n  and 2 more, each at least 50.0 %\n"), "{text}");
    assert!(text.ends_with("  and 3 more, which the report lists\n"), "{text}");
}

#[test]
fn long_names_and_control_characters_do_not_break_lines() {
    let name = format!("#/{}\u{1b}[31m\n{}", "x".repeat(500), "words and words ".repeat(50));
    let mut target = missed("ENUM_VALUE_HIT", &json!({ "enumIndex": 0, "value": name }));
    target["id"] = json!(name);
    target["meta"] = json!({ "reason": name });
    let text = summary(&report(&[target], |report| {
        report["metrics"]["byOperation"] = json!({ name.as_str(): 0.5 });
        report["unsatisfiedHints"] = json!([{
            "kind": "coverEnumValue", "canonPath": name, "params": { "value": name },
            "reasonCode": "UNKNOWN", "reasonDetail": name
        }]);
        report["diagnostics"]["plannerCapsHit"] = json!([{
            "dimension": "enum", "scopeType": "operation", "scopeKey": name,
            "totalTargets": 2_000_000_000, "plannedTargets": 1, "unplannedTargets": 1_999_999_999
        }]);
        report["diagnostics"]["notes"] = json!([name]);
    }));
    for line in text.lines() {
        assert!(line.chars().count() <= WIDTH, "{line}");
        assert!(!line.chars().any(char::is_control), "{line:?}");
    }
}
