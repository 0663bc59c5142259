//! Views as the validator reads them.

use std::borrow::Cow;

use jsonschema::{
    JsonType,
    json::{Array, Json, JsonNumber, Node, NodeIdentity, Object},
};
use serde_json::{Number, Value};

use super::{
    ArrayView, Items, ItemsIter, JsonView, MembersIter, NumberView, ObjectView, Place,
    arena::Node as Slotted,
};

/// What a validator of [`JsonView`]s is compiled for.
#[derive(Debug)]
pub(crate) struct Views;

/// The number of items up to which all pairs are compared.
const FEW: usize = 16;

impl Json for Views {
    type Node<'a> = JsonView<'a>;
    type PreparedKey = Box<str>;
    type StringBuffer = ();

    // A lookup goes through the names, so that one pass instead of several lookups pays off soon.
    const KEYS_PER_LOOKUP: usize = 2;

    fn prepare_key(key: &str) -> Box<str> {
        key.into()
    }

    fn with_string_node<T>((): &mut (), string: &str, f: impl FnOnce(JsonView<'_>) -> T) -> T {
        f(JsonView::from(string))
    }
}

impl JsonNumber for NumberView<'_> {
    fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Number(number) => number.as_u64(),
            Self::Integer(integer) => u64::try_from(*integer).ok(),
            Self::Digits(digits) => digits.parse().ok(),
        }
    }

    fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.as_i64(),
            Self::Integer(integer) => Some(*integer),
            Self::Digits(digits) => digits.parse().ok(),
        }
    }

    fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.as_f64(),
            #[expect(clippy::cast_precision_loss, reason = "the nearest is what reading it gives")]
            Self::Integer(integer) => Some(*integer as f64),
            Self::Digits(digits) => digits.parse().ok().filter(|number: &f64| number.is_finite()),
        }
    }

    fn as_str(&self) -> Cow<'_, str> {
        match self {
            Self::Number(number) => Cow::Borrowed(Number::as_str(number)),
            Self::Integer(integer) => Cow::Owned(integer.to_string()),
            Self::Digits(digits) => Cow::Borrowed(digits),
        }
    }

    fn to_number(&self) -> Cow<'_, Number> {
        NumberView::to_number(self)
    }

    fn is_integer(&self) -> bool {
        match self {
            Self::Number(number) => JsonNumber::is_integer(number),
            Self::Integer(_) => true,
            Self::Digits(digits) => {
                !digits.contains(['.', 'e', 'E']) || JsonNumber::is_integer(&*self.to_number())
            }
        }
    }

    fn is_written_as_integer(&self) -> bool {
        match self {
            Self::Number(number) => JsonNumber::is_written_as_integer(number),
            Self::Integer(_) => true,
            Self::Digits(digits) => !digits.contains(['.', 'e', 'E']),
        }
    }
}

impl<'a> Node<'a, Views> for JsonView<'a> {
    type Object = ObjectView<'a>;
    type Array = ArrayView<'a>;
    type Number = NumberView<'a>;

    #[inline]
    fn as_object(&self) -> Option<ObjectView<'a>> {
        JsonView::as_object(*self)
    }

    #[inline]
    fn as_array(&self) -> Option<ArrayView<'a>> {
        JsonView::as_array(*self)
    }

    #[inline]
    fn as_string(&self) -> Option<Cow<'a, str>> {
        self.as_str().map(Cow::Borrowed)
    }

    #[inline]
    fn as_number(&self) -> Option<NumberView<'a>> {
        JsonView::as_number(*self)
    }

    #[inline]
    fn as_boolean(&self) -> Option<bool> {
        self.as_bool()
    }

    #[inline]
    fn is_null(&self) -> bool {
        self.json_type() == JsonType::Null
    }

    #[inline]
    fn json_type(&self) -> JsonType {
        match self.0 {
            Place::Value(value) => type_of(value),
            Place::Text(_) => JsonType::String,
            Place::Slot(arena, slot) => match slot.value {
                Slotted::Null => JsonType::Null,
                Slotted::Bool(_) => JsonType::Boolean,
                Slotted::Integer(_) | Slotted::Number(_) | Slotted::Digits(_) => JsonType::Number,
                Slotted::Text(_) => JsonType::String,
                Slotted::Array(_) => JsonType::Array,
                Slotted::Object(_) => JsonType::Object,
                Slotted::Listed(value) => type_of(value),
                Slotted::Owned(number) => type_of(arena.owned(number)),
            },
        }
    }

    fn string_length(&self) -> Option<u64> {
        self.as_str().map(|text| bytecount::num_chars(text.as_bytes()) as u64)
    }

    fn equals_value(&self, expected: &Value) -> bool {
        self.equals(JsonView::from(expected))
    }

    fn to_value(&self) -> Cow<'a, Value> {
        JsonView::to_value(*self)
    }

    #[inline]
    fn identity(&self) -> Option<NodeIdentity> {
        Some(NodeIdentity::new(self.address()))
    }
}

fn type_of(value: &Value) -> JsonType {
    match value {
        Value::Null => JsonType::Null,
        Value::Bool(_) => JsonType::Boolean,
        Value::Number(_) => JsonType::Number,
        Value::String(_) => JsonType::String,
        Value::Array(_) => JsonType::Array,
        Value::Object(_) => JsonType::Object,
    }
}

impl<'a> Object<'a, Views> for ObjectView<'a> {
    type Node = JsonView<'a>;
    type MemberName = &'a str;
    type MembersIter = MembersIter<'a>;

    #[inline]
    fn len(&self) -> usize {
        ObjectView::len(*self)
    }

    #[inline]
    fn get(&self, key: &Box<str>) -> Option<JsonView<'a>> {
        ObjectView::get(*self, key)
    }

    #[inline]
    fn members(&self) -> MembersIter<'a> {
        self.iter()
    }
}

impl<'a> Array<'a, Views> for ArrayView<'a> {
    type Node = JsonView<'a>;
    type ElementsIter = ItemsIter<'a>;

    #[inline]
    fn len(&self) -> usize {
        ArrayView::len(*self)
    }

    #[inline]
    fn elements(&self) -> ItemsIter<'a> {
        self.iter()
    }

    fn is_unique(&self) -> bool {
        if let Items::Values(items) = self.0 {
            return jsonschema_value::unique::is_unique(items);
        }
        if self.len() > FEW {
            let items: Vec<Cow<'_, Value>> = self.iter().map(JsonView::to_value).collect();
            return jsonschema_value::unique::is_unique(&items);
        }
        let is_new = |(place, item): (usize, JsonView<'_>)| {
            !self.iter().take(place).any(|before| before.equals(item))
        };
        self.iter().enumerate().all(is_new)
    }
}
