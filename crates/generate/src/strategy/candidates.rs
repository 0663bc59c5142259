//! Lists of candidates for one value, the simplest or most promising first.

use foolproof_contract::json_equal;
use serde_json::{Map, Value};

use super::{
    number, order,
    path::{self, PathSegment},
    schema_hints::{SchemaHints, SchemaNodes},
};

/// How many parts of a value are tried instead of it.
const MAX_HOISTED: usize = 48;
/// The largest object whose members are left out in pairs.
const MAX_PAIRED: usize = 12;
/// Names that may replace another.
const NAMES: [&str; 6] = ["", "a", "b", "c", "d", "e"];
/// The longest piece that is cut out of a string at every position, and the longest such string.
const MAX_PIECE: usize = 16;
const MAX_CUT_STRING: usize = 64;

/// The simplest values of all.
pub(super) fn constants() -> Vec<Value> {
    vec![
        Value::Null,
        Value::Bool(false),
        Value::from(0),
        Value::String(String::new()),
        Value::Array(Vec::new()),
        Value::Object(Map::new()),
    ]
}

/// The values at `path` in values that are known to be simple.
pub(super) fn simple_parts(simple_values: &[Value], path: &[PathSegment]) -> Vec<Value> {
    let find = |simple| {
        path.iter().try_fold(simple, |value: &Value, step| match step {
            PathSegment::Member(name) => value.as_object()?.get(name),
            // Items are mostly alike: the first is used where this one is missing.
            PathSegment::Item(index) => {
                let items = value.as_array()?;
                items.get(*index).or(items.first())
            }
        })
    };
    simple_values.iter().filter_map(find).cloned().collect()
}

/// The array with every item replaced by its smallest: one candidate instead of one for each item.
pub(super) fn uniform(value: &Value) -> Option<Value> {
    let items = value.as_array().filter(|items| items.len() > 1)?;
    let smallest = items.iter().min_by_key(|item| (path::count(item), item.to_string().len()))?;
    Some(Value::Array(vec![smallest.clone(); items.len()]))
}

/// The array in order, or at least with two neighbours in order.
pub(super) fn ordered(hints: &SchemaHints, nodes: &SchemaNodes, value: &Value) -> Vec<Value> {
    let Some(items) = value.as_array() else {
        return Vec::new();
    };
    let swapped = (1..items.len()).map(|index| {
        let mut items = items.clone();
        items.swap(index - 1, index);
        items
    });
    let sorted = order::sorted(hints, nodes, items);
    std::iter::once(sorted).chain(swapped).map(Value::Array).collect()
}

/// The string without a piece, at every position and of every length: where a pattern repeats itself,
/// the piece that can be left out need not be a half or a quarter of the string.
pub(super) fn without_pieces(value: &Value) -> Vec<Value> {
    let characters: Vec<char> = value.as_str().unwrap_or_default().chars().collect();
    let length = characters.len();
    if length > MAX_CUT_STRING {
        return Vec::new();
    }
    let pieces = (2..=MAX_PIECE.min(length))
        .rev()
        .flat_map(|size| (0..=length - size).rev().map(move |start| start..start + size));
    let cut = |piece: std::ops::Range<usize>| {
        Value::String(characters[..piece.start].iter().chain(&characters[piece.end..]).collect())
    };
    pieces.map(cut).collect()
}

/// Parts of a value, small ones first: what is left of a recursive value without its outer layers.
pub(super) fn hoisted(value: &Value) -> Vec<Value> {
    let mut parts: Vec<(usize, &Value)> =
        path::parts(value).skip(1).map(|(_, part)| (path::count(part), part)).collect();
    parts.sort_by_key(|(count, _)| *count);
    parts.dedup();
    spaced(parts.len()).into_iter().map(|index| parts[index].1.clone()).collect()
}

/// Up to [`MAX_HOISTED`] indices below `length`: dense at the start, the last included.
fn spaced(length: usize) -> Vec<usize> {
    let mut indices = Vec::new();
    let mut next = 0;
    while next < length && indices.len() < MAX_HOISTED {
        indices.push(next);
        next += 1 + next / 12;
    }
    if length > 0 && indices.last() != Some(&(length - 1)) {
        indices.push(length - 1);
    }
    indices
}

/// The listed values before this one.
pub(super) fn earlier_choices(
    hints: &SchemaHints,
    nodes: &SchemaNodes,
    value: &Value,
) -> Vec<Value> {
    let choices = hints.choices(nodes);
    let before = choices.iter().position(|choice| json_equal(choice, value)).unwrap_or(0);
    choices[..before].iter().map(|choice| (*choice).clone()).collect()
}

/// Numbers with fewer decimal places, or without the sign.
pub(super) fn rounded(value: &Value) -> Vec<Value> {
    let Some(number) = value.as_number().and_then(number::read) else {
        return Vec::new();
    };
    let opposite = number.is_negative().then(|| number.negated());
    let rounded = (0..number.places()).filter_map(|places| number.rounded(places)).flatten();
    // The same number may be simpler in plain notation.
    let numbers = opposite.into_iter().chain(rounded).chain([number.clone()]);
    numbers.map(|number| Value::Number(number.write())).collect()
}

/// The object without two of its members: some can only be removed together.
pub(super) fn without_pairs(value: &Value) -> Vec<Value> {
    let Some(members) = value.as_object().filter(|members| members.len() <= MAX_PAIRED) else {
        return Vec::new();
    };
    let names: Vec<&String> = members.keys().collect();
    let pairs = names.iter().enumerate().flat_map(|(index, first)| {
        names[index + 1..].iter().map(|second| [(*first).clone(), (*second).clone()])
    });
    pairs.map(|pair| crate::repair::without(members, &pair)).collect()
}

/// The object with a simpler name for one of the undeclared members.
pub(super) fn renamed(hints: &SchemaHints, nodes: &SchemaNodes, value: &Value) -> Vec<Value> {
    let Some(members) = value.as_object() else {
        return Vec::new();
    };
    let free = |name: &String| !members.contains_key(name);
    let undeclared = members.keys().filter(|name| !hints.declares(nodes, name));
    undeclared
        .flat_map(|name| simpler_names(name).into_iter().filter(free).map(move |new| (name, new)))
        .map(|(old, new)| rename(members, old, &new))
        .collect()
}

fn simpler_names(name: &str) -> Vec<String> {
    let shorter: String = name.chars().take(name.chars().count().saturating_sub(1)).collect();
    let plain: String = name.chars().map(plain_of_kind).collect();
    NAMES.iter().map(|name| (*name).to_owned()).chain([shorter, plain]).collect()
}

fn rename(members: &Map<String, Value>, old: &str, new: &str) -> Value {
    let renamed = members.iter().map(|(name, member)| {
        let name = if name == old { new } else { name };
        (name.to_owned(), member.clone())
    });
    Value::Object(renamed.collect())
}

/// The plainest character of all.
pub(super) fn plainest(_: char) -> char {
    'a'
}

/// The plainest character of the same kind, which patterns usually distinguish.
pub(super) fn plain_of_kind(character: char) -> char {
    match character {
        '0'..='9' => '0',
        'A'..='Z' => 'A',
        _ if character.is_alphabetic() => 'a',
        _ => character,
    }
}
