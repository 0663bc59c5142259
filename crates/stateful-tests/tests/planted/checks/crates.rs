//! Tests of published crates.

use std::collections::{BTreeMap, VecDeque};

use foolproof_stateful::{Config, stateful};
use proptest::prelude::*;

use super::super::{
    CheckResult, create,
    systems::{
        AbortKeepsRemovals, Channel, DatabaseBug, FragileCache, Records, ResizedCache,
        SavepointLosesWrite,
    },
};

/// The model of a cache.
#[derive(Debug)]
struct Cache {
    capacity: usize,
    /// The least recently used one first.
    entries: Vec<(u8, u16)>,
}

impl Cache {
    fn new(capacity: usize) -> Self {
        Self { capacity, entries: Vec::new() }
    }

    fn put(&mut self, key: u8, value: u16) -> Option<u16> {
        let old = self.pop(key);
        self.entries.push((key, value));
        self.evict();
        old
    }

    fn get(&mut self, key: u8) -> Option<u16> {
        let value = self.pop(key)?;
        self.entries.push((key, value));
        Some(value)
    }

    fn peek(&self, key: u8) -> Option<u16> {
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, value)| *value)
    }

    fn pop(&mut self, key: u8) -> Option<u16> {
        let index = self.entries.iter().position(|(known, _)| *known == key)?;
        Some(self.entries.remove(index).1)
    }

    fn pop_lru(&mut self) -> Option<(u8, u16)> {
        (!self.entries.is_empty()).then(|| self.entries.remove(0))
    }

    fn evict(&mut self) {
        let surplus = self.entries.len().saturating_sub(self.capacity);
        self.entries.drain(..surplus);
    }
}

pub(crate) fn resized_cache(config: Config) -> CheckResult {
    stateful::<Cache, ResizedCache>()
        .model(|| Cache::new(ResizedCache::CAPACITY))
        .sut(create)
        .command("put", |c| {
            c.forall("key", 0..10_u8).forall("value", any::<u16>()).oracle(
                |(key, value), model| model.put(*key, *value),
                |(key, value), cache| cache.put(*key, *value),
            )
        })
        .command("get", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.get(*key), |key, cache| cache.get(*key))
        })
        .command("peek", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.peek(*key), |key, cache| cache.peek(*key))
        })
        .command("pop", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.pop(*key), |key, cache| cache.pop(*key))
        })
        .command("resize", |c| {
            c.forall("capacity", 1..=8_usize).run(|capacity, model, cache| {
                model.capacity = capacity;
                model.evict();
                cache.resize(capacity);
            })
        })
        .invariant("same length", |model, cache| model.entries.len() == cache.len())
        .check(config)
}

pub(crate) fn fragile_cache(config: Config) -> CheckResult {
    stateful::<Cache, FragileCache>()
        .model(|| Cache::new(FragileCache::CAPACITY))
        .sut(create)
        .command("put", |c| {
            c.forall("key", 0..10_u8).forall("value", any::<u16>()).run(
                |(key, value), model, cache| {
                    model.put(key, value);
                    cache.put(key, value);
                },
            )
        })
        .command("get", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.get(*key), |key, cache| cache.get(*key))
        })
        .command("pop", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.pop(*key), |key, cache| cache.pop(*key))
        })
        .command("pop_lru", |c| c.oracle(|(), model| model.pop_lru(), |(), cache| cache.pop_lru()))
        .invariant("same length", |model, cache| model.entries.len() == cache.len())
        .check(config)
}

/// The model of a channel: the messages that wait, and whether it is closed.
type Messages = (VecDeque<u16>, bool);

pub(crate) fn channel(config: Config) -> CheckResult {
    stateful::<Messages, Channel>()
        .model(Messages::default)
        .sut(create)
        .command("send", |c| {
            c.forall("message", any::<u16>()).oracle(
                |message, (waiting, is_closed)| {
                    let is_accepted = !*is_closed && waiting.len() < Channel::CAPACITY;
                    waiting.extend(is_accepted.then_some(*message));
                    is_accepted
                },
                |message, channel| channel.send(*message),
            )
        })
        .command("receive", |c| {
            c.oracle(|(), (waiting, _)| waiting.pop_front(), |(), channel| channel.receive())
        })
        .command("len", |c| c.oracle(|(), (waiting, _)| waiting.len(), |(), channel| channel.len()))
        .command("close", |c| {
            c.oracle(
                |(), (_, is_closed)| !std::mem::replace(is_closed, true),
                |(), channel| channel.close(),
            )
        })
        .invariant("closed", |(_, is_closed), channel| *is_closed == channel.is_closed())
        .check(config)
}

pub(crate) fn savepoints(config: Config) -> CheckResult {
    records::<SavepointLosesWrite>(config)
}

pub(crate) fn aborts(config: Config) -> CheckResult {
    records::<AbortKeepsRemovals>(config)
}

type Rows = BTreeMap<u8, u16>;

/// The model of a database: what is committed, what the open transaction sees, and the savepoint.
#[derive(Debug, Default)]
struct Versions {
    committed: Rows,
    open: Option<Rows>,
    savepoint: Option<Rows>,
}

impl Versions {
    fn write(&mut self) -> &mut Rows {
        self.open.as_mut().expect("a transaction is open")
    }

    /// The keys that the open transaction can remove.
    fn keys(&self) -> Vec<u8> {
        self.open.iter().flat_map(BTreeMap::keys).copied().collect()
    }
}

fn records<B: DatabaseBug>(config: Config) -> CheckResult {
    stateful::<Versions, Records<B>>()
        .model(Versions::default)
        .sut(create)
        .command("begin", |c| {
            c.pre(|model, ()| model.open.is_none()).try_run(|(), model, records| {
                model.open = Some(model.committed.clone());
                records.begin()
            })
        })
        .command("insert", |c| {
            c.forall("key", 0..16_u8)
                .forall("value", any::<u16>())
                .pre(|model, _| model.open.is_some())
                .try_run(|(key, value), model, records| {
                    model.write().insert(key, value);
                    records.insert(key, value)
                })
        })
        .command("remove", |c| {
            c.pick("key", Versions::keys).try_run(|key, model, records| {
                model.write().remove(&key);
                records.remove(key)
            })
        })
        .command("commit", |c| {
            c.pre(|model, ()| model.open.is_some()).try_run(|(), model, records| {
                model.committed = model.open.take().unwrap_or_default();
                records.commit()
            })
        })
        .command("abort", |c| {
            c.pre(|model, ()| model.open.is_some()).try_run(|(), model, records| {
                model.open = None;
                records.abort()
            })
        })
        .command("savepoint", |c| {
            c.pre(|model, ()| model.open.is_none()).try_run(|(), model, records| {
                model.savepoint = Some(model.committed.clone());
                records.savepoint()
            })
        })
        .command("rollback", |c| {
            c.pre(|model, ()| model.open.is_none() && model.savepoint.is_some()).try_run(
                |(), model, records| {
                    model.committed = model.savepoint.clone().unwrap_or_default();
                    records.rollback()
                },
            )
        })
        .command("get", |c| {
            c.forall("key", 0..16_u8).try_run(|key, _, records| records.get(key)).post(
                |key, model, _, found| {
                    model.open.as_ref().unwrap_or(&model.committed).get(&key) == found.as_ref()
                },
            )
        })
        .check(config)
}
