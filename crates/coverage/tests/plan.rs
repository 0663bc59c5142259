//! What planning promises, on small contracts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use foolproof_contract::{Canonicalizer, Document, Formats};
use foolproof_coverage::{Basis, Dimensions, Observer, Plan, Profile, Status, Universe, Watcher};
use foolproof_generate::{Generator, Seed};
use serde_json::{Value, json};

struct Planned {
    units: usize,
    missed: Vec<String>,
    unreachable: Vec<String>,
}

fn plan(schema: &Value, units: usize) -> Planned {
    let document = Document::from_value(schema.clone()).unwrap();
    let mut forms = Canonicalizer::new(&document, Formats::Assert).unwrap();
    let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::default()));
    let observer = Observer::new(&universe, &document, Formats::Assert);
    let generator = Generator::new(&document, Formats::Assert).unwrap();
    let basis = Basis {
        observer: &observer,
        generator: &generator,
        seed: Seed::from_number(7),
        units,
        profile: Profile::Thorough,
    };
    let plan = Plan::of(&basis, &mut forms);
    let mut watcher = Watcher::new(&observer);
    for unit in plan.units() {
        watcher.watch(unit.made().instance());
    }
    let unreachable: Vec<String> =
        plan.unreachable().iter().map(|target| universe[*target].id().to_owned()).collect();
    let is_missed = |index: &usize| {
        let index = universe.index_of(*index);
        let target = &universe[index];
        target.status() == Status::Active
            && !watcher.hits().contains(index)
            && !plan.unreachable().contains(&index)
    };
    let missed = (0..universe.targets().len()).filter(is_missed);
    let id = |index: usize| universe.targets()[index].id().to_owned();
    Planned { units: plan.units().len(), missed: missed.map(id).collect(), unreachable }
}

fn assert_covered(schema: &Value, most: usize) {
    let planned = plan(schema, 100);
    assert_eq!(planned.missed, [] as [String; 0], "{schema}");
    assert!(planned.units <= most, "{} units for {schema}", planned.units);
}

#[test]
fn three_branches_take_three_instances() {
    assert_covered(
        &json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }, { "type": "array", "items": false }] }),
        3,
    );
}

#[test]
fn members_of_several_enumerations_are_used_side_by_side() {
    let member = |n: usize| json!({ "enum": (0..n).collect::<Vec<_>>() });
    let schema = json!({ "type": "object", "properties": { "a": member(4), "b": member(4), "c": member(2) } });
    assert_covered(&schema, 4);
}

#[test]
fn an_array_shows_every_kind_of_item_at_once() {
    let item = |kind: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "const": kind } } });
    let schema = json!({ "type": "array", "items": { "anyOf": [item("a"), item("b"), item("c"), item("d")] } });
    assert_covered(&schema, 2);
}

#[test]
fn bounds_are_met_from_both_sides() {
    let schema = json!({ "type": "object", "properties": {
        "n": { "type": "integer", "minimum": 3, "maximum": 90 },
        "x": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
        "s": { "type": "string", "minLength": 2, "maxLength": 5 },
        "l": { "type": "array", "minItems": 1, "maxItems": 4, "items": { "type": "null" } }
    } });
    assert_covered(&schema, 2);
}

#[test]
fn conditions_go_both_ways() {
    let schema = json!({
        "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["a", "b"] } },
        "if": { "properties": { "kind": { "const": "a" } } },
        "then": { "required": ["x"], "properties": { "x": { "type": "integer" } } },
        "else": { "required": ["y"], "properties": { "y": { "type": "boolean" } } },
        "dependentSchemas": { "z": { "required": ["w"] } }
    });
    assert_covered(&schema, 4);
}

#[test]
fn what_contradicts_its_surroundings_is_out_of_reach() {
    let schema = json!({
        "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["a", "b", "c"] } },
        "allOf": [{ "properties": { "kind": { "not": { "const": "c" } } } }]
    });
    let planned = plan(&schema, 100);
    assert_eq!(planned.unreachable, ["enum:#/properties/kind:2"]);
    assert_eq!(planned.missed, [] as [String; 0]);
}

#[test]
fn recursion_is_followed_once() {
    let schema = json!({ "$ref": "#/$defs/tree", "$defs": { "tree": { "type": "object", "properties": {
        "value": { "enum": [1, 2] }, "kids": { "type": "array", "items": { "$ref": "#/$defs/tree" } }
    } } } });
    assert_covered(&schema, 2);
}

#[test]
fn no_more_instances_are_made_than_asked_for() {
    let schema = json!({ "enum": (0..50).collect::<Vec<_>>() });
    let planned = plan(&schema, 8);
    assert_eq!((planned.units, planned.missed.len()), (8, 42));
}
