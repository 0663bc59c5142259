//! A key-value store with expiry, against a `BTreeMap` of live entries.
//!
//! The store keeps a second index by deadline, so that sweeping need not visit every entry. Two
//! indexes that must agree are the risk of such a store; the model has one map and filters it.
//! Time is an argument, never a clock: a test that sleeps is slow, and cannot be shrunk.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

mod print;

use std::collections::{BTreeMap, BTreeSet};

use foolproof_stateful::{Config, Failure, stateful};

type Key = u8;
type Instant = u64;

/// The system: entries by key, and keys by deadline.
#[derive(Default)]
struct Store {
    entries: BTreeMap<Key, (String, Instant)>,
    deadlines: BTreeSet<(Instant, Key)>,
}

impl Store {
    fn put(&mut self, key: Key, value: String, deadline: Instant) {
        if let Some((_, old)) = self.entries.insert(key, (value, deadline)) {
            self.deadlines.remove(&(old, key));
        }
        self.deadlines.insert((deadline, key));
    }

    fn get(&self, key: Key, now: Instant) -> Option<&str> {
        let (value, deadline) = self.entries.get(&key)?;
        (*deadline > now).then_some(value)
    }

    fn remove(&mut self, key: Key, now: Instant) -> Option<String> {
        let (value, deadline) = self.entries.remove(&key)?;
        self.deadlines.remove(&(deadline, key));
        (deadline > now).then_some(value)
    }

    fn touch(&mut self, key: Key, now: Instant, deadline: Instant) -> bool {
        match self.entries.get_mut(&key) {
            Some((_, old)) if *old > now => {
                self.deadlines.remove(&(*old, key));
                self.deadlines.insert((deadline, key));
                *old = deadline;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Removes expired entries. Returns how many.
    fn sweep(&mut self, now: Instant) -> usize {
        let mut swept = 0;
        while let Some((deadline, key)) = self.deadlines.first().copied() {
            if deadline > now {
                break;
            }
            self.deadlines.pop_first();
            self.entries.remove(&key);
            swept += 1;
        }
        swept
    }
}

/// The model: the time, and every entry that was put and neither removed nor swept.
#[derive(Debug, Default)]
struct Model {
    now: Instant,
    entries: BTreeMap<Key, (String, Instant)>,
}

impl Model {
    fn alive(&self) -> BTreeMap<Key, &str> {
        let alive = self.entries.iter().filter(|(_, (_, deadline))| *deadline > self.now);
        alive.map(|(key, (value, _))| (*key, value.as_str())).collect()
    }

    fn keys(&self) -> Vec<Key> {
        self.entries.keys().copied().collect()
    }

    fn sweep(&mut self) -> usize {
        let before = self.entries.len();
        self.entries.retain(|_, (_, deadline)| *deadline > self.now);
        before - self.entries.len()
    }
}

fn main() -> Result<(), Failure> {
    let statistics = stateful::<Model, Store>()
        .model(Model::default)
        .sut(Store::default)
        .command("put", |c| {
            c.forall("key", 0..8_u8)
                .forall("value", "[a-z]{1,3}")
                .forall("lives", 1..20_u64)
                .run(|(key, value, lives), model, store| {
                    let deadline = model.now + lives;
                    model.entries.insert(key, (value.clone(), deadline));
                    store.put(key, value, deadline);
                })
                .weight(3)
        })
        .command("get", |c| {
            c.forall("key", 0..8_u8)
                .run(|key, model, store| {
                    let expected = model.alive().get(&key).map(ToString::to_string);
                    (expected, store.get(key, model.now).map(str::to_owned))
                })
                .post(|_, _, _, (expected, found)| expected == found)
        })
        .command("remove", |c| {
            // Only keys that were put: most others would just be rejected.
            c.pick("key", Model::keys)
                .run(|key, model, store| {
                    let expected = model.alive().get(&key).map(ToString::to_string);
                    model.entries.remove(&key);
                    (expected, store.remove(key, model.now))
                })
                .post(|_, _, _, (expected, found)| expected == found)
        })
        .command("touch", |c| {
            c.pick("key", Model::keys)
                .forall("lives", 1..20_u64)
                .run(|(key, lives), model, store| {
                    let is_alive = model.alive().contains_key(&key);
                    let deadline = model.now + lives;
                    if let Some((_, old)) = model.entries.get_mut(&key).filter(|_| is_alive) {
                        *old = deadline;
                    }
                    (is_alive, store.touch(key, model.now, deadline))
                })
                .post(|_, _, _, (expected, found)| expected == found)
        })
        .command("wait", |c| c.forall("for", 1..10_u64).run(|time, model, _| model.now += time))
        .command("sweep", |c| {
            c.run(|(), model, store| (model.sweep(), store.sweep(model.now)))
                .post(|(), _, _, (expected, found)| expected == found)
        })
        .invariant("one deadline for each entry", |_, store| {
            let entries = store.entries.iter().map(|(key, (_, deadline))| (*deadline, *key));
            entries.collect::<BTreeSet<_>>() == store.deadlines
        })
        .invariant("the same is alive", |model, store| {
            (0..8).all(|key| store.get(key, model.now) == model.alive().get(&key).copied())
        })
        .check(Config { num_runs: 300, require_all_commands: true, ..Config::default() })?;
    print::statistics("the store with expiry behaves like its model", &statistics);
    Ok(())
}
