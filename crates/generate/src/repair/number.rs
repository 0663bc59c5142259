//! The number nearest to a given one among those that are asked for; exact, as everything about
//! numbers here.

use foolproof_contract::NumberShape;
use serde_json::Number;

use super::known::Demands;
use crate::{Numbers, Source};

/// Numbers that meet the demands, the nearest to `current` first.
pub(super) fn answers(
    current: &Number,
    demands: &Demands<'_>,
    source: &mut impl Source,
) -> Vec<Number> {
    let wanted = shape(demands);
    let mut found: Vec<Number> =
        [from(current, &wanted), up_to(current, &wanted)].into_iter().flatten().collect();
    // Nothing is lost where the distances are too close to tell apart: the values are exact, and the
    // oracle hears of both.
    found.sort_by(|left, right| distance(left, current).total_cmp(&distance(right, current)));
    // Divisors without a common multiple of reasonable length have no neighbours to offer.
    found.extend(Numbers::compile(&wanted).draw(source));
    found.dedup();
    found
}

fn distance(left: &Number, right: &Number) -> f64 {
    match (left.as_i128(), right.as_i128()) {
        (Some(left), Some(right)) => left.abs_diff(right) as f64,
        _ => (left.as_f64().unwrap_or(f64::MAX) - right.as_f64().unwrap_or(f64::MAX)).abs(),
    }
}

/// The set of numbers that is asked for.
fn shape(demands: &Demands<'_>) -> NumberShape {
    let mut shape = NumberShape {
        multiple_of: demands.limits("multipleOf").cloned().collect(),
        ..NumberShape::default()
    };
    let types = demands.types().unwrap_or_default();
    if types.contains(&"integer") && !types.contains(&"number") {
        shape.multiple_of.push(1.into());
    }
    for (keyword, exclusive) in [("minimum", false), ("exclusiveMinimum", true)] {
        for limit in demands.limits(keyword) {
            let is_tighter = shape.minimum.as_ref().is_none_or(|low| at_most(low, limit));
            if is_tighter {
                shape.minimum = Some(limit.clone());
                shape.exclusive_minimum = exclusive;
            }
        }
    }
    for (keyword, exclusive) in [("maximum", false), ("exclusiveMaximum", true)] {
        for limit in demands.limits(keyword) {
            let is_tighter = shape.maximum.as_ref().is_none_or(|high| at_most(limit, high));
            if is_tighter {
                shape.maximum = Some(limit.clone());
                shape.exclusive_maximum = exclusive;
            }
        }
    }
    shape
}

/// The least number of the set that is not below `current`.
fn from(current: &Number, wanted: &NumberShape) -> Option<Number> {
    let mut above = wanted.clone();
    if !wanted.minimum.as_ref().is_some_and(|low| at_most(current, low)) {
        above.minimum = Some(current.clone());
        above.exclusive_minimum = false;
    }
    Numbers::compile(&above).minimum_representative().cloned()
}

/// The greatest number of the set that is not above `current`.
fn up_to(current: &Number, wanted: &NumberShape) -> Option<Number> {
    let mut below = wanted.clone();
    if !wanted.maximum.as_ref().is_some_and(|high| at_most(high, current)) {
        below.maximum = Some(current.clone());
        below.exclusive_maximum = false;
    }
    Numbers::compile(&below).maximum_representative().cloned()
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
