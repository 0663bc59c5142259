//! How large a value is.
//!
//! One number is not enough: many small values take memory, and so does one long text. A limit has both, and so has what
//! is left of it during a draw.

use std::fmt;

use foolproof_contract::wording;
use serde_json::Value;

/// The size of a JSON value: how many values it consists of, and about how many bytes its JSON text has without white
/// space. What is beyond 64 bits counts as the greatest number of 64 bits.
///
/// ```
/// use foolproof_generate::ValueSize;
/// use serde_json::json;
///
/// let size = ValueSize::of(&json!({ "tags": ["a", "b"] }));
/// assert_eq!((size.values, size.bytes), (4, r#"{"tags":["a","b"],},"#.len() as u64));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValueSize {
    /// The value itself and all values inside of it.
    pub values: u64,
    /// The bytes of its text, each item counted with a comma.
    pub bytes: u64,
}

/// The memory of a value without its text, about; for comparisons between sizes.
const WEIGHT: u64 = 64;

impl ValueSize {
    /// The most that one instance may have, unless a run says otherwise.
    pub const DEFAULT_LIMIT: Self = Self { values: 250_000, bytes: 64 * 1024 * 1024 };

    pub(crate) const NOTHING: Self = Self { values: 0, bytes: 0 };

    /// A digit.
    pub(crate) const SCALAR: Self = Self { values: 1, bytes: 1 };

    /// `[]`, `{}` or `""`.
    pub(crate) const CONTAINER: Self = Self { values: 1, bytes: 2 };

    /// `null` or `true`.
    pub(crate) const WORD: Self = Self { values: 1, bytes: 4 };

    /// The size of `value`.
    #[must_use]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Null | Value::Bool(_) => Self::WORD,
            Value::Number(number) => Self { values: 1, bytes: number.as_str().len() as u64 },
            Value::String(text) => Self::text(text.len()),
            Value::Array(items) => {
                let items = items.iter().map(|item| Self::of(item).item());
                items.fold(Self::CONTAINER, Self::plus)
            }
            Value::Object(members) => {
                let members =
                    members.iter().map(|(name, value)| Self::of(value).named(name).item());
                members.fold(Self::CONTAINER, Self::plus)
            }
        }
    }

    /// The size of a string of so many bytes.
    pub(crate) fn text(length: usize) -> Self {
        Self { values: 1, bytes: (length as u64).saturating_add(2) }
    }

    /// The same behind the name of a property.
    pub(crate) fn named(self, name: &str) -> Self {
        // Quotes and a colon.
        Self { bytes: self.bytes.saturating_add(name.len() as u64 + 3), ..self }
    }

    /// The same with a comma.
    pub(crate) fn item(self) -> Self {
        Self { bytes: self.bytes.saturating_add(1), ..self }
    }

    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            values: self.values.saturating_add(other.values),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }

    pub(crate) fn times(self, count: usize) -> Self {
        let count = count as u64;
        Self { values: self.values.saturating_mul(count), bytes: self.bytes.saturating_mul(count) }
    }

    /// About the memory it takes.
    pub(crate) fn weight(self) -> u64 {
        self.values.saturating_mul(WEIGHT).saturating_add(self.bytes)
    }

    /// The one that takes less memory.
    pub(crate) fn lighter(self, other: Self) -> Self {
        if other.weight() < self.weight() { other } else { self }
    }

    /// Whether neither number is above that of `limit`.
    #[must_use]
    pub fn fits(self, limit: Self) -> bool {
        self.values <= limit.values && self.bytes <= limit.bytes
    }
}

impl fmt::Display for ValueSize {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let at_least = |number: u64, singular: &str| match number {
            u64::MAX => format!("over 10^19 {singular}s"),
            number => wording::count(number, singular),
        };
        write!(formatter, "{} and {}", at_least(self.values, "value"), at_least(self.bytes, "byte"))
    }
}

/// What a draw may still add to the least value of its plan.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Slack {
    values: i64,
    bytes: i64,
    /// What is left is little, below these numbers.
    low: (i64, i64),
}

/// From which part of the limit on the rest is for what is required.
const LOW: i64 = 8;

impl Slack {
    /// What `limit` leaves beside `least`; nothing if `least` is larger.
    pub(crate) fn of(limit: ValueSize, least: ValueSize) -> Option<Self> {
        if !least.fits(limit) {
            return None;
        }
        let values = signed(limit.values - least.values);
        let bytes = signed(limit.bytes - least.bytes);
        let low = (signed(limit.values) / LOW, signed(limit.bytes) / LOW);
        // A least value that takes most of the limit leaves little from the start, which is no reason for dull ones.
        let low = (low.0.min(values / LOW), low.1.min(bytes / LOW));
        Some(Self { values, bytes, low })
    }

    /// Takes what `cost` is more than `counted`, which is accounted for; `false`, and nothing is taken, if there is not so
    /// much.
    #[inline]
    pub(crate) fn spend(&mut self, cost: ValueSize, counted: ValueSize) -> bool {
        let values =
            self.values.saturating_sub(signed(cost.values).saturating_sub(signed(counted.values)));
        let bytes =
            self.bytes.saturating_sub(signed(cost.bytes).saturating_sub(signed(counted.bytes)));
        let is_enough = values >= 0 && bytes >= 0;
        if is_enough {
            (self.values, self.bytes) = (values, bytes);
        }
        is_enough
    }

    /// Gives back what was accounted for.
    pub(crate) fn refund(&mut self, counted: ValueSize) {
        self.values = self.values.saturating_add(signed(counted.values));
        self.bytes = self.bytes.saturating_add(signed(counted.bytes));
    }

    /// Whether only what is required should be drawn from here on.
    #[inline]
    pub(crate) fn is_low(self) -> bool {
        self.values < self.low.0 || self.bytes < self.low.1
    }
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}
