//! Boundary representatives: the one value that represents an end of the interval.
//!
//! - With a fixed spacing (integers, `multipleOf`), the admissible value nearest the bound, inside.
//! - An inclusive bound of plain numbers is its own representative.
//! - For an exclusive bound `b` of plain numbers it is `b` plus (or, at the upper end, minus) the
//!   largest power of ten that is at most one and stays inside: `exclusiveMinimum: 0` gives `1`, and
//!   with `maximum: 0.5` gives `0.1`. Where a step of one would give a short bound more than fifteen digits,
//!   the step is the power of ten that gives it fifteen: `1e20` gives `1e20 + 1e6`, and `1e-20` gives
//!   `1e-20 + 1e-6`.
//!
//! The rule for exclusive bounds also applies to an inclusive bound of plain numbers that is itself
//! excluded (`not: {multipleOf: …}`).

use num_bigint::BigInt;

use super::domain::{Bound, Domain, Spacing};
use crate::decimal::Decimal;

/// Multiples that are tried from the bound on where some are excluded.
const MULTIPLES_TRIED: u32 = 256;
/// Powers of ten that are tried, each a tenth of the one before.
const POWERS_TRIED: i64 = 32;
/// Decimal digits that every `f64` keeps.
const SAFE_DIGITS: i64 = 15;

/// The representative of the lower end; `None` without a lower end, or if no value is found there.
pub(super) fn lower(domain: &Domain) -> Option<Decimal> {
    let bound = domain.low.as_ref()?;
    if domain.admits(&bound.value) {
        return Some(bound.value.clone());
    }
    match &domain.spacing {
        Spacing::Fixed(step) => next_multiple(domain, bound, step),
        Spacing::Free => next_decimal(domain, bound),
        Spacing::Unknown => None,
    }
}

/// The representative of the upper end.
pub(super) fn upper(domain: &Domain) -> Option<Decimal> {
    lower(&domain.mirrored()).map(|value| value.negated())
}

fn next_multiple(domain: &Domain, bound: &Bound, step: &Decimal) -> Option<Decimal> {
    let first = first_index(bound, step)?;
    (0..MULTIPLES_TRIED)
        .map(|offset| step.times(&(&first + BigInt::from(offset))))
        .take_while(|value| domain.encloses(value))
        .find(|value| domain.admits(value))
}

/// The least `k` for which `k * step` is inside the lower bound.
pub(super) fn first_index(bound: &Bound, step: &Decimal) -> Option<BigInt> {
    if bound.exclusive {
        Some(bound.value.floor_division(step)? + 1)
    } else {
        bound.value.ceiling_division(step)
    }
}

fn next_decimal(domain: &Domain, bound: &Bound) -> Option<Decimal> {
    let mut largest = match bound.value.magnitude() {
        Some(magnitude) => {
            (bound.value.exponent() + SAFE_DIGITS - 1).min(0).max(magnitude - SAFE_DIGITS)
        }
        None => 0,
    };
    if let Some(width) = domain.high.as_ref().and_then(|high| high.value.minus(&bound.value)) {
        if !width.is_positive() {
            return None;
        }
        largest = largest.min(width.magnitude()? - 1);
    }
    (0..POWERS_TRIED)
        .filter_map(|tenths| bound.value.plus(&Decimal::power_of_ten(largest - tenths)))
        .find(|value| domain.admits(value))
}
