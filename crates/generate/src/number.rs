//! Numbers: from the shape of a set to values of it.
//!
//! Everything is exact: bounds of any length, decimal divisors, several at once. About one draw in
//! four is an edge of the set or of a common machine type; the others are spread, uniformly over small
//! sets and over magnitudes where the set is large, small ones more often. A source that answers zero
//! gets the simplest value: zero, or else the representative of the bound nearer zero.
//!
//! An empty set gives no value. Neither does one whose bounds or divisors are too long to work with
//! (more than ten thousand digits once written out), unless one of its edges can still be computed.

mod boundary;
mod domain;
mod edges;
mod grid;
mod spread;

use foolproof_contract::{IntegerShape, NumberShape};
use serde_json::Number;

use self::{domain::Domain, grid::Grid};
use crate::{
    Source,
    decimal::{Decimal, SmallDecimal},
};

/// Integers of a shape, compiled for drawing.
///
/// ```
/// use foolproof_contract::IntegerShape;
/// use foolproof_generate::{Integers, Replay};
///
/// let shape = IntegerShape {
///     minimum: Some(5.into()),
///     multiple_of: vec![4.into()],
///     ..IntegerShape::default()
/// };
/// let integers = Integers::compile(&shape);
/// assert_eq!(integers.minimum_representative(), Some(&8.into()));
/// assert_eq!(integers.draw(&mut Replay::new(vec![])), Some(8.into()));
/// ```
#[derive(Clone, Debug)]
pub struct Integers(Values);

impl Integers {
    /// Prepares the set for drawing.
    #[must_use]
    pub fn compile(shape: &IntegerShape) -> Self {
        Self(Values::of(Domain::of_integers(shape)))
    }

    /// Whether `number` is known to belong to the set.
    #[must_use]
    pub fn admits(&self, number: &Number) -> bool {
        self.0.admits(number)
    }

    /// An integer of the set; `None` if it is empty.
    pub fn draw(&self, source: &mut impl Source) -> Option<Number> {
        self.0.draw(source).map(DrawnNumber::into_number)
    }

    /// The same, as far as possible not written yet.
    pub(crate) fn draw_unwritten(&self, source: &mut impl Source) -> Option<DrawnNumber<'_>> {
        self.0.draw(source)
    }

    /// At least `most` integers of the set if it has so many, some of them more than once.
    pub(crate) fn listed(&self, most: usize) -> impl Iterator<Item = Number> {
        self.0.listed(most)
    }

    /// The least integer of the set, if there is a lower bound.
    #[must_use]
    pub fn minimum_representative(&self) -> Option<&Number> {
        self.0.minimum.as_ref()
    }

    /// The greatest integer of the set, if there is an upper bound.
    #[must_use]
    pub fn maximum_representative(&self) -> Option<&Number> {
        self.0.maximum.as_ref()
    }
}

/// Numbers of a shape, compiled for drawing.
///
/// ```
/// use foolproof_contract::NumberShape;
/// use foolproof_generate::{Numbers, Seed};
///
/// let shape = NumberShape {
///     minimum: Some(0.into()),
///     exclusive_minimum: true,
///     maximum: Some(1.into()),
///     ..NumberShape::default()
/// };
/// let numbers = Numbers::compile(&shape);
/// let drawn = numbers.draw(&mut Seed::from_number(1).random()).and_then(|number| number.as_f64());
/// assert!(drawn.is_some_and(|number| number > 0.0 && number <= 1.0));
/// ```
#[derive(Clone, Debug)]
pub struct Numbers(Values);

impl Numbers {
    /// Prepares the set for drawing.
    #[must_use]
    pub fn compile(shape: &NumberShape) -> Self {
        Self(Values::of(Domain::of_numbers(shape)))
    }

    /// Whether `number` is known to belong to the set.
    #[must_use]
    pub fn admits(&self, number: &Number) -> bool {
        self.0.admits(number)
    }

    /// A number of the set; `None` if it is empty.
    pub fn draw(&self, source: &mut impl Source) -> Option<Number> {
        self.0.draw(source).map(DrawnNumber::into_number)
    }

    /// The same, as far as possible not written yet.
    pub(crate) fn draw_unwritten(&self, source: &mut impl Source) -> Option<DrawnNumber<'_>> {
        self.0.draw(source)
    }

    /// At least `most` numbers of the set if it has so many and they are known, some of them more than once.
    pub(crate) fn listed(&self, most: usize) -> impl Iterator<Item = Number> {
        self.0.listed(most)
    }

    /// The value that represents the lower bound, if there is one.
    ///
    /// With divisors it is the least value of the set. Without, an inclusive bound represents itself;
    /// an exclusive bound is represented by the bound plus the largest power of ten that is at most
    /// one and stays inside: `exclusiveMinimum: 0` by `1`, and with `maximum: 0.5` by `0.1`. Where a
    /// step of one would give a short bound more than fifteen digits (`1e20`, `1e-20`), the step is
    /// the power of ten that gives it fifteen.
    #[must_use]
    pub fn minimum_representative(&self) -> Option<&Number> {
        self.0.minimum.as_ref()
    }

    /// The value that represents the upper bound, if there is one: as for the lower bound, downwards.
    #[must_use]
    pub fn maximum_representative(&self) -> Option<&Number> {
        self.0.maximum.as_ref()
    }
}

/// A number that was drawn, in the form that costs least.
pub(crate) enum DrawnNumber<'n> {
    /// One that is written already.
    Listed(&'n Number),
    Integer(i64),
    Decimal(SmallDecimal),
    Long(Number),
}

impl DrawnNumber<'_> {
    pub(crate) fn into_number(self) -> Number {
        match self {
            Self::Listed(number) => number.clone(),
            Self::Integer(integer) => Number::from(integer),
            Self::Decimal(decimal) => decimal.to_number(),
            Self::Long(number) => number,
        }
    }
}

/// Draws out of this many are shared between the simplest value, edges and the rest.
const SHARES: u64 = 64;
/// Shares of the edges of the set.
const EDGES: std::ops::RangeInclusive<u64> = 1..=13;
/// Shares of the limits of machine types.
const LIMITS: std::ops::RangeInclusive<u64> = 14..=15;

/// How unlikely it is that a listed number is drawn, as a power of two.
const LISTED_SPREAD: u32 = 2;

/// What both kinds of set are compiled to.
#[derive(Clone, Debug, Default)]
struct Values {
    /// The set itself, unless one of its numbers is too long to work with.
    domain: Option<Domain>,
    minimum: Option<Number>,
    maximum: Option<Number>,
    simplest: Option<Number>,
    edges: Vec<Number>,
    limits: Vec<Number>,
    grids: Vec<Grid>,
    /// How often to draw from each grid.
    weights: Vec<u32>,
}

impl Values {
    fn of(domain: Option<Domain>) -> Self {
        let Some(domain) = domain else {
            return Self::default();
        };
        let (minimum, maximum) = (boundary::lower(&domain), boundary::upper(&domain));
        let edges = edges::edges(&domain, minimum.as_ref(), maximum.as_ref());
        let grids = spread::grids(&domain);
        let simplest = edges::nearest_zero(&domain, minimum.as_ref(), maximum.as_ref())
            .map(|value| value.write())
            .or_else(|| grids.iter().find_map(Grid::simplest))
            .or_else(|| edges.first().cloned());
        Self {
            minimum: minimum.map(|value| value.write()),
            maximum: maximum.map(|value| value.write()),
            simplest,
            edges,
            limits: edges::limits(&domain),
            weights: grids.iter().map(Grid::weight).collect(),
            grids,
            domain: Some(domain),
        }
    }

    fn admits(&self, number: &Number) -> bool {
        let domain = self.domain.as_ref();
        domain.zip(Decimal::read(number)).is_some_and(|(domain, value)| domain.admits(&value))
    }

    fn listed(&self, most: usize) -> impl Iterator<Item = Number> {
        let listed = self.simplest.iter().chain(&self.edges).chain(&self.limits).cloned();
        let on_grids = self.grids.iter().flat_map(move |grid| grid.listed(most));
        listed.chain(on_grids)
    }

    fn draw(&self, source: &mut impl Source) -> Option<DrawnNumber<'_>> {
        let simplest = DrawnNumber::Listed(self.simplest.as_ref()?);
        let share = source.below(SHARES);
        let listed = match share {
            0 => return Some(simplest),
            share if LIMITS.contains(&share) && !self.limits.is_empty() => &self.limits,
            share if EDGES.contains(&share) || LIMITS.contains(&share) || self.grids.is_empty() => {
                &self.edges
            }
            _ => &[][..],
        };
        if !listed.is_empty() {
            source.note_spread(listed.len().ilog2() + LISTED_SPREAD);
            return Some(DrawnNumber::Listed(source.pick(listed)));
        }
        let grid = self.grids.get(source.weighted(&self.weights));
        grid.and_then(|grid| grid.draw(source)).or(Some(simplest))
    }
}

#[cfg(test)]
mod tests;
