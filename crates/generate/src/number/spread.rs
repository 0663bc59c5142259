//! Which grids the values of a set are drawn from.
//!
//! A fixed spacing has one. Plain numbers get one for each of several lengths of fraction, so that
//! `7`, `7.5` and `7.1234` are all common, and a finer one where the interval is narrower than these.

use super::{
    domain::{Domain, Spacing},
    grid::Grid,
};
use crate::decimal::Decimal;

/// Lengths of fraction: none to four digits.
const FRACTIONS: i64 = 4;
/// Lengths of fraction where the values are too long to be written out, in digits after the first.
const LEADING_DIGITS: i64 = 4;
/// Beyond this many digits before the point, numbers are written with an exponent.
const WHOLE_DIGITS: i64 = 15;

pub(super) fn grids(domain: &Domain) -> Vec<Grid> {
    match &domain.spacing {
        Spacing::Fixed(step) => Grid::new(domain, step).into_iter().collect(),
        Spacing::Free => exponents(domain)
            .into_iter()
            .filter_map(|exponent| Grid::new(domain, &Decimal::power_of_ten(exponent)))
            .collect(),
        Spacing::Unknown => Vec::new(),
    }
}

/// The powers of ten to count in, largest first.
fn exponents(domain: &Domain) -> Vec<i64> {
    let mut exponents: Vec<i64> = match least_magnitude(domain) {
        Some(magnitude) if magnitude > WHOLE_DIGITS => {
            let first = magnitude - LEADING_DIGITS;
            vec![first, first - 1, first - 2]
        }
        Some(magnitude) => {
            // A long whole part leaves fewer digits for a fraction.
            let fractions = FRACTIONS.min(WHOLE_DIGITS - magnitude);
            (-fractions..=0).rev().collect()
        }
        None => (-FRACTIONS..=0).rev().collect(),
    };
    let coarsest = width(domain).and_then(|width| width.magnitude()).map(|magnitude| magnitude - 2);
    if let (Some(coarsest), Some(last)) = (coarsest, exponents.last().copied())
        && coarsest < last
    {
        // At least ten steps across the interval, and a thousand if the digits allow.
        let longest = greatest_magnitude(domain).unwrap_or(0);
        let finest = coarsest - 2;
        exponents.push(coarsest);
        exponents.extend((longest - finest <= WHOLE_DIGITS).then_some(finest));
    }
    exponents
}

fn greatest_magnitude(domain: &Domain) -> Option<i64> {
    let ends = [domain.low.as_ref(), domain.high.as_ref()];
    ends.into_iter().flatten().filter_map(|bound| bound.value.magnitude()).max()
}

/// Of the end nearer zero, if zero is outside.
fn least_magnitude(domain: &Domain) -> Option<i64> {
    let low = domain.low.as_ref().filter(|low| low.value.is_positive());
    let high = domain.high.as_ref().filter(|high| high.value.is_negative());
    low.or(high)?.value.magnitude()
}

fn width(domain: &Domain) -> Option<Decimal> {
    domain.high.as_ref()?.value.minus(&domain.low.as_ref()?.value)
}
