//! The guarantees of planning, on small contracts.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
use foolproof_coverage::{
    Dimensions, HitTracker, Observer, PlanInput, Profile, Status, TestPlan, TestUnit, Universe,
};
use foolproof_generate::{Generator, Seed};
use serde_json::{Value, json};

struct Planned {
    units: usize,
    missed: Vec<String>,
    unreachable: Vec<String>,
}

fn plan(schema: &Value, units: usize) -> Planned {
    observed(schema, units, |universe, observer, _, plan| planned(universe, observer, plan))
}

/// Calls `judge` with the plan for a schema.
fn observed<T>(
    schema: &Value,
    units: usize,
    judge: impl Fn(&Universe, &Observer, &Generator, &TestPlan) -> T,
) -> T {
    let document = Document::from_value(schema.clone()).unwrap();
    let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
    let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::default()));
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let (seed, profile) = (Seed::from_number(7), Profile::Thorough);
    let input = PlanInput { observer: &observer, generator: &generator, seed, units, profile };
    let plan = TestPlan::of(&input, &mut forms);
    judge(&universe, &observer, &generator, &plan)
}

fn planned(universe: &Universe, observer: &Observer, plan: &TestPlan) -> Planned {
    let mut tracker = HitTracker::new(observer);
    for unit in plan.units() {
        tracker.observe(unit.generated().instance());
    }
    let unreachable: Vec<String> =
        plan.unreachable().keys().map(|target| universe[*target].id().to_owned()).collect();
    let is_missed = |index: &usize| {
        let index = universe.index_of(*index);
        let target = &universe[index];
        target.status() == Status::Active
            && !tracker.hits().contains(index)
            && !plan.unreachable().contains_key(&index)
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
fn members_of_several_enumerations_share_instances() {
    let member = |n: usize| json!({ "enum": (0..n).collect::<Vec<_>>() });
    let schema = json!({ "type": "object", "properties": { "a": member(4), "b": member(4), "c": member(2) } });
    assert_covered(&schema, 4);
}

#[test]
fn an_array_has_every_kind_of_item_at_once() {
    let item = |kind: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "const": kind } } });
    let schema = json!({ "type": "array", "items": { "anyOf": [item("a"), item("b"), item("c"), item("d")] } });
    assert_covered(&schema, 2);
}

#[test]
fn both_bounds_of_a_range_are_hit() {
    let schema = json!({ "type": "object", "properties": {
        "n": { "type": "integer", "minimum": 3, "maximum": 90 },
        "x": { "type": "number", "exclusiveMinimum": 0, "maximum": 1 },
        "s": { "type": "string", "minLength": 2, "maxLength": 5 },
        "l": { "type": "array", "minItems": 1, "maxItems": 4, "items": { "type": "null" } }
    } });
    assert_covered(&schema, 2);
}

#[test]
fn both_outcomes_of_a_condition_are_hit() {
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
fn a_target_that_contradicts_its_context_is_unreachable() {
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
fn no_more_units_are_planned_than_allowed() {
    let schema = json!({ "enum": (0..50).collect::<Vec<_>>() });
    let planned = plan(&schema, 8);
    assert_eq!((planned.units, planned.missed.len()), (8, 42));
}

#[test]
fn targets_of_names_are_hit_by_properties_with_such_names() {
    let schema = json!({
        "type": "object", "additionalProperties": { "type": "integer" },
        "propertyNames": { "anyOf": [
            { "enum": ["red", "green", "blue"] }, { "pattern": "^x-", "minLength": 4, "maxLength": 9 }
        ] }
    });
    assert_covered(&schema, 2);
}

#[test]
fn a_map_has_several_kinds_of_entries_at_once() {
    let entry = |kind: &str| json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "const": kind } } });
    let schema = json!({
        "type": "object", "additionalProperties": { "anyOf": [entry("a"), entry("b"), entry("c"), entry("d")] }
    });
    assert_covered(&schema, 2);
}

/// A row of variants as real contracts have it: `if kind is …, then …`.
fn row(kinds: usize) -> Value {
    let variant = |kind: usize| {
        let own = json!({ "type": "object", "properties": {
            format!("a{kind}"): { "enum": [1, 2] }, format!("b{kind}"): { "type": "string", "maxLength": 3 }
        } });
        json!({
            "if": { "properties": { "kind": { "const": format!("k{kind}") } } },
            "then": { "required": ["own"], "properties": { "own": own } }
        })
    };
    let names: Vec<String> = (0..kinds).map(|kind| format!("k{kind}")).collect();
    json!({
        "type": "object", "required": ["kind"], "properties": { "kind": { "enum": names } },
        "allOf": (0..kinds).map(variant).collect::<Vec<_>>()
    })
}

#[test]
fn each_kind_of_a_long_row_takes_two_instances() {
    assert_covered(&row(30), 60);
}

#[test]
fn a_large_contract_is_planned_in_few_instances() {
    let schema = json!({ "type": "array", "items": row(150) });
    let planned = plan(&schema, 1_000);
    assert_eq!(planned.missed, [] as [String; 0]);
    assert!(planned.units <= 30, "{} units", planned.units);
}

#[test]
fn a_long_enumeration_deep_in_a_large_contract_is_hit_by_changing_single_values() {
    let members: Vec<usize> = (0..120).collect();
    let leaf = json!({ "type": "object", "required": ["code"], "properties": {
        "code": { "enum": members }, "text": { "type": "string", "minLength": 2, "maxLength": 9 }
    } });
    let mut schema = row(150);
    schema["required"] = json!(["kind", "deep"]);
    schema["properties"]["deep"] = json!({
        "type": "object", "required": ["leaf"], "properties": { "leaf": leaf }
    });
    let planned = plan(&schema, 1_000);
    assert_eq!(planned.missed, [] as [String; 0]);
}

#[test]
fn a_condition_that_always_holds_is_proven_and_does_not_affect_other_targets() {
    let part = |name: &str| {
        json!({
            "type": "object", "required": ["kind"], "properties": { "kind": { "enum": [name] } },
            "if": { "properties": { "kind": { "const": name } } }, "then": { "required": [name] }
        })
    };
    let schema = json!({ "type": "object", "properties": { "a": part("a"), "b": part("b") } });
    let planned = plan(&schema, 100);
    assert_eq!(planned.missed, [] as [String; 0]);
    assert_eq!(planned.unreachable.len(), 2, "{:?}", planned.unreachable);
}

/// Contracts that take several instances each.
fn samples() -> [Value; 3] {
    let branch = |name: &str| json!({ "type": "object", "required": [name], "properties": { name: { "enum": [1, 2, 3] } } });
    [
        json!({ "anyOf": [branch("a"), branch("b"), { "type": "string", "maxLength": 2 }] }),
        row(6),
        // The algebra has no form for this pattern, so its values are found by chance.
        json!({ "type": "string", "pattern": "^(?=a)(a|b)+$", "minLength": 1, "maxLength": 4 }),
    ]
}

#[test]
fn every_unit_adds_hits_and_the_first_adds_the_most() {
    for schema in samples() {
        observed(&schema, 100, |_, observer, _, plan| {
            let mut tracker = HitTracker::new(observer);
            let fresh: Vec<usize> = plan
                .units()
                .iter()
                .map(|unit| tracker.observe(unit.generated().instance()).len())
                .collect();
            assert!(fresh.iter().all(|count| *count > 0), "{fresh:?} {schema}");
            assert_eq!(fresh.first(), fresh.iter().max(), "{fresh:?} {schema}");
        });
    }
}

#[test]
fn units_hit_what_as_many_plain_instances_hit() {
    for schema in samples() {
        observed(&schema, 100, |universe, observer, generator, plan| {
            let (mut guided, mut plain) = (HitTracker::new(observer), HitTracker::new(observer));
            for (index, unit) in (0..).zip(plan.units()) {
                guided.observe(unit.generated().instance());
                if let Some(instance) = generator.instance(Seed::from_number(7), index) {
                    plain.observe(&instance);
                }
            }
            for location in 0..universe.targets().len() {
                let target = universe.index_of(location);
                let is_missed = plain.hits().contains(target) && !guided.hits().contains(target);
                assert!(!is_missed, "{} in {schema}", universe[target].id());
                assert!(!guided.hits().contains(target) || plan.unplanned(target).is_none());
            }
        });
    }
}

#[test]
fn the_same_input_gives_the_same_plan() {
    for schema in samples() {
        let texts = || {
            observed(&schema, 100, |_, _, _, plan| {
                let text = |unit: &TestUnit| {
                    (unit.generated().instance().value().to_string(), unit.targets().to_vec())
                };
                plan.units().iter().map(text).collect::<Vec<_>>()
            })
        };
        assert_eq!(texts(), texts());
    }
}

#[test]
fn a_condition_on_a_property_holds_for_values_that_are_no_objects() {
    for required in [json!([]), json!(["kind"])] {
        let schema = json!({ "allOf": [
            { "if": { "properties": { "kind": { "const": "a" } }, "required": required },
              "then": { "type": ["string", "integer"] } },
            { "if": { "properties": { "kind": { "const": "b" } }, "required": required },
              "then": { "minimum": 3 } } ] });
        let planned = plan(&schema, 100);
        assert_eq!(planned.missed, [] as [String; 0], "{schema}");
        // An object of the first kind would have to be a string.
        let impossible =
            ["prop:#/allOf/0/if/properties/kind:present", "struct:#/allOf/0/if/properties/kind"];
        let impossible = if required == json!([]) { &impossible[..] } else { &impossible[1..] };
        assert_eq!(planned.unreachable, impossible, "{schema}");
    }
}

#[test]
fn every_value_that_a_condition_names_is_reached() {
    assert_covered(
        &json!({ "type": "object", "properties": { "kind": { "type": "string" } }, "allOf": [
            { "if": { "required": ["kind"], "properties": { "kind": { "enum": ["a", "b", "c"] } } },
              "then": { "required": ["one"] } },
            { "if": { "required": ["kind"], "properties": { "kind": { "enum": ["d", "e"] } } },
              "then": { "required": ["two"] } } ] }),
        7,
    );
}

#[test]
fn long_strings_and_large_arrays_are_generated_for_their_bounds() {
    let schema = json!({
        "type": "object", "properties": {
            "text": { "type": "string", "maxLength": 300_000 },
            "list": { "type": "array", "items": { "type": "integer" }, "maxItems": 4_094 }
        }
    });
    let planned = plan(&schema, 50);
    assert_eq!(planned.missed, Vec::<String>::new());
    assert!(planned.unreachable.is_empty());
}
