//! The coverage of operations whose schemas are documents of their own.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "the same division gives the same number")]

use foolproof_contract::Document;
use foolproof_coverage::{
    Dimensions, OperationsInfo, OperationsMeasurement, OperationsScope, Report, Settings, Side,
    diff, merge,
};
use serde_json::{Value, json};

fn measurement() -> OperationsMeasurement {
    OperationsMeasurement::new(Settings { dimensions: Dimensions::all(), ..Settings::measure(0) })
}

/// Operations that receive a value of `schema` each.
fn measured(operations: &[(&str, Value)], calls: &[(&str, Value)]) -> Report {
    let mut measurement = measurement();
    let mut indices = Vec::new();
    for (key, schema) in operations {
        let index = measurement.add_operation(key, &format!("#/tools/{key}"));
        let document = Document::from_value(schema.clone()).unwrap();
        let location = format!("#/tools/{key}/inputSchema");
        measurement.add_schema(index, Side::Request, &location, &document).unwrap();
        indices.push((*key, index));
    }
    for (call, (key, value)) in calls.iter().enumerate() {
        let (_, index) = indices.iter().find(|(known, _)| known == key).unwrap();
        measurement.observe(*index, Side::Request, call as u64, Some(value));
    }
    let info = OperationsInfo { calls: calls.len() as u64, ..OperationsInfo::default() };
    measurement.finish(&info, None)
}

fn is_hit(report: &Report, id: &str) -> bool {
    report.targets.iter().find(|target| target.id == id).unwrap().hit
}

#[test]
fn local_references_stay_within_their_schema() {
    let schema = |member: &str| json!({ "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": { "enum": [member] } } });
    let report = measured(
        &[("one", schema("x")), ("two", schema("y"))],
        &[("one", json!({ "a": "x" })), ("two", json!({ "a": "x" }))],
    );
    assert!(is_hit(&report, "enum:#/tools/one/inputSchema/$defs/a:0"));
    // The second value is not valid for its operation, so it does not count.
    assert!(!is_hit(&report, "enum:#/tools/two/inputSchema/$defs/a:0"));
    assert!(!is_hit(&report, "op:two:request"));
    assert!(is_hit(&report, "op:one:request") && !is_hit(&report, "op:one:response"));
}

#[test]
fn a_target_of_several_operations_is_listed_once_with_all_of_them() {
    let schema =
        || json!({ "properties": { "s": { "$ref": "http://json-schema.org/draft-07/schema#" } } });
    let report = measured(
        &[("one", schema()), ("two", schema())],
        &[("one", json!({ "s": { "type": "string" } })), ("two", json!({ "s": true }))],
    );
    let ids: Vec<&str> = report.targets.iter().map(|target| &*target.id).collect();
    let mut distinct = ids.clone();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), ids.len());
    let shared: Vec<_> =
        report.targets.iter().filter(|target| target.meta.operations.len() == 2).collect();
    assert!(shared.len() > 20, "{}", shared.len());
    assert!(shared.iter().any(|target| target.hit));
}

#[test]
fn what_is_left_and_gained_guides() {
    let mut measurement = measurement();
    let index = measurement.add_operation("paint", "#/tools/paint");
    let schema = json!({ "properties": { "color": { "enum": ["red", "blue"] } } });
    let document = Document::from_value(schema).unwrap();
    measurement.add_schema(index, Side::Request, "#/tools/paint/inputSchema", &document).unwrap();
    let (red, blue) = (json!({ "color": "red" }), json!({ "color": "blue" }));
    let before = measurement.left(index, Side::Request);
    measurement.observe(index, Side::Request, 0, Some(&red));
    assert_eq!(measurement.left(index, Side::Request), before - 5);
    assert_eq!(measurement.gain(index, Side::Request, &red), 0);
    assert_eq!(measurement.gain(index, Side::Request, &blue), 1);
    assert_eq!(measurement.gain(index, Side::Request, &json!({ "color": "green" })), 0);
    // Without a schema, any answer is one.
    assert_eq!(measurement.left(index, Side::Response), 1);
    measurement.observe(index, Side::Response, 0, None);
    assert_eq!(measurement.left(index, Side::Response), 0);
}

#[test]
fn reports_are_compared_and_merged_like_others() {
    let operations = [("paint", json!({ "enum": ["red", "blue"] }))];
    let red = measured(&operations, &[("paint", json!("red"))]);
    let blue = measured(&operations, &[("paint", json!("blue"))]);
    let merged = merge(&[red.clone(), blue]).unwrap();
    assert_eq!(merged.metrics.by_operation["paint"], 4.0 / 5.0);
    let changed = diff(&red, &merged).unwrap();
    assert!(changed.to_string().contains("enum:#/tools/paint/inputSchema:1"), "{changed}");
}

#[test]
fn a_report_on_some_operations_says_which() {
    let mut measurement = measurement();
    measurement.add_operation("paint", "#/tools/paint");
    let info = OperationsInfo { scope: OperationsScope::Selected, ..OperationsInfo::default() };
    let report = measurement.finish(&info, None);
    assert_eq!(report.run.selected_operations, Some(vec!["paint".to_owned()]));
    assert_eq!(report.metrics.by_operation["paint"], 0.0);
}

#[test]
fn a_target_of_both_sides_and_an_operation_listed_twice_are_listed_once() {
    let schema =
        json!({ "properties": { "s": { "$ref": "http://json-schema.org/draft-07/schema#" } } });
    let document = Document::from_value(schema).unwrap();
    let mut measurement = measurement();
    for _ in 0..2 {
        let index = measurement.add_operation("paint", "#/tools/paint");
        for (side, name) in [(Side::Request, "inputSchema"), (Side::Response, "outputSchema")] {
            let location = format!("#/tools/paint/{name}");
            measurement.add_schema(index, side, &location, &document).unwrap();
        }
        measurement.observe(index, Side::Response, 0, Some(&json!({ "s": true })));
    }
    let report = measurement.finish(&OperationsInfo::default(), None);
    let mut ids: Vec<&str> = report.targets.iter().map(|target| &*target.id).collect();
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
    assert!(report.targets.iter().all(|target| target.meta.operations.len() <= 1));
    assert!(is_hit(&report, "struct:http://json-schema.org/draft-07/schema#"));
}
