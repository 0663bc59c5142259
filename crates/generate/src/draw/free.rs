//! Values about which a contract says no more than their type.
//!
//! Numbers and strings are those of the sets without bounds, so that magnitudes, signs and lengths vary as they do
//! elsewhere. Nothing asks for the inside of arrays and objects: they hold a few scalars.

use std::sync::LazyLock;

use foolproof_contract::{IntegerShape, JsonType, NumberShape, StringShape};
use serde_json::{Map, Value};

use crate::{
    Integers, Numbers, Source, Strings,
    words::{WORDS, any_of},
};

static INTEGERS: LazyLock<Integers> = LazyLock::new(|| Integers::compile(&IntegerShape::default()));
static NUMBERS: LazyLock<Numbers> = LazyLock::new(|| Numbers::compile(&NumberShape::default()));
static STRINGS: LazyLock<Strings> = LazyLock::new(|| Strings::compile(&StringShape::default()));

/// The types of the values inside of arrays and objects.
const SCALARS: [JsonType; 5] =
    [JsonType::Integer, JsonType::String, JsonType::Boolean, JsonType::Number, JsonType::Null];

/// How many values an array or an object has inside, mostly none.
const SIZES: [usize; 12] = [0, 0, 0, 0, 0, 1, 1, 2, 2, 3, 4, 8];

/// A scalar of the type `kind`; null for a type that is none.
pub(super) fn scalar(kind: JsonType, source: &mut impl Source) -> Value {
    match kind {
        JsonType::Boolean => Value::Bool(source.chance(1, 2)),
        JsonType::Integer => INTEGERS.draw(source).map_or(Value::Null, Value::Number),
        JsonType::Number => NUMBERS.draw(source).map_or(Value::Null, Value::Number),
        JsonType::String => STRINGS.draw(source).map_or(Value::Null, Value::String),
        JsonType::Null | JsonType::Array | JsonType::Object => Value::Null,
    }
}

/// An array of a few scalars.
pub(super) fn array(budget: usize, source: &mut impl Source) -> Value {
    let length = *source.pick(&SIZES).min(&budget);
    (0..length).map(|_| any_scalar(source)).collect()
}

/// An object with a few scalars.
pub(super) fn object(budget: usize, source: &mut impl Source) -> Value {
    let length = *source.pick(&SIZES).min(&budget);
    let member = |_| (any_of(WORDS, source).to_owned(), any_scalar(source));
    Value::Object((0..length).map(member).collect::<Map<String, Value>>())
}

fn any_scalar(source: &mut impl Source) -> Value {
    let kind = *source.pick(&SCALARS);
    scalar(kind, source)
}
