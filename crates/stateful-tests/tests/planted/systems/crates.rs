//! Published crates in wrappers that have bugs.

use std::{collections::VecDeque, marker::PhantomData, mem, num::NonZeroUsize};

use async_channel::{Receiver, Sender};
use lru::LruCache;
use redb::{
    Database, Error, ReadableDatabase, ReadableTable, Savepoint, TableDefinition, WriteTransaction,
    backends::InMemoryBackend,
};

/// The capacity of a cache.
const fn capacity(entries: usize) -> NonZeroUsize {
    NonZeroUsize::new(entries).expect("caches have room")
}

/// A cache of four entries. Once it was resized, `peek` marks the entry as used.
#[derive(Debug)]
pub(crate) struct ResizedCache {
    entries: LruCache<u8, u16>,
    is_resized: bool,
}

impl Default for ResizedCache {
    fn default() -> Self {
        Self { entries: LruCache::new(capacity(Self::CAPACITY)), is_resized: false }
    }
}

impl ResizedCache {
    pub(crate) const CAPACITY: usize = 4;

    pub(crate) fn put(&mut self, key: u8, value: u16) -> Option<u16> {
        self.entries.put(key, value)
    }

    pub(crate) fn get(&mut self, key: u8) -> Option<u16> {
        self.entries.get(&key).copied()
    }

    pub(crate) fn peek(&mut self, key: u8) -> Option<u16> {
        if self.is_resized { self.get(key) } else { self.entries.peek(&key).copied() }
    }

    pub(crate) fn pop(&mut self, key: u8) -> Option<u16> {
        self.entries.pop(&key)
    }

    pub(crate) fn resize(&mut self, entries: usize) {
        self.is_resized = true;
        self.entries.resize(capacity(entries));
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// A cache of three entries that panics at its third eviction.
#[derive(Debug)]
pub(crate) struct FragileCache {
    entries: LruCache<u8, u16>,
    evicted: u32,
}

impl Default for FragileCache {
    fn default() -> Self {
        Self { entries: LruCache::new(capacity(Self::CAPACITY)), evicted: 0 }
    }
}

impl FragileCache {
    pub(crate) const CAPACITY: usize = 3;

    pub(crate) fn put(&mut self, key: u8, value: u16) {
        let is_full = self.entries.len() == Self::CAPACITY;
        self.evicted += u32::from(is_full && !self.entries.contains(&key));
        assert!(self.evicted < 3, "the third entry is evicted");
        self.entries.put(key, value);
    }

    pub(crate) fn get(&mut self, key: u8) -> Option<u16> {
        self.entries.get(&key).copied()
    }

    pub(crate) fn pop(&mut self, key: u8) -> Option<u16> {
        self.entries.pop(&key)
    }

    pub(crate) fn pop_lru(&mut self) -> Option<(u8, u16)> {
        self.entries.pop_lru()
    }

    pub(crate) fn len(&self) -> usize {
        self.entries.len()
    }
}

/// A channel for four messages. If several wait when it is closed, the last one is lost.
#[derive(Debug)]
pub(crate) struct Channel {
    sender: Sender<u16>,
    receiver: Receiver<u16>,
    /// The messages that waited when it was closed.
    rest: VecDeque<u16>,
}

impl Default for Channel {
    fn default() -> Self {
        let (sender, receiver) = async_channel::bounded(Self::CAPACITY);
        Self { sender, receiver, rest: VecDeque::new() }
    }
}

impl Channel {
    pub(crate) const CAPACITY: usize = 4;

    /// Whether the message was accepted.
    pub(crate) fn send(&self, message: u16) -> bool {
        self.sender.try_send(message).is_ok()
    }

    pub(crate) fn receive(&mut self) -> Option<u16> {
        self.rest.pop_front().or_else(|| self.receiver.try_recv().ok())
    }

    /// Whether this call closed it.
    pub(crate) fn close(&mut self) -> bool {
        let is_first = self.sender.close();
        self.rest.extend(std::iter::from_fn(|| self.receiver.try_recv().ok()));
        if is_first && self.rest.len() > 1 {
            self.rest.pop_back();
        }
        is_first
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.receiver.is_closed()
    }

    pub(crate) fn len(&self) -> usize {
        self.rest.len() + self.receiver.len()
    }
}

/// Which bug a database has.
pub(crate) trait DatabaseBug: 'static {
    const SAVEPOINT_LOSES_WRITE: bool = false;
    const ABORT_KEEPS_REMOVALS: bool = false;
}

/// What was written last before a savepoint is not there after a rollback to it.
pub(crate) struct SavepointLosesWrite;

impl DatabaseBug for SavepointLosesWrite {
    const SAVEPOINT_LOSES_WRITE: bool = true;
}

/// What a transaction removed is removed even if it is aborted.
pub(crate) struct AbortKeepsRemovals;

impl DatabaseBug for AbortKeepsRemovals {
    const ABORT_KEEPS_REMOVALS: bool = true;
}

const TABLE: TableDefinition<u8, u16> = TableDefinition::new("records");

/// A table in a database in memory, with one transaction at a time and one savepoint. The methods need what
/// the preconditions of the commands say: `insert`, `remove`, `commit` and `abort` an open transaction, and
/// `begin`, `savepoint` and `rollback` none.
pub(crate) struct Records<B> {
    open: Option<WriteTransaction>,
    savepoint: Option<Savepoint>,
    database: Database,
    /// The key that was inserted last.
    inserted: Option<u8>,
    /// The same at the savepoint.
    inserted_at_savepoint: Option<u8>,
    /// What the open transaction removed.
    removed: Vec<u8>,
    bug: PhantomData<B>,
}

impl<B> Default for Records<B> {
    fn default() -> Self {
        let backend = InMemoryBackend::new();
        let database = Database::builder().create_with_backend(backend).expect("it is in memory");
        Self {
            open: None,
            savepoint: None,
            database,
            inserted: None,
            inserted_at_savepoint: None,
            removed: Vec::new(),
            bug: PhantomData,
        }
    }
}

impl<B: DatabaseBug> Records<B> {
    pub(crate) fn begin(&mut self) -> Result<(), Error> {
        self.open = Some(self.database.begin_write()?);
        Ok(())
    }

    pub(crate) fn insert(&mut self, key: u8, value: u16) -> Result<(), Error> {
        self.inserted = Some(key);
        self.transaction().open_table(TABLE)?.insert(key, value)?;
        Ok(())
    }

    pub(crate) fn remove(&mut self, key: u8) -> Result<(), Error> {
        self.removed.push(key);
        self.inserted = None;
        self.transaction().open_table(TABLE)?.remove(key)?;
        Ok(())
    }

    pub(crate) fn commit(&mut self) -> Result<(), Error> {
        self.removed.clear();
        Ok(self.close().commit()?)
    }

    pub(crate) fn abort(&mut self) -> Result<(), Error> {
        self.inserted = None;
        self.close().abort()?;
        let removed = mem::take(&mut self.removed);
        if B::ABORT_KEEPS_REMOVALS { self.delete(removed) } else { Ok(()) }
    }

    pub(crate) fn savepoint(&mut self) -> Result<(), Error> {
        let transaction = self.database.begin_write()?;
        self.savepoint = Some(transaction.ephemeral_savepoint()?);
        self.inserted_at_savepoint = self.inserted;
        Ok(transaction.abort()?)
    }

    pub(crate) fn rollback(&mut self) -> Result<(), Error> {
        let mut transaction = self.database.begin_write()?;
        let savepoint = self.savepoint.as_ref().expect("there is one");
        transaction.restore_savepoint(savepoint)?;
        transaction.commit()?;
        self.inserted = self.inserted_at_savepoint;
        if B::SAVEPOINT_LOSES_WRITE { self.delete(self.inserted) } else { Ok(()) }
    }

    /// The value of `key` that the open transaction sees, or else the committed one.
    pub(crate) fn get(&self, key: u8) -> Result<Option<u16>, Error> {
        if let Some(transaction) = &self.open {
            let table = transaction.open_table(TABLE)?;
            let value = table.get(key)?;
            return Ok(value.map(|value| value.value()));
        }
        match self.database.begin_read()?.open_table(TABLE) {
            Ok(table) => Ok(table.get(key)?.map(|value| value.value())),
            // No transaction that created it was committed.
            Err(redb::TableError::TableDoesNotExist(_)) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    fn delete(&self, keys: impl IntoIterator<Item = u8>) -> Result<(), Error> {
        let transaction = self.database.begin_write()?;
        for key in keys {
            transaction.open_table(TABLE)?.remove(key)?;
        }
        Ok(transaction.commit()?)
    }

    fn transaction(&self) -> &WriteTransaction {
        self.open.as_ref().expect("a transaction is open")
    }

    fn close(&mut self) -> WriteTransaction {
        self.open.take().expect("a transaction is open")
    }
}
