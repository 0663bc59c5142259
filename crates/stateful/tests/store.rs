//! A store against a map: every part of the builder in one test.

use std::collections::BTreeMap;

use foolproof_stateful::{Config, stateful};

type Model = BTreeMap<u8, String>;

#[derive(Default)]
struct Store {
    values: Vec<(u8, String)>,
}

impl Store {
    fn put(&mut self, key: u8, value: String) -> Result<Option<String>, String> {
        let old = self.delete(key);
        if self.values.len() == 8 {
            return Err("it is full".to_owned());
        }
        self.values.push((key, value));
        Ok(old)
    }

    fn delete(&mut self, key: u8) -> Option<String> {
        let index = self.values.iter().position(|(known, _)| *known == key)?;
        Some(self.values.remove(index).1)
    }

    fn get(&self, key: u8) -> Option<String> {
        let found = self.values.iter().find(|(known, _)| *known == key);
        found.map(|(_, value)| value.clone())
    }

    fn len(&self) -> usize {
        self.values.len()
    }
}

#[test]
fn store_behaves_like_a_map() {
    let statistics = stateful::<Model, Store>()
        .model(Model::default)
        .sut(Store::default)
        .command("put", |c| {
            c.forall("key", 0..10_u8)
                .forall("value", "[a-z]{1,6}")
                .pre(|model, (key, _)| model.len() < 8 || model.contains_key(key))
                .run(|(key, value), model, sut| {
                    model.insert(key, value.clone());
                    sut.put(key, value)
                })
                .post(|_, model, sut, old| sut.len() == model.len() && old.is_ok())
        })
        .command("delete", |c| {
            c.pick("key", |model: &Model| model.keys().copied().collect::<Vec<_>>()).run(
                |key, model, sut| {
                    model.remove(&key);
                    sut.delete(key)
                },
            )
        })
        .command("get", |c| {
            c.forall("key", 0..10_u8)
                .oracle(|key, model| model.get(key).cloned(), |key, sut| sut.get(*key))
                .weight(2)
        })
        .invariant("same length", |model, sut| sut.len() == model.len())
        .check(Config { num_runs: 100, max_commands: 50, seed: Some(1), ..Config::default() })
        .unwrap();
    assert!(statistics.never_ran().next().is_none() && statistics.steps > 1_000);
}

#[test]
fn arguments_may_depend_on_the_model() {
    stateful::<Vec<usize>, Vec<usize>>()
        .model(Vec::new)
        .sut(Vec::new)
        .command("grow", |c| {
            c.forall_with("by", |model| 1..=model.len() + 1).run(|by, model, system| {
                assert!(by <= model.len() + 1);
                model.push(by);
                system.push(by);
            })
        })
        .command("eight", |c| {
            c.forall("a", 0..2_u8)
                .forall("b", 0..2_u8)
                .forall("c", 0..2_u8)
                .forall("d", 0..2_u8)
                .forall("e", 0..2_u8)
                .forall("f", 0..2_u8)
                .forall("g", 0..2_u8)
                .forall("h", 0..2_u8)
                .run(|(a, b, c, d, e, f, g, h), _, _| a + b + c + d + e + f + g + h)
                .post(|_, _, _, sum| *sum <= 8)
        })
        .invariant("same", |model, system| model == system)
        .check(Config { seed: Some(2), ..Config::default() })
        .unwrap();
}
