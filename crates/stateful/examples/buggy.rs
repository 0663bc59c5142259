//! A cache with a bug, and the report of the test that finds it.
//!
//! The cache evicts the least recently used entry. `get` counts as use; `put` of an existing key should
//! count too, and does not.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

use foolproof_stateful::{Config, Failure, FaultKind, Statistics, stateful};

const CAPACITY: usize = 2;

/// The system: each entry has the time of its last use.
#[derive(Default)]
struct Cache {
    entries: Vec<(u8, char, u64)>,
    time: u64,
}

impl Cache {
    fn put(&mut self, key: u8, value: char) {
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

    fn get(&mut self, key: u8) -> Option<char> {
        self.time += 1;
        let (_, value, used) = self.entries.iter_mut().find(|(known, ..)| *known == key)?;
        *used = self.time;
        Some(*value)
    }
}

/// The model: entries in the order of their last use.
type Model = Vec<(u8, char)>;

fn put(model: &mut Model, key: u8, value: char) {
    model.retain(|(known, _)| *known != key);
    if model.len() == CAPACITY {
        model.remove(0);
    }
    model.push((key, value));
}

fn get(model: &mut Model, key: u8) -> Option<char> {
    let index = model.iter().position(|(known, _)| *known == key)?;
    let entry = model.remove(index);
    model.push(entry);
    Some(entry.1)
}

fn check() -> Result<Statistics, Failure> {
    stateful::<Model, Cache>()
        .model(Model::new)
        .sut(Cache::default)
        .command("put", |c| {
            c.forall("key", 0..5_u8).forall("value", proptest::char::range('a', 'z')).run(
                |(key, value), model, cache| {
                    put(model, key, value);
                    cache.put(key, value);
                },
            )
        })
        .command("get", |c| {
            c.forall("key", 0..5_u8)
                .oracle(|key, model| get(model, *key), |key, cache| cache.get(*key))
        })
        .check(Config { seed: Some(25), ..Config::default() })
}

fn main() {
    let failure = check().expect_err("the cache has a bug");
    println!("{failure}");

    // A failure is a value too.
    assert_eq!(failure.fault().map(foolproof_stateful::Fault::kind), Some(FaultKind::Prediction));
    let names: Vec<&str> = failure.minimal().iter().map(|step| &*step.command).collect();
    assert_eq!(names, ["put", "put", "put", "put", "get"]);
    assert!(!failure.is_flaky());
}
