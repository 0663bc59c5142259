//! `slotmap::SlotMap` against a `BTreeMap`. The map creates the keys, and no model can predict them: they
//! are results of steps, which later steps refer to.
//!
//! A slot is used again after its value was removed, with another version of the key. So a removed key is a
//! result too: it must never be found again.

use std::collections::BTreeMap;

use foolproof_stateful::stateful;
use slotmap::{DefaultKey, SlotMap};

use crate::config;

type Model = BTreeMap<DefaultKey, u16>;
type Slots = SlotMap<DefaultKey, u16>;

/// The commands that yield keys.
const PRODUCERS: [&str; 2] = ["insert", "insert several"];

#[test]
fn a_key_finds_its_value_until_it_is_removed() {
    stateful::<Model, Slots>()
        .model(BTreeMap::new)
        .sut(SlotMap::new)
        .command("insert", |c| {
            c.forall("value", 0..100_u16)
                .run(|value, model, slots| {
                    let key = slots.insert(value);
                    (key, model.insert(key, value))
                })
                .post(|_, _, _, (_, replaced)| replaced.is_none())
                .yields(|(key, _)| Some(*key))
        })
        .command("insert several", |c| {
            c.forall("count", 1..4_u16)
                .run(|count, model, slots| {
                    let keys: Vec<_> = (0..count).map(|value| slots.insert(value)).collect();
                    model.extend(keys.iter().copied().zip(0..));
                    keys
                })
                .yields(Clone::clone)
        })
        .command("get", |c| {
            c.returned::<DefaultKey>("key", PRODUCERS)
                .oracle(|key, model| model.get(key).copied(), |key, slots| slots.get(*key).copied())
        })
        .command("set", |c| {
            c.returned::<DefaultKey>("key", PRODUCERS).forall("value", 0..100_u16).oracle(
                |(key, value), model| model.get_mut(key).map(|old| std::mem::replace(old, *value)),
                |(key, value), slots| slots.get_mut(*key).map(|old| std::mem::replace(old, *value)),
            )
        })
        .command("swap", |c| {
            c.returned::<DefaultKey>("one", PRODUCERS)
                .returned::<DefaultKey>("other", PRODUCERS)
                .pre(|model, (one, other)| {
                    one != other && model.contains_key(one) && model.contains_key(other)
                })
                .run(|(one, other), model, slots| {
                    let (first, second) = (model[&one], model[&other]);
                    model.extend([(one, second), (other, first)]);
                    let [first, second] = slots.get_disjoint_mut([one, other]).unwrap();
                    std::mem::swap(first, second);
                })
        })
        .command("remove", |c| {
            c.consumed::<DefaultKey>("key", PRODUCERS)
                .run(|key, model, slots| (key, model.remove(&key), slots.remove(key)))
                .post(|_, _, _, (_, expected, removed)| expected == removed)
                .yields(|(key, ..)| Some(*key))
        })
        .command("get removed", |c| {
            c.returned::<DefaultKey>("key", "remove")
                .run(|key, _, slots| slots.get(key).copied())
                .post(|_, _, _, found| found.is_none())
        })
        .command("retain", |c| {
            c.forall("below", 0..100_u16).run(|below, model, slots| {
                model.retain(|_, value| *value < below);
                slots.retain(|_, value| *value < below);
            })
        })
        .command("clear", |c| c.run(|(), model, slots| (model.clear(), slots.clear())))
        .invariant("the same values", |model, slots| {
            model.len() == slots.len() && slots.iter().all(|(key, value)| model[&key] == *value)
        })
        .check(config())
        .unwrap();
}
