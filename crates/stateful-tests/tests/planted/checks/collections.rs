//! Tests of collections.

use std::collections::BTreeMap;

use foolproof_stateful::{Config, stateful};
use proptest::prelude::*;

use super::super::{
    CheckResult, create,
    systems::{Files, Index, Registry, Ring, Store, Switch, Tickets},
};

/// Which tickets there are, and who each is assigned to.
type Assigned = Vec<Option<u8>>;

pub(crate) fn ring(config: Config) -> CheckResult {
    stateful::<Vec<u8>, Ring>()
        .model(Vec::new)
        .sut(create)
        .command("push", |c| {
            c.forall("item", any::<u8>()).pre(|model, _| model.len() < 4).run(
                |item, model, ring| {
                    model.push(item);
                    ring.push(item);
                },
            )
        })
        .command("pop", |c| {
            c.pre(|model, ()| !model.is_empty())
                .oracle(|(), model| model.remove(0), |(), ring| ring.pop())
        })
        .command("peek", |c| c.oracle(|(), model| model.first().copied(), |(), ring| ring.peek()))
        .invariant("same length", |model, ring| model.len() == ring.len())
        .check(config)
}

pub(crate) fn store(config: Config) -> CheckResult {
    stateful::<BTreeMap<u8, u16>, Store>()
        .model(BTreeMap::new)
        .sut(create)
        .command("put", |c| {
            c.forall("key", 0..16_u8).forall("value", any::<u16>()).run(
                |(key, value), model, store| {
                    model.insert(key, value);
                    store.put(key, value);
                },
            )
        })
        .command("delete", |c| {
            c.pick("key", |model: &BTreeMap<u8, u16>| model.keys().copied().collect::<Vec<_>>())
                .run(|key, model, store| {
                    model.remove(&key);
                    store.delete(key);
                })
        })
        .command("get", |c| {
            c.forall("key", 0..16_u8)
                .oracle(|key, model| model.get(key).copied(), |key, store| store.get(*key))
        })
        .check(config)
}

pub(crate) fn registry(config: Config) -> CheckResult {
    stateful::<Vec<u32>, Registry>()
        .model(Vec::new)
        .sut(create)
        .command("create", |c| {
            c.run(|(), model, registry| {
                let id = registry.create();
                model.push(id);
                id
            })
            .yields(|id| Some(*id))
        })
        .command("lock", |c| {
            c.returned::<u32>("id", "create").run(|id, _, registry| registry.lock(id))
        })
        .command("unlock", |c| {
            c.returned::<u32>("id", "create").run(|id, _, registry| registry.unlock(id))
        })
        .command("delete", |c| {
            c.returned::<u32>("id", "create").run(|id, model, registry| {
                model.retain(|known| *known != id);
                registry.delete(id);
            })
        })
        .invariant("same count", |model, registry| model.len() == registry.count())
        .check(config)
}

pub(crate) fn tickets(config: Config) -> CheckResult {
    let known = |model: &Assigned| 0..model.len();
    stateful::<Assigned, Tickets>()
        .model(Vec::new)
        .sut(create)
        .command("create", |c| {
            c.run(|(), model, tickets| {
                model.push(None);
                tickets.create()
            })
        })
        .command("assign", |c| {
            c.pick("ticket", known).forall("person", any::<u8>()).run(
                |(ticket, person), model, tickets| {
                    model[ticket] = Some(person);
                    tickets.assign(ticket, person);
                },
            )
        })
        .command("close", |c| {
            c.pick("ticket", known).run(|ticket, _, tickets| tickets.close(ticket))
        })
        .command("reopen", |c| {
            c.pick("ticket", known)
                .oracle(|ticket, model| model[*ticket], |ticket, tickets| tickets.reopen(*ticket))
        })
        .check(config)
}

pub(crate) fn files(config: Config) -> CheckResult {
    stateful::<BTreeMap<usize, u8>, Files>()
        .model(BTreeMap::new)
        .sut(create)
        .command("open", |c| {
            c.forall("name", any::<u8>()).pre(|model, _| model.len() < 10).run(
                |name, model, files| {
                    let opened = files.open(name);
                    if let Ok(file) = opened {
                        model.insert(file, name);
                    }
                    opened
                },
            )
        })
        .command("close", |c| {
            c.pick("file", |model: &BTreeMap<usize, u8>| model.keys().copied().collect::<Vec<_>>())
                .run(|file, model, files| {
                    model.remove(&file);
                    files.close(file);
                })
        })
        .command("read", |c| {
            c.pick("file", |model: &BTreeMap<usize, u8>| model.keys().copied().collect::<Vec<_>>())
                .oracle(
                    |file, model| model.get(file).copied(),
                    |file, files| Some(files.read(*file)),
                )
        })
        .check(config)
}

pub(crate) fn switch(config: Config) -> CheckResult {
    stateful::<Vec<u8>, Switch>()
        .model(Vec::new)
        .sut(create)
        .command("toggle", |c| c.run(|(), _, switch| switch.toggle()))
        .command("add", |c| {
            c.forall("item", any::<u8>()).run(|item, model, switch| {
                model.push(item);
                switch.add(item);
            })
        })
        .command("first", |c| {
            c.oracle(|(), model| model.first().copied(), |(), switch| switch.first())
        })
        .invariant("same length", |model, switch| model.len() == switch.len())
        .check(config)
}

pub(crate) fn index(config: Config) -> CheckResult {
    stateful::<BTreeMap<u8, u16>, Index>()
        .model(BTreeMap::new)
        .sut(create)
        .command("put", |c| {
            c.forall("key", 0..64_u8).forall("value", any::<u16>()).run(
                |(key, value), model, index| {
                    model.insert(key, value);
                    index.put(key, value);
                },
            )
        })
        .command("get", |c| {
            c.forall("key", 0..64_u8)
                .oracle(|key, model| model.get(key).copied(), |key, index| index.get(*key))
        })
        .check(config)
}
