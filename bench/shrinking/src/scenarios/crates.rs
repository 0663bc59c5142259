//! Scenarios of published crates in wrappers.

use std::{
    collections::{BTreeMap, VecDeque},
    marker::PhantomData,
};

use crate::{
    planted::systems::{Channel, DatabaseBug, FragileCache, Records, ResizedCache},
    scenario::{Domain, Scenario, Step},
};

type Commands = Vec<(&'static str, Vec<(&'static str, Domain)>)>;

const WORD: Domain = Domain::Number(0, 65_535);

/// The key of an entry.
fn key(most: i64) -> (&'static str, Domain) {
    ("key", Domain::Number(0, most))
}

/// A number in the type of the system; it was drawn from a range that fits.
fn number<T: TryFrom<i64>>(step: &Step, index: usize) -> T {
    T::try_from(step.number(index)).ok().expect("it was drawn from a range that fits")
}

/// The model of a cache.
#[derive(Clone, Debug)]
pub(crate) struct Cache<const CAPACITY: usize> {
    capacity: usize,
    /// The least recently used one first.
    entries: Vec<(u8, u16)>,
}

impl<const CAPACITY: usize> Default for Cache<CAPACITY> {
    fn default() -> Self {
        Self { capacity: CAPACITY, entries: Vec::new() }
    }
}

impl<const CAPACITY: usize> Cache<CAPACITY> {
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

pub(crate) struct ResizedCaches;

impl Scenario for ResizedCaches {
    type Model = Cache<{ ResizedCache::CAPACITY }>;
    type System = ResizedCache;

    fn commands(_: &Self::Model) -> Commands {
        vec![
            ("put", vec![key(9), ("value", WORD)]),
            ("get", vec![key(9)]),
            ("peek", vec![key(9)]),
            ("pop", vec![key(9)]),
            ("resize", vec![("capacity", Domain::Number(1, 8))]),
        ]
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String {
        let found = match step.command {
            "put" => model.put(number(step, 0), number(step, 1)),
            "get" => model.get(number(step, 0)),
            "peek" => model.peek(number(step, 0)),
            "pop" => model.pop(number(step, 0)),
            _ => {
                model.capacity = step.index(0);
                model.evict();
                None
            }
        };
        format!("{found:?}")
    }

    fn answer(cache: &mut ResizedCache, step: &Step) -> String {
        let found = match step.command {
            "put" => cache.put(number(step, 0), number(step, 1)),
            "get" => cache.get(number(step, 0)),
            "peek" => cache.peek(number(step, 0)),
            "pop" => cache.pop(number(step, 0)),
            _ => {
                cache.resize(step.index(0));
                None
            }
        };
        format!("{found:?}")
    }

    fn holds(model: &Self::Model, cache: &ResizedCache) -> bool {
        model.entries.len() == cache.len()
    }
}

pub(crate) struct FragileCaches;

impl Scenario for FragileCaches {
    type Model = Cache<{ FragileCache::CAPACITY }>;
    type System = FragileCache;

    fn commands(_: &Self::Model) -> Commands {
        vec![
            ("put", vec![key(9), ("value", WORD)]),
            ("get", vec![key(9)]),
            ("pop", vec![key(9)]),
            ("pop_lru", vec![]),
        ]
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String {
        match step.command {
            "put" => {
                model.put(number(step, 0), number(step, 1));
                String::new()
            }
            "get" => format!("{:?}", model.get(number(step, 0))),
            "pop" => format!("{:?}", model.pop(number(step, 0))),
            _ => format!("{:?}", model.pop_lru()),
        }
    }

    fn answer(cache: &mut FragileCache, step: &Step) -> String {
        match step.command {
            "put" => {
                cache.put(number(step, 0), number(step, 1));
                String::new()
            }
            "get" => format!("{:?}", cache.get(number(step, 0))),
            "pop" => format!("{:?}", cache.pop(number(step, 0))),
            _ => format!("{:?}", cache.pop_lru()),
        }
    }

    fn holds(model: &Self::Model, cache: &FragileCache) -> bool {
        model.entries.len() == cache.len()
    }
}

pub(crate) struct Channels;

impl Scenario for Channels {
    /// The messages that wait, and whether the channel is closed.
    type Model = (VecDeque<u16>, bool);
    type System = Channel;

    fn commands(_: &Self::Model) -> Commands {
        vec![
            ("send", vec![("message", WORD)]),
            ("receive", vec![]),
            ("len", vec![]),
            ("close", vec![]),
        ]
    }

    fn predict((waiting, is_closed): &mut Self::Model, step: &Step) -> String {
        match step.command {
            "send" => {
                let is_accepted = !*is_closed && waiting.len() < Channel::CAPACITY;
                waiting.extend(is_accepted.then(|| number::<u16>(step, 0)));
                is_accepted.to_string()
            }
            "receive" => format!("{:?}", waiting.pop_front()),
            "len" => waiting.len().to_string(),
            _ => (!std::mem::replace(is_closed, true)).to_string(),
        }
    }

    fn answer(channel: &mut Channel, step: &Step) -> String {
        match step.command {
            "send" => channel.send(number(step, 0)).to_string(),
            "receive" => format!("{:?}", channel.receive()),
            "len" => channel.len().to_string(),
            _ => channel.close().to_string(),
        }
    }

    fn holds((_, is_closed): &Self::Model, channel: &Channel) -> bool {
        *is_closed == channel.is_closed()
    }
}

type Rows = BTreeMap<u8, u16>;

/// The model of a database: what is committed, what the open transaction sees, and the savepoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Versions {
    committed: Rows,
    open: Option<Rows>,
    savepoint: Option<Rows>,
}

impl Versions {
    fn write(&mut self) -> &mut Rows {
        self.open.as_mut().expect("a transaction is open")
    }
}

pub(crate) struct Databases<B>(PhantomData<B>);

impl<B: DatabaseBug> Scenario for Databases<B> {
    type Model = Versions;
    type System = Records<B>;

    fn commands(model: &Versions) -> Commands {
        let keys = model.open.iter().flat_map(BTreeMap::keys).map(|key| i64::from(*key));
        vec![
            ("begin", vec![]),
            ("insert", vec![key(15), ("value", WORD)]),
            ("remove", vec![("key", Domain::Pick(keys.collect()))]),
            ("commit", vec![]),
            ("abort", vec![]),
            ("savepoint", vec![]),
            ("rollback", vec![]),
            ("get", vec![key(15)]),
        ]
    }

    fn can(model: &Versions, step: &Step) -> bool {
        match step.command {
            "insert" | "remove" | "commit" | "abort" => model.open.is_some(),
            "begin" | "savepoint" => model.open.is_none(),
            "rollback" => model.open.is_none() && model.savepoint.is_some(),
            _ => true,
        }
    }

    fn predict(model: &mut Versions, step: &Step) -> String {
        match step.command {
            "begin" => model.open = Some(model.committed.clone()),
            "insert" => drop(model.write().insert(number(step, 0), number(step, 1))),
            "remove" => drop(model.write().remove(&number(step, 0))),
            "commit" => model.committed = model.open.take().unwrap_or_default(),
            "abort" => model.open = None,
            "savepoint" => model.savepoint = Some(model.committed.clone()),
            "rollback" => model.committed = model.savepoint.clone().unwrap_or_default(),
            _ => {
                let rows = model.open.as_ref().unwrap_or(&model.committed);
                return format!("{:?}", rows.get(&number(step, 0)));
            }
        }
        String::new()
    }

    fn answer(records: &mut Records<B>, step: &Step) -> String {
        let outcome = match step.command {
            "begin" => records.begin(),
            "insert" => records.insert(number(step, 0), number(step, 1)),
            "remove" => records.remove(number(step, 0)),
            "commit" => records.commit(),
            "abort" => records.abort(),
            "savepoint" => records.savepoint(),
            "rollback" => records.rollback(),
            _ => {
                let found = records.get(number(step, 0));
                return format!("{:?}", found.expect("a database in memory does not fail"));
            }
        };
        outcome.expect("a database in memory does not fail");
        String::new()
    }
}
