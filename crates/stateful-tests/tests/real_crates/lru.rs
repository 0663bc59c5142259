//! `lru::LruCache` against a list of its entries, the least recently used one first.
//!
//! The capacity is generated: a cache of one entry and one that is never full have bugs of their own.

use std::num::NonZeroUsize;

use foolproof_stateful::stateful;
use lru::LruCache;

use crate::config;

type Cache = LruCache<u8, u16>;

/// The model.
#[derive(Debug)]
struct Model {
    capacity: usize,
    /// The least recently used one first.
    entries: Vec<(u8, u16)>,
}

impl Model {
    fn peek(&self, key: u8) -> Option<u16> {
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    fn pop(&mut self, key: u8) -> Option<u16> {
        let index = self.entries.iter().position(|(known, _)| *known == key)?;
        Some(self.entries.remove(index).1)
    }

    fn get(&mut self, key: u8) -> Option<u16> {
        let value = self.pop(key)?;
        self.entries.push((key, value));
        Some(value)
    }

    /// The entry that is replaced or evicted.
    fn push(&mut self, key: u8, value: u16) -> Option<(u8, u16)> {
        let replaced = self.pop(key).map(|old| (key, old));
        self.entries.push((key, value));
        replaced.or_else(|| self.shrink().pop())
    }

    /// The entries that are too many.
    fn shrink(&mut self) -> Vec<(u8, u16)> {
        let surplus = self.entries.len().saturating_sub(self.capacity);
        self.entries.drain(..surplus).collect()
    }

    fn pop_lru(&mut self) -> Option<(u8, u16)> {
        (!self.entries.is_empty()).then(|| self.entries.remove(0))
    }
}

fn capacity(entries: usize) -> NonZeroUsize {
    NonZeroUsize::new(entries).unwrap()
}

#[test]
fn a_cache_evicts_the_least_recently_used_entry() {
    stateful::<Model, Cache>()
        .given("capacity", 1..8_usize)
        .model(|capacity| Model { capacity, entries: Vec::new() })
        .sut_from(|model| LruCache::new(capacity(model.capacity)))
        .command("push", |c| {
            c.forall("key", 0..10_u8).forall("value", 0..100_u16).oracle(
                |(key, value), model| model.push(*key, *value),
                |(key, value), cache| cache.push(*key, *value),
            )
        })
        .command("get", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.get(*key), |key, cache| cache.get(key).copied())
        })
        .command("get_or_insert", |c| {
            c.forall("key", 0..10_u8).forall("value", 0..100_u16).oracle(
                |(key, value), model| {
                    model.get(*key).unwrap_or_else(|| {
                        model.push(*key, *value);
                        *value
                    })
                },
                |(key, value), cache| *cache.get_or_insert(*key, || *value),
            )
        })
        .command("peek", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.peek(*key), |key, cache| cache.peek(key).copied())
        })
        .command("demote", |c| {
            c.pick("key", keys).run(|key, model, cache| {
                let value = model.pop(key).unwrap();
                model.entries.insert(0, (key, value));
                cache.demote(&key);
            })
        })
        .command("pop", |c| {
            c.pick("key", keys).oracle(|key, model| model.pop(*key), |key, cache| cache.pop(key))
        })
        .command("pop_lru", |c| c.oracle(|(), model| model.pop_lru(), |(), cache| cache.pop_lru()))
        .command("pop_mru", |c| {
            c.oracle(|(), model| model.entries.pop(), |(), cache| cache.pop_mru())
        })
        .command("resize", |c| {
            c.forall("entries", 1..8_usize).run(|entries, model, cache| {
                model.capacity = entries;
                model.shrink();
                cache.resize(capacity(entries));
            })
        })
        .command("clear", |c| {
            c.run(|(), model, cache| {
                model.entries.clear();
                cache.clear();
            })
        })
        .invariant("the same entries in the same order", |model, cache| {
            let entries: Vec<_> = cache.iter().rev().map(|(key, value)| (*key, *value)).collect();
            if entries == model.entries { Ok(()) } else { Err(format!("it has {entries:?}")) }
        })
        .invariant("the same capacity", |model, cache| cache.cap().get() == model.capacity)
        .check(config())
        .unwrap();
}

fn keys(model: &Model) -> Vec<u8> {
    model.entries.iter().map(|(key, _)| *key).collect()
}
