//! Evenly spaced values, from which numbers are drawn.
//!
//! A grid counts in steps from its anchor, the value nearest zero, so that an offset of zero is the
//! simplest value and every offset fits a machine word however long the bounds are. Anchor and step
//! are 64-bit integers at a power of ten where they fit, and big integers only beyond that.
//!
//! A grid may reach less far than the set: values stay within fifteen digits, which every `f64` reader
//! keeps, unless the bounds or the step force more.

use std::fmt::Display;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{FromPrimitive, ToPrimitive};
use serde_json::Number;

use super::{
    DrawnNumber,
    boundary::first_index,
    domain::{Bound, Domain},
};
use crate::Source;
use crate::decimal::{Decimal, write, write_small};

/// Digits of a value, unless something forces more.
const DIGITS: i64 = 15;
/// Steps from the anchor where even the anchor is longer than that.
const FORCED_REACH: i64 = 1_000_000_000_000;
/// Steps from zero where the step itself is long.
const LEAST_REACH: i64 = 1_000;
/// Up to this many values, each is as likely as the others.
const UNIFORM_WIDTH: u64 = 1 << 20;
/// How likely an offset is to have one digit, at most two, and so on: sums of weights.
const WEIGHTS: [u64; 16] = [6, 15, 24, 33, 41, 48, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59];
/// How unlikely any one length is, as a power of two.
const LENGTH_SPREAD: u32 = 2;
/// The weight of a grid with a thousand values or more.
const MAX_WEIGHT: u32 = 4;
/// Draws that may hit an excluded value before the neighbours of the last are tried.
const TRIES: u32 = 8;
/// Values tried for each one of a list.
const TRIED: usize = 4;
/// Neighbours tried on each side.
const NEIGHBOURS: i64 = 256;

#[derive(Clone, Debug)]
pub(super) struct Grid {
    exponent: i64,
    line: Line,
    /// Steps down from the anchor.
    below: i64,
    /// Steps up from the anchor.
    above: i64,
    /// Whether the grid reaches both ends of the set.
    complete: bool,
}

#[derive(Clone, Debug)]
enum Line {
    Small(Points<i128>),
    Large(Points<BigInt>),
}

/// All in units of `10^exponent`.
#[derive(Clone, Debug)]
struct Points<T> {
    anchor: T,
    step: T,
    excluded: Vec<T>,
}

impl<T: Integer + Clone + FromPrimitive> Points<T> {
    fn at(&self, offset: i64) -> Option<T> {
        let value = self.anchor.clone() + T::from_i64(offset)? * self.step.clone();
        self.excluded.iter().all(|divisor| !value.is_multiple_of(divisor)).then_some(value)
    }
}

impl Grid {
    /// The multiples of `step` in `domain`; `None` if there are none, or none that can be written.
    pub(super) fn new(domain: &Domain, step: &Decimal) -> Option<Self> {
        let is_excluded = |divisor: &Decimal| step.is_multiple_of(divisor) == Some(true);
        if domain.excluded.iter().any(is_excluded) {
            return None;
        }
        if domain.high.as_ref().is_some_and(|high| high.value.is_negative()) {
            let mirrored = Extent::new(&domain.mirrored(), step)?;
            return Self::with_extent(domain, step, &mirrored.mirrored());
        }
        Self::with_extent(domain, step, &Extent::new(domain, step)?)
    }

    fn with_extent(domain: &Domain, step: &Decimal, extent: &Extent) -> Option<Self> {
        let exponents = domain.excluded.iter().map(Decimal::exponent);
        let exponent = exponents.fold(step.exponent(), i64::min);
        let points = Points {
            anchor: step.times(&extent.anchor).scaled(exponent)?,
            step: step.scaled(exponent)?,
            excluded: domain
                .excluded
                .iter()
                .map(|divisor| divisor.scaled(exponent))
                .collect::<Option<_>>()?,
        };
        Some(Self {
            exponent,
            line: small(&points).map_or(Line::Large(points), Line::Small),
            below: extent.below,
            above: extent.above,
            complete: extent.complete,
        })
    }

    /// A value, or `None` if all that were tried are excluded.
    pub(super) fn draw(&self, source: &mut impl Source) -> Option<DrawnNumber<'static>> {
        let mut offset = 0;
        for _ in 0..TRIES {
            offset = self.offset(source);
            if let Some(value) = self.at(offset) {
                return Some(value);
            }
        }
        self.nearest(offset)
    }

    /// The admissible value nearest the anchor.
    pub(super) fn simplest(&self) -> Option<Number> {
        self.nearest(0).map(DrawnNumber::into_number)
    }

    /// At most `most` values, those nearest the anchor first.
    pub(super) fn listed(&self, most: usize) -> impl Iterator<Item = Number> {
        let farther = (1..=self.below.max(self.above)).flat_map(|distance| [distance, -distance]);
        let offsets = std::iter::once(0).chain(farther);
        let offsets = offsets.filter(|offset| (-self.below..=self.above).contains(offset));
        // Of neighbours, only few are excluded.
        let tried = offsets.take(most.saturating_mul(TRIED));
        tried.filter_map(|offset| self.at(offset)).take(most).map(DrawnNumber::into_number)
    }

    fn nearest(&self, offset: i64) -> Option<DrawnNumber<'static>> {
        (0..=NEIGHBOURS)
            .flat_map(|distance| [offset + distance, offset - distance])
            .filter(|offset| (-self.below..=self.above).contains(offset))
            .find_map(|offset| self.at(offset))
    }

    fn at(&self, offset: i64) -> Option<DrawnNumber<'static>> {
        match &self.line {
            Line::Small(points) => Some(self.number(&points.at(offset)?)),
            Line::Large(points) => Some(self.number(&points.at(offset)?)),
        }
    }

    fn number<T: Display + ToPrimitive>(&self, value: &T) -> DrawnNumber<'static> {
        let small = match value.to_i64() {
            Some(integer) if self.exponent == 0 => return DrawnNumber::Integer(integer),
            Some(mantissa) => write_small(mantissa, self.exponent),
            None => None,
        };
        match small {
            Some(decimal) => DrawnNumber::Decimal(decimal),
            None => DrawnNumber::Long(write(&value.to_string(), self.exponent)),
        }
    }

    /// How often to draw from this grid rather than from another: more often with more values, so
    /// that a small grid does not dominate the rest.
    pub(super) fn weight(&self) -> u32 {
        (self.width().ilog10() + 1).min(MAX_WEIGHT)
    }

    fn width(&self) -> u64 {
        self.below.unsigned_abs() + self.above.unsigned_abs() + 1
    }

    #[cfg(test)]
    pub(super) fn is_small(&self) -> bool {
        matches!(self.line, Line::Small(_))
    }

    fn offset(&self, source: &mut impl Source) -> i64 {
        let width = self.width();
        if width <= UNIFORM_WIDTH || (self.complete && source.chance(1, 2)) {
            let steps = signed(source.below(width));
            source.note_spread(width.ilog2());
            return if steps <= self.above { steps } else { self.above - steps };
        }
        let down = match (self.below, self.above) {
            (0, _) => false,
            (_, 0) => true,
            _ => source.below(2) == 1,
        };
        let reach = if down { self.below } else { self.above }.unsigned_abs();
        let lengths = reach.checked_ilog10().unwrap_or(0) as usize + 1;
        let weights = &WEIGHTS[..lengths.min(WEIGHTS.len())];
        let choice = source.below(weights.last().copied().unwrap_or(1));
        let length = weights.iter().position(|sum| choice < *sum).unwrap_or(0);
        let limit = 10_u64.pow(u32::try_from(length).unwrap_or(0) + 1);
        let limit = limit.min(reach + 1);
        let steps = signed(source.below(limit));
        source.note_spread(limit.ilog2() + LENGTH_SPREAD);
        if down { -steps } else { steps }
    }
}

/// The anchor of a grid and how far it extends, in steps.
struct Extent {
    anchor: BigInt,
    below: i64,
    above: i64,
    complete: bool,
}

impl Extent {
    /// For a domain that is not below zero as a whole.
    fn new(domain: &Domain, step: &Decimal) -> Option<Self> {
        let anchor = match &domain.low {
            Some(low) if low.value.is_positive() || (low.value.is_zero() && low.exclusive) => {
                first_index(low, step)?
            }
            _ => BigInt::ZERO,
        };
        let (down, up) = reaches(&anchor, step);
        let (above, meets_high) = steps_to(domain.high.as_ref(), &anchor, step, up)?;
        let (below, meets_low) = if anchor == BigInt::ZERO {
            let mirrored = domain.mirrored();
            // An upper end of exactly zero, excluded, leaves zero out: begin one step below.
            match above {
                -1 => return Some(Self::new(&mirrored, step)?.mirrored()),
                _ => steps_to(mirrored.high.as_ref(), &anchor, step, down)?,
            }
        } else {
            (0, true)
        };
        (above >= 0 && below >= 0).then_some(Self {
            anchor,
            below,
            above,
            complete: meets_high && meets_low,
        })
    }

    fn mirrored(self) -> Self {
        Self { anchor: -self.anchor, below: self.above, above: self.below, ..self }
    }
}

/// How many steps down and up from the anchor keep a value within the wanted digits.
fn reaches(anchor: &BigInt, step: &Decimal) -> (i64, i64) {
    let limit = Decimal::power_of_ten(DIGITS + step.exponent().min(0));
    // Short of a full power of ten, which has one digit more.
    let last = limit.floor_division(step).map_or(BigInt::ZERO, |last| last - 1);
    let last = last.max(BigInt::from(LEAST_REACH));
    match (&last - anchor).to_i64() {
        Some(up) if up > 0 => (last.to_i64().unwrap_or(FORCED_REACH), up),
        _ => (FORCED_REACH, FORCED_REACH),
    }
}

/// Steps from the anchor to the upper end, at most `reach`, and whether they reach it. Minus one if
/// the anchor is past the end.
fn steps_to(
    high: Option<&Bound>,
    anchor: &BigInt,
    step: &Decimal,
    reach: i64,
) -> Option<(i64, bool)> {
    let Some(high) = high else {
        return Some((reach, false));
    };
    if high.value > step.times(&(anchor + reach)) {
        return Some((reach, false));
    }
    let mirrored = Bound { value: high.value.negated(), exclusive: high.exclusive };
    let last = -first_index(&mirrored, step)?;
    let steps = (last - anchor).to_i64()?;
    Some((steps.max(-1), true))
}

fn small(points: &Points<BigInt>) -> Option<Points<i128>> {
    let narrow = |value: &BigInt| value.to_i64().map(i128::from);
    Some(Points {
        anchor: narrow(&points.anchor)?,
        step: narrow(&points.step)?,
        excluded: points.excluded.iter().map(narrow).collect::<Option<_>>()?,
    })
}

fn signed(steps: u64) -> i64 {
    i64::try_from(steps).unwrap_or(i64::MAX)
}
