//! Contracts on which draws alone find no value, or too few: those that have values get every instance, and the others
//! are given up soon.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::fmt::Write;

use foolproof_contract::Accepted;
use foolproof_generate::{Generator, Meter, Phase, Seed};
use serde_json::{Map, Value, json};

/// The first instances of a run; all of them, or the test fails.
#[track_caller]
fn all_instances(schema: &Value, count: u64) -> Vec<Value> {
    let generator = Generator::of(schema.clone()).unwrap();
    let seed = Seed::from_number(1);
    let instance = |index| match generator.generate(seed, index) {
        Ok(generated) => generated.into_instance(),
        Err(exhausted) => panic!("{schema}: no instance {index}: {exhausted:?}"),
    };
    (0..count).map(instance).map(Accepted::into_value).collect()
}

#[test]
fn an_array_holds_all_values_of_a_small_set() {
    let listed: Vec<Value> = (0..300).map(Value::from).collect();
    let array = |items: Value, count: u64| json!({ "type": "array", "uniqueItems": true, "items": items, "minItems": count });
    for (items, count) in [
        (json!({ "enum": listed }), 300),
        (json!({ "type": "string", "pattern": "^[ab]{8}$" }), 256),
        (json!({ "type": "integer", "minimum": -40, "maximum": 40 }), 81),
        (json!({ "type": "number", "minimum": 0, "maximum": 20, "multipleOf": 0.25 }), 81),
        (
            json!({ "anyOf": [{ "type": "boolean" }, { "enum": listed[..50] }, { "type": "null" }] }),
            53,
        ),
        (
            json!({ "type": "array", "items": { "type": "boolean" }, "minItems": 3, "maxItems": 3 }),
            8,
        ),
        (json!({ "type": "integer", "minimum": 1, "maximum": 99, "not": { "multipleOf": 3 } }), 66),
    ] {
        let schema = array(items, count);
        for instance in all_instances(&schema, 12) {
            assert!(instance.as_array().unwrap().len() as u64 >= count, "{schema}");
        }
    }
}

#[test]
fn a_long_array_of_distinct_items_is_drawn_in_a_moment() {
    // With as many comparisons as pairs this takes minutes.
    let schema = json!({ "type": "array", "uniqueItems": true, "minItems": 30_000 });
    assert_eq!(all_instances(&schema, 2).len(), 2);
}

#[test]
fn more_distinct_items_than_there_are_values_are_no_array() {
    let schema = json!({
        "type": "array", "uniqueItems": true, "minItems": 5, "items": { "enum": [1, 1.0, 2, 3, 4] }
    });
    let generator = Generator::of(schema).unwrap();
    assert!((0..4).all(|index| generator.generate(Seed::from_number(1), index).is_err()));
}

#[test]
fn a_chain_of_required_properties_is_added_as_a_whole() {
    for keyword in ["dependentRequired", "dependencies"] {
        let chain = (0..120).map(|link| (format!("p{link}"), json!([format!("p{}", link + 1)])));
        let chain: Map<String, Value> = chain.collect();
        let mut schema = json!({ "type": "object", keyword: chain, "required": ["p0"] });
        if keyword == "dependencies" {
            schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
        }
        let instances = all_instances(&schema, 20);
        assert!(instances.iter().all(|it| it.as_object().unwrap().len() > 120), "{keyword}");
    }
}

#[test]
fn values_that_no_draw_gives_are_found_by_repair() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("hard/values.json")).unwrap();
    for case in cases {
        println!("{}", case["description"]);
        assert_eq!(all_instances(&case["schema"], 40).len(), 40);
    }
}

#[test]
fn what_seems_to_have_no_value_is_given_up_soon() {
    // No form shows that it has none: what is not evaluated depends on the value.
    let mut branches = String::new();
    for number in 0..12 {
        write!(branches, r#"{{ "properties": {{ "p{number}": {{ "minItems": {number} }} }} }},"#)
            .unwrap();
    }
    let schema = format!(
        r#"{{ "not": {{ "anyOf": [{branches} {{}}], "unevaluatedItems": {{}} }}, "anyOf": [{branches} {{}}] }}"#
    );
    let generator = Generator::of(serde_json::from_str(&schema).unwrap()).unwrap();
    let mut meter = Meter::counting();
    for index in 0..50 {
        let outcome = generator.generate_metered(Seed::from_number(1), index, &mut meter);
        assert!(outcome.is_err(), "{outcome:?}");
    }
    let repairs = meter.metrics().of(Phase::Repair).count;
    assert!(repairs <= 50 * 16, "{repairs} repairs for 50 instances");
}
