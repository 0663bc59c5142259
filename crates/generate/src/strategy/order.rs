//! Which of two values is simpler.
//!
//! A value is simpler if it consists of fewer values; then if it has less text; then fewer decimal
//! places; then if the first leaf that differs is simpler. This order is well-founded, and replacing a
//! part by a simpler one makes the whole simpler, so shrinking ends.

use foolproof_contract::json_equal;
use serde_json::{Number, Value};

use super::{
    number::{self, Rank},
    path::{PathSegment, count},
    schema_hints::{SchemaHints, SchemaNodes},
};

/// Whether `new` is strictly simpler than `old`, where the schemas of `nodes` apply to both.
pub(super) fn is_simpler(
    hints: &SchemaHints,
    nodes: &SchemaNodes,
    new: &Value,
    old: &Value,
) -> bool {
    let by_count = count(new).cmp(&count(old));
    by_count.then_with(|| weigh(hints, nodes, new).cmp(&weigh(hints, nodes, old))).is_lt()
}

/// The items of an array that the schemas of `nodes` apply to, the simplest first.
pub(super) fn sorted(hints: &SchemaHints, nodes: &SchemaNodes, items: &[Value]) -> Vec<Value> {
    let weigh = |(index, item): (usize, &Value)| {
        let nodes = hints.step(nodes, &PathSegment::Item(index));
        (count(item), weigh(hints, &nodes, item), item.clone())
    };
    let mut weighed: Vec<_> = items.iter().enumerate().map(weigh).collect();
    weighed.sort_by(|left, right| (left.0, &left.1).cmp(&(right.0, &right.1)));
    weighed.into_iter().map(|(_, _, item)| item).collect()
}

/// The rank of a character: lowercase letters first, then digits, capitals, and the rest in the order
/// of Unicode.
pub(super) fn rank_of(character: char) -> u32 {
    match character {
        'a'..='z' => character as u32 - 'a' as u32,
        '0'..='9' => character as u32 - '0' as u32 + 26,
        'A'..='Z' => character as u32 - 'A' as u32 + 36,
        _ => character as u32 + 62,
    }
}

/// The character of a rank.
pub(super) fn character_of(rank: u32) -> Option<char> {
    match rank {
        0..26 => char::from_u32('a' as u32 + rank),
        26..36 => char::from_u32('0' as u32 + rank - 26),
        36..62 => char::from_u32('A' as u32 + rank - 36),
        _ => char::from_u32(rank - 62),
    }
}

#[derive(Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Weight {
    text: usize,
    places: usize,
    leaves: Vec<Leaf>,
}

/// Simpler kinds first. Values that the schema lists are ordered as listed, and come last: where both a
/// listed and another value are allowed, the other one can still shrink.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Leaf {
    Null,
    Boolean(bool),
    Number(Size),
    Text(Vec<u32>),
    Array,
    Object(Vec<Vec<u32>>),
    Listed(usize),
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    /// The rank, and the length of the text: of two notations, the shorter.
    Exact(Rank, usize),
    /// Too long to work with.
    Unwieldy(usize, String),
}

fn weigh(hints: &SchemaHints, nodes: &SchemaNodes, value: &Value) -> Weight {
    let mut weight = Weight::default();
    weight.add(hints, nodes, value);
    weight
}

impl Weight {
    fn add(&mut self, hints: &SchemaHints, nodes: &SchemaNodes, value: &Value) {
        let is_scalar = !value.is_array() && !value.is_object();
        let choices = if is_scalar { hints.choices(nodes) } else { Vec::new() };
        if let Some(index) = choices.iter().position(|choice| json_equal(choice, value)) {
            self.leaves.push(Leaf::Listed(index));
            return;
        }
        match value {
            Value::Null => self.leaves.push(Leaf::Null),
            Value::Bool(value) => self.leaves.push(Leaf::Boolean(*value)),
            Value::Number(number) => self.number(number),
            Value::String(text) => {
                let ranks = self.text(text);
                self.leaves.push(Leaf::Text(ranks));
            }
            Value::Array(items) => {
                self.leaves.push(Leaf::Array);
                for (index, item) in items.iter().enumerate() {
                    self.add(hints, &hints.step(nodes, &PathSegment::Item(index)), item);
                }
            }
            Value::Object(members) => {
                let names = members.keys().map(|name| self.text(name)).collect();
                self.leaves.push(Leaf::Object(names));
                for (name, member) in members {
                    self.add(hints, &hints.step(nodes, &PathSegment::Member(name.clone())), member);
                }
            }
        }
    }

    fn number(&mut self, number: &Number) {
        let text = number.to_string();
        let size = match number::read(number).as_ref().and_then(Rank::of) {
            Some(rank) => {
                self.places += rank.places;
                Size::Exact(rank, text.len())
            }
            None => Size::Unwieldy(text.len(), text),
        };
        self.leaves.push(Leaf::Number(size));
    }

    fn text(&mut self, text: &str) -> Vec<u32> {
        let ranks: Vec<u32> = text.chars().map(rank_of).collect();
        self.text += ranks.len();
        ranks
    }
}
