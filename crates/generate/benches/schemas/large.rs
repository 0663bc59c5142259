//! A large schema of the kind that describes a platform's resources: a few hundred definitions that
//! refer to one another, some in circles, under a union of kinds.
//!
//! Made by a fixed rule from fixed numbers: the same schema on every machine.

use serde_json::{Map, Value, json};

const ENUMS: u32 = 60;
const LEAVES: u32 = 100;
const PARTS: u32 = 120;
const KINDS: u32 = 40;

/// A union of [`KINDS`] resources over all other definitions.
pub(super) fn schema() -> Value {
    let mut numbers = Numbers(2020);
    let mut definitions = Map::new();
    definitions.insert("Metadata".to_owned(), metadata());
    for index in 0..ENUMS {
        definitions.insert(format!("Enum{index}"), enumeration(&mut numbers, index));
    }
    for index in 0..LEAVES {
        definitions.insert(format!("Leaf{index}"), leaf(&mut numbers));
    }
    for index in 0..PARTS {
        definitions.insert(format!("Part{index}"), part(&mut numbers, index));
    }
    for index in 0..KINDS {
        definitions.insert(format!("Kind{index}"), kind(&mut numbers, index));
    }
    let kinds: Vec<Value> = (0..KINDS).map(|index| reference("Kind", index)).collect();
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "oneOf": kinds,
        "$defs": definitions,
    })
}

/// A linear congruential generator (Knuth's constants): enough to mix shapes, and always the same.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        // The high half of the state is the random one.
        u32::try_from((self.0 >> 32) % u64::from(limit)).expect("below a 32 bit limit")
    }
}

fn reference(family: &str, index: u32) -> Value {
    json!({ "$ref": format!("#/$defs/{family}{index}") })
}

fn metadata() -> Value {
    json!({
        "type": "object",
        "required": ["name", "uid"],
        "properties": {
            "name": { "type": "string", "pattern": "^[a-z0-9]([-a-z0-9]{0,40}[a-z0-9])?$" },
            "uid": { "type": "string", "format": "uuid" },
            "created": { "type": "string", "format": "date-time" },
            "generation": { "type": "integer", "minimum": 0 },
            "labels": {
                "type": "object",
                "maxProperties": 8,
                "additionalProperties": { "type": "string", "maxLength": 63 }
            }
        },
        "additionalProperties": false
    })
}

fn enumeration(numbers: &mut Numbers, index: u32) -> Value {
    let values: Vec<String> =
        (0..3 + numbers.below(9)).map(|value| format!("Choice{index}x{value}")).collect();
    json!({ "type": "string", "enum": values })
}

fn leaf(numbers: &mut Numbers) -> Value {
    object(numbers, 3, 7, scalar)
}

fn scalar(numbers: &mut Numbers) -> Value {
    match numbers.below(10) {
        0 => json!({ "type": "boolean" }),
        1 => json!({ "type": "integer", "minimum": 0, "maximum": 65_535 }),
        2 => json!({ "type": "number", "minimum": 0, "maximum": 100 }),
        3 => json!({ "type": "string", "format": "date-time" }),
        4 => json!({ "type": "string", "format": "hostname" }),
        5 => json!({ "type": "string", "pattern": "^[a-z]{3,12}(-[0-9]{1,4})?$" }),
        6 => json!({ "type": "string", "pattern": "^[0-9]+(m|Mi|Gi)?$", "maxLength": 12 }),
        7 => json!({ "type": ["string", "null"], "maxLength": 40 }),
        8 => reference("Enum", numbers.below(ENUMS)),
        _ => json!({ "type": "string", "minLength": 1, "maxLength": 63 }),
    }
}

/// A part refers to leaves and to other parts: to a required one only if it comes earlier, so that
/// values are finite, to an optional one anywhere.
fn part(numbers: &mut Numbers, index: u32) -> Value {
    let mut part = object(numbers, 3, 6, |numbers| match numbers.below(8) {
        0..3 => scalar(numbers),
        3 | 4 => reference("Leaf", numbers.below(LEAVES)),
        5 => json!({
            "type": "array",
            "maxItems": 5,
            "items": reference("Leaf", numbers.below(LEAVES)),
        }),
        6 => json!({
            "type": "object",
            "additionalProperties": reference("Leaf", numbers.below(LEAVES)),
        }),
        _ => json!({
            "anyOf": [reference("Leaf", numbers.below(LEAVES)), { "type": "string" }],
        }),
    });
    part["properties"]["next"] = reference("Part", numbers.below(PARTS));
    if index > 0 {
        part["properties"]["base"] = reference("Part", numbers.below(index));
        if numbers.below(3) == 0
            && let Some(required) = part["required"].as_array_mut()
        {
            required.push(json!("base"));
        }
    }
    part
}

fn kind(numbers: &mut Numbers, index: u32) -> Value {
    json!({
        "type": "object",
        "required": ["kind", "metadata", "spec"],
        "properties": {
            "version": { "enum": ["v1", "v1beta1", "v2"] },
            "kind": { "const": format!("Kind{index}") },
            "metadata": { "$ref": "#/$defs/Metadata" },
            "spec": reference("Part", numbers.below(PARTS)),
            "status": reference("Leaf", numbers.below(LEAVES))
        },
        "additionalProperties": false
    })
}

/// A closed object with `least` to `least + more` properties, of which a third is required.
fn object(
    numbers: &mut Numbers,
    least: u32,
    more: u32,
    mut value: impl FnMut(&mut Numbers) -> Value,
) -> Value {
    let mut properties = Map::new();
    let mut required = Vec::new();
    for index in 0..least + numbers.below(more + 1) {
        let name = format!("field{index}");
        properties.insert(name.clone(), value(numbers));
        if numbers.below(3) == 0 {
            required.push(name);
        }
    }
    json!({
        "type": "object",
        "required": required,
        "properties": properties,
        "additionalProperties": false,
    })
}
