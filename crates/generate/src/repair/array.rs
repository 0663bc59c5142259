//! Arrays with more, fewer or other items.

use foolproof_contract::{Pointer, Violation, json_equal};
use serde_json::Value;

use super::{
    observed::ObservedViolations,
    satisfy,
    search::GROWTH,
    variants::{fresh, smallest},
};
use crate::{Source, ValueSize};

/// The longest array that is filled up.
const LONGEST: usize = 10_000;

/// Single items whose removal is tried, and lengths to cut to.
const CUTS: usize = 16;

/// Arrays of at least `least` items that begin as this one does.
pub(super) fn grown(items: &[Value], least: usize) -> Vec<Value> {
    let missing = least.saturating_sub(items.len());
    if missing == 0 || least > LONGEST {
        return Vec::new();
    }
    let filled = |more: Vec<Value>| -> Option<Value> {
        (more.len() == missing).then(|| items.iter().cloned().chain(more).collect())
    };
    // As many copies of a large item would be too many values, whatever is done with them.
    let fits = |item: &&Value| ValueSize::of(item).times(missing).values <= GROWTH;
    let last = items.last().filter(fits);
    let mut found: Vec<Value> =
        last.and_then(|last| filled(vec![last.clone(); missing])).into_iter().collect();
    found.extend(last.and_then(|last| filled(fresh(last, items, missing))));
    for seed in smallest() {
        found.extend(filled(vec![seed.clone(); missing]));
        found.extend(filled(fresh(&seed, items, missing)));
    }
    found
}

/// Arrays of at most `most` of these items.
pub(super) fn cut(items: &[Value], most: usize) -> Vec<Value> {
    if items.len() <= most {
        return Vec::new();
    }
    let mut found = vec![Value::from(&items[..most]), Value::from(&items[items.len() - most..])];
    if items.len() == most + 1 {
        found.extend(without_one(items));
    }
    found
}

/// The array without each of its last items.
pub(super) fn without_one(items: &[Value]) -> Vec<Value> {
    let without = |index: usize| -> Value {
        let others = items.iter().enumerate().filter(|(other, _)| *other != index);
        others.map(|(_, item)| item.clone()).collect()
    };
    (0..items.len()).rev().take(CUTS).map(without).collect()
}

/// Arrays without the items that read like `unexpected`, then ever shorter beginnings.
pub(super) fn without_unexpected(items: &[Value], unexpected: &[&str]) -> Vec<Value> {
    let is_expected = |item: &&Value| !unexpected.contains(&item.to_string().as_str());
    let mut found = Vec::new();
    // An unexpected item may be equal to an expected one before it, so items at the end are removed
    // first.
    let count = unexpected.len().min(items.len());
    if count > 0 {
        found.push(Value::from(&items[..items.len() - count]));
        found.push(items.iter().filter(is_expected).cloned().collect());
    }
    found.extend((0..items.len()).rev().take(CUTS).map(|length| Value::from(&items[..length])));
    found.push(Value::Array(Vec::new()));
    found
}

/// The array with its repeated items replaced by others.
pub(super) fn distinct(
    violation: &Violation,
    items: &[Value],
    observed: &ObservedViolations,
    source: &mut impl Source,
) -> Vec<Value> {
    let repeated = repeated(items);
    let mut changed = items.to_vec();
    for index in &repeated {
        let path = violation.instance().index(*index);
        if let Some(other) = another(&path, *index, &changed, observed, source) {
            changed[*index] = other;
        }
    }
    vec![Value::Array(changed)]
}

/// The array without its repeated items.
pub(super) fn without_repeated(items: &[Value]) -> Value {
    let repeated = repeated(items);
    let kept = items.iter().enumerate().filter(|(index, _)| !repeated.contains(index));
    kept.map(|(_, item)| item.clone()).collect()
}

fn repeated(items: &[Value]) -> Vec<usize> {
    let is_repeated =
        |index: &usize| items[..*index].iter().any(|item| json_equal(item, &items[*index]));
    (0..items.len()).filter(is_repeated).collect()
}

/// A value for item `index` that no other item has: one that satisfies the observed requirements, or
/// one like the present item.
fn another(
    path: &Pointer,
    index: usize,
    items: &[Value],
    observed: &ObservedViolations,
    source: &mut impl Source,
) -> Option<Value> {
    let requirements = observed.at(path);
    let is_new = |value: &Value| !items.iter().any(|item| json_equal(item, value));
    // The requirements of a fresh value were observed in the last trial, if there was one.
    let satisfying = fresh(&items[index], items, 8)
        .into_iter()
        .flat_map(|value| satisfy::values(Some(&value), &requirements, source))
        .find(is_new);
    satisfying.or_else(|| fresh(&items[index], items, 1).pop())
}
