//! What a generator guarantees, on small schemas of every kind.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::BTreeSet;

use foolproof_contract::{Accepted, AjvOracle, Document, FormatPolicy, Graph, Oracle};
use foolproof_generate::{
    Exhausted, Generated, Generator, Plan, Recorder, Replay, SecondOracle, Seed,
};
use serde_json::{Value, json};

fn generator(schema: &Value) -> Generator {
    Generator::of(schema.clone()).unwrap()
}

fn instances(schema: &Value, n: u64) -> Vec<Value> {
    generator(schema).instances(Seed::from_number(7), n).map(Accepted::into_value).collect()
}

/// Satisfiable schemas, each with another feature.
fn schemas() -> Vec<Value> {
    vec![
        json!(true),
        json!({ "type": ["null", "boolean"] }),
        json!({ "type": "object", "properties": { "a": { "$ref": "#" }, "b": { "type": "integer" } }, "required": ["b"] }),
        json!({ "anyOf": [{ "type": "integer" }, { "type": "array", "items": { "$ref": "#" }, "minItems": 1 }] }),
        json!({ "oneOf": [{ "multipleOf": 3 }, { "multipleOf": 5 }], "type": "integer" }),
        json!({ "type": "integer", "not": { "minimum": 0, "maximum": 9 } }),
        json!({ "type": "array", "uniqueItems": true, "minItems": 3, "items": { "enum": [1, 2, 3, 4] } }),
        json!({ "type": "array", "contains": { "const": 7 }, "minContains": 2, "items": { "type": "integer" } }),
        json!({ "type": "array", "prefixItems": [{ "const": 1 }, { "const": 2 }], "items": false, "minItems": 2 }),
        json!({ "type": "object", "properties": { "a": true, "b": { "type": "null" } }, "additionalProperties": false, "minProperties": 2 }),
        json!({ "type": "object", "patternProperties": { "^x-": { "type": "integer" } }, "additionalProperties": false, "minProperties": 1 }),
        json!({ "type": "object", "propertyNames": { "maxLength": 2 }, "minProperties": 3 }),
        json!({ "type": "object", "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } }, "dependentRequired": { "a": ["b"] }, "required": ["a"] }),
        json!({ "type": "object", "dependentSchemas": { "a": { "required": ["c"] } }, "required": ["a"] }),
        json!({ "if": { "properties": { "k": { "const": 1 } }, "required": ["k"] }, "then": { "required": ["v"] }, "type": "object", "properties": { "k": { "enum": [1, 2] }, "v": { "type": "boolean" } }, "required": ["k"] }),
        json!({ "allOf": [{ "$ref": "#/$defs/base" }, { "properties": { "n": { "maximum": 3 } } }], "$defs": { "base": { "type": "object", "required": ["n"], "properties": { "n": { "type": "integer", "minimum": 0 } } } } }),
        json!({ "allOf": [{ "$ref": "#/$defs/tree" }, { "required": ["kids"] }], "$defs": { "tree": { "type": "object", "properties": { "kids": { "type": "array", "items": { "$ref": "#/$defs/tree" } } } } } }),
        json!({ "type": "object", "properties": { "never": false, "also": { "type": "integer", "minimum": 2, "maximum": 1 }, "fine": { "type": "integer" } } }),
        json!({ "$schema": "http://json-schema.org/draft-04/schema#", "type": "number", "minimum": 0, "exclusiveMinimum": true, "maximum": 1 }),
        json!({ "type": "object", "properties": { "a": { "type": "integer" } }, "unevaluatedProperties": false }),
    ]
}

#[test]
fn every_schema_gets_every_instance() {
    for schema in schemas() {
        assert_eq!(instances(&schema, 50).len(), 50, "{schema}");
    }
}

/// Draft 7 has no `$defs`, so its meta-schema does not look at what is there, but references lead to it.
#[test]
fn a_property_that_is_required_twice_is_there_once() {
    let schema = json!({ "$defs": { "a": { "required": ["v", "v"] } }, "$ref": "#/$defs/a" });
    let seed = Seed::from_number(7);
    let drawn: Vec<Generated> =
        (0..40).filter_map(|index| generator(&schema).generate(seed, index).ok()).collect();
    let objects = drawn.iter().filter(|it| it.instance().value().is_object()).count();
    assert!(objects > 0 && drawn.len() == 40, "{objects} of {}", drawn.len());
}

#[test]
fn an_instance_depends_on_seed_and_index_alone() {
    for schema in schemas() {
        let whole = instances(&schema, 12);
        let generator = generator(&schema);
        // Backwards, and one by one: the order does not matter.
        for index in (0..12).rev() {
            let alone = generator.instance(Seed::from_number(7), index).map(Accepted::into_value);
            assert_eq!(alone.as_ref(), whole.get(usize::try_from(index).unwrap()), "{schema}");
        }
    }
    let schema = json!({ "type": "integer" });
    let other: Vec<Value> =
        generator(&schema).instances(Seed::from_number(8), 12).map(Accepted::into_value).collect();
    assert_ne!(instances(&schema, 12), other);
}

#[test]
fn a_draw_can_be_repeated_from_its_choices() {
    for schema in schemas() {
        let generator = generator(&schema);
        for index in 0..10 {
            let mut recorder = Recorder::new(Seed::from_number(index).random());
            let drawn = generator.plan().draw(&mut recorder);
            let again = generator.plan().draw(&mut Replay::new(recorder.choices().to_vec()));
            assert_eq!(drawn, again, "{schema}");
        }
    }
}

#[test]
fn without_choices_a_draw_is_small() {
    let schema = json!({
        "type": "object", "required": ["id", "tags"],
        "properties": { "id": { "type": "integer" }, "tags": { "type": "array", "items": {} }, "more": {} }
    });
    let simplest = generator(&schema).plan().draw(&mut Replay::new(Vec::new()));
    assert_eq!(simplest, Some(json!({ "id": 0, "tags": [] })));
}

#[test]
fn every_alternative_is_drawn() {
    let schema = json!({ "anyOf": [
        { "const": "a" }, { "type": "object", "required": ["b"] }, { "type": "array", "minItems": 2 },
        { "type": "integer", "minimum": 1000 }
    ] });
    let kinds: BTreeSet<&str> = instances(&schema, 60)
        .iter()
        .map(|value| match value {
            Value::String(_) => "string",
            Value::Object(_) => "object",
            Value::Array(_) => "array",
            Value::Number(_) => "number",
            Value::Null | Value::Bool(_) => "other",
        })
        .collect();
    assert_eq!(kinds.into_iter().collect::<Vec<_>>(), ["array", "number", "object", "string"]);
}

#[test]
fn optional_properties_are_sometimes_present() {
    // `c` has no constraints, so the canonical form omits it; instances have it nevertheless.
    let schema = json!({ "type": "object", "properties": {
        "a": { "type": "integer" }, "b": { "type": "object", "properties": { "deep": { "type": "null" } } }, "c": {}
    } });
    let generated = instances(&schema, 40);
    for name in ["a", "b", "c"] {
        let present = generated.iter().filter(|value| value.get(name).is_some()).count();
        assert!((5..=35).contains(&present), "{name} is present in {present} of 40");
    }
    assert!(generated.iter().any(|value| value.pointer("/b/deep").is_some()));
}

#[test]
fn properties_beside_a_recursive_union_occur() {
    // The algebra leaves the conjunction of both open: the union refers to the whole.
    let schema = json!({
        "type": "object", "required": ["type"],
        "properties": { "type": { "type": "string" }, "crs": { "$ref": "#/$defs/crs" } },
        "oneOf": [{ "$ref": "#/$defs/all" }, { "$ref": "#/$defs/one" }],
        "$defs": {
            "all": { "required": ["parts"], "properties": {
                "type": { "enum": ["all"] }, "parts": { "type": "array", "items": { "$ref": "#" } } } },
            "one": { "required": ["at"], "properties": {
                "type": { "enum": ["one"] }, "at": { "type": "integer" } } },
            "crs": {
                "type": "object", "required": ["type"], "additionalProperties": false,
                "properties": { "type": { "type": "string" } },
                "oneOf": [{ "properties": { "type": { "enum": ["name"] } } },
                          { "properties": { "type": { "enum": ["link"] } } }]
            }
        }
    });
    let generated = instances(&schema, 20);
    assert_eq!(generated.len(), 20);
    for kind in ["all", "one"] {
        let has_crs = |value: &&Value| value["type"] == kind && value.get("crs").is_some();
        assert!(generated.iter().any(|value| has_crs(&value)), "no {kind} with crs");
    }
}

#[test]
fn few_of_the_first_instances_are_alike() {
    let schema = json!({ "type": "object", "additionalProperties": false, "properties": {
        "name": { "type": "string" }, "size": { "type": "integer" } } });
    for seed in 0..20 {
        let generator = Generator::of(schema.clone()).unwrap();
        let first = generator.instances(Seed::from_number(seed), 10);
        let texts: BTreeSet<String> = first.map(|it| it.value().to_string()).collect();
        assert!(texts.len() >= 9, "seed {seed} has only {} of 10", texts.len());
    }
}

#[test]
fn recursion_ends_and_size_is_bounded() {
    let schema = json!({ "$ref": "#/$defs/node", "$defs": { "node": { "type": "object", "properties": {
        "left": { "$ref": "#/$defs/node" }, "right": { "$ref": "#/$defs/node" },
        "all": { "type": "array", "items": { "$ref": "#/$defs/node" } }
    } } } });
    for value in instances(&schema, 50) {
        assert!(value.to_string().len() < 100_000);
    }
}

#[test]
fn a_schema_that_admits_nothing_gives_nothing() {
    for schema in [
        json!(false),
        json!({ "type": "integer", "minimum": 2, "maximum": 1 }),
        json!({ "type": "object", "required": ["next"], "properties": { "next": { "$ref": "#" } } }),
    ] {
        let document = Document::from_value(schema.clone()).unwrap();
        let forms =
            foolproof_contract::Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        let plan = Plan::of(&forms.root(), &document, &Graph::of(&document).unwrap());
        assert!(plan.is_empty(), "{schema}");
        assert_eq!(instances(&schema, 5), [] as [Value; 0], "{schema}");
    }
}

#[test]
fn rejected_draws_are_counted() {
    let generator = generator(&hard());
    let generated: Vec<Result<Generated, Exhausted>> =
        (0..50).map(|index| generator.generate(Seed::from_number(7), index)).collect();
    assert!(
        generated.iter().flatten().any(|generated| generated.rejected() > 0),
        "nothing was rejected"
    );
    assert!(
        generated.iter().flatten().any(|generated| generated.rejected() == 0),
        "everything was rejected"
    );
    for (index, generated) in generated.into_iter().enumerate() {
        let alone = generator.instance(Seed::from_number(7), index as u64);
        assert_eq!(generated.ok().map(Generated::into_instance), alone);
    }
}

/// Admits values that are found by drawing again: the plan does not know that an item must satisfy
/// both patterns.
fn hard() -> Value {
    json!({ "type": "array", "contains": { "type": "string", "pattern": "^(?!x)[ab]$" },
            "items": { "type": "string", "pattern": "^(?!y)[bc]$" } })
}

#[test]
fn an_exhausted_instance_has_the_violations_of_its_last_draw() {
    let schema = json!({ "type": "array", "contains": { "pattern": "^(?!x)a", "type": "string" },
                         "items": { "pattern": "^(?!y)b" } });
    let generator = generator(&schema);
    assert!(generator.diagnostics().is_empty(), "nothing is known to be impossible");
    let exhausted = generator.generate(Seed::from_number(7), 3).unwrap_err();
    assert_eq!((exhausted.draws(), exhausted.rejected()), (32, 32));
    assert_eq!(exhausted.violations()[0].keyword(), "pattern");
    assert_eq!(generator.generate(Seed::from_number(7), 3), Err(exhausted));
}

#[test]
fn an_impossible_schema_is_not_drawn() {
    let generator = generator(&json!({ "required": ["a"], "type": "object",
        "properties": { "a": { "type": "integer", "minimum": 2, "maximum": 1 } } }));
    let exhausted = generator.generate(Seed::from_number(7), 0).unwrap_err();
    assert_eq!((exhausted.draws(), exhausted.violations()), (0, &[][..]));
    let pointers: Vec<String> =
        generator.diagnostics().iter().map(|found| found.pointer().to_fragment()).collect();
    assert_eq!(pointers, ["#", "#/properties/a"]);
}

/// AJV divides doubles, so it rejects some values that our oracle accepts.
fn divisible() -> Value {
    json!({ "type": "number", "multipleOf": 0.01, "minimum": 0, "maximum": 100_000 })
}

#[test]
fn with_a_second_oracle_both_accept_every_instance() {
    let Some((document, ajv)) = ajv(divisible()) else { return };
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let seed = Seed::from_number(7);
    let both = SecondOracle::new(&generator, &ajv).generate(seed, 0..300).unwrap();
    let oracle = Oracle::new(&document, FormatPolicy::Assert).unwrap();
    let values: Vec<Value> =
        both.iter().flatten().map(|generated| generated.instance().value().clone()).collect();
    assert_eq!(values.len(), 300);
    assert!(values.iter().all(|value| oracle.is_valid(value)));
    assert!(ajv.violations(&values).unwrap().iter().all(Vec::is_empty));
    let kept = (0..300).filter(|index| {
        generator.instance(seed, *index).unwrap().value()
            == &values[usize::try_from(*index).unwrap()]
    });
    let kept = kept.count();
    assert!((150..300).contains(&kept), "AJV left {kept} of 300 as they were");
}

#[test]
fn with_a_second_oracle_instances_do_not_depend_on_the_batch() {
    let Some((document, ajv)) = ajv(divisible()) else { return };
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    let second = SecondOracle::new(&generator, &ajv);
    let seed = Seed::from_number(7);
    let whole = second.generate(seed, 0..60).unwrap();
    for size in [1, 7, 59] {
        let starts = (0..60).step_by(size);
        let parts = starts
            .flat_map(|start| second.generate(seed, start..60.min(start + size as u64)).unwrap());
        assert_eq!(parts.collect::<Vec<_>>(), whole, "batches of {size}");
    }
}

#[test]
fn an_instance_that_the_second_oracle_never_accepts_is_exhausted_with_its_violations() {
    // AJV reads both bounds as the same double, and no integer is between them.
    let schema = json!({ "type": "integer", "exclusiveMinimum": 9_007_199_254_740_992_u64,
                         "maximum": 9_007_199_254_740_993_u64 });
    let Some((document, ajv)) = ajv(schema) else { return };
    let generator = Generator::new(&document, FormatPolicy::Assert).unwrap();
    assert!(generator.instance(Seed::from_number(7), 0).is_some());
    let both = SecondOracle::new(&generator, &ajv).generate(Seed::from_number(7), 0..2).unwrap();
    let exhausted = both[1].as_ref().unwrap_err();
    assert_eq!((exhausted.draws(), exhausted.rejected()), (32, 32));
    assert_eq!(exhausted.violations()[0].keyword(), "exclusiveMinimum");
}

/// The schema and AJV's oracle for it, or `None` where AJV is absent.
fn ajv(schema: Value) -> Option<(Document, AjvOracle)> {
    let ajv = foolproof_corpus::ajv::start()?;
    let document = Document::from_value(schema).unwrap();
    let oracle = ajv.oracle(&document, FormatPolicy::Assert).unwrap();
    Some((document, oracle))
}
