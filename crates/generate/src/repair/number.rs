//! The numbers nearest to a given one that satisfy requirements; exact, as all arithmetic here.

use foolproof_contract::{NumberShape, TypeSet};
use serde_json::Number;

use super::observed::Requirements;
use crate::{Numbers, Source};

/// Numbers that satisfy the requirements, the nearest to `current` first: two on each side, since the
/// nearest may be rejected for a reason that is not among the requirements.
pub(super) fn satisfying(
    current: &Number,
    requirements: &Requirements<'_>,
    source: &mut impl Source,
) -> Vec<Number> {
    let wanted = shape(requirements);
    let mut found = Vec::new();
    for next in [above, below] {
        let first = next(current, &wanted, Ends::Closed);
        let second = first.as_ref().and_then(|first| next(first, &wanted, Ends::Open));
        found.extend(first.into_iter().chain(second));
    }
    // Distances that are equal as `f64` only affect the order: the values are exact, and the oracle
    // checks all of them.
    found.sort_by(|left, right| distance(left, current).total_cmp(&distance(right, current)));
    found.dedup();
    // Divisors without a common multiple of reasonable length have no neighbours here.
    if found.is_empty() {
        found.extend(Numbers::compile(&wanted).draw(source));
    }
    found
}

fn distance(left: &Number, right: &Number) -> f64 {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.abs_diff(right) as f64,
        _ => (left.as_f64().unwrap_or(f64::MAX) - right.as_f64().unwrap_or(f64::MAX)).abs(),
    }
}

/// The set of numbers that satisfy the requirements.
fn shape(requirements: &Requirements<'_>) -> NumberShape {
    let mut shape = NumberShape {
        multiple_of: requirements.limits("multipleOf").cloned().collect(),
        ..NumberShape::default()
    };
    let numbers = requirements.types().map(|types| types & TypeSet::NUMBER);
    if numbers == Some(TypeSet::INTEGER) {
        shape.multiple_of.push(1.into());
    }
    for (keyword, exclusive) in [("minimum", false), ("exclusiveMinimum", true)] {
        for limit in requirements.limits(keyword) {
            let is_tighter = shape.minimum.as_ref().is_none_or(|low| at_most(low, limit));
            if is_tighter {
                shape.minimum = Some(limit.clone());
                shape.exclusive_minimum = exclusive;
            }
        }
    }
    for (keyword, exclusive) in [("maximum", false), ("exclusiveMaximum", true)] {
        for limit in requirements.limits(keyword) {
            let is_tighter = shape.maximum.as_ref().is_none_or(|high| at_most(limit, high));
            if is_tighter {
                shape.maximum = Some(limit.clone());
                shape.exclusive_maximum = exclusive;
            }
        }
    }
    shape
}

/// Whether a neighbour may be the number itself.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    Open,
    Closed,
}

/// The least number of the set that is above `current`.
fn above(current: &Number, wanted: &NumberShape, ends: Ends) -> Option<Number> {
    let mut set = wanted.clone();
    let is_outside = |low: &Number| at_most(current, low) && !at_most(low, current);
    if !wanted.minimum.as_ref().is_some_and(is_outside) {
        // The bound may be the number itself, and open.
        let at_bound = wanted.minimum.as_ref().is_some_and(|low| at_most(current, low));
        set.minimum = Some(current.clone());
        set.exclusive_minimum = ends == Ends::Open || (at_bound && wanted.exclusive_minimum);
    }
    Numbers::compile(&set).minimum_representative().cloned()
}

/// The greatest number of the set that is below `current`.
fn below(current: &Number, wanted: &NumberShape, ends: Ends) -> Option<Number> {
    let mut set = wanted.clone();
    let is_outside = |high: &Number| at_most(high, current) && !at_most(current, high);
    if !wanted.maximum.as_ref().is_some_and(is_outside) {
        let at_bound = wanted.maximum.as_ref().is_some_and(|high| at_most(high, current));
        set.maximum = Some(current.clone());
        set.exclusive_maximum = ends == Ends::Open || (at_bound && wanted.exclusive_maximum);
    }
    Numbers::compile(&set).maximum_representative().cloned()
}

/// Whether `left <= right`: whether there is a number from the one to the other.
fn at_most(left: &Number, right: &Number) -> bool {
    let between = NumberShape {
        minimum: Some(left.clone()),
        maximum: Some(right.clone()),
        ..NumberShape::default()
    };
    Numbers::compile(&between).minimum_representative().is_some()
}
