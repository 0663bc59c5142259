//! Tasks that simplify one value: each proposes candidates one by one and records their outcomes.
//!
//! A task gets the present value, which is the one it was created for until a candidate works, and
//! that candidate afterwards. Its proposals need be neither valid nor simpler: the caller checks that.

use std::{fmt, ops::Range};

use num_bigint::BigUint;
use serde_json::Value;

use super::{number, search::Search};
use crate::{decimal::Decimal, repair::without};

/// Proposes simpler values for one value.
pub(super) trait Task: fmt::Debug + Send + Sync {
    /// The next candidate for `value`, or `None` if there are no more.
    fn next(&mut self, value: &Value) -> Option<Value>;

    /// Records whether the last candidate worked: it was valid and still failed the test.
    fn record(&mut self, worked: bool);
}

/// Candidates from a list, which is computed again after each one that works.
pub(super) struct List<F> {
    candidates: F,
    left: Option<std::vec::IntoIter<Value>>,
}

impl<F: Fn(&Value) -> Vec<Value> + Send + Sync> List<F> {
    pub(super) fn new(candidates: F) -> Self {
        Self { candidates, left: None }
    }
}

impl<F> fmt::Debug for List<F> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("List").field("left", &self.left).finish_non_exhaustive()
    }
}

impl<F: Fn(&Value) -> Vec<Value> + Send + Sync> Task for List<F> {
    fn next(&mut self, value: &Value) -> Option<Value> {
        let candidates = &self.candidates;
        self.left.get_or_insert_with(|| candidates(value).into_iter()).next()
    }

    fn record(&mut self, worked: bool) {
        if worked {
            self.left = None;
        }
    }
}

/// Ranges of a sequence: all of it, then halves, quarters and so on down to single elements, each
/// size from the back to the front.
#[derive(Debug)]
pub(super) struct Ranges {
    size: usize,
    /// Where the next range ends; `None` before the first.
    end: Option<usize>,
}

impl Ranges {
    pub(super) fn of(length: usize) -> Self {
        Self { size: length, end: None }
    }

    pub(super) fn next(&mut self, length: usize) -> Option<Range<usize>> {
        self.size = self.size.min(length);
        while self.size > 0 {
            let end = self.end.unwrap_or(length).min(length);
            if end > 0 {
                let start = end.saturating_sub(self.size);
                self.end = Some(start);
                return Some(start..end);
            }
            self.size /= 2;
            self.end = None;
        }
        None
    }
}

/// Leaves out items of an array, or characters of a string.
#[derive(Debug)]
pub(super) struct Shorten(Ranges);

impl Shorten {
    pub(super) fn new(length: usize) -> Self {
        Self(Ranges::of(length))
    }
}

impl Task for Shorten {
    fn next(&mut self, value: &Value) -> Option<Value> {
        match value {
            Value::Array(items) => {
                let range = self.0.next(items.len())?;
                Some(Value::Array([&items[..range.start], &items[range.end..]].concat()))
            }
            Value::String(text) => {
                let characters: Vec<char> = text.chars().collect();
                let range = self.0.next(characters.len())?;
                let kept = characters[..range.start].iter().chain(&characters[range.end..]);
                Some(Value::String(kept.collect()))
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => None,
        }
    }

    fn record(&mut self, _worked: bool) {}
}

/// Leaves out members of an object, among those named.
#[derive(Debug)]
pub(super) struct LeaveOut {
    names: Vec<String>,
    ranges: Ranges,
    last: Range<usize>,
}

impl LeaveOut {
    pub(super) fn new(names: Vec<String>) -> Self {
        Self { ranges: Ranges::of(names.len()), names, last: 0..0 }
    }
}

impl Task for LeaveOut {
    fn next(&mut self, value: &Value) -> Option<Value> {
        self.last = self.ranges.next(self.names.len())?;
        Some(without(value.as_object()?, &self.names[self.last.clone()]))
    }

    fn record(&mut self, worked: bool) {
        if worked {
            self.names.drain(self.last.clone());
        }
    }
}

/// Lowers a number towards zero, in steps of `unit`.
#[derive(Debug)]
pub(super) struct Lower {
    unit: Decimal,
    search: Search,
}

impl Lower {
    /// `None` if `number` is no multiple of `unit`.
    pub(super) fn new(number: &Decimal, unit: &Decimal) -> Option<Self> {
        let (sign, magnitude) = number.quotient(unit)?.into_parts();
        let unit = if sign == num_bigint::Sign::Minus { unit.negated() } else { unit.clone() };
        Some(Self { unit, search: Search::below(magnitude) })
    }

    fn next_number(&mut self) -> Option<Decimal> {
        let multiple: BigUint = self.search.next()?;
        Some(self.unit.times(&multiple.into()))
    }
}

impl Task for Lower {
    fn next(&mut self, _value: &Value) -> Option<Value> {
        self.next_number().map(|number| Value::Number(number.write()))
    }

    fn record(&mut self, worked: bool) {
        self.search.record(worked);
    }
}

/// Moves a part of a number in an array to the number after it: of `[41, 60]` and `[1, 100]` the
/// second is simpler.
#[derive(Debug, Default)]
pub(super) struct Share {
    index: usize,
    lower: Option<(Lower, Decimal)>,
}

impl Task for Share {
    fn next(&mut self, value: &Value) -> Option<Value> {
        let items = value.as_array()?;
        loop {
            let pair = items.get(self.index..self.index + 2)?;
            if self.lower.is_none() {
                self.lower = start(pair);
            }
            if let Some((lower, sum)) = &mut self.lower
                && let Some(first) = lower.next_number()
                && let Some(second) = sum.minus(&first)
            {
                let mut items = items.clone();
                items[self.index + 1] = Value::Number(second.write());
                items[self.index] = Value::Number(first.write());
                return Some(Value::Array(items));
            }
            (self.index, self.lower) = (self.index + 1, None);
        }
    }

    fn record(&mut self, worked: bool) {
        if let Some((lower, _)) = &mut self.lower {
            lower.record(worked);
        }
    }
}

fn start(pair: &[Value]) -> Option<(Lower, Decimal)> {
    let first = number::read(pair.first()?.as_number()?)?;
    let second = number::read(pair.get(1)?.as_number()?)?;
    Some((Lower::new(&first, &first.unit())?, first.plus(&second)?))
}
