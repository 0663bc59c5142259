//! How large instances are: a contract whose smallest value is too large has none, and no choice exceeds the limit.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::Accepted;
use foolproof_generate::{Generator, Seed, ValueSize};
use serde_json::{Value, json};

/// Arrays of at least `least` items inside one another.
fn nested(levels: u32, least: u64) -> Value {
    (0..levels).fold(
        json!({ "type": "boolean" }),
        |items, _| json!({ "type": "array", "items": items, "minItems": least }),
    )
}

/// Instances of `schema` within `limit`.
fn instances(schema: Value, limit: ValueSize, n: u64) -> Vec<Value> {
    let generator = Generator::of(schema).unwrap().limited(limit);
    generator.instances(Seed::from_number(7), n).map(Accepted::into_value).collect()
}

/// Asserts that there are as many instances as asked for, and that none is too large.
fn assert_within(schema: Value, limit: ValueSize) {
    let name = schema.to_string();
    let values = instances(schema, limit, 100);
    assert_eq!(values.len(), 100, "{name}");
    for value in values {
        let size = ValueSize::of(&value);
        assert!(size.fits(limit), "{size}: {name}");
    }
}

#[test]
fn a_contract_whose_smallest_value_is_too_large_says_how_large_it_is() {
    let generator = Generator::of(nested(5, 50)).unwrap();
    let least = generator.excess().unwrap();
    assert_eq!(least.values, (0..=5).map(|level| 50_u64.pow(level)).sum::<u64>());
    assert!(!generator.plan().is_empty(), "it is not empty");
    assert!(generator.generate(Seed::from_number(7), 0).is_err());
    let larger = ValueSize { values: 10_000, ..ValueSize::DEFAULT_LIMIT };
    assert_eq!(instances(nested(2, 50), larger, 3).len(), 3);
}

#[test]
fn sizes_beyond_counting_are_too_large() {
    let mut definitions = serde_json::Map::new();
    for level in 0..80 {
        let next = json!({ "$ref": format!("#/$defs/{}", level + 1) });
        let pair = json!({ "type": "array", "prefixItems": [next, next], "minItems": 2 });
        definitions.insert(level.to_string(), pair);
    }
    definitions.insert("80".to_owned(), json!({ "type": "null" }));
    let schema = json!({ "$ref": "#/$defs/0", "$defs": definitions });
    let least = Generator::of(schema).unwrap().excess().unwrap();
    assert_eq!(least.values, u64::MAX);
}

#[test]
fn optional_parts_that_are_too_large_are_left_out() {
    let limit = ValueSize::DEFAULT_LIMIT;
    assert_within(
        json!({ "type": "object", "properties": { "huge": nested(5, 50), "a": true } }),
        limit,
    );
    assert_within(json!({ "anyOf": [nested(6, 50), { "type": "integer" }] }), limit);
    assert_within(json!({ "type": "array", "items": nested(5, 50) }), limit);
    let pairs = json!({ "type": "object", "additionalProperties": nested(4, 40) });
    assert_within(pairs, limit);
}

#[test]
fn what_is_chosen_beyond_the_least_stays_within_the_limit() {
    let limit = ValueSize { values: 2_000, bytes: 20_000 };
    let block = nested(2, 20);
    assert_within(json!({ "type": "array", "items": block }), limit);
    let names = || (0..40).map(|number| (format!("p{number}"), block.clone()));
    let wide =
        json!({ "type": "object", "properties": names().collect::<serde_json::Map<_, _>>() });
    assert_within(wide, limit);
    let text = json!({ "type": "string", "minLength": 3_000 });
    assert_within(json!({ "type": "array", "items": text }), limit);
    let listed = json!({ "enum": ["x".repeat(5_000), "y"] });
    assert_within(json!({ "type": "array", "items": listed, "minItems": 10 }), limit);
    let least = json!({ "type": "object", "minProperties": 3, "additionalProperties": block });
    assert_within(least, limit);
}

#[test]
fn a_part_that_fits_is_still_drawn() {
    let schema = json!({ "type": "object", "properties": { "rows": nested(3, 40), "a": true } });
    let values = instances(schema, ValueSize::DEFAULT_LIMIT, 20);
    assert!(values.iter().any(|value| value.get("rows").is_some()));
    assert!(values.iter().any(|value| value.get("rows").is_none()));
}

#[test]
fn a_string_that_cannot_be_checked_in_time_is_not_drawn() {
    let generator = Generator::of(json!({ "type": "string", "pattern": "a{100000}" })).unwrap();
    assert_eq!(generator.plan().costly_patterns(), ["a{100000}"]);
    assert!(generator.generate(Seed::from_number(7), 0).is_err());
    let anchored = json!({ "type": "string", "pattern": "^a{100000}" });
    assert_eq!(instances(anchored, ValueSize::DEFAULT_LIMIT, 1).len(), 1);
    let named = json!({ "type": "object", "patternProperties": { "a{100000}": true } });
    assert_eq!(instances(named, ValueSize::DEFAULT_LIMIT, 10).len(), 10);
}
