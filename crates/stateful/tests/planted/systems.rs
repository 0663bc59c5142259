//! The systems with their bugs. They know nothing of any test library, so that all are measured on the
//! same ones.

use std::collections::{BTreeMap, BTreeSet};

/// A queue of up to four. Its length is stale once the start has wrapped around.
#[derive(Debug, Default)]
pub struct Ring {
    items: [u8; 4],
    start: usize,
    length: usize,
}

impl Ring {
    pub fn push(&mut self, item: u8) {
        self.items[(self.start + self.length) % 4] = item;
        self.length += 1;
    }

    pub fn pop(&mut self) -> u8 {
        let item = self.items[self.start];
        self.start = (self.start + 1) % 4;
        if self.start != 0 {
            self.length -= 1;
        }
        item
    }

    pub fn peek(&self) -> Option<u8> {
        (self.length > 0).then(|| self.items[self.start])
    }

    pub fn len(&self) -> usize {
        self.length
    }
}

/// A store that marks what is deleted, and forgets to take the mark off when a key comes back.
#[derive(Debug, Default)]
pub struct Store {
    entries: BTreeMap<u8, u16>,
    deleted: BTreeSet<u8>,
}

impl Store {
    pub fn put(&mut self, key: u8, value: u16) {
        self.entries.insert(key, value);
    }

    pub fn delete(&mut self, key: u8) {
        self.deleted.insert(key);
    }

    pub fn get(&self, key: u8) -> Option<u16> {
        let is_deleted = self.deleted.contains(&key);
        self.entries.get(&key).copied().filter(|_| !is_deleted)
    }
}

/// An account in cents. A deposit in whole units is converted in 32 bits.
#[derive(Debug, Default)]
pub struct Account {
    cents: u64,
}

impl Account {
    pub fn deposit(&mut self, units: u32) {
        self.cents += u64::from(units.wrapping_mul(100));
    }

    pub fn withdraw(&mut self, cents: u8) {
        self.cents = self.cents.saturating_sub(u64::from(cents));
    }

    pub fn cents(&self) -> u64 {
        self.cents
    }
}

/// Items that can be locked. One that is deleted while it is locked is still counted.
#[derive(Debug, Default)]
pub struct Registry {
    next: u32,
    items: BTreeSet<u32>,
    locked: BTreeSet<u32>,
}

impl Registry {
    pub fn create(&mut self) -> u32 {
        let id = self.next;
        self.next += 1;
        self.items.insert(id);
        id
    }

    pub fn lock(&mut self, id: u32) {
        if self.items.contains(&id) {
            self.locked.insert(id);
        }
    }

    pub fn unlock(&mut self, id: u32) {
        self.locked.remove(&id);
    }

    pub fn delete(&mut self, id: u32) {
        if !self.locked.contains(&id) {
            self.items.remove(&id);
        }
    }

    pub fn count(&self) -> usize {
        self.items.len()
    }
}

/// Tickets with an assignee. To close one takes its assignee away, and to reopen it does not bring it
/// back.
#[derive(Debug, Default)]
pub struct Tickets {
    assignees: Vec<Option<u8>>,
}

impl Tickets {
    pub fn create(&mut self) -> usize {
        self.assignees.push(None);
        self.assignees.len() - 1
    }

    pub fn assign(&mut self, ticket: usize, person: u8) {
        self.assignees[ticket] = Some(person);
    }

    pub fn close(&mut self, ticket: usize) {
        self.assignees[ticket] = None;
    }

    pub fn reopen(&self, ticket: usize) -> Option<u8> {
        self.assignees[ticket]
    }
}

/// A table of ten files. What is closed is never freed.
#[derive(Debug, Default)]
pub struct Files {
    slots: Vec<u8>,
}

impl Files {
    pub fn open(&mut self, name: u8) -> Result<usize, String> {
        if self.slots.len() == 10 {
            return Err("too many open files".to_owned());
        }
        self.slots.push(name);
        Ok(self.slots.len() - 1)
    }

    pub fn close(&mut self, _file: usize) {}

    pub fn read(&self, file: usize) -> u8 {
        self.slots[file]
    }
}

/// A connection that sends in the clear what is sent after an upgrade that came after a login.
#[derive(Debug, Default)]
pub struct Connection {
    is_logged_in: bool,
    is_upgraded: bool,
    pings: u32,
    topics: BTreeSet<u8>,
}

impl Connection {
    pub fn log_in(&mut self) {
        self.is_logged_in = true;
    }

    pub fn upgrade(&mut self) {
        self.is_upgraded = self.is_logged_in;
    }

    pub fn send(&mut self, size: u16) -> u16 {
        let is_wrong = self.is_logged_in && self.is_upgraded;
        if is_wrong { size.wrapping_add(1) } else { size }
    }

    pub fn ping(&mut self, payload: u8) -> u8 {
        self.pings += 1;
        payload
    }

    pub fn subscribe(&mut self, topic: u8) -> bool {
        self.topics.insert(topic)
    }
}

/// One of two jugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Jug {
    Small,
    Large,
}

/// A jug of three litres and one of five.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Jugs {
    pub small: u8,
    pub large: u8,
}

impl Jugs {
    pub fn fill(&mut self, jug: Jug) {
        match jug {
            Jug::Small => self.small = 3,
            Jug::Large => self.large = 5,
        }
    }

    pub fn empty(&mut self, jug: Jug) {
        match jug {
            Jug::Small => self.small = 0,
            Jug::Large => self.large = 0,
        }
    }

    /// Pours one jug into the other, until that is full.
    pub fn pour(&mut self, from: Jug) {
        match from {
            Jug::Small => {
                let poured = self.small.min(5 - self.large);
                (self.small, self.large) = (self.small - poured, self.large + poured);
            }
            Jug::Large => {
                let poured = self.large.min(3 - self.small);
                (self.small, self.large) = (self.small + poured, self.large - poured);
            }
        }
    }
}

/// A note. What is longer than four characters is cut off when it is saved.
#[derive(Debug, Default)]
pub struct Note {
    text: String,
    saved: String,
}

impl Note {
    pub fn write(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    pub fn save(&mut self) {
        self.saved = self.text.chars().take(4).collect();
    }

    pub fn load(&mut self) -> String {
        self.text.clone_from(&self.saved);
        self.text.clone()
    }
}

/// A quota that is three bytes more generous than it says, up to the point where it is not.
#[derive(Debug, Default)]
pub struct Quota {
    limit: Option<u16>,
    used: u32,
}

impl Quota {
    pub fn limit(&mut self, bytes: u16) {
        self.limit = Some(bytes);
    }

    /// Whether there is room. The limit is never asked for.
    pub fn write(&mut self, bytes: u16) -> bool {
        self.used += u32::from(bytes);
        true
    }

    pub fn usage(&self) -> u32 {
        self.used
    }
}

/// Accounts that money moves between. A transfer back the way the last one came is done twice.
#[derive(Debug, Default)]
pub struct Bank {
    balances: Vec<i64>,
    last: Option<(usize, usize)>,
}

impl Bank {
    pub fn create(&mut self) {
        self.balances.push(0);
    }

    pub fn transfer(&mut self, from: usize, to: usize, amount: i64) {
        let times = if self.last == Some((to, from)) { 2 } else { 1 };
        self.balances[from] -= amount * times;
        self.balances[to] += amount * times;
        self.last = Some((from, to));
    }

    pub fn total(&self) -> i64 {
        self.balances.iter().sum()
    }

    pub fn balances(&self) -> &[i64] {
        &self.balances
    }
}

/// A list with a mode that is on after an odd number of toggles. The third item that is added while it
/// is on is lost.
#[derive(Debug, Default)]
pub struct Switch {
    is_on: bool,
    items: Vec<u8>,
    added: u32,
}

impl Switch {
    pub fn toggle(&mut self) {
        self.is_on = !self.is_on;
        self.added = 0;
    }

    pub fn add(&mut self, item: u8) {
        self.added += u32::from(self.is_on);
        if self.added < 3 {
            self.items.push(item);
        }
    }

    pub fn first(&self) -> Option<u8> {
        self.items.first().copied()
    }

    pub fn len(&self) -> usize {
        self.items.len()
    }
}
