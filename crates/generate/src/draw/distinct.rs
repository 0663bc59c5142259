//! The items of an array of distinct items: whether a drawn one is there already, and which ones are not, where draws
//! only repeat those that are.

use std::collections::BTreeMap;

use foolproof_contract::{ArenaValue, JsonKind, JsonView, NumberView};
use serde_json::Value;

use super::{Draw, DrawMemory, PATIENCE, Room};
use crate::{
    Source,
    plan::NodeId,
    source::{GOLDEN, mixed},
};

/// The number of items up to which a drawn one is compared with each.
const FEW: usize = 32;

/// How many more are drawn of sets that are not listed.
const MORE_TRIES: usize = 400;

/// How deep values are read to tell them apart; deeper ones are compared.
const LEVELS: usize = 4;

/// What is known of the items of one array.
#[derive(Default)]
pub(super) struct DistinctItems {
    /// The places of items, by what equal items have in common.
    places: BTreeMap<u64, Vec<usize>>,
    /// How many items have a place.
    indexed: usize,
    /// For each node that draws repeat themselves of, values that may not be in the array.
    unused: Vec<(Option<NodeId>, Vec<Value>)>,
}

impl DistinctItems {
    /// Whether the array, whose items are those from `start` on, has an item that is equal.
    pub(super) fn contains(
        &mut self,
        memory: &DrawMemory<'_>,
        start: usize,
        item: ArenaValue<'_>,
    ) -> bool {
        let count = memory.items.len() - start;
        if count <= FEW {
            return memory.has_item(start, item);
        }
        while self.indexed < count {
            let key = memory.read(memory.items[start + self.indexed], |it| key(it, LEVELS));
            self.places.entry(key).or_default().push(self.indexed);
            self.indexed += 1;
        }
        let same = self.places.get(&memory.read(item, |item| key(item, LEVELS)));
        let mut same = same.into_iter().flatten();
        same.any(|place| memory.are_equal(memory.items[start + place], item))
    }
}

impl<'p, S: Source> Draw<'p, '_, S> {
    /// An item of `node` that the array, whose items are those from `start` on, lacks. `least` is how many it must have,
    /// and more than it has.
    // Apart from the usual draws, which stay small without it.
    #[inline(never)]
    pub(super) fn unused_item(
        &mut self,
        node: Option<NodeId>,
        start: usize,
        least: usize,
        distinct: &mut DistinctItems,
        room: Room,
    ) -> Option<ArenaValue<'p>> {
        let mark = self.memory.mark();
        let known = distinct.unused.iter().position(|(of, _)| *of == node);
        let place = known.unwrap_or_else(|| {
            distinct.unused.push((node, self.plan.listed(node, least)));
            distinct.unused.len() - 1
        });
        let is_listed = known.is_some() || !distinct.unused[place].1.is_empty();
        while !distinct.unused[place].1.is_empty() {
            let list = &mut distinct.unused[place].1;
            let value = list.swap_remove(self.source.index(list.len()));
            let item = self.memory.own(value)?;
            if !distinct.contains(self.memory, start, item) {
                return Some(item);
            }
            self.memory.release(mark);
        }
        if is_listed {
            return None;
        }
        (0..MORE_TRIES).find_map(|_| {
            if self.drawn > PATIENCE {
                return None;
            }
            self.memory.release(mark);
            let item = self.value(node?, room)?;
            (!distinct.contains(self.memory, start, item)).then_some(item)
        })
    }
}

/// What equal values have in common; different ones rarely have it.
fn key(value: JsonView<'_>, levels: usize) -> u64 {
    let join = |key: u64, part: u64| mixed(key.wrapping_mul(GOLDEN) ^ part);
    let of_text = |text: &str| text.bytes().fold(3, |key, byte| join(key, byte.into()));
    match value.kind() {
        JsonKind::Null => 0,
        JsonKind::Bool(is) => 1 + u64::from(is),
        JsonKind::Number(number) => join(4, of_number(&number)),
        JsonKind::String(text) => of_text(text),
        JsonKind::Array(items) => {
            let start = join(5, items.len() as u64);
            let Some(levels) = levels.checked_sub(1) else { return start };
            items.iter().fold(start, |joined, item| join(joined, key(item, levels)))
        }
        JsonKind::Object(members) => {
            let start = join(6, members.len() as u64);
            let Some(levels) = levels.checked_sub(1) else { return start };
            // In any order.
            let member = |(name, value)| join(of_text(name), key(value, levels));
            members.iter().map(member).fold(start, u64::wrapping_add)
        }
    }
}

/// Equal numbers have the same nearest `f64`.
fn of_number(number: &NumberView<'_>) -> u64 {
    #[expect(clippy::cast_precision_loss, reason = "the nearest is what reading it gives")]
    let nearest = match number {
        NumberView::Integer(integer) => Some(*integer as f64),
        NumberView::Number(_) | NumberView::Digits(_) => number.to_number().as_f64(),
    };
    // Zero has two signs.
    nearest.map_or(0, |nearest| (nearest + 0.0).to_bits())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn equal_values_have_one_key() {
        let key = |value: &Value| key(value.into(), LEVELS);
        let read = |text: &str| serde_json::from_str::<Value>(text).expect("it is JSON");
        for (left, right) in [
            ("1", "1.0"),
            ("100", "1e2"),
            ("0", "-0.0"),
            (r#"{ "a": 1, "b": [2] }"#, r#"{ "b": [2.0], "a": 1 }"#),
        ] {
            assert_eq!(key(&read(left)), key(&read(right)), "{left} and {right}");
        }
        let different = [json!(1), json!("1"), json!([1]), json!({ "1": 1 }), json!([[1]])];
        for (index, left) in different.iter().enumerate() {
            assert!(different[..index].iter().all(|right| key(left) != key(right)), "{left}");
        }
    }
}
