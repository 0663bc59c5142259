//! A set of numbers, exactly: an interval, what every value is a multiple of, and what none is.
//!
//! Both shapes of the contract become one [`Domain`]; an integer is a multiple of one. What cannot be
//! decided within the digits we allow counts as outside, so every value that is admitted is proven to be
//! inside.

use foolproof_contract::{IntegerShape, NumberShape};
use serde_json::Number;

use crate::decimal::Decimal;

/// One end of an interval.
#[derive(Clone, Debug)]
pub(super) struct Bound {
    pub(super) value: Decimal,
    pub(super) exclusive: bool,
}

/// How far apart neighbouring values are.
#[derive(Clone, Debug)]
pub(super) enum Spacing {
    /// Nothing fixes it: there is always a value in between.
    Free,
    /// The least common multiple of the divisors.
    Fixed(Decimal),
    /// The divisors have no common multiple of reasonable length.
    Unknown,
}

#[derive(Clone, Debug)]
pub(super) struct Domain {
    pub(super) low: Option<Bound>,
    pub(super) high: Option<Bound>,
    pub(super) spacing: Spacing,
    divisors: Vec<Decimal>,
    pub(super) excluded: Vec<Decimal>,
}

impl Domain {
    /// `None` if one of the numbers is too long to work with.
    pub(super) fn of_integers(shape: &IntegerShape) -> Option<Self> {
        let mut divisors = read_all(&shape.multiple_of)?;
        divisors.push(Decimal::power_of_ten(0));
        Some(Self {
            low: read_bound(shape.minimum.as_ref(), false).ok()?,
            high: read_bound(shape.maximum.as_ref(), false).ok()?,
            spacing: spacing(&divisors),
            divisors,
            excluded: read_all(&shape.not_multiple_of)?,
        })
    }

    /// `None` if one of the numbers is too long to work with.
    pub(super) fn of_numbers(shape: &NumberShape) -> Option<Self> {
        let divisors = read_all(&shape.multiple_of)?;
        let mut excluded = read_all(&shape.not_multiple_of)?;
        if shape.excludes_integers {
            // Stricter than draft 4, where `1.0` would do: a value with a fraction is no integer for
            // any validator.
            excluded.push(Decimal::power_of_ten(0));
        }
        Some(Self {
            low: read_bound(shape.minimum.as_ref(), shape.exclusive_minimum).ok()?,
            high: read_bound(shape.maximum.as_ref(), shape.exclusive_maximum).ok()?,
            spacing: spacing(&divisors),
            divisors,
            excluded,
        })
    }

    /// The set of the same values with the opposite sign, so that upper ends need no code of their
    /// own.
    pub(super) fn mirrored(&self) -> Self {
        let mirror = |bound: &Option<Bound>| {
            bound
                .as_ref()
                .map(|bound| Bound { value: bound.value.negated(), exclusive: bound.exclusive })
        };
        Self { low: mirror(&self.high), high: mirror(&self.low), ..self.clone() }
    }

    /// The part of the set above `value`.
    pub(super) fn above(&self, value: Decimal) -> Self {
        Self { low: Some(Bound { value, exclusive: true }), ..self.clone() }
    }

    pub(super) fn encloses(&self, value: &Decimal) -> bool {
        let above = self
            .low
            .as_ref()
            .is_none_or(|low| value > &low.value || (!low.exclusive && value == &low.value));
        above
            && self
                .high
                .as_ref()
                .is_none_or(|high| value < &high.value || (!high.exclusive && value == &high.value))
    }

    pub(super) fn admits(&self, value: &Decimal) -> bool {
        self.encloses(value)
            && self.divisors.iter().all(|divisor| value.is_multiple_of(divisor) == Some(true))
            && self.excluded.iter().all(|divisor| value.is_multiple_of(divisor) == Some(false))
    }

    pub(super) fn has_divisors_beside_one(&self) -> bool {
        self.divisors.iter().any(|divisor| divisor != &Decimal::power_of_ten(0))
    }
}

/// A number has more digits than we work with.
struct TooLong;

fn read_bound(number: Option<&Number>, exclusive: bool) -> Result<Option<Bound>, TooLong> {
    let read = |number| Some(Bound { value: Decimal::read(number)?, exclusive });
    number.map(|number| read(number).ok_or(TooLong)).transpose()
}

/// A divisor of zero is not valid in a schema; it is ignored rather than divided by.
fn read_all(numbers: &[Number]) -> Option<Vec<Decimal>> {
    let divisors: Option<Vec<_>> =
        numbers.iter().map(|number| Some(Decimal::read(number)?.abs())).collect();
    Some(divisors?.into_iter().filter(Decimal::is_positive).collect())
}

fn spacing(divisors: &[Decimal]) -> Spacing {
    let Some((first, rest)) = divisors.split_first() else {
        return Spacing::Free;
    };
    rest.iter()
        .try_fold(first.clone(), |step, divisor| step.least_common_multiple(divisor))
        .map_or(Spacing::Unknown, Spacing::Fixed)
}
