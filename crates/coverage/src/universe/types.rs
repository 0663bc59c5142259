//! Sets of types of values.

use std::ops::{BitAnd, BitOr};

use serde_json::{Map, Value};

/// A set of types. Whole numbers and others are told apart, as `type` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Types(u8);

impl Types {
    pub(super) const NONE: Self = Self(0);
    pub(crate) const ALL: Self = Self(0b111_1111);
    pub(super) const STRING: Self = Self(1 << 2);
    pub(super) const ARRAY: Self = Self(1 << 3);
    pub(super) const OBJECT: Self = Self(1 << 4);
    pub(super) const NUMBER: Self = Self(0b110_0000);
    const NULL: Self = Self(1);
    const BOOLEAN: Self = Self(1 << 1);
    pub(super) const INTEGER: Self = Self(1 << 5);

    pub(super) fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether the two have a type in common.
    pub(crate) fn meets(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// What `type` admits; a name that is none admits everything, since nothing is known of it.
    pub(crate) fn declared(schema: &Map<String, Value>) -> Self {
        match schema.get("type") {
            Some(Value::String(name)) => Self::named(name),
            Some(Value::Array(names)) => {
                let named = |name: &Value| name.as_str().map_or(Self::ALL, Self::named);
                names.iter().map(named).fold(Self::NONE, BitOr::bitor)
            }
            _ => Self::ALL,
        }
    }

    fn named(name: &str) -> Self {
        match name {
            "null" => Self::NULL,
            "boolean" => Self::BOOLEAN,
            "string" => Self::STRING,
            "array" => Self::ARRAY,
            "object" => Self::OBJECT,
            "integer" => Self::INTEGER,
            "number" => Self::NUMBER,
            _ => Self::ALL,
        }
    }

    /// The types that `value` may count as. `1.0` is whole in some drafts only.
    pub(crate) fn of(value: &Value) -> Self {
        match value {
            Value::Null => Self::NULL,
            Value::Bool(_) => Self::BOOLEAN,
            Value::Number(_) if value.is_i64() || value.is_u64() => Self::INTEGER,
            Value::Number(_) => Self::NUMBER,
            Value::String(_) => Self::STRING,
            Value::Array(_) => Self::ARRAY,
            Value::Object(_) => Self::OBJECT,
        }
    }

    pub(super) fn of_all<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        values.into_iter().map(Self::of).fold(Self::NONE, BitOr::bitor)
    }
}

impl BitAnd for Types {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for Types {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
