//! Values that satisfy the requirements observed at one instance path.

use foolproof_contract::{JsonType, TypeSet, json_equal};
use serde_json::{Number, Value};

use super::{
    number,
    observed::Requirements,
    text,
    variants::{is_of, smallest_of},
};
use crate::Source;

/// Values that satisfy the requirements, those nearest to `current` first. Without a value and without
/// requirements it is `null`, whose violations say most.
pub(super) fn values(
    current: Option<&Value>,
    requirements: &Requirements<'_>,
    source: &mut impl Source,
) -> Vec<Value> {
    if let Some(values) = requirements.values() {
        return nearest(current, values, requirements);
    }
    let bases = match (current, requirements.types()) {
        (Some(current), Some(types)) if is_of(current, types) => {
            vec![current.clone()]
        }
        (Some(current), None) => vec![current.clone()],
        (None, None) => vec![Value::Null],
        (current, Some(types)) => bases(current, types),
    };
    let mut found: Vec<Value> =
        bases.iter().flat_map(|base| adapted(base, requirements, source)).collect();
    for branch in requirements.branches() {
        found.extend(values(current, &branch, source));
    }
    found
}

/// The value converted to another type where that is natural, then the smallest value of each type.
fn bases(current: Option<&Value>, types: TypeSet) -> Vec<Value> {
    let mut found: Vec<Value> = current.map(conversions).unwrap_or_default();
    found.retain(|value| is_of(value, types));
    // A number that should be an integer is rounded like any other that is off its grid.
    if types.contains(JsonType::Integer) {
        found.extend(current.filter(|value| value.is_number()).cloned());
    }
    found.extend(types.iter().filter_map(smallest_of));
    found
}

fn conversions(value: &Value) -> Vec<Value> {
    match value {
        Value::Null | Value::Object(_) => Vec::new(),
        Value::Bool(flag) => vec![flag.to_string().into(), u8::from(*flag).into()],
        Value::Number(number) => {
            vec![number.to_string().into(), Value::Array(vec![value.clone()])]
        }
        Value::String(text) => {
            let number = text.trim().parse::<Number>().ok().map(Value::Number);
            let flag = text.trim().parse::<bool>().ok().map(Value::Bool);
            number.into_iter().chain(flag).chain([Value::Array(vec![value.clone()])]).collect()
        }
        Value::Array(items) => items.first().cloned().into_iter().collect(),
    }
}

/// Values like `base` that satisfy the requirements of its type.
fn adapted(base: &Value, requirements: &Requirements<'_>, source: &mut impl Source) -> Vec<Value> {
    match base {
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => vec![base.clone()],
        Value::Number(number) => number::satisfying(number, requirements, source)
            .into_iter()
            .map(Value::Number)
            .collect(),
        Value::String(text) => {
            text::satisfying(text, requirements, source).into_iter().map(Value::String).collect()
        }
    }
}

/// The admitted values of an admitted type, the most like `current` first.
fn nearest(
    current: Option<&Value>,
    values: Vec<&Value>,
    requirements: &Requirements<'_>,
) -> Vec<Value> {
    let types = requirements.types();
    let is_admitted = |value: &&Value| types.is_none_or(|types| is_of(value, types));
    let mut found: Vec<Value> = values.into_iter().filter(is_admitted).cloned().collect();
    if let Some(current) = current {
        // A stable sort: among equals, the author's order.
        found.sort_by(|left, right| {
            unlikeness(current, left).total_cmp(&unlikeness(current, right))
        });
    }
    found
}

/// How far apart two values are; only the order of these means anything.
fn unlikeness(current: &Value, other: &Value) -> f64 {
    const OTHER_TYPE: f64 = f64::MAX;
    match (current, other) {
        _ if json_equal(current, other) => 0.0,
        (Value::Number(left), Value::Number(right)) => match (left.as_f64(), right.as_f64()) {
            (Some(left), Some(right)) => (left - right).abs(),
            _ => OTHER_TYPE / 2.0,
        },
        (Value::String(left), Value::String(right)) => text_distance(left, right),
        (Value::Bool(_), Value::Bool(_)) => 1.0,
        (Value::Array(left), Value::Array(right)) => {
            let equal =
                left.iter().zip(right).filter(|(left, right)| json_equal(left, right)).count();
            (left.len().max(right.len()) - equal) as f64
        }
        (Value::Object(left), Value::Object(right)) => {
            let is_kept = |(name, value): &(&String, &Value)| {
                right.get(*name).is_some_and(|other| json_equal(value, other))
            };
            let equal = left.iter().filter(is_kept).count();
            (left.len().max(right.len()) - equal) as f64
        }
        _ => OTHER_TYPE,
    }
}

/// The number of characters left in both without their common prefix and suffix. A difference in case
/// alone counts less than any other.
fn text_distance(left: &str, right: &str) -> f64 {
    if left.to_lowercase() == right.to_lowercase() {
        return 0.5;
    }
    let (left, right): (Vec<char>, Vec<char>) = (left.chars().collect(), right.chars().collect());
    let shorter = left.len().min(right.len());
    let start = left.iter().zip(&right).take_while(|(left, right)| left == right).count();
    let ends = left.iter().rev().zip(right.iter().rev());
    let end = ends.take(shorter - start).take_while(|(left, right)| left == right).count();
    (left.len() + right.len() - 2 * (start + end)) as f64
}
