//! Every draw is judged by the validator, and by exact arithmetic of its own.

use std::collections::BTreeSet;

use foolproof_contract::{Document, FormatPolicy, IntegerShape, NumberShape, Oracle};
use serde_json::{Number, Value, json};

use super::*;
use crate::{Replay, Seed};

mod cases;
mod laws;
mod variety;

const DRAWS: u64 = 300;

/// Either kind of set, behind one face.
enum Set {
    Integers(Integers),
    Numbers(Numbers),
}

impl Set {
    fn draw(&self, source: &mut impl Source) -> Option<Number> {
        match self {
            Self::Integers(set) => set.draw(source),
            Self::Numbers(set) => set.draw(source),
        }
    }

    fn values(&self) -> &Values {
        match self {
            Self::Integers(set) => &set.0,
            Self::Numbers(set) => &set.0,
        }
    }

    fn draws(&self, seed: u64) -> Vec<Option<Number>> {
        (0..DRAWS)
            .map(|index| self.draw(&mut Seed::from_number(seed).child("number", index).random()))
            .collect()
    }
}

/// A schema of one number type; `multipleOf` and `notMultipleOf` are lists, and `fractions` leaves
/// integers out.
fn compile(schema: &Value) -> Set {
    let number = |name: &str| schema[name].as_number().cloned();
    let numbers = |name: &str| -> Vec<Number> {
        let list = schema[name].as_array().cloned().unwrap_or_default();
        list.iter().filter_map(Value::as_number).cloned().collect()
    };
    if schema["type"] == "integer" {
        return Set::Integers(Integers::compile(&IntegerShape {
            minimum: number("minimum"),
            maximum: number("maximum"),
            multiple_of: numbers("multipleOf"),
            not_multiple_of: numbers("notMultipleOf"),
        }));
    }
    Set::Numbers(Numbers::compile(&NumberShape {
        minimum: number("minimum").or_else(|| number("exclusiveMinimum")),
        exclusive_minimum: schema.get("exclusiveMinimum").is_some(),
        maximum: number("maximum").or_else(|| number("exclusiveMaximum")),
        exclusive_maximum: schema.get("exclusiveMaximum").is_some(),
        multiple_of: numbers("multipleOf"),
        not_multiple_of: numbers("notMultipleOf"),
        excludes_integers: schema["fractions"] == true,
    }))
}

fn oracle(schema: &Value) -> Oracle {
    let mut plain = schema.as_object().unwrap().clone();
    let mut rules = Vec::new();
    for divisor in plain.remove("multipleOf").iter().flat_map(|list| list.as_array().unwrap()) {
        rules.push(json!({"multipleOf": divisor}));
    }
    for divisor in plain.remove("notMultipleOf").iter().flat_map(|list| list.as_array().unwrap()) {
        rules.push(json!({"not": {"multipleOf": divisor}}));
    }
    if plain.remove("fractions").is_some() {
        rules.push(json!({"not": {"type": "integer"}}));
    }
    if !rules.is_empty() {
        plain.insert("allOf".into(), rules.into());
    }
    let document = Document::from_value(plain.into()).unwrap();
    Oracle::new(&document, FormatPolicy::Annotate).unwrap()
}

fn simplest(set: &Set) -> Option<Number> {
    set.draw(&mut Replay::new(vec![]))
}

/// By value, whatever the notation.
fn equal(left: Option<&Number>, right: Option<&str>) -> bool {
    let read = |number: &Number| crate::decimal::Decimal::read(number);
    left.map(read) == right.map(|text| read(&text.parse().unwrap()))
}
