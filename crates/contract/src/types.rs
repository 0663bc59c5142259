//! The types of JSON values, and sets of them.

use std::ops::{BitAnd, BitOr};

use serde_json::{Map, Value};

use crate::{JsonKind, JsonView};

/// The types of JSON values; an integer is a number without a fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum JsonType {
    /// `null`.
    Null,
    /// `true` and `false`.
    Boolean,
    /// A number without a fraction.
    Integer,
    /// Any number.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl JsonType {
    /// Every type; integers are numbers, so they are there twice.
    const ALL: [Self; 7] = [
        Self::Null,
        Self::Boolean,
        Self::Integer,
        Self::Number,
        Self::String,
        Self::Array,
        Self::Object,
    ];

    /// What `type` calls it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
        }
    }

    pub(crate) fn from_library(library: jsonschema::JsonType) -> Self {
        match library {
            jsonschema::JsonType::Null => Self::Null,
            jsonschema::JsonType::Boolean => Self::Boolean,
            jsonschema::JsonType::Integer => Self::Integer,
            jsonschema::JsonType::Number => Self::Number,
            jsonschema::JsonType::String => Self::String,
            jsonschema::JsonType::Array => Self::Array,
            jsonschema::JsonType::Object => Self::Object,
        }
    }

    /// The type that `type` calls `name`.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|json_type| json_type.as_str() == name)
    }
}

/// A set of types. Integers are a part of the numbers.
///
/// ```
/// use foolproof_contract::{JsonType, TypeSet};
/// use serde_json::json;
///
/// let schema = json!({ "type": ["string", "number", "integer"] });
/// let types = TypeSet::declared(schema.as_object().unwrap());
/// assert_eq!(types.iter().collect::<Vec<_>>(), [JsonType::Number, JsonType::String]);
/// assert!(types.contains(JsonType::Integer) && !types.overlaps(TypeSet::OBJECT));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TypeSet(u8);

impl TypeSet {
    /// No type.
    pub const NONE: Self = Self(0);
    /// Every type.
    pub const ALL: Self = Self(0b111_1111);
    /// Integers only.
    pub const INTEGER: Self = Self::only(JsonType::Integer);
    /// Numbers, integers included.
    pub const NUMBER: Self = Self::only(JsonType::Number);
    /// Strings.
    pub const STRING: Self = Self::only(JsonType::String);
    /// Arrays.
    pub const ARRAY: Self = Self::only(JsonType::Array);
    /// Objects.
    pub const OBJECT: Self = Self::only(JsonType::Object);

    /// The values of one type.
    #[must_use]
    pub const fn only(json_type: JsonType) -> Self {
        Self(match json_type {
            JsonType::Null => 1,
            JsonType::Boolean => 1 << 1,
            JsonType::Integer => 1 << 2,
            // Those with a fraction, and integers.
            JsonType::Number => 0b1100,
            JsonType::String => 1 << 4,
            JsonType::Array => 1 << 5,
            JsonType::Object => 1 << 6,
        })
    }

    /// What `type` admits; a name that is none admits everything, since nothing is known of it.
    #[must_use]
    pub fn declared(schema: &Map<String, Value>) -> Self {
        let named = |name: &str| JsonType::named(name).map_or(Self::ALL, Self::only);
        match schema.get("type") {
            Some(Value::String(name)) => named(name),
            Some(Value::Array(names)) => {
                names.iter().map(|name| name.as_str().map_or(Self::ALL, named)).collect()
            }
            _ => Self::ALL,
        }
    }

    /// The types that `value` may count as. `1.0` is an integer in some drafts only.
    #[must_use]
    pub fn of<'v>(value: impl Into<JsonView<'v>>) -> Self {
        Self::only(match value.into().kind() {
            JsonKind::Null => JsonType::Null,
            JsonKind::Bool(_) => JsonType::Boolean,
            JsonKind::Number(number) if number.fits_integer() => JsonType::Integer,
            JsonKind::Number(_) => JsonType::Number,
            JsonKind::String(_) => JsonType::String,
            JsonKind::Array(_) => JsonType::Array,
            JsonKind::Object(_) => JsonType::Object,
        })
    }

    /// The types that some of `values` may count as.
    #[must_use]
    pub fn of_all<'v>(values: impl IntoIterator<Item = &'v Value>) -> Self {
        values.into_iter().map(Self::of).collect()
    }

    /// Whether it has no type.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    /// Whether all values of `json_type` are in the set.
    #[must_use]
    pub fn contains(self, json_type: JsonType) -> bool {
        self & Self::only(json_type) == Self::only(json_type)
    }

    /// Whether the two have a type in common.
    #[must_use]
    pub fn overlaps(self, other: Self) -> bool {
        !(self & other).is_empty()
    }

    /// The set without the values of `json_type`.
    #[must_use]
    pub fn without(self, json_type: JsonType) -> Self {
        Self(self.0 & !Self::only(json_type).0)
    }

    /// The types, in the order of [`JsonType`]; of numbers and integers, the wider one.
    pub fn iter(self) -> impl Iterator<Item = JsonType> {
        JsonType::ALL.into_iter().filter(move |json_type| {
            let is_covered = *json_type == JsonType::Integer && self.contains(JsonType::Number);
            self.contains(*json_type) && !is_covered
        })
    }
}

impl FromIterator<JsonType> for TypeSet {
    fn from_iter<T: IntoIterator<Item = JsonType>>(types: T) -> Self {
        types.into_iter().map(Self::only).collect()
    }
}

impl FromIterator<TypeSet> for TypeSet {
    fn from_iter<T: IntoIterator<Item = TypeSet>>(sets: T) -> Self {
        sets.into_iter().fold(Self::NONE, BitOr::bitor)
    }
}

impl BitAnd for TypeSet {
    type Output = Self;

    fn bitand(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }
}

impl BitOr for TypeSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_a_part_of_the_numbers() {
        assert!(TypeSet::NUMBER.contains(JsonType::Integer));
        assert!(!TypeSet::INTEGER.contains(JsonType::Number));
        assert_eq!(TypeSet::NUMBER & TypeSet::INTEGER, TypeSet::INTEGER);
        assert_eq!(TypeSet::INTEGER.iter().collect::<Vec<_>>(), [JsonType::Integer]);
        assert_eq!(TypeSet::ALL.iter().count(), 6);
        assert!(TypeSet::ALL.iter().fold(TypeSet::ALL, TypeSet::without).is_empty());
    }

    #[test]
    fn an_unknown_name_admits_everything() {
        let schema = serde_json::json!({ "type": ["null", "any"] });
        assert_eq!(TypeSet::declared(schema.as_object().unwrap()), TypeSet::ALL);
    }
}
