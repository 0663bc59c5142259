//! Collections with bugs.

use std::collections::{BTreeMap, BTreeSet};

/// A queue of up to four. Its length is stale once the start has wrapped around.
#[derive(Debug, Default)]
pub(crate) struct Ring {
    items: [u8; 4],
    start: usize,
    length: usize,
}

impl Ring {
    pub(crate) fn push(&mut self, item: u8) {
        self.items[(self.start + self.length) % 4] = item;
        self.length += 1;
    }

    pub(crate) fn pop(&mut self) -> u8 {
        let item = self.items[self.start];
        self.start = (self.start + 1) % 4;
        if self.start != 0 {
            self.length -= 1;
        }
        item
    }

    pub(crate) fn peek(&self) -> Option<u8> {
        (self.length > 0).then(|| self.items[self.start])
    }

    pub(crate) fn len(&self) -> usize {
        self.length
    }
}

/// A store that marks deleted keys, and does not remove the mark when a key is inserted again.
#[derive(Debug, Default)]
pub(crate) struct Store {
    entries: BTreeMap<u8, u16>,
    deleted: BTreeSet<u8>,
}

impl Store {
    pub(crate) fn put(&mut self, key: u8, value: u16) {
        self.entries.insert(key, value);
    }

    pub(crate) fn delete(&mut self, key: u8) {
        self.deleted.insert(key);
    }

    pub(crate) fn get(&self, key: u8) -> Option<u16> {
        let is_deleted = self.deleted.contains(&key);
        self.entries.get(&key).copied().filter(|_| !is_deleted)
    }
}

/// Items that can be locked. One that is deleted while it is locked is still counted.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    next: u32,
    items: BTreeSet<u32>,
    locked: BTreeSet<u32>,
}

impl Registry {
    pub(crate) fn create(&mut self) -> u32 {
        let id = self.next;
        self.next += 1;
        self.items.insert(id);
        id
    }

    pub(crate) fn lock(&mut self, id: u32) {
        if self.items.contains(&id) {
            self.locked.insert(id);
        }
    }

    pub(crate) fn unlock(&mut self, id: u32) {
        self.locked.remove(&id);
    }

    pub(crate) fn delete(&mut self, id: u32) {
        if !self.locked.contains(&id) {
            self.items.remove(&id);
        }
    }

    pub(crate) fn count(&self) -> usize {
        self.items.len()
    }
}

/// Tickets with an assignee. Closing a ticket removes its assignee, and reopening it does not restore it.
#[derive(Debug, Default)]
pub(crate) struct Tickets {
    assignees: Vec<Option<u8>>,
}

impl Tickets {
    pub(crate) fn create(&mut self) -> usize {
        self.assignees.push(None);
        self.assignees.len() - 1
    }

    pub(crate) fn assign(&mut self, ticket: usize, person: u8) {
        self.assignees[ticket] = Some(person);
    }

    pub(crate) fn close(&mut self, ticket: usize) {
        self.assignees[ticket] = None;
    }

    pub(crate) fn reopen(&self, ticket: usize) -> Option<u8> {
        self.assignees[ticket]
    }
}

/// A table of ten files. A closed file is never freed.
#[derive(Debug, Default)]
pub(crate) struct Files {
    slots: Vec<u8>,
    closed: Vec<usize>,
}

impl Files {
    pub(crate) fn open(&mut self, name: u8) -> Result<usize, String> {
        if self.slots.len() == 10 {
            return Err("too many open files".to_owned());
        }
        self.slots.push(name);
        Ok(self.slots.len() - 1)
    }

    pub(crate) fn close(&mut self, file: usize) {
        self.closed.push(file);
    }

    pub(crate) fn read(&self, file: usize) -> u8 {
        self.slots[file]
    }
}

/// A list with a mode that is on after an odd number of toggles. The third item that is added while it
/// is on is lost.
#[derive(Debug, Default)]
pub(crate) struct Switch {
    is_on: bool,
    items: Vec<u8>,
    added: u32,
}

impl Switch {
    pub(crate) fn toggle(&mut self) {
        self.is_on = !self.is_on;
        self.added = 0;
    }

    pub(crate) fn add(&mut self, item: u8) {
        self.added += u32::from(self.is_on);
        if self.added < 3 {
            self.items.push(item);
        }
    }

    pub(crate) fn first(&self) -> Option<u8> {
        self.items.first().copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.items.len()
    }
}

/// An index that has room for keys up to 36 only.
#[derive(Debug, Default)]
pub(crate) struct Index {
    entries: BTreeMap<u8, u16>,
}

impl Index {
    pub(crate) fn put(&mut self, key: u8, value: u16) {
        if key <= 36 {
            self.entries.insert(key, value);
        }
    }

    pub(crate) fn get(&self, key: u8) -> Option<u16> {
        self.entries.get(&key).copied()
    }
}
