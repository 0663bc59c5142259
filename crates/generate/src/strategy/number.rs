//! Numbers in shrinking: which ones are worked with, which of two is simpler, and what else shrinking
//! asks of a decimal.
//!
//! Fewer decimal places are simpler, then a smaller magnitude, then no sign.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{Signed, Zero};
use serde_json::Number;

use crate::decimal::Decimal;

/// Digits that are worked with. More than any machine number has.
const MAX_DIGITS: u64 = 2_000;

/// The exact value of `number`; `None` if it takes more than [`MAX_DIGITS`] to write out.
pub(super) fn read(number: &Number) -> Option<Decimal> {
    Decimal::read(number).filter(|decimal| decimal.plain_length() <= MAX_DIGITS)
}

/// What orders numbers by simplicity: decimal places, magnitude, and whether it is negative.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Rank {
    pub(super) places: usize,
    magnitude: BigUint,
    is_negative: bool,
}

impl Rank {
    /// `None` if the value takes too many digits to write out.
    pub(super) fn of(decimal: &Decimal) -> Option<Self> {
        let units = decimal.scaled(-decimal.places())?;
        Some(Self {
            places: usize::try_from(decimal.places()).ok()?,
            magnitude: units.into_parts().1,
            is_negative: decimal.is_negative(),
        })
    }
}

impl Decimal {
    /// How many digits stand after the point in plain notation.
    pub(super) fn places(&self) -> i64 {
        (-self.exponent()).max(0)
    }

    /// The value of the last digit in plain notation.
    pub(super) fn unit(&self) -> Self {
        Self::power_of_ten(-self.places())
    }

    /// How many digits plain notation takes, at most.
    fn plain_length(&self) -> u64 {
        let digits = self.magnitude().unwrap_or(1) - self.exponent();
        digits.unsigned_abs().saturating_add(self.exponent().unsigned_abs())
    }

    /// How many times `step` this is, if that is an integer of reasonable length.
    pub(super) fn quotient(&self, step: &Self) -> Option<BigInt> {
        let exponent = self.exponent().min(step.exponent());
        let (value, step) = (self.scaled(exponent)?, step.scaled(exponent)?);
        if step.is_zero() {
            return None;
        }
        let (quotient, rest) = value.div_rem(&step);
        rest.is_zero().then_some(quotient)
    }

    /// The nearest value of at most `places` places on the side of zero, and on the other side.
    /// Nothing if the value has fewer places than that.
    pub(super) fn rounded(&self, places: i64) -> Option<[Self; 2]> {
        let dropped = Self::power_of_ten(-self.exponent()).scaled(places)?;
        let mantissa = self.scaled(self.exponent())?;
        let towards = &mantissa / dropped;
        let away = &towards + mantissa.signum();
        Some([Self::new(towards, -places), Self::new(away, -places)])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rank(text: &str) -> Option<Rank> {
        read(&text.parse().unwrap()).as_ref().and_then(Rank::of)
    }

    #[test]
    fn few_places_are_simpler_than_small_magnitudes() {
        let ascending = ["0", "1", "-1", "2", "1000000", "0.1", "-0.1", "0.2", "3.5", "0.01"];
        for pair in ascending.windows(2) {
            assert!(rank(pair[0]).unwrap() < rank(pair[1]).unwrap(), "{pair:?}");
        }
    }

    fn decimal(text: &str) -> Decimal {
        read(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn quotients_and_roundings_are_exact() {
        assert_eq!(decimal("0.07").quotient(&decimal("0.01")), Some(BigInt::from(7)));
        assert_eq!(decimal("0.075").quotient(&decimal("0.01")), None);
        assert_eq!(decimal("6").quotient(&decimal("0")), None);
        let rounded = Some([decimal("-2.7"), decimal("-2.8")]);
        assert_eq!(decimal("-2.75").rounded(1), rounded);
        assert_eq!(decimal("20").rounded(1), None);
        assert_eq!((decimal("-2.75").places(), decimal("1e3").places()), (2, 0));
        assert_eq!(
            (decimal("-2.75").unit(), decimal("1e3").unit()),
            (decimal("0.01"), decimal("1"))
        );
    }

    #[test]
    fn numbers_that_are_too_long_have_no_rank() {
        assert_eq!(rank("1e1000000"), None);
        assert!(rank("25e300").is_some());
    }
}
