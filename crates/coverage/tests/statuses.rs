//! The status of a target is a fact about the contract: the same in every mode and for every number of instances,
//! with the reason in every report.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::float_cmp, reason = "a ratio of equal numbers is exactly one")]

use std::collections::BTreeMap;

use foolproof_contract::{Document, openapi::Api};
use foolproof_coverage::{
    ApiMeasurement, ApiRunOptions, CompiledRun, Dimension, Dimensions, Measurement, OperationsInfo,
    OperationsMeasurement, Profile, Report, Run, RunContext, Settings, Side, Status, TargetEntry,
};
use foolproof_generate::Meter;
use serde_json::{Value, json};

/// The reports of all modes, with the name of each.
fn reports(schema: &Value) -> Vec<(String, Report)> {
    let document = Document::from_value(schema.clone()).unwrap();
    let run = |settings: Settings| {
        let mut run = Run::new(&document, settings).unwrap();
        let values: Vec<Value> = run.by_ref().map(|it| it.value().clone()).collect();
        (run.finish(), values)
    };
    let mut reports = Vec::new();
    for profile in Profile::ALL {
        for instances in [1, 2, 8, 300] {
            let settings = Settings {
                instances,
                dimensions: Dimensions::default(),
                ..Settings::guided(profile)
            };
            let (report, suite) = run(settings);
            reports.push((format!("{profile} with {instances}"), report));
            let mut measurement = Measurement::new(&document, Settings::measure(0)).unwrap();
            for value in suite {
                assert!(measurement.accept(value));
            }
            reports.push((format!("suite of {profile}"), measurement.finish(None)));
        }
    }
    for (instances, seed) in [(1, 0), (2, 7), (8, 1), (300, 9)] {
        let settings = Settings { seed, ..Settings::measure(instances) };
        reports.push((format!("measured with {instances}"), run(settings).0));
    }
    let empty = Measurement::new(&document, Settings::measure(0)).unwrap().finish(None);
    reports.push(("no data".to_owned(), empty));
    reports
}

/// The reason, the code and the conflicts of an unreachable target.
type Why<'r> = (Option<&'r str>, Option<&'r str>, &'r [String]);

/// The unreachable targets of a report, each with why.
fn unreachable(report: &Report) -> BTreeMap<&str, Why<'_>> {
    let targets = report.targets.iter().filter(|it| it.status == Status::Unreachable);
    targets
        .map(|it| {
            let meta = &it.meta;
            let why = (meta.reason.as_deref(), meta.diagnostic.as_deref(), &meta.conflicts[..]);
            (it.id.as_str(), why)
        })
        .collect()
}

/// Asserts that all modes agree that exactly `expected` are unreachable, and why.
fn assert_unreachable(schema: &Value, expected: &[&str]) {
    let reports = reports(schema);
    let (_, first) = &reports[0];
    let found = unreachable(first);
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), expected, "{schema}");
    for (id, (reason, code, conflicts)) in &found {
        assert!(reason.is_some() && code.is_some(), "why is `{id}` unreachable?");
        assert!(!conflicts.is_empty(), "what contradicts `{id}`?");
    }
    for (name, report) in &reports {
        assert_eq!(unreachable(report), found, "{name}: {schema}");
    }
}

#[test]
fn a_bound_that_no_value_meets_is_unreachable_in_every_mode() {
    let schema =
        json!({ "type": "integer", "minimum": 1, "maximum": 9, "allOf": [{ "multipleOf": 2 }] });
    assert_unreachable(&schema, &["bound:#:maximum", "bound:#:minimum"]);
}

#[test]
fn a_branch_that_another_one_includes_is_unreachable_in_every_mode() {
    // The example of §3.4 of the requirements, whose list of targets has the branch as active: whatever satisfies it
    // satisfies the first branch too.
    let schema = json!({
        "$id": "User", "type": "object", "required": ["kind"],
        "properties": {
            "kind": { "type": "string", "enum": ["admin", "member", "guest"] },
            "email": { "type": "string", "format": "email" },
            "age": { "type": "integer" }
        },
        "oneOf": [
            { "properties": { "age": { "minimum": 0 } } },
            { "properties": { "age": { "minimum": 18 } } }
        ]
    });
    assert_unreachable(
        &schema,
        &[
            "bound:#/oneOf/1/properties/age:minimum",
            "branch:#/oneOf:1",
            "prop:#/oneOf/1/properties/age:present",
            "struct:#/oneOf/1",
            "struct:#/oneOf/1/properties/age",
        ],
    );
}

#[test]
fn what_the_algebra_proves_does_not_depend_on_the_mode() {
    let schema = json!({
        "type": "object", "required": ["kind"],
        "properties": {
            "kind": { "enum": ["a", "b", "c"] }, "size": { "type": "integer", "minimum": 0 },
            "note": { "type": "string", "maxLength": 4 }
        },
        "allOf": [
            { "properties": { "kind": { "not": { "const": "b" } } } },
            { "if": { "properties": { "kind": { "const": "c" } } }, "then": { "required": ["note"] } },
            { "properties": { "note": { "minLength": 2 } } }
        ]
    });
    assert_unreachable(&schema, &["enum:#/properties/kind:1"]);
}

#[test]
fn a_property_that_cannot_be_present_takes_its_schema_with_it() {
    let schema = json!({
        "type": "object", "maxProperties": 1, "required": ["a"],
        "properties": { "a": { "type": "integer" }, "b": { "enum": [1, 2] }, "c": { "type": "object", "properties": { "d": {} } } }
    });
    for (name, report) in reports(&schema) {
        for target in &report.targets {
            let Some(site) =
                target.id.strip_prefix("prop:").and_then(|it| it.strip_suffix(":present"))
            else {
                continue;
            };
            let node = format!("struct:{site}");
            let node = report.targets.iter().find(|it| it.id == node).unwrap();
            if target.status == Status::Unreachable {
                assert_eq!(node.status, Status::Unreachable, "{name}: {site}");
            }
        }
        assert_eq!(report.metrics.targets_by_status.unreachable, 8, "{name}");
    }
}

#[test]
fn dimensions_that_are_off_do_not_change_a_status() {
    // What is behind the branch is unreachable, whether or not branches are observed.
    let schema = json!({ "oneOf": [
        { "type": "object", "required": ["a"], "properties": { "a": { "type": "string", "minLength": 1 }, "b": { "enum": [1] } } },
        { "type": "object", "required": ["a"], "properties": { "a": { "type": "string" } } }
    ] });
    let document = Document::from_value(schema).unwrap();
    let statuses = |dimensions: Dimensions| {
        let settings = Settings { dimensions, ..Settings::measure(3) };
        let mut run = Run::new(&document, settings).unwrap();
        while run.next().is_some() {}
        let report = run.finish();
        let status = |it: TargetEntry| (it.id, it.status);
        report.targets.into_iter().map(status).collect::<BTreeMap<String, Status>>()
    };
    let all = statuses(Dimensions::default());
    assert_eq!(all["enum:#/oneOf/0/properties/b:0"], Status::Unreachable);
    for dimension in Dimensions::default().iter() {
        for (id, status) in statuses([dimension].into_iter().collect()) {
            assert_eq!(all[&id], status, "{id} with {dimension} alone");
        }
    }
}

#[test]
fn a_schema_that_admits_nothing_does_not_claim_to_be_covered() {
    let document = Document::from_value(
        json!({ "type": "object", "required": ["a"], "properties": { "a": false } }),
    );
    let settings = Settings::guided(Profile::Balanced);
    let compiled = CompiledRun::new(&document.unwrap(), settings, &mut Meter::counting()).unwrap();
    let finished = compiled.stream(&RunContext::default(), &Meter::counting(), |_| {
        std::ops::ControlFlow::<()>::Continue(())
    });
    let report = finished.unwrap().report.unwrap();
    let notes = serde_json::to_string(&report.diagnostics.notes).unwrap();
    assert!(!notes.contains("every active target is hit"), "{notes}");
}

fn api() -> Api {
    let even =
        json!({ "type": "integer", "minimum": 1, "maximum": 8, "allOf": [{ "multipleOf": 2 }] });
    let body = json!({ "application/json": { "schema": { "$ref": "#/components/schemas/Even" } } });
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "Numbers", "version": "1" },
        "components": { "schemas": { "Even": even } },
        "paths": { "/even": {
            "get": { "responses": { "200": { "description": "", "content": body } } },
            "put": { "requestBody": { "required": true, "content": body }, "responses": { "204": { "description": "" } } }
        } }
    });
    Api::of(&Document::from_value(document).unwrap()).unwrap()
}

#[test]
fn an_api_has_the_same_statuses_in_every_mode() {
    let api = api();
    let all = Dimensions::all();
    let report = |settings: Settings| {
        let settings = Settings { dimensions: all, ..settings };
        let options = ApiRunOptions::default();
        let run = CompiledRun::of_api(&api, &options, settings, &mut Meter::counting()).unwrap();
        let finished = run.stream(&RunContext::default(), &Meter::counting(), |_| {
            std::ops::ControlFlow::<()>::Continue(())
        });
        finished.unwrap().report.unwrap()
    };
    let guided = report(Settings::guided(Profile::Thorough));
    assert_eq!(guided.metrics.overall, 1.0);
    let expected = unreachable(&guided);
    assert_eq!(
        expected.keys().copied().collect::<Vec<_>>(),
        ["bound:#/components/schemas/Even:minimum"]
    );
    assert_eq!(unreachable(&report(Settings::measure(1))), expected);
    let settings = Settings { dimensions: all, ..Settings::measure(0) };
    let mut traffic = ApiMeasurement::new(&api, &ApiRunOptions::default(), settings).unwrap();
    traffic.check(0, Side::Response, None, json!(4));
    assert_eq!(unreachable(&traffic.finish(None, &[])), expected);
}

#[test]
fn tools_have_the_same_statuses() {
    let settings = Settings { dimensions: Dimensions::all(), ..Settings::measure(0) };
    let mut calls = OperationsMeasurement::new(settings);
    let tool = calls.add_operation("halve", "#/tools/halve");
    let schema = json!({ "type": "object", "properties": { "n": {
        "type": "integer", "minimum": 1, "allOf": [{ "multipleOf": 2 }]
    } } });
    let schema = Document::from_value(schema).unwrap();
    calls.add_schema(tool, Side::Request, "#/tools/halve/inputSchema", &schema).unwrap();
    let report = calls.finish(&OperationsInfo::default(), None);
    let found = unreachable(&report);
    let expected = "bound:#/tools/halve/inputSchema/properties/n:minimum";
    assert_eq!(found.keys().copied().collect::<Vec<_>>(), [expected]);
    let (_, _, conflicts) = found[expected];
    let base = "#/tools/halve/inputSchema/properties/n";
    assert_eq!(conflicts, [format!("{base}/allOf/0/multipleOf"), format!("{base}/minimum")]);
}

#[test]
fn the_conflicts_of_an_empty_demand_are_the_keywords_that_it_needs() {
    let schema = json!({
        "type": "object", "required": ["kind"], "maxProperties": 5,
        "properties": { "kind": { "enum": ["a", "b"] }, "note": { "minLength": 3 }, "legacy": {} },
        "allOf": [
            { "properties": { "note": { "maxLength": 9 } } },
            { "if": { "required": ["legacy"] }, "then": { "required": ["since"] } }
        ],
        "dependentRequired": { "since": ["until"] },
        "not": { "required": ["until"] }
    });
    let reports = reports(&schema);
    let (_, _, conflicts) = unreachable(&reports[0].1)["prop:#/properties/legacy:present"];
    assert_eq!(
        conflicts,
        ["#/allOf/1", "#/dependentRequired", "#/not", "#/properties/legacy"].map(str::to_owned)
    );
    assert_unreachable(
        &schema,
        &[
            "cond:#/allOf/1/if:if+then",
            "prop:#/properties/legacy:present",
            "struct:#/allOf/1/if",
            "struct:#/allOf/1/then",
            "struct:#/properties/legacy",
        ],
    );
}

#[test]
fn quick_has_the_dimensions_of_structure_and_branches() {
    let document = Document::from_value(json!({ "enum": [1, 2] })).unwrap();
    let mut run = Run::new(&document, Settings::guided(Profile::Quick)).unwrap();
    while run.next().is_some() {}
    let report = run.finish();
    assert_eq!(report.run.dimensions_enabled, [Dimension::Structure, Dimension::Branches]);
}

#[test]
fn a_length_that_no_string_of_the_pattern_has_is_unreachable() {
    let address = json!({
        "type": "string", "minLength": 1, "pattern": "^([0-9a-f]{2}:){5}[0-9a-f]{2}$"
    });
    let schema = json!({
        "type": "object", "properties": {
            "address": address,
            "duration": {
                "type": ["string", "null"], "minLength": 1, "pattern": "^([0-9]+d)?([0-9]+h)?$"
            }
        }
    });
    let expected =
        ["bound:#/properties/address:minLength", "bound:#/properties/duration:minLength"];
    assert_unreachable(&schema, &expected);
}

#[test]
fn a_pattern_without_strings_of_the_format_is_unreachable() {
    let schema = json!({
        "type": "object", "properties": {
            "url": { "type": "string", "format": "uri", "pattern": "^git@example\\.org:[a-z]+$" }
        }
    });
    assert_unreachable(&schema, &["prop:#/properties/url:present", "struct:#/properties/url"]);
}

#[test]
fn additional_properties_beside_a_pattern_for_every_name_are_unreachable() {
    let schema = json!({
        "type": "object", "additionalProperties": true,
        "patternProperties": { ".*": { "type": "string" } }
    });
    assert_unreachable(&schema, &["struct:#/additionalProperties"]);
}

#[test]
fn a_schema_of_names_of_an_object_without_properties_is_unreachable() {
    let schema = json!({
        "type": "object", "additionalProperties": false, "propertyNames": { "minLength": 2 }
    });
    let expected = [
        "bound:#/propertyNames:minLength",
        "struct:#/additionalProperties",
        "struct:#/propertyNames",
    ];
    assert_unreachable(&schema, &expected);
}

#[test]
fn names_that_satisfy_two_branches_are_unreachable() {
    let schema = json!({
        "type": "object", "propertyNames": {
            "oneOf": [{ "enum": ["lint", "name[play]"] }, { "pattern": "^[a-z\\[\\]]+$" }]
        }
    });
    let expected = [
        "branch:#/propertyNames/oneOf:0",
        "enum:#/propertyNames/oneOf/0:0",
        "enum:#/propertyNames/oneOf/0:1",
        "struct:#/propertyNames/oneOf/0",
    ];
    assert_unreachable(&schema, &expected);
}

#[test]
fn a_branch_of_arrays_beside_one_that_constrains_only_objects_is_unreachable() {
    let schema = json!({
        "oneOf": [
            { "required": ["name"], "properties": { "name": { "type": "string" } } },
            { "type": "array", "maxItems": 3 }
        ]
    });
    let expected = ["bound:#/oneOf/1:maxItems", "branch:#/oneOf:1", "struct:#/oneOf/1"];
    assert_unreachable(&schema, &expected);
}

#[test]
fn what_every_use_of_a_shared_schema_excludes_is_unreachable() {
    let kind = |name: &str| {
        json!({
            "allOf": [
                { "$ref": "#/$defs/entity" },
                { "properties": { "kind": { "enum": [name] } } }
            ]
        })
    };
    let mut schema = json!({
        "anyOf": [kind("component"), kind("system")],
        "$defs": {
            "entity": {
                "type": "object", "required": ["kind"],
                "properties": { "kind": { "type": "string", "minLength": 1 } }
            }
        }
    });
    assert_unreachable(&schema, &["bound:#/$defs/entity/properties/kind:minLength"]);
    // One use that admits it is enough.
    schema["anyOf"][1]["allOf"][1] = json!({});
    assert_unreachable(&schema, &[]);
}

#[test]
fn contradictions_in_a_recursive_schema_are_found() {
    let schema = json!({
        "$defs": {
            "step": {
                "type": "object",
                "properties": {
                    "kind": { "enum": ["run", "push"] },
                    "image": { "type": "string" },
                    "steps": { "type": "array", "items": { "$ref": "#/$defs/step" } }
                },
                "if": { "properties": { "kind": { "const": "run" } } },
                "then": { "properties": { "image": { "type": "null" } } }
            }
        },
        "type": "array", "items": { "$ref": "#/$defs/step" }
    });
    let expected = [
        "prop:#/$defs/step/then/properties/image:present",
        "struct:#/$defs/step/then/properties/image",
    ];
    assert_unreachable(&schema, &expected);
}
