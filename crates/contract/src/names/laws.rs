//! The index against brute force and against the validator, over random small objects.

use std::cell::Cell;

use proptest::{
    prelude::*,
    test_runner::{RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Map, Value, json};

use super::{rules::shortlex, tests::shape_of, *};

/// Characters of one to four bytes; patterns and names are made of these alone.
const ALPHABET: [char; 4] = ['a', 'b', 'é', '😀'];

/// Names longer than this are not compared.
const LONGEST: usize = 4;

fn pattern() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        4 => prop::sample::select(&ALPHABET[..]).prop_map(String::from),
        1 => Just("[ab]".to_owned()),
        1 => Just("[^a]".to_owned()),
        1 => Just(".".to_owned()),
    ];
    let body = leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("{left}{right}")),
            (inner.clone(), inner.clone()).prop_map(|(left, right)| format!("(?:{left}|{right})")),
            (inner.clone(), prop::sample::select(&["*", "+", "?", "{2}", "{1,3}"][..]))
                .prop_map(|(inner, count)| format!("(?:{inner}){count}")),
            inner.prop_map(|inner| format!("(?!{inner})")),
        ]
    });
    (prop::bool::weighted(0.8), body, prop::bool::weighted(0.8)).prop_map(|(start, body, end)| {
        let (start, end) = (if start { "^" } else { "" }, if end { "$" } else { "" });
        format!("{start}(?:{body}){end}")
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&ALPHABET[..]), 0..3)
        .prop_map(|characters| characters.into_iter().collect())
}

fn names_schema() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        3 => pattern().prop_map(|pattern| json!({ "pattern": pattern })),
        1 => (0..4_u8).prop_map(|length| json!({ "maxLength": length })),
        1 => (0..4_u8).prop_map(|length| json!({ "minLength": length })),
        1 => prop::collection::vec(name(), 1..3).prop_map(|names| json!({ "enum": names })),
    ];
    leaf.prop_recursive(2, 6, 3, |inner| {
        let several = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            several.clone().prop_map(|parts| json!({ "allOf": parts })),
            several.clone().prop_map(|parts| json!({ "anyOf": parts })),
            several.prop_map(|parts| json!({ "oneOf": parts })),
            inner.prop_map(|inner| json!({ "not": inner })),
        ]
    })
}

/// An object whose values are unconstrained or impossible, so that `null` decides a name.
fn object_schema() -> impl Strategy<Value = Value> {
    let verdict =
        || prop::bool::weighted(0.7).prop_map(|open| if open { json!({}) } else { json!(false) });
    // Within the alphabet, brute force sees every name.
    let alphabet: String = ALPHABET.iter().collect();
    let within = json!({ "pattern": format!("^[{alphabet}]*$") });
    let names = (names_schema(), prop::bool::ANY).prop_map(move |(names, confined)| {
        if confined { json!({ "allOf": [names, within] }) } else { names }
    });
    (
        prop::collection::btree_map(name(), verdict(), 0..3),
        prop::collection::btree_map(pattern(), verdict(), 0..3),
        prop::option::of(names),
        prop::bool::weighted(0.7),
    )
        .prop_map(|(properties, patterns, names, closed)| {
            let mut schema = Map::new();
            schema.insert("type".into(), json!("object"));
            schema.insert("properties".into(), json!(properties));
            schema.insert("patternProperties".into(), json!(patterns));
            if let Some(names) = names {
                schema.insert("propertyNames".into(), names);
            }
            if closed {
                schema.insert("additionalProperties".into(), json!(false));
            }
            Value::Object(schema)
        })
}

/// Every string over the alphabet up to the longest, in shortlex order.
fn strings() -> Vec<String> {
    let mut layer = vec![String::new()];
    let mut all = layer.clone();
    for _ in 0..LONGEST {
        let longer = |prefix: &String| ALPHABET.map(|character| format!("{prefix}{character}"));
        layer = layer.iter().flat_map(longer).collect();
        all.extend(layer.iter().cloned());
    }
    assert!(all.is_sorted_by_key(|name| shortlex(name)));
    all
}

/// How often a case said something: the law would hold of nothing as well.
#[derive(Default)]
struct CaseCounts {
    judged: Cell<u32>,
    compared: Cell<u32>,
    complete: Cell<u32>,
    infinite: Cell<u32>,
    empty: Cell<u32>,
}

fn count(counter: &Cell<u32>, happened: bool) {
    counter.set(counter.get() + u32::from(happened));
}

#[test]
fn the_index_agrees_with_brute_force_and_with_the_validator() {
    let (all, tally) = (strings(), CaseCounts::default());
    let config = ProptestConfig { cases: 1000, failure_persistence: None, ..Default::default() };
    let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let mut runner = TestRunner::new_with_rng(config, rng);
    runner
        .run(&object_schema(), |schema| check(&schema, &all, &tally))
        .unwrap_or_else(|failure| panic!("{failure}"));
    let CaseCounts { judged, compared, complete, infinite, empty } = tally;
    let counts = [judged, compared, complete, infinite, empty].map(|counter| counter.get());
    let enough = [500, 500, 250, 150, 50];
    assert!(counts.iter().zip(enough).all(|(count, least)| *count >= least), "{counts:?}");
}

fn check(schema: &Value, all: &[String], tally: &CaseCounts) -> Result<(), TestCaseError> {
    let Some(shape) = shape_of(schema) else {
        return Ok(());
    };
    count(&tally.judged, true);
    let index = NameIndex::of(&shape);
    let validator = jsonschema::options().should_validate_formats(true).build(schema).unwrap();
    let admits = |name: &str| {
        let object: Map<String, Value> = [(name.to_owned(), Value::Null)].into_iter().collect();
        validator.is_valid(&Value::Object(object))
    };
    for name in all {
        prop_assert_eq!(index.has(name), admits(name), "{} {:?}", schema, name);
    }
    let names = index.enumerate(400);
    let texts: Vec<&str> = names.names.iter().map(|name| name.text.as_str()).collect();
    prop_assert!(texts.is_sorted_by(|left, right| shortlex(left) < shortlex(right)), "{}", schema);
    prop_assert!(texts.iter().all(|name| admits(name)), "{}", schema);
    // Up to its last name, an enumeration that was not cut leaves nothing out.
    let end = match names.extent {
        Extent::Complete => None,
        Extent::Truncated => texts.last().copied(),
        Extent::Cut(_) => return Ok(()),
    };
    count(&tally.compared, true);
    let expected = all.iter().map(String::as_str).filter(|name| admits(name));
    let expected = expected.filter(|name| end.is_none_or(|end| shortlex(name) <= shortlex(end)));
    let found = texts.iter().copied().filter(|name| all.iter().any(|known| known == name));
    prop_assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{}", schema);
    sizes(&index, &names, tally)
}

fn sizes(index: &NameIndex, names: &Names, tally: &CaseCounts) -> Result<(), TestCaseError> {
    if names.extent == Extent::Complete {
        prop_assert_eq!(index.size(), Size::Finite(names.names.len() as u64));
        let verdict = if names.names.is_empty() { Verdict::No } else { Verdict::Yes };
        prop_assert_eq!(index.satisfiable(), verdict);
    }
    count(&tally.complete, names.extent == Extent::Complete);
    count(&tally.infinite, index.size() == Size::Infinite);
    count(&tally.empty, index.satisfiable() == Verdict::No);
    Ok(())
}
