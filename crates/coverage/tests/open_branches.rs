//! Guidance where the branches of `oneOf` are open objects, so that most values of one satisfy others too.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::ops::ControlFlow;

use foolproof_contract::{Document, openapi::Api};
use foolproof_coverage::{
    ApiRunOptions, CompiledRun, Dimensions, Profile, Report, Run, RunContext, Settings, Status,
};
use foolproof_generate::Meter;
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
    let outer = ["a", "b", "c", "d"].map(outer);
    assert_covered(json!({ "oneOf": outer }));
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

/// A branch whose values all satisfy another one is never taken, however many others there are.
#[test]
fn a_branch_that_one_of_many_covers_is_unreachable() {
    let mut branches = products();
    branches.push(json!({ "type": "object", "properties": {
        "of3": { "type": "string", "maxLength": 20 }, "note": { "type": "string" }, "urgent": { "type": "boolean" }
    } }));
    branches.push(json!({ "type": "object", "properties": { "note": { "type": "string" } } }));
    let report = report(json!({ "oneOf": branches }));
    let status = |id: &str| report.targets.iter().find(|target| target.id == id).unwrap().status;
    assert_eq!(status("branch:#/oneOf:10"), Status::Unreachable);
    assert_eq!(status("branch:#/oneOf:11"), Status::Active);
}

/// What is generated for a discriminator carries the name of its branch. The API as written may still admit it in
/// several branches, and must not.
#[test]
fn branches_that_only_a_discriminator_tells_apart_are_covered() {
    let branch = |name: &str, count: usize| {
        let own = (0..count).map(|number| (format!("{name}{number}"), json!({ "type": "string" })));
        let mut properties: serde_json::Map<String, Value> = own.collect();
        properties.insert("kind".to_owned(), json!({ "type": "string" }));
        json!({ "type": "object", "required": ["kind"], "properties": properties })
    };
    let names = ["Card", "Bank", "Cash", "Coin", "Note", "Gift", "Loan"];
    let schemas: serde_json::Map<String, Value> =
        names.iter().map(|name| ((*name).to_owned(), branch(name, 3))).collect();
    let refs = names.map(|name| json!({ "$ref": format!("#/components/schemas/{name}") }));
    let body = json!({ "discriminator": { "propertyName": "kind" }, "oneOf": refs });
    let document = Document::from_value(json!({
        "openapi": "3.0.3", "info": { "title": "Payments", "version": "1" }, "components": { "schemas": schemas },
        "paths": { "/payments": { "post": {
            "requestBody": { "content": { "application/json": { "schema": body } } },
            "responses": { "204": { "description": "" } }
        } } }
    }))
    .unwrap();
    let settings =
        Settings { dimensions: Dimensions::all(), ..Settings::guided(Profile::Thorough) };
    let settings = Settings { instances: 20, ..settings };
    let api = Api::of(&document).unwrap();
    let options = ApiRunOptions::default();
    let run = CompiledRun::of_api(&api, &options, settings, &mut Meter::counting()).unwrap();
    let finished = run
        .stream(&RunContext::default(), &Meter::counting(), |_| ControlFlow::<()>::Continue(()))
        .unwrap();
    let report = finished.report.unwrap();
    let missed = report.targets.iter().filter(|it| it.status == Status::Active && !it.hit);
    let missed: Vec<&str> = missed.map(|target| target.id.as_str()).collect();
    assert_eq!(missed, [] as [&str; 0]);
}
