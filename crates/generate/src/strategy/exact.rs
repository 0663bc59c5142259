//! Numbers as shrinking sees them: exact, and with a word on which of two is simpler.
//!
//! Fewer decimal places are simpler, then a smaller magnitude, then no sign. Numbers that would take
//! more than [`MAX_DIGITS`] to write out are left alone.

use num_bigint::{BigInt, BigUint};
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use serde_json::Number;

/// Digits that are worked with. More than any machine number has.
const MAX_DIGITS: usize = 2_000;
/// Zeros at the end of an integer that are written out.
const PLAIN_ZEROS: usize = 20;

/// `mantissa / 10^places`, in lowest terms.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Exact {
    mantissa: BigInt,
    places: usize,
}

impl Exact {
    pub(super) fn integer(value: impl Into<BigInt>) -> Self {
        Self { mantissa: value.into(), places: 0 }
    }

    /// `None` if the number is too long to work with.
    pub(super) fn read(number: &Number) -> Option<Self> {
        let text = number.to_string();
        let (digits, exponent) = match text.split_once(['e', 'E']) {
            Some((digits, exponent)) => (digits, exponent.parse::<i64>().ok()?),
            None => (text.as_str(), 0),
        };
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let zeros = exponent.checked_sub(i64::try_from(fraction.len()).ok()?)?;
        let written = usize::try_from(zeros.unsigned_abs()).ok()?.checked_add(digits.len())?;
        if written > MAX_DIGITS {
            return None;
        }
        let mantissa = format!("{whole}{fraction}").parse::<BigInt>().ok()?;
        Some(match usize::try_from(zeros) {
            Ok(zeros) => Self::integer(mantissa * power_of_ten(zeros)),
            Err(_) => Self::new(mantissa, usize::try_from(-zeros).ok()?),
        })
    }

    fn new(mut mantissa: BigInt, mut places: usize) -> Self {
        let ten = BigInt::from(10);
        while places > 0 {
            let (quotient, rest) = mantissa.div_rem(&ten);
            if !rest.is_zero() {
                break;
            }
            (mantissa, places) = (quotient, places - 1);
        }
        Self { mantissa, places }
    }

    pub(super) fn write(&self) -> Number {
        let digits = self.mantissa.magnitude().to_string();
        let sign = if self.mantissa.is_negative() { "-" } else { "" };
        let trimmed = digits.trim_end_matches('0');
        let zeros = digits.len() - trimmed.len();
        let text = if self.places > 0 {
            let digits = format!("{digits:0>width$}", width = self.places + 1);
            let (whole, fraction) = digits.split_at(digits.len() - self.places);
            format!("{sign}{whole}.{fraction}")
        } else if zeros > PLAIN_ZEROS {
            format!("{sign}{trimmed}e{zeros}")
        } else {
            format!("{sign}{digits}")
        };
        text.parse().expect("digits with a point or an exponent are a JSON number")
    }

    /// What orders numbers by simplicity.
    pub(super) fn rank(&self) -> (usize, &BigUint, bool) {
        (self.places, self.mantissa.magnitude(), self.mantissa.is_negative())
    }

    pub(super) fn places(&self) -> usize {
        self.places
    }

    pub(super) fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    pub(super) fn negated(&self) -> Self {
        Self { mantissa: -&self.mantissa, places: self.places }
    }

    /// The nearest value of at most `places` places on the side of zero, and on the other side.
    pub(super) fn rounded(&self, places: usize) -> [Self; 2] {
        let power = power_of_ten(self.places.saturating_sub(places));
        let towards = &self.mantissa / &power;
        let away = &towards + self.mantissa.signum();
        [Self::new(towards, places), Self::new(away, places)]
    }

    pub(super) fn minus(&self, other: &Self) -> Self {
        let (left, right, places) = self.aligned(other);
        Self::new(left - right, places)
    }

    pub(super) fn plus(&self, other: &Self) -> Self {
        self.minus(&other.negated())
    }

    /// The last place: the unit that the value is written in.
    pub(super) fn unit(&self) -> Self {
        Self { mantissa: BigInt::one(), places: self.places }
    }

    pub(super) fn times(&self, factor: &BigInt) -> Self {
        Self::new(&self.mantissa * factor, self.places)
    }

    /// How many times `step` this is, if that is an integer.
    pub(super) fn multiple_of(&self, step: &Self) -> Option<BigInt> {
        let (value, step, _) = self.aligned(step);
        if step.is_zero() {
            return None;
        }
        let (quotient, rest) = value.div_rem(&step);
        rest.is_zero().then_some(quotient)
    }

    /// The least value that both divide.
    pub(super) fn common_multiple(&self, other: &Self) -> Self {
        let (left, right, places) = self.aligned(other);
        Self::new(left.lcm(&right), places)
    }

    fn aligned(&self, other: &Self) -> (BigInt, BigInt, usize) {
        let places = self.places.max(other.places);
        let scaled = |value: &Self| &value.mantissa * power_of_ten(places - value.places);
        (scaled(self), scaled(other), places)
    }
}

fn power_of_ten(exponent: usize) -> BigInt {
    // Exponents are bounded by `MAX_DIGITS`.
    BigInt::from(10).pow(u32::try_from(exponent).unwrap_or(u32::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exact(text: &str) -> Exact {
        Exact::read(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn numbers_are_read_exactly_and_written_plainly() {
        let cases = [
            ("0", "0"),
            ("-0.0", "0"),
            ("1.50", "1.5"),
            ("-12.5e-1", "-1.25"),
            ("1e3", "1000"),
            ("0.001", "0.001"),
            ("-5e-3", "-0.005"),
            ("25e300", "25e+300"),
            ("123456789012345678901234567890.5", "123456789012345678901234567890.5"),
        ];
        for (text, written) in cases {
            assert_eq!(exact(text).write().to_string(), written, "{text}");
        }
        assert_eq!(Exact::read(&"1e1000000".parse().unwrap()), None);
    }

    #[test]
    fn few_places_are_simpler_than_small_magnitudes() {
        let ascending = ["0", "1", "-1", "2", "1000000", "0.1", "-0.1", "0.2", "3.5", "0.01"];
        for pair in ascending.windows(2) {
            assert!(exact(pair[0]).rank() < exact(pair[1]).rank(), "{pair:?}");
        }
    }

    #[test]
    fn multiples_and_roundings_are_exact() {
        assert_eq!(exact("0.07").multiple_of(&exact("0.01")), Some(BigInt::from(7)));
        assert_eq!(exact("0.075").multiple_of(&exact("0.01")), None);
        assert_eq!(exact("6").multiple_of(&exact("0")), None);
        assert_eq!(exact("0.4").common_multiple(&exact("0.6")), exact("1.2"));
        assert_eq!(exact("-2.75").rounded(1), [exact("-2.7"), exact("-2.8")]);
        assert_eq!(exact("0.1").plus(&exact("0.2")), exact("0.3"));
    }
}
