//! Guidance where the branches of `oneOf` are open objects, so that most values of one satisfy others too.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::Document;
use foolproof_coverage::{Dimensions, Profile, Report, Run, Settings, Status};
use serde_json::{Value, json};

/// Ten branches like those of a report about ten products: each adds a few properties to what all of them have,
/// one of them is an enumeration, and nothing but an account is required.
fn products() -> Vec<Value> {
    let base = json!({
        "type": "object", "required": ["account"],
        "properties": {
            "account": { "type": "string", "minLength": 8, "maxLength": 8 },
            "product": { "type": "string" },
            "state": { "enum": ["open", "done"] }
        }
    });
    let product = |number: usize| {
        json!({ "allOf": [base, { "type": "object", "properties": {
            "direction": { "enum": ["in", "out"] },
            (format!("of{number}")): { "type": "string", "maxLength": 20 },
            (format!("of{}", number + 1)): { "type": "boolean" },
            (format!("status{number}")): { "enum": ["delivered", "expired", "failed"] },
            "records": { "type": "array", "items": { "type": "object", "properties": {
                (format!("cost{number}")): { "type": "number", "minimum": 0 },
                "network": { "type": "string" }
            } } }
        } }] })
    };
    (0..10).map(product).collect()
}

fn report(schema: Value) -> Report {
    let document = Document::from_value(schema).unwrap();
    let settings =
        Settings { dimensions: Dimensions::all(), ..Settings::guided(Profile::Thorough) };
    let mut run = Run::new(&document, Settings { instances: 120, ..settings }).unwrap();
    run.by_ref().for_each(drop);
    run.finish()
}

fn assert_covered(schema: Value) {
    let report = report(schema);
    let is_missed = |status: Status, is_hit: bool| status == Status::Active && !is_hit;
    let missed = report.targets.iter().filter(|it| is_missed(it.status, it.hit));
    let missed: Vec<&str> = missed.map(|target| target.id.as_str()).collect();
    assert_eq!(missed, [] as [&str; 0]);
}

#[test]
fn each_branch_is_covered() {
    assert_covered(json!({ "oneOf": products() }));
}

#[test]
fn branches_of_items_are_covered() {
    assert_covered(json!({ "type": "array", "items": { "oneOf": products() } }));
}

/// What tells branches apart may be the value of a property that all of them declare.
#[test]
fn branches_that_differ_in_the_members_of_an_enumeration_are_covered() {
    let branch = |states: [&str; 2]| {
        json!({ "type": "object", "properties": {
            "state": { "enum": states }, "note": { "type": "string", "maxLength": 9 }, "urgent": { "type": "boolean" }
        } })
    };
    let branches = [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]].map(branch);
    assert_covered(json!({ "type": "object", "properties": { "order": { "oneOf": branches } } }));
}

/// A branch inside a branch.
#[test]
fn nested_branches_are_covered() {
    let inner =
        |name: &str| json!({ "type": "object", "properties": { (name): { "enum": [1, 2] } } });
    let outer = |name: &str| {
        let inner = ["x", "y", "z"].map(inner);
        json!({ "type": "object", "properties": { (name): { "oneOf": inner }, "note": { "type": "string" } } })
    };
    assert_covered(json!({ "oneOf": ["a", "b", "c", "d"].map(outer) }));
}

/// Strings that several branches admit.
#[test]
fn branches_of_strings_are_covered() {
    let code = json!({ "type": "object", "properties": {
        "code": { "oneOf": [
            { "type": "string", "minLength": 1, "maxLength": 4 }, { "type": "string", "pattern": "^[0-9]{2,9}$" }
        ] },
        "kind": { "oneOf": [{ "type": "integer", "minimum": 3 }, { "type": "integer", "maximum": 9 }] }
    } });
    assert_covered(json!({ "type": "array", "items": code }));
}
