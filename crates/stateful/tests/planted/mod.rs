//! Systems with bugs planted in them, and what the smallest sequence is that shows each.

use std::{cell::Cell, collections::BTreeMap};

use foolproof_stateful::{Config, Failure, Statistics, stateful};
use proptest::prelude::*;

pub mod systems;

use systems::{
    Account, Bank, Connection, Files, Jug, Jugs, Note, Quota, Registry, Ring, Store, Switch,
    Tickets,
};

type Checked = Result<Statistics, Failure>;

/// A bug that is there to be found.
pub struct Bug {
    pub name: &'static str,
    /// How long the shortest sequence is that shows it.
    pub length: usize,
    /// The steps that such a sequence consists of when their arguments are as small as can be.
    pub smallest: &'static [&'static str],
    pub check: fn(Config) -> Checked,
}

impl Bug {
    /// Whether `steps` are as few as can be.
    pub fn is_shortest<T>(&self, steps: &[T]) -> bool {
        steps.len() == self.length
    }

    /// Whether `steps` are as few and as simple as can be.
    pub fn is_smallest<T: ToString>(&self, steps: &[T]) -> bool {
        let is_simple = |step: &T| self.smallest.contains(&step.to_string().as_str());
        self.is_shortest(steps) && steps.iter().all(is_simple)
    }
}

pub const BUGS: [Bug; 12] = [
    Bug {
        name: "stale length after wrap-around",
        length: 8,
        smallest: &["push(item: 0)", "pop()"],
        check: ring,
    },
    Bug {
        name: "key lost after delete and re-insert",
        length: 4,
        smallest: &["put(key: 0, value: 0)", "delete(key: 0)", "get(key: 0)"],
        check: store,
    },
    Bug {
        name: "overflow of one large argument",
        length: 1,
        smallest: &["deposit(units: 42949673)"],
        check: account,
    },
    Bug {
        name: "same id twice, returned",
        length: 3,
        smallest: &["create()", "lock(id: 0)", "delete(id: 0)"],
        check: registry,
    },
    Bug {
        name: "same id thrice, picked",
        length: 4,
        smallest: &[
            "create()",
            "assign(ticket: 0, person: 0)",
            "close(ticket: 0)",
            "reopen(ticket: 0)",
        ],
        check: tickets,
    },
    Bug {
        name: "leak after ten opens",
        length: 12,
        smallest: &["open(name: 0)", "close(file: 0)"],
        check: files,
    },
    Bug {
        name: "three commands in order",
        length: 3,
        smallest: &["log_in()", "upgrade()", "send(size: 0)"],
        check: connection,
    },
    Bug {
        name: "water jugs",
        length: 6,
        smallest: &["fill(jug: Large)", "pour(from: Large)", "empty(jug: Small)"],
        check: jugs,
    },
    Bug {
        name: "text cut off",
        length: 3,
        smallest: &["write(text: \"aaaaa\")", "save()", "load()"],
        check: note,
    },
    Bug {
        name: "one argument depends on another",
        length: 2,
        smallest: &["limit(bytes: 0)", "write(bytes: 4)"],
        check: quota,
    },
    Bug {
        name: "two different ids",
        length: 4,
        smallest: &[
            "create()",
            "transfer(from: 0, to: 1, amount: 1)",
            "transfer(from: 1, to: 0, amount: 1)",
        ],
        check: bank,
    },
    Bug {
        name: "steps that cancel each other out",
        length: 4,
        smallest: &["toggle()", "add(item: 0)"],
        check: switch,
    },
];

thread_local! {
    static MADE: Cell<u32> = const { Cell::new(0) };
}

/// A fresh system, counted.
pub fn made<S: Default>() -> S {
    MADE.set(MADE.get() + 1);
    S::default()
}

/// How many systems were made on this thread since it was asked last.
pub fn count() -> u32 {
    MADE.take()
}

fn ring(config: Config) -> Checked {
    stateful::<Vec<u8>, Ring>()
        .model(Vec::new)
        .sut(made)
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

fn store(config: Config) -> Checked {
    stateful::<BTreeMap<u8, u16>, Store>()
        .model(BTreeMap::new)
        .sut(made)
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

fn account(config: Config) -> Checked {
    stateful::<u64, Account>()
        .model(|| 0)
        .sut(made)
        .command("deposit", |c| {
            c.forall("units", 0..=50_000_000_u32).run(|units, model, account| {
                *model += u64::from(units) * 100;
                account.deposit(units);
            })
        })
        .command("withdraw", |c| {
            c.forall("cents", any::<u8>()).run(|cents, model, account| {
                *model = model.saturating_sub(u64::from(cents));
                account.withdraw(cents);
            })
        })
        .invariant("same balance", |model, account| *model == account.cents())
        .check(config)
}

fn registry(config: Config) -> Checked {
    stateful::<Vec<u32>, Registry>()
        .model(Vec::new)
        .sut(made)
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

/// Which tickets there are, and who each is assigned to.
type Assigned = Vec<Option<u8>>;

fn tickets(config: Config) -> Checked {
    let known = |model: &Assigned| 0..model.len();
    stateful::<Assigned, Tickets>()
        .model(Vec::new)
        .sut(made)
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

fn files(config: Config) -> Checked {
    stateful::<BTreeMap<usize, u8>, Files>()
        .model(BTreeMap::new)
        .sut(made)
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

fn connection(config: Config) -> Checked {
    stateful::<(), Connection>()
        .model(|| ())
        .sut(made)
        .command("log_in", |c| c.run(|(), (), connection| connection.log_in()))
        .command("upgrade", |c| c.run(|(), (), connection| connection.upgrade()))
        .command("send", |c| {
            c.forall("size", any::<u16>())
                .oracle(|size, ()| *size, |size, connection| connection.send(*size))
        })
        .command("ping", |c| {
            c.forall("payload", any::<u8>())
                .oracle(|payload, ()| *payload, |payload, connection| connection.ping(*payload))
        })
        .command("subscribe", |c| {
            c.forall("topic", any::<u8>()).run(|topic, (), connection| connection.subscribe(topic))
        })
        .check(config)
}

fn jugs(config: Config) -> Checked {
    let any_jug = || prop_oneof![Just(Jug::Small), Just(Jug::Large)];
    stateful::<(), Jugs>()
        .model(|| ())
        .sut(made)
        .command("fill", |c| c.forall("jug", any_jug()).run(|jug, (), jugs| jugs.fill(jug)))
        .command("empty", |c| c.forall("jug", any_jug()).run(|jug, (), jugs| jugs.empty(jug)))
        .command("pour", |c| c.forall("from", any_jug()).run(|from, (), jugs| jugs.pour(from)))
        .invariant("the large jug does not hold four litres", |(), jugs| jugs.large != 4)
        .check(config)
}

fn note(config: Config) -> Checked {
    /// What is written, and what is saved.
    type Texts = (String, String);
    stateful::<Texts, Note>()
        .model(Texts::default)
        .sut(made)
        .command("write", |c| {
            c.forall("text", "[a-z]{0,12}").run(|text, model, note| {
                note.write(&text);
                model.0 = text;
            })
        })
        .command("save", |c| {
            c.run(|(), model, note| {
                model.1.clone_from(&model.0);
                note.save();
            })
        })
        .command("load", |c| {
            c.oracle(
                |(), model| {
                    model.0.clone_from(&model.1);
                    model.0.clone()
                },
                |(), note| note.load(),
            )
        })
        .check(config)
}

fn quota(config: Config) -> Checked {
    stateful::<Option<u16>, Quota>()
        .model(|| None)
        .sut(made)
        .command("limit", |c| {
            c.forall("bytes", 0..=1_000_u16).run(|bytes, model, quota| {
                *model = Some(bytes);
                quota.limit(bytes);
            })
        })
        .command("write", |c| {
            c.forall("bytes", 0..=2_000_u16).oracle(
                |bytes, model| model.is_none_or(|limit| *bytes <= limit + 3),
                |bytes, quota| quota.write(*bytes),
            )
        })
        .command("usage", |c| c.run(|(), _, quota| quota.usage()))
        .check(config)
}

fn bank(config: Config) -> Checked {
    let known = |model: &Vec<i64>| 0..model.len();
    stateful::<Vec<i64>, Bank>()
        .model(Vec::new)
        .sut(made)
        .command("create", |c| {
            c.run(|(), model, bank| {
                model.push(0);
                bank.create();
            })
        })
        .command("transfer", |c| {
            c.pick("from", known).pick("to", known).forall("amount", 1..=100_i64).run(
                |(from, to, amount), model, bank| {
                    model[from] -= amount;
                    model[to] += amount;
                    bank.transfer(from, to, amount);
                },
            )
        })
        .command("audit", |c| c.run(|(), _, bank| bank.total()))
        .invariant("same balances", |model, bank| *model == bank.balances())
        .check(config)
}

fn switch(config: Config) -> Checked {
    stateful::<Vec<u8>, Switch>()
        .model(Vec::new)
        .sut(made)
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
