//! Values that tend to find bugs: the edges of a set, and of common machine types.

use num_bigint::BigInt;
use serde_json::Number;

use super::{boundary, domain::Domain};
use crate::decimal::Decimal;

/// The representatives of the bounds and their neighbours inside, and small numbers around zero.
pub(super) fn edges(
    domain: &Domain,
    minimum: Option<&Decimal>,
    maximum: Option<&Decimal>,
) -> Vec<Number> {
    let after_minimum = minimum.and_then(|value| boundary::lower(&domain.above(value.clone())));
    let before_maximum = maximum
        .and_then(|value| boundary::lower(&domain.mirrored().above(value.negated())))
        .map(|value| value.negated());
    let small = [(0, 0), (1, 0), (-1, 0), (5, -1), (1, -1)]
        .map(|(mantissa, exponent)| Decimal::new(BigInt::from(mantissa), exponent));
    let bounds = [minimum.cloned(), maximum.cloned(), after_minimum, before_maximum];
    admitted(domain, bounds.into_iter().flatten().chain(small))
}

/// The borders of 8-bit, 16-bit, 32-bit, exact floating-point and 64-bit integers, all of them exact in an `f64`.
///
/// None where there are divisors: validators that divide in floating point disagree about multiples
/// this large.
pub(super) fn limits(domain: &Domain) -> Vec<Number> {
    if domain.has_divisors_beside_one() {
        return Vec::new();
    }
    let values = [7_u32, 8, 15, 16, 31, 32, 53, 63].into_iter().flat_map(|bits| {
        let power = BigInt::from(1) << bits;
        // One less than 2^63 has no exact `f64`.
        let inner = if bits < 63 { &power - 1 } else { power.clone() };
        [inner, power.clone(), -power]
    });
    admitted(domain, values.map(|value| Decimal::new(value, 0)))
}

/// Zero, or the representative of the bound that keeps zero out.
pub(super) fn nearest_zero(
    domain: &Domain,
    minimum: Option<&Decimal>,
    maximum: Option<&Decimal>,
) -> Option<Decimal> {
    let zero = Decimal::zero();
    if domain.encloses(&zero) {
        return domain.admits(&zero).then_some(zero);
    }
    minimum.filter(|value| value.is_positive()).or(maximum).cloned()
}

fn admitted(domain: &Domain, values: impl Iterator<Item = Decimal>) -> Vec<Number> {
    let mut admitted = Vec::new();
    for value in values.filter(|value| domain.admits(value)) {
        let number = value.write();
        if !admitted.contains(&number) {
            admitted.push(number);
        }
    }
    admitted
}
