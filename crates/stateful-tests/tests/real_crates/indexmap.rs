//! `indexmap::IndexMap`, a map that keeps its order, against a list of pairs.
//!
//! Commands that differ in one call are built by a function, as values.

use foolproof_stateful::{Command, stateful};
use indexmap::IndexMap;

use crate::config;

type Model = Vec<(u8, u16)>;
type Map = IndexMap<u8, u16>;

fn index_of(model: &Model, key: u8) -> Option<usize> {
    model.iter().position(|(known, _)| *known == key)
}

/// The index of `key`, and its old value.
fn insert(model: &mut Model, key: u8, value: u16) -> (usize, Option<u16>) {
    if let Some(index) = index_of(model, key) {
        return (index, Some(std::mem::replace(&mut model[index].1, value)));
    }
    model.push((key, value));
    (model.len() - 1, None)
}

/// A command that removes a key: the model by its index, the map by the key.
fn removal(
    name: &'static str,
    from_model: fn(&mut Model, usize) -> (u8, u16),
    from_map: fn(&mut Map, &u8) -> Option<u16>,
) -> Command<Model, Map> {
    Command::new(name, |c| {
        c.forall("key", 0..12_u8).oracle(
            move |key, model| index_of(model, *key).map(|index| from_model(model, index).1),
            move |key, map| from_map(map, key),
        )
    })
}

/// A command with two indices.
fn rearrangement(
    name: &'static str,
    of_model: fn(&mut Model, usize, usize),
    of_map: fn(&mut Map, usize, usize),
) -> Command<Model, Map> {
    Command::new(name, |c| {
        let indices = |model: &Model| 0..model.len();
        c.pick("from", indices).pick("to", indices).run(move |(from, to), model, map| {
            of_model(model, from, to);
            of_map(map, from, to);
        })
    })
}

#[test]
fn a_map_keeps_the_order_of_insertion() {
    stateful::<Model, Map>()
        .model(Vec::new)
        .sut(IndexMap::new)
        .command("insert_full", |c| {
            c.forall("key", 0..12_u8).forall("value", 0..100_u16).oracle(
                |(key, value), model| insert(model, *key, *value),
                |(key, value), map| map.insert_full(*key, *value),
            )
        })
        .command("entry", |c| {
            c.forall("key", 0..12_u8).forall("by", 1..9_u16).oracle(
                |(key, by), model| {
                    let old = index_of(model, *key).map_or(0, |index| model[index].1);
                    insert(model, *key, old + by);
                    old + by
                },
                |(key, by), map| *map.entry(*key).and_modify(|old| *old += by).or_insert(*by),
            )
        })
        .command("shift_insert", |c| {
            c.forall_with("index", |model| 0..=model.len())
                .forall("key", 0..12_u8)
                // The index of a key that is there must be one of an entry.
                .pre(|model, (index, key)| *index < model.len() || index_of(model, *key).is_none())
                .oracle(
                    |(index, key), model| {
                        let old = index_of(model, *key).map(|old| model.remove(old).1);
                        model.insert(*index, (*key, 7));
                        old
                    },
                    |(index, key), map| map.shift_insert(*index, *key, 7),
                )
        })
        .commands([
            removal("shift_remove", Vec::remove, IndexMap::shift_remove),
            removal("swap_remove", Vec::swap_remove, IndexMap::swap_remove),
            rearrangement("swap_indices", |model, a, b| model.swap(a, b), IndexMap::swap_indices),
            rearrangement(
                "move_index",
                |model, from, to| {
                    let entry = model.remove(from);
                    model.insert(to, entry);
                },
                IndexMap::move_index,
            ),
        ])
        .command("get_full", |c| {
            c.forall("key", 0..12_u8).oracle(
                |key, model| index_of(model, *key).map(|index| (index, model[index].1)),
                |key, map| map.get_full(key).map(|(index, _, value)| (index, *value)),
            )
        })
        .command("sort_keys", |c| {
            c.run(|(), model, map| {
                model.sort_by_key(|(key, _)| *key);
                map.sort_keys();
            })
        })
        .command("reverse", |c| c.run(|(), model, map| (model.reverse(), map.reverse())))
        .command("retain", |c| {
            c.forall("below", 50..100_u16).run(|below, model, map| {
                model.retain(|(_, value)| *value < below);
                map.retain(|_, value| *value < below);
            })
        })
        .invariant("the same entries in the same order", |model, map| {
            map.iter().map(|(key, value)| (*key, *value)).eq(model.iter().copied())
        })
        .invariant("every key is found", |model, map| {
            model.iter().all(|(key, value)| map.get(key) == Some(value))
        })
        .check(config())
        .unwrap();
}
