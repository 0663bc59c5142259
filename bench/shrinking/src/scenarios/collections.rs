//! Scenarios of collections.

use std::collections::BTreeMap;

use crate::{
    planted::systems::{Files, Index, Registry, Ring, Store, Switch, Tickets},
    scenario::{Domain, Scenario, Step},
};

type Commands = Vec<(&'static str, Vec<(&'static str, Domain)>)>;

const BYTE: Domain = Domain::Number(0, 255);

fn byte(step: &Step, index: usize) -> u8 {
    u8::try_from(step.number(index)).expect("bytes are drawn from a range of bytes")
}

/// All indices below `count`.
fn below(count: usize) -> Domain {
    Domain::Pick((0..i64::try_from(count).expect("it is a few")).collect())
}

pub(crate) struct Rings;

impl Scenario for Rings {
    type Model = Vec<u8>;
    type System = Ring;

    fn commands(_: &Vec<u8>) -> Commands {
        vec![("push", vec![("item", BYTE)]), ("pop", vec![]), ("peek", vec![])]
    }

    fn can(model: &Vec<u8>, step: &Step) -> bool {
        match step.command {
            "push" => model.len() < 4,
            "pop" => !model.is_empty(),
            _ => true,
        }
    }

    fn predict(model: &mut Vec<u8>, step: &Step) -> String {
        match step.command {
            "push" => {
                model.push(byte(step, 0));
                String::new()
            }
            "pop" => format!("{:?}", model.remove(0)),
            _ => format!("{:?}", model.first()),
        }
    }

    fn answer(ring: &mut Ring, step: &Step) -> String {
        match step.command {
            "push" => {
                ring.push(byte(step, 0));
                String::new()
            }
            "pop" => format!("{:?}", ring.pop()),
            _ => format!("{:?}", ring.peek()),
        }
    }

    fn holds(model: &Vec<u8>, ring: &Ring) -> bool {
        model.len() == ring.len()
    }
}

pub(crate) struct Stores;

impl Scenario for Stores {
    type Model = BTreeMap<u8, u16>;
    type System = Store;

    fn commands(model: &Self::Model) -> Commands {
        let key = Domain::Number(0, 15);
        vec![
            ("put", vec![("key", key.clone()), ("value", Domain::Number(0, 65_535))]),
            (
                "delete",
                vec![("key", Domain::Pick(model.keys().map(|key| i64::from(*key)).collect()))],
            ),
            ("get", vec![("key", key)]),
        ]
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String {
        let key = byte(step, 0);
        match step.command {
            "put" => drop(model.insert(key, u16::try_from(step.number(1)).unwrap_or(0))),
            "delete" => drop(model.remove(&key)),
            _ => return format!("{:?}", model.get(&key)),
        }
        String::new()
    }

    fn answer(store: &mut Store, step: &Step) -> String {
        let key = byte(step, 0);
        match step.command {
            "put" => store.put(key, u16::try_from(step.number(1)).unwrap_or(0)),
            "delete" => store.delete(key),
            _ => return format!("{:?}", store.get(key)),
        }
        String::new()
    }
}

pub(crate) struct Registries;

impl Scenario for Registries {
    /// How many were created, and which are left. The model has to predict the ids that the system returns.
    type Model = (usize, Vec<i64>);
    type System = Registry;

    fn commands((made, _): &Self::Model) -> Commands {
        let id = || vec![("id", below(*made))];
        vec![("create", vec![]), ("lock", id()), ("unlock", id()), ("delete", id())]
    }

    fn predict((made, left): &mut Self::Model, step: &Step) -> String {
        match step.command {
            "create" => {
                left.push(i64::try_from(*made).expect("it is a few"));
                *made += 1;
            }
            "delete" => left.retain(|id| *id != step.number(0)),
            _ => {}
        }
        String::new()
    }

    fn answer(registry: &mut Registry, step: &Step) -> String {
        let id = || u32::try_from(step.number(0)).expect("ids are picked from ids");
        match step.command {
            "create" => drop(registry.create()),
            "lock" => registry.lock(id()),
            "unlock" => registry.unlock(id()),
            _ => registry.delete(id()),
        }
        String::new()
    }

    fn holds((_, left): &Self::Model, registry: &Registry) -> bool {
        left.len() == registry.count()
    }
}

pub(crate) struct Desks;

impl Scenario for Desks {
    type Model = Vec<Option<u8>>;
    type System = Tickets;

    fn commands(model: &Self::Model) -> Commands {
        let ticket = || ("ticket", below(model.len()));
        vec![
            ("create", vec![]),
            ("assign", vec![ticket(), ("person", BYTE)]),
            ("close", vec![ticket()]),
            ("reopen", vec![ticket()]),
        ]
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String {
        match step.command {
            "create" => model.push(None),
            "assign" => model[step.index(0)] = Some(byte(step, 1)),
            "close" => {}
            _ => return format!("{:?}", model[step.index(0)]),
        }
        String::new()
    }

    fn answer(tickets: &mut Tickets, step: &Step) -> String {
        match step.command {
            "create" => drop(tickets.create()),
            "assign" => tickets.assign(step.index(0), byte(step, 1)),
            "close" => tickets.close(step.index(0)),
            _ => return format!("{:?}", tickets.reopen(step.index(0))),
        }
        String::new()
    }
}

pub(crate) struct Tables;

impl Scenario for Tables {
    /// How many files were opened, and which are open.
    type Model = (i64, BTreeMap<i64, u8>);
    type System = Files;

    fn commands((_, open): &Self::Model) -> Commands {
        let file = || vec![("file", Domain::Pick(open.keys().copied().collect()))];
        vec![("open", vec![("name", BYTE)]), ("close", file()), ("read", file())]
    }

    fn can((_, open): &Self::Model, step: &Step) -> bool {
        step.command != "open" || open.len() < 10
    }

    fn predict((opened, open): &mut Self::Model, step: &Step) -> String {
        match step.command {
            "open" => {
                open.insert(*opened, byte(step, 0));
                *opened += 1;
                "true".to_owned()
            }
            "close" => {
                open.remove(&step.number(0));
                String::new()
            }
            _ => format!("{:?}", open[&step.number(0)]),
        }
    }

    fn answer(files: &mut Files, step: &Step) -> String {
        match step.command {
            "open" => files.open(byte(step, 0)).is_ok().to_string(),
            "close" => {
                files.close(step.index(0));
                String::new()
            }
            _ => format!("{:?}", files.read(step.index(0))),
        }
    }
}

pub(crate) struct Switches;

impl Scenario for Switches {
    type Model = Vec<u8>;
    type System = Switch;

    fn commands(_: &Vec<u8>) -> Commands {
        vec![("toggle", vec![]), ("add", vec![("item", BYTE)]), ("first", vec![])]
    }

    fn predict(model: &mut Vec<u8>, step: &Step) -> String {
        match step.command {
            "toggle" => {}
            "add" => model.push(byte(step, 0)),
            _ => return format!("{:?}", model.first()),
        }
        String::new()
    }

    fn answer(switch: &mut Switch, step: &Step) -> String {
        match step.command {
            "toggle" => switch.toggle(),
            "add" => switch.add(byte(step, 0)),
            _ => return format!("{:?}", switch.first()),
        }
        String::new()
    }

    fn holds(model: &Vec<u8>, switch: &Switch) -> bool {
        model.len() == switch.len()
    }
}

pub(crate) struct Indices;

impl Scenario for Indices {
    type Model = BTreeMap<u8, u16>;
    type System = Index;

    fn commands(_: &Self::Model) -> Commands {
        let key = || ("key", Domain::Number(0, 63));
        vec![("put", vec![key(), ("value", Domain::Number(0, 65_535))]), ("get", vec![key()])]
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String {
        let key = byte(step, 0);
        match step.command {
            "put" => drop(model.insert(key, u16::try_from(step.number(1)).unwrap_or(0))),
            _ => return format!("{:?}", model.get(&key)),
        }
        String::new()
    }

    fn answer(index: &mut Index, step: &Step) -> String {
        let key = byte(step, 0);
        match step.command {
            "put" => index.put(key, u16::try_from(step.number(1)).unwrap_or(0)),
            _ => return format!("{:?}", index.get(key)),
        }
        String::new()
    }
}
