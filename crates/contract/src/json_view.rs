//! Values as they are read, whatever memory they are in.
//!
//! A value that was parsed is a [`Value`]; one that is being generated is in a [`JsonArena`], which is reused
//! from instance to instance. Whatever only reads values, such as the oracle, reads a [`JsonView`], and so reads both.

use std::{borrow::Cow, ptr, slice};

use jsonschema::json::JsonNumber;
use serde_json::{Map, Number, Value, map};

use crate::json_equal;

mod arena;
mod compact;
mod representation;

pub use arena::{ArenaMark, ArenaValue, JsonArena, JsonName};
use arena::{Node, Slot};
pub use compact::write_json;
pub(crate) use representation::Views;

/// A value that can be read. Cheap to copy.
///
/// ```
/// use foolproof_contract::{JsonKind, JsonView};
/// use serde_json::json;
///
/// let value = json!({ "sizes": [1, 2] });
/// let JsonKind::Object(members) = JsonView::from(&value).kind() else { unreachable!() };
/// let JsonKind::Array(sizes) = members.get("sizes").unwrap().kind() else { unreachable!() };
/// assert_eq!(sizes.iter().map(|size| size.to_value().into_owned()).collect::<Vec<_>>(), [1, 2]);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JsonView<'a>(Place<'a>);

/// Where the value is.
#[derive(Clone, Copy, Debug)]
enum Place<'a> {
    Value(&'a Value),
    /// A string that is not in a value, such as the name of a property.
    Text(&'a str),
    /// Never of a value that is elsewhere: `JsonView::of_slot` gives that itself.
    Slot(&'a JsonArena<'a>, &'a Slot<'a>),
}

/// A value by its type.
#[derive(Clone, Copy, Debug)]
pub enum JsonKind<'a> {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number.
    Number(NumberView<'a>),
    /// A string.
    String(&'a str),
    /// An array.
    Array(ArrayView<'a>),
    /// An object.
    Object(ObjectView<'a>),
}

/// A number that can be read.
#[derive(Clone, Copy, Debug)]
pub enum NumberView<'a> {
    /// A number of a [`Value`].
    Number(&'a Number),
    /// An integer that is not written yet.
    Integer(i64),
    /// A number as it is written.
    Digits(&'a str),
}

impl NumberView<'_> {
    /// The number.
    #[must_use]
    pub fn to_number(&self) -> Cow<'_, Number> {
        match self {
            Self::Number(number) => Cow::Borrowed(number),
            Self::Integer(integer) => Cow::Owned(Number::from(*integer)),
            Self::Digits(digits) => {
                Cow::Owned(digits.parse().expect("an arena has the digits of numbers only"))
            }
        }
    }

    /// Whether it is written as an integer, and a machine word holds it.
    pub(crate) fn fits_integer(self) -> bool {
        self.as_i64().is_some() || self.as_u64().is_some()
    }

    /// Whether both are one number: `1` and `1.0` are.
    fn equals(self, other: NumberView<'_>) -> bool {
        if let (Some(left), Some(right)) = (self.as_i64(), other.as_i64()) {
            return left == right;
        }
        // Equal numbers have the same nearest `f64`.
        if self.as_f64() != other.as_f64() {
            return false;
        }
        let (left, right) = (self.to_number().into_owned(), other.to_number().into_owned());
        json_equal(&Value::Number(left), &Value::Number(right))
    }
}

/// An array that can be read.
#[derive(Clone, Copy, Debug)]
pub struct ArrayView<'a>(Items<'a>);

#[derive(Clone, Copy, Debug)]
enum Items<'a> {
    Values(&'a [Value]),
    Slots(&'a JsonArena<'a>, &'a [Slot<'a>]),
}

/// An object that can be read.
#[derive(Clone, Copy, Debug)]
pub struct ObjectView<'a>(Members<'a>);

#[derive(Clone, Copy, Debug)]
enum Members<'a> {
    Map(&'a Map<String, Value>),
    /// By name.
    Slots(&'a JsonArena<'a>, &'a [Slot<'a>]),
}

/// The number of properties up to which a search goes through them one by one.
const FEW: usize = 16;

impl<'a> From<&'a Value> for JsonView<'a> {
    #[inline]
    fn from(value: &'a Value) -> Self {
        Self(Place::Value(value))
    }
}

/// A string, which need not be in a value.
impl<'a> From<&'a str> for JsonView<'a> {
    #[inline]
    fn from(text: &'a str) -> Self {
        Self(Place::Text(text))
    }
}

impl<'a> JsonView<'a> {
    #[inline]
    fn of_slot(arena: &'a JsonArena<'a>, slot: &'a Slot<'a>) -> Self {
        match slot.value {
            Node::Listed(value) => Self(Place::Value(value)),
            Node::Owned(number) => Self(Place::Value(arena.owned(number))),
            Node::Null
            | Node::Bool(_)
            | Node::Integer(_)
            | Node::Number(_)
            | Node::Digits(_)
            | Node::Text(_)
            | Node::Array(_)
            | Node::Object(_) => Self(Place::Slot(arena, slot)),
        }
    }

    /// What the value is.
    #[inline]
    #[must_use]
    pub fn kind(self) -> JsonKind<'a> {
        match self.0 {
            Place::Value(value) => JsonKind::of(value),
            Place::Text(text) => JsonKind::String(text),
            Place::Slot(arena, slot) => match slot.value {
                Node::Null => JsonKind::Null,
                Node::Bool(is) => JsonKind::Bool(is),
                Node::Integer(integer) => JsonKind::Number(NumberView::Integer(integer)),
                Node::Number(number) => JsonKind::Number(NumberView::Number(number)),
                Node::Digits(span) => JsonKind::Number(NumberView::Digits(arena.text_at(span))),
                Node::Text(span) => JsonKind::String(arena.text_at(span)),
                Node::Listed(value) => JsonKind::of(value),
                Node::Owned(number) => JsonKind::of(arena.owned(number)),
                Node::Array(span) => {
                    JsonKind::Array(ArrayView(Items::Slots(arena, arena.slots(span))))
                }
                Node::Object(span) => {
                    JsonKind::Object(ObjectView(Members::Slots(arena, arena.slots(span))))
                }
            },
        }
    }

    /// The string, if it is one.
    #[inline]
    #[must_use]
    pub fn as_str(self) -> Option<&'a str> {
        match self.0 {
            Place::Value(Value::String(text)) => Some(text),
            Place::Text(text) => Some(text),
            Place::Slot(arena, &Slot { value: Node::Text(span), .. }) => Some(arena.text_at(span)),
            Place::Value(_) | Place::Slot(..) => None,
        }
    }

    /// The object, if it is one.
    #[inline]
    #[must_use]
    pub fn as_object(self) -> Option<ObjectView<'a>> {
        match self.0 {
            Place::Value(Value::Object(members)) => Some(ObjectView(Members::Map(members))),
            Place::Slot(arena, &Slot { value: Node::Object(span), .. }) => {
                Some(ObjectView(Members::Slots(arena, arena.slots(span))))
            }
            Place::Value(_) | Place::Text(_) | Place::Slot(..) => None,
        }
    }

    /// The array, if it is one.
    #[inline]
    #[must_use]
    pub fn as_array(self) -> Option<ArrayView<'a>> {
        match self.0 {
            Place::Value(Value::Array(items)) => Some(ArrayView(Items::Values(items))),
            Place::Slot(arena, &Slot { value: Node::Array(span), .. }) => {
                Some(ArrayView(Items::Slots(arena, arena.slots(span))))
            }
            Place::Value(_) | Place::Text(_) | Place::Slot(..) => None,
        }
    }

    /// The number, if it is one.
    #[inline]
    #[must_use]
    pub fn as_number(self) -> Option<NumberView<'a>> {
        match self.0 {
            Place::Value(Value::Number(number)) => Some(NumberView::Number(number)),
            Place::Slot(arena, slot) => match slot.value {
                Node::Integer(integer) => Some(NumberView::Integer(integer)),
                Node::Number(number) => Some(NumberView::Number(number)),
                Node::Digits(span) => Some(NumberView::Digits(arena.text_at(span))),
                Node::Null
                | Node::Bool(_)
                | Node::Text(_)
                | Node::Listed(_)
                | Node::Owned(_)
                | Node::Array(_)
                | Node::Object(_) => None,
            },
            Place::Value(_) | Place::Text(_) => None,
        }
    }

    /// `true` or `false`, if it is one of them.
    #[inline]
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.0 {
            Place::Value(Value::Bool(is)) | Place::Slot(_, Slot { value: Node::Bool(is), .. }) => {
                Some(*is)
            }
            Place::Value(_) | Place::Text(_) | Place::Slot(..) => None,
        }
    }

    /// The value: as it is, or copied from an arena.
    #[must_use]
    pub fn to_value(self) -> Cow<'a, Value> {
        if let Place::Value(value) = self.0 {
            return Cow::Borrowed(value);
        }
        Cow::Owned(match self.kind() {
            JsonKind::Null => Value::Null,
            JsonKind::Bool(is) => Value::Bool(is),
            JsonKind::Number(number) => Value::Number(number.to_number().into_owned()),
            JsonKind::String(text) => Value::String(text.to_owned()),
            JsonKind::Array(items) => {
                items.iter().map(|item| item.to_value().into_owned()).collect()
            }
            JsonKind::Object(members) => {
                let member =
                    |(name, value): (&str, Self)| (name.to_owned(), value.to_value().into_owned());
                Value::Object(members.iter().map(member).collect())
            }
        })
    }

    /// Where the value is in memory: other values that are part of the same one are elsewhere, unless they are equal.
    #[inline]
    #[must_use]
    pub fn address(self) -> usize {
        match self.0 {
            Place::Value(value) => ptr::from_ref(value).addr(),
            Place::Text(text) => text.as_ptr().addr(),
            Place::Slot(_, slot) => ptr::from_ref(slot).addr(),
        }
    }

    /// Whether both are the same value, as `enum`, `const` and `uniqueItems` compare ([`json_equal`]).
    #[must_use]
    pub fn equals(self, other: JsonView<'_>) -> bool {
        if let (Place::Value(left), Place::Value(right)) = (self.0, other.0) {
            return json_equal(left, right);
        }
        match (self.kind(), other.kind()) {
            (JsonKind::Null, JsonKind::Null) => true,
            (JsonKind::Bool(left), JsonKind::Bool(right)) => left == right,
            (JsonKind::Number(left), JsonKind::Number(right)) => left.equals(right),
            (JsonKind::String(left), JsonKind::String(right)) => left == right,
            (JsonKind::Array(left), JsonKind::Array(right)) => {
                left.len() == right.len()
                    && left.iter().zip(right.iter()).all(|(left, right)| left.equals(right))
            }
            (JsonKind::Object(left), JsonKind::Object(right)) => {
                // Both are in the order of their names.
                let is_same = |((left_name, left), (right_name, right)): (
                    (&str, JsonView<'_>),
                    (&str, JsonView<'_>),
                )| left_name == right_name && left.equals(right);
                left.len() == right.len() && left.iter().zip(right.iter()).all(is_same)
            }
            (
                JsonKind::Null
                | JsonKind::Bool(_)
                | JsonKind::Number(_)
                | JsonKind::String(_)
                | JsonKind::Array(_)
                | JsonKind::Object(_),
                _,
            ) => false,
        }
    }
}

impl<'a> JsonKind<'a> {
    #[inline]
    fn of(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(is) => Self::Bool(*is),
            Value::Number(number) => Self::Number(NumberView::Number(number)),
            Value::String(text) => Self::String(text),
            Value::Array(items) => Self::Array(ArrayView(Items::Values(items))),
            Value::Object(members) => Self::Object(ObjectView(Members::Map(members))),
        }
    }
}

impl<'a> ArrayView<'a> {
    /// The number of items.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        match self.0 {
            Items::Values(items) => items.len(),
            Items::Slots(_, items) => items.len(),
        }
    }

    /// Whether there is no item.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The item at `index`.
    #[inline]
    #[must_use]
    pub fn get(self, index: usize) -> Option<JsonView<'a>> {
        match self.0 {
            Items::Values(items) => items.get(index).map(JsonView::from),
            Items::Slots(arena, items) => {
                items.get(index).map(|slot| JsonView::of_slot(arena, slot))
            }
        }
    }

    /// The items in their order.
    #[inline]
    #[must_use]
    pub fn iter(self) -> ItemsIter<'a> {
        ItemsIter(match self.0 {
            Items::Values(items) => ItemsIn::Values(items.iter()),
            Items::Slots(arena, items) => ItemsIn::Slots(arena, items.iter()),
        })
    }
}

/// The items of an array.
#[derive(Clone, Debug)]
pub struct ItemsIter<'a>(ItemsIn<'a>);

#[derive(Clone, Debug)]
enum ItemsIn<'a> {
    Values(slice::Iter<'a, Value>),
    Slots(&'a JsonArena<'a>, slice::Iter<'a, Slot<'a>>),
}

impl<'a> Iterator for ItemsIter<'a> {
    type Item = JsonView<'a>;

    #[inline]
    fn next(&mut self) -> Option<JsonView<'a>> {
        match &mut self.0 {
            ItemsIn::Values(items) => items.next().map(JsonView::from),
            ItemsIn::Slots(arena, items) => items.next().map(|slot| JsonView::of_slot(arena, slot)),
        }
    }
}

impl<'a> ObjectView<'a> {
    /// The number of properties.
    #[inline]
    #[must_use]
    pub fn len(self) -> usize {
        match self.0 {
            Members::Map(members) => members.len(),
            Members::Slots(_, members) => members.len(),
        }
    }

    /// Whether there is no property.
    #[inline]
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The value of the property `name`.
    #[inline]
    #[must_use]
    pub fn get(self, name: &str) -> Option<JsonView<'a>> {
        match self.0 {
            Members::Map(members) => members.get(name).map(JsonView::from),
            Members::Slots(arena, members) => {
                let slot = if members.len() <= FEW {
                    members.iter().find(|slot| slot.name() == name)?
                } else {
                    let place = members.binary_search_by(|slot| slot.name().cmp(name)).ok()?;
                    &members[place]
                };
                Some(JsonView::of_slot(arena, slot))
            }
        }
    }

    /// Whether there is a property `name`.
    #[inline]
    #[must_use]
    pub fn contains_key(self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// The names and values of the properties, by name.
    #[inline]
    #[must_use]
    pub fn iter(self) -> MembersIter<'a> {
        MembersIter(match self.0 {
            Members::Map(members) => MembersIn::Map(members.iter()),
            Members::Slots(arena, members) => MembersIn::Slots(arena, members.iter()),
        })
    }

    /// The names of the properties, in their order.
    pub fn keys(self) -> impl Iterator<Item = &'a str> {
        self.iter().map(|(name, _)| name)
    }
}

/// The properties of an object.
#[derive(Clone, Debug)]
pub struct MembersIter<'a>(MembersIn<'a>);

#[derive(Clone, Debug)]
enum MembersIn<'a> {
    Map(map::Iter<'a>),
    Slots(&'a JsonArena<'a>, slice::Iter<'a, Slot<'a>>),
}

impl<'a> Iterator for MembersIter<'a> {
    type Item = (&'a str, JsonView<'a>);

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.0 {
            MembersIn::Map(members) => {
                members.next().map(|(name, value)| (name.as_str(), JsonView::from(value)))
            }
            MembersIn::Slots(arena, members) => {
                members.next().map(|slot| (slot.name(), JsonView::of_slot(arena, slot)))
            }
        }
    }
}

#[cfg(test)]
mod tests;
