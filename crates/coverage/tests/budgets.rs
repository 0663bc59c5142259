//! Guided runs at every budget: never below chance, wide unions, several routes to a target, an early end, and limits
//! that are reported as what they are.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]
#![expect(clippy::float_cmp, reason = "a ratio of equal numbers is exactly one")]

use foolproof_contract::Document;
use foolproof_coverage::{
    Dimension, Dimensions, Profile, ReasonCode, Report, Run, Settings, Status,
};
use foolproof_generate::Phase;
use serde_json::{Map, Value, json};

fn run(schema: &Value, settings: Settings) -> Report {
    let document = Document::from_value(schema.clone()).unwrap();
    let mut run = Run::new(&document, settings).unwrap();
    while run.next().is_some() {}
    run.finish()
}

fn guided(schema: &Value, instances: u64) -> Report {
    run(schema, Settings { instances, ..Settings::guided(Profile::Thorough) })
}

/// A union of so many objects, each with a property of its own.
fn wide(branches: usize) -> Value {
    let branch = |number: usize| {
        let name = format!("p{number}");
        json!({ "type": "object", "required": [name], "properties": { name: { "type": "integer" } } })
    };
    json!({ "oneOf": (0..branches).map(branch).collect::<Vec<_>>() })
}

#[test]
fn a_guided_run_never_covers_less_than_a_measured_one_of_the_same_length() {
    let member = |n: usize| json!({ "enum": (0..n).collect::<Vec<_>>() });
    let schemas = [
        json!({ "type": "object", "properties": { "a": member(9), "b": member(30), "c": { "type": "array", "items": member(12) } } }),
        wide(12),
        json!({ "type": "array", "items": { "anyOf": [member(3), { "type": "string", "minLength": 2, "maxLength": 5 }, { "$ref": "#" }] } }),
    ];
    for schema in &schemas {
        for instances in (1..=8).chain([16, 64]) {
            let guided = guided(schema, instances).metrics.overall;
            let measured = run(schema, Settings::measure(instances)).metrics.overall;
            assert!(guided >= measured, "{instances}: {guided} < {measured} for {schema}");
        }
    }
}

/// An object of so many optional properties, each with an enumeration of three.
fn many_enumerations(properties: usize) -> Value {
    let values = |number: usize| ["a", "b", "c"].map(|letter| format!("{letter}{number}"));
    let property = |number: usize| (format!("p{number}"), json!({ "enum": values(number) }));
    let properties: Map<_, _> = (0..properties).map(property).collect();
    json!({ "type": "object", "properties": properties })
}

/// An object of so many optional properties, each of a definition with three branches.
fn many_unions(properties: usize) -> Value {
    let branch = |kind: &str| {
        let properties = json!({ "kind": { "const": kind }, "v": { "enum": ["x", "y"] } });
        json!({ "type": "object", "required": ["kind"], "properties": properties })
    };
    let branches = ["a", "b", "c"].map(branch);
    let union = json!({ "oneOf": branches });
    let name = |number: usize| format!("p{number}");
    let reference = |number: usize| (name(number), json!({ "$ref": format!("#/$defs/p{number}") }));
    let definitions: Map<_, _> =
        (0..properties).map(|number| (name(number), union.clone())).collect();
    let properties: Map<_, _> = (0..properties).map(reference).collect();
    json!({ "type": "object", "properties": properties, "$defs": definitions })
}

#[test]
fn choices_that_are_independent_share_as_few_instances_as_they_can() {
    for (schema, least) in [(many_enumerations(1_200), 3), (many_unions(300), 6)] {
        let report = guided(&schema, 20);
        assert_eq!(report.metrics.overall, 1.0, "{:?}", report.uncovered_targets.first());
        assert_eq!(report.run.actual_instances, least);
    }
}

#[test]
fn planning_makes_no_more_instances_for_more_independent_choices() {
    let made = |properties: usize| {
        let document = Document::from_value(many_enumerations(properties)).unwrap();
        let run = Run::new(&document, Settings::guided(Profile::Thorough)).unwrap();
        run.compiled().plan().unwrap().metrics().of(Phase::Observe).count
    };
    assert_eq!(made(400), made(4_000));
}

#[test]
fn every_branch_of_a_wide_union_is_covered() {
    let report = guided(&wide(400), 400);
    assert_eq!(
        report.metrics.by_dimension[&Dimension::Branches],
        1.0,
        "{:?}",
        report.uncovered_targets.first()
    );
    assert!(report.run.actual_instances <= 400);
}

#[test]
fn a_target_is_reached_along_another_route_if_the_first_is_closed() {
    // The shortest route to the enumeration is through `a`, which is fixed elsewhere.
    let schema = json!({
        "$defs": { "size": { "enum": ["S", "M", "L"] } },
        "type": "object", "required": ["a"],
        "properties": { "a": { "$ref": "#/$defs/size" }, "b": { "$ref": "#/$defs/size" } },
        "allOf": [{ "properties": { "a": { "const": "S" } } }]
    });
    let report = guided(&schema, 100);
    assert_eq!(report.metrics.overall, 1.0, "{:?}", report.uncovered_targets);
    assert_eq!(report.metrics.targets_by_status.unreachable, 0);
}

#[test]
fn a_run_in_which_nothing_more_is_hit_has_no_further_rows() {
    // No string has the format and the length, which nothing here can prove.
    let schema = json!({
        "type": "object", "required": ["id"],
        "properties": { "id": { "type": "string", "pattern": "^(?=a)b", "minLength": 1 }, "n": { "enum": [1, 2] } },
        "additionalProperties": { "type": "string", "maxLength": 3_000_000 }
    });
    let schema = json!({ "anyOf": [schema, { "enum": ["x", "y"] }, { "type": "string", "maxLength": 3_000_000 }] });
    let report = guided(&schema, 350);
    let missed = report.uncovered_targets.iter().any(|it| it.status == Status::Active);
    assert!(missed, "this test needs a target that is missed");
    assert!(report.run.actual_instances < 20, "{} rows", report.run.actual_instances);
    let notes = serde_json::to_string(&report.diagnostics.notes).unwrap();
    assert!(notes.contains("hit no further target and were left out"), "{notes}");
}

/// The number of active targets of a dimension, and how many of them have `planned: false`.
fn planned_of(report: &Report, dimension: Dimension) -> (usize, usize) {
    let active =
        report.targets.iter().filter(|it| it.status == Status::Active && it.dimension == dimension);
    let unplanned = active.clone().filter(|it| it.meta.planned == Some(false)).count();
    (active.count(), unplanned)
}

#[test]
fn what_the_number_of_instances_leaves_out_is_unplanned_and_counted() {
    let report = guided(&json!({ "enum": (0..50).collect::<Vec<_>>() }), 10);
    let cap = &report.diagnostics.planner_caps_hit[0];
    assert_eq!((cap.total_targets, cap.planned_targets, cap.unplanned_targets), (50, 10, 40));
    assert_eq!(planned_of(&report, Dimension::Enum), (50, 40));
    let left = report.uncovered_targets.iter().find(|it| it.dimension == Dimension::Enum).unwrap();
    assert!(left.meta.reason.as_deref().unwrap().contains("`--n`"), "{left:?}");
    assert!(report.unsatisfied_hints.iter().all(|it| it.reason_code == ReasonCode::PlannerCap));
}

#[test]
fn what_the_profile_leaves_out_is_unplanned_and_counted() {
    let names: serde_json::Map<String, Value> =
        (0..260).map(|number| (format!("p{number}"), json!({ "type": "integer" }))).collect();
    let settings =
        Settings { dimensions: Dimensions::default(), ..Settings::guided(Profile::Quick) };
    let report =
        run(&json!({ "type": "object", "properties": names, "maxProperties": 2 }), settings);
    for cap in &report.diagnostics.planner_caps_hit {
        assert_eq!(cap.total_targets, cap.planned_targets + cap.unplanned_targets);
        assert_eq!((cap.total_targets, cap.unplanned_targets), planned_of(&report, cap.dimension));
    }
    let left = report.targets.iter().find(|it| it.meta.planned == Some(false) && !it.hit).unwrap();
    let reason = left.meta.reason.as_deref().unwrap();
    assert!(reason.contains("--coverage-profile") || reason.contains("--n"), "{reason}");
}
