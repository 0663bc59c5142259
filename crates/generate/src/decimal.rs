//! Exact decimals: what JSON numbers are before anyone rounds them.
//!
//! A value is an integer times a power of ten, with no trailing zeros, so equal values are equal in
//! memory. Work is bounded by the digits written, never by the exponent: an operation that would have
//! to write out more than [`MAX_DIGITS`] gives `None` instead, so `1e1000000000` costs nothing.

use std::cmp::Ordering;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};
use serde_json::Number;

/// Digits that an operation may write out.
const MAX_DIGITS: u64 = 10_000;
/// Beyond this an exponent is not read; far enough from `i64` that sums of exponents cannot overflow.
const MAX_EXPONENT: i64 = 1_000_000_000_000;
/// Zeros that plain notation may add to the digits of a value.
const PLAIN_ZEROS: usize = 20;

/// `mantissa * 10^exponent`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Decimal {
    mantissa: BigInt,
    exponent: i64,
}

impl Decimal {
    pub(crate) fn new(mantissa: BigInt, exponent: i64) -> Self {
        if mantissa.is_zero() {
            return Self { mantissa, exponent: 0 };
        }
        let text = mantissa.to_string();
        let zeros = text.len() - text.trim_end_matches('0').len();
        if zeros == 0 {
            return Self { mantissa, exponent };
        }
        let power = BigInt::from(10).pow(u32::try_from(zeros).unwrap_or(u32::MAX));
        Self { mantissa: mantissa / power, exponent: exponent + to_exponent(zeros) }
    }

    pub(crate) fn zero() -> Self {
        Self { mantissa: BigInt::zero(), exponent: 0 }
    }

    pub(crate) fn power_of_ten(exponent: i64) -> Self {
        Self { mantissa: BigInt::one(), exponent }
    }

    /// `None` if the number is too long to work with.
    pub(crate) fn read(number: &Number) -> Option<Self> {
        let text = number.as_str();
        let (digits, exponent) = match text.find(['e', 'E']) {
            Some(at) => (&text[..at], text[at + 1..].parse::<i64>().ok()?),
            None => (text, 0),
        };
        if digits.len() as u64 > MAX_DIGITS || exponent.abs() > MAX_EXPONENT {
            return None;
        }
        let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
        let mantissa = format!("{whole}{fraction}").parse::<BigInt>().ok()?;
        Some(Self::new(mantissa, exponent - to_exponent(fraction.len())))
    }

    pub(crate) fn write(&self) -> Number {
        write(&self.mantissa.to_string(), self.exponent)
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.mantissa.is_zero()
    }

    pub(crate) fn is_positive(&self) -> bool {
        self.mantissa.is_positive()
    }

    pub(crate) fn is_negative(&self) -> bool {
        self.mantissa.is_negative()
    }

    pub(crate) fn exponent(&self) -> i64 {
        self.exponent
    }

    pub(crate) fn abs(&self) -> Self {
        Self { mantissa: self.mantissa.abs(), exponent: self.exponent }
    }

    pub(crate) fn negated(&self) -> Self {
        Self { mantissa: -&self.mantissa, exponent: self.exponent }
    }

    /// The `m` for which `10^(m-1) <= |self| < 10^m`; `None` for zero.
    pub(crate) fn magnitude(&self) -> Option<i64> {
        (!self.is_zero())
            .then(|| to_exponent(self.mantissa.magnitude().to_string().len()) + self.exponent)
    }

    /// How many times `10^exponent` this is, if that is an integer of reasonable length.
    pub(crate) fn scaled(&self, exponent: i64) -> Option<BigInt> {
        if self.is_zero() {
            return Some(BigInt::zero());
        }
        let shift = u64::try_from(self.exponent - exponent).ok().filter(|n| *n <= MAX_DIGITS)?;
        Some(&self.mantissa * BigInt::from(10).pow(u32::try_from(shift).ok()?))
    }

    pub(crate) fn plus(&self, other: &Self) -> Option<Self> {
        if self.is_zero() {
            return Some(other.clone());
        }
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self::new(left + right, exponent))
    }

    pub(crate) fn minus(&self, other: &Self) -> Option<Self> {
        self.plus(&other.negated())
    }

    pub(crate) fn times(&self, factor: &BigInt) -> Self {
        Self::new(&self.mantissa * factor, self.exponent)
    }

    /// The greatest integer `k` for which `k * step <= self`; `step` is positive.
    pub(crate) fn floor_division(&self, step: &Self) -> Option<BigInt> {
        if self.is_shorter_than(step) {
            return Some(BigInt::from(if self.is_negative() { -1 } else { 0 }));
        }
        let (value, step, _) = self.aligned(step)?;
        Some(value.div_floor(&step))
    }

    /// The least integer `k` for which `k * step >= self`; `step` is positive.
    pub(crate) fn ceiling_division(&self, step: &Self) -> Option<BigInt> {
        self.negated().floor_division(step).map(|quotient| -quotient)
    }

    /// `None` if the answer would take too many digits.
    pub(crate) fn is_multiple_of(&self, step: &Self) -> Option<bool> {
        if self.is_zero() {
            return Some(true);
        }
        if self.is_shorter_than(step) {
            return Some(false);
        }
        // Holds for every whole `1e1000000000` and a step of one, without writing either out.
        if self.exponent >= step.exponent && self.mantissa.is_multiple_of(&step.mantissa) {
            return Some(true);
        }
        let (value, step, _) = self.aligned(step)?;
        Some(value.is_multiple_of(&step))
    }

    /// The least positive multiple of two positive values.
    pub(crate) fn least_common_multiple(&self, other: &Self) -> Option<Self> {
        let (left, right, exponent) = self.aligned(other)?;
        Some(Self::new(left.lcm(&right), exponent))
    }

    /// Known from the number of digits alone, however far apart the two are.
    fn is_shorter_than(&self, other: &Self) -> bool {
        self.magnitude() < other.magnitude()
    }

    fn aligned(&self, other: &Self) -> Option<(BigInt, BigInt, i64)> {
        let exponent = match (self.is_zero(), other.is_zero()) {
            (true, _) => other.exponent,
            (_, true) => self.exponent,
            _ => self.exponent.min(other.exponent),
        };
        Some((self.scaled(exponent)?, other.scaled(exponent)?, exponent))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_sign = self.mantissa.sign().cmp(&other.mantissa.sign());
        if by_sign.is_ne() || self.is_zero() {
            return by_sign;
        }
        let by_length = self.magnitude().cmp(&other.magnitude());
        let by_size = by_length.then_with(|| {
            // Of equal magnitude, exponents differ by no more than the digits written.
            let exponent = self.exponent.min(other.exponent);
            let digits = |value: &Self| value.abs().scaled(exponent);
            digits(self).cmp(&digits(other))
        });
        if self.is_negative() { by_size.reverse() } else { by_size }
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// `number` in the form that all numbers equal to it share; `None` if it is too long to work with.
///
/// ```
/// use foolproof_generate::normalize_number;
///
/// let normalized = |text: &str| normalize_number(&text.parse().unwrap()).unwrap().to_string();
/// assert_eq!(["3", "3.0", "30e-1"].map(normalized), ["3"; 3]);
/// ```
#[must_use]
pub fn normalize_number(number: &Number) -> Option<Number> {
    Decimal::read(number).map(|value| value.write())
}

/// `mantissa * 10^exponent` in JSON: plain where that stays short, with an exponent otherwise.
pub(crate) fn write(mantissa: &str, exponent: i64) -> Number {
    let (sign, digits) = match mantissa.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", mantissa),
    };
    let trimmed = digits.trim_end_matches('0');
    if trimmed.is_empty() {
        return Number::from(0);
    }
    let exponent = exponent + to_exponent(digits.len() - trimmed.len());
    let text = match usize::try_from(exponent.unsigned_abs()) {
        Ok(zeros) if exponent >= 0 && zeros <= PLAIN_ZEROS => {
            format!("{sign}{trimmed}{}", "0".repeat(zeros))
        }
        Ok(places) if exponent < 0 && places < trimmed.len() => {
            let (whole, fraction) = trimmed.split_at(trimmed.len() - places);
            format!("{sign}{whole}.{fraction}")
        }
        Ok(places) if exponent < 0 && places - trimmed.len() < PLAIN_ZEROS => {
            format!("{sign}0.{}{trimmed}", "0".repeat(places - trimmed.len()))
        }
        _ => format!("{sign}{trimmed}e{exponent}"),
    };
    text.parse().expect("digits with a point or an exponent are a JSON number")
}

/// A sign, nineteen digits, a zero and a point, and fewer than `PLAIN_ZEROS` zeros.
const SMALL_LENGTH: usize = 48;

/// A number with a point, as it is written.
#[derive(Clone, Debug)]
pub(crate) struct SmallDecimal {
    text: [u8; SMALL_LENGTH],
    length: usize,
}

impl SmallDecimal {
    pub(crate) fn as_str(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).expect("digits are ASCII")
    }

    pub(crate) fn to_number(&self) -> Number {
        self.as_str().parse().expect("digits with a point are a JSON number")
    }
}

/// The same for a mantissa that fits a machine word, if it is written with a point: without an allocation.
pub(crate) fn write_small(mantissa: i64, exponent: i64) -> Option<SmallDecimal> {
    let (mut digits, mut exponent) = (mantissa.unsigned_abs(), exponent);
    while exponent < 0 && digits.is_multiple_of(10) && digits > 0 {
        digits /= 10;
        exponent += 1;
    }
    let mut buffer = itoa::Buffer::new();
    let digits = buffer.format(digits);
    let places = usize::try_from(exponent.unsigned_abs()).unwrap_or(usize::MAX);
    let zeros = places.saturating_sub(digits.len());
    if mantissa == 0 || exponent >= 0 || zeros >= PLAIN_ZEROS {
        return None;
    }
    let mut text = [b'0'; SMALL_LENGTH];
    let mut length = 0;
    let mut push = |part: &[u8]| {
        text[length..length + part.len()].copy_from_slice(part);
        length += part.len();
    };
    if mantissa < 0 {
        push(b"-");
    }
    let whole = digits.len().saturating_sub(places);
    push(if whole == 0 { b"0" } else { &digits.as_bytes()[..whole] });
    push(b".");
    push(&[b'0'; PLAIN_ZEROS][..zeros]);
    push(&digits.as_bytes()[whole..]);
    Some(SmallDecimal { text, length })
}

fn to_exponent(digits: usize) -> i64 {
    i64::try_from(digits).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn decimal(text: &str) -> Decimal {
        Decimal::read(&text.parse().unwrap()).unwrap()
    }

    #[test]
    fn small_mantissas_are_written_like_others() {
        for mantissa in [0, 1, -1, 10, -120, 7_123_400, i64::MAX, i64::MIN] {
            for exponent in -40..=3 {
                let expected = write(&mantissa.to_string(), exponent);
                let small = write_small(mantissa, exponent).map(|decimal| decimal.to_number());
                assert_eq!(small.unwrap_or_else(|| expected.clone()), expected);
                let has_point = expected.as_str().contains('.');
                assert_eq!(write_small(mantissa, exponent).is_some(), has_point, "{expected}");
            }
        }
    }

    #[test]
    fn text_is_read_exactly_and_written_short() {
        let cases = [
            ("0", "0"),
            ("-0.0", "0"),
            ("0e5", "0"),
            ("1.50", "1.5"),
            ("-12.5e-1", "-1.25"),
            ("1e3", "1000"),
            ("0.001", "0.001"),
            (
                "123456789012345678901234567890123456789.5",
                "123456789012345678901234567890123456789.5",
            ),
        ];
        for (text, written) in cases {
            assert_eq!(decimal(text).write().as_str(), written, "{text}");
        }
        for text in ["1e400", "-7e-400", "1e1000000000"] {
            assert_eq!(decimal(&decimal(text).write().to_string()), decimal(text));
        }
    }

    #[test]
    fn order_does_not_depend_on_notation() {
        let ascending = [
            "-1e1000000000",
            "-2",
            "-1.5",
            "-1e-1000000000",
            "0",
            "1e-400",
            "0.1",
            "0.10000001",
            "9",
            "10",
            "1e400",
        ];
        for (index, left) in ascending.iter().enumerate() {
            for (other, right) in ascending.iter().enumerate() {
                assert_eq!(decimal(left).cmp(&decimal(right)), index.cmp(&other), "{left} {right}");
            }
        }
    }

    #[test]
    fn division_rounds_to_the_named_side() {
        let cases =
            [("7", "2", 3, 4), ("-7", "2", -4, -3), ("0.3", "0.1", 3, 3), ("-0.05", "0.1", -1, 0)];
        for (value, step, floor, ceiling) in cases {
            let (value, step) = (decimal(value), decimal(step));
            assert_eq!(value.floor_division(&step), Some(BigInt::from(floor)));
            assert_eq!(value.ceiling_division(&step), Some(BigInt::from(ceiling)));
        }
        assert_eq!(decimal("1e-1000000000").ceiling_division(&decimal("1")), Some(BigInt::one()));
        assert_eq!(decimal("1e1000000000").floor_division(&decimal("1")), None);
    }

    #[test]
    fn multiples_of_decimals_meet() {
        let lcm = |left, right| decimal(left).least_common_multiple(&decimal(right)).unwrap();
        assert_eq!(lcm("0.4", "0.6"), decimal("1.2"));
        assert_eq!(lcm("1", "0.01"), decimal("1"));
        assert_eq!(decimal("0.07").is_multiple_of(&decimal("0.01")), Some(true));
        assert_eq!(decimal("0.075").is_multiple_of(&decimal("0.01")), Some(false));
        assert_eq!(decimal("1e1000000000").is_multiple_of(&decimal("3")), None);
    }

    #[test]
    fn sums_are_exact() {
        assert_eq!(decimal("0.1").plus(&decimal("0.2")), Some(decimal("0.3")));
        assert_eq!(decimal("1e30").minus(&decimal("1")).unwrap().write().as_str(), "9".repeat(30));
        assert_eq!(decimal("1e1000000000").plus(&decimal("1")), None);
    }
}
