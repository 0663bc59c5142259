//! A cache with a bug, and the test that finds it.

use foolproof_stateful::{Config, Failure, Regressions, Statistics, stateful};

const CAPACITY: usize = 2;

/// The system: each entry has the time of its last use.
#[derive(Default)]
struct Cache {
    entries: Vec<(u8, u8, u64)>,
    time: u64,
}

impl Cache {
    fn put(&mut self, key: u8, value: u8) {
        self.time += 1;
        if let Some((_, old, _)) = self.entries.iter_mut().find(|(known, ..)| *known == key) {
            // The bug: the time of use stays as it was.
            *old = value;
            return;
        }
        if self.entries.len() == CAPACITY {
            let oldest = (0..CAPACITY).min_by_key(|index| self.entries[*index].2);
            oldest.map(|index| self.entries.swap_remove(index));
        }
        self.entries.push((key, value, self.time));
    }

    fn get(&mut self, key: u8) -> Option<u8> {
        self.time += 1;
        let (_, value, used) = self.entries.iter_mut().find(|(known, ..)| *known == key)?;
        *used = self.time;
        Some(*value)
    }
}

/// The model: entries in the order of their last use.
type Model = Vec<(u8, u8)>;

fn put(model: &mut Model, key: u8, value: u8) {
    model.retain(|(known, _)| *known != key);
    if model.len() == CAPACITY {
        model.remove(0);
    }
    model.push((key, value));
}

fn get(model: &mut Model, key: u8) -> Option<u8> {
    let index = model.iter().position(|(known, _)| *known == key)?;
    let entry = model.remove(index);
    model.push(entry);
    Some(entry.1)
}

/// Tests the cache against the model.
pub(super) fn check() -> Result<Statistics, Failure> {
    let config = Config { seed: Some(25), regressions: Regressions::Off, ..Config::default() };
    stateful::<Model, Cache>()
        .model(Model::new)
        .sut(Cache::default)
        .command("put", |c| {
            c.forall("key", 0..5_u8).forall("value", 0..100_u8).run(|(key, value), model, cache| {
                put(model, key, value);
                cache.put(key, value);
            })
        })
        .command("get", |c| {
            c.forall("key", 0..5_u8)
                .oracle(|key, model| get(model, *key), |key, cache| cache.get(*key))
        })
        .check(config)
}
