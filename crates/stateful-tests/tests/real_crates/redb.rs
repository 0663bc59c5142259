//! `redb`, an embedded database, in memory: transactions and persistent savepoints against copies of a map.
//!
//! A transaction works on a copy of what is committed. A savepoint is a copy too, and can only be created
//! before the transaction accesses a table. Restoring one deletes those created after it.

use std::collections::BTreeMap;

use foolproof_stateful::stateful;
use redb::{
    Database, Error, ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction,
    backends::InMemoryBackend,
};

use crate::config;

const TABLE: TableDefinition<u8, u16> = TableDefinition::new("table");

type Rows = BTreeMap<u8, u16>;

/// What a transaction sees: the rows, and those at every savepoint.
#[derive(Clone, Debug, Default)]
struct View {
    rows: Rows,
    savepoints: BTreeMap<u64, Rows>,
}

/// The model: what is committed, and what the open transaction sees.
#[derive(Debug, Default)]
struct Model {
    committed: View,
    open: Option<View>,
    /// Whether the open transaction has accessed a table or restored a savepoint.
    is_dirty: bool,
}

impl Model {
    /// What the open transaction sees, which from now on is dirty.
    fn write(&mut self) -> &mut View {
        self.is_dirty = true;
        self.open.as_mut().expect("the precondition is that a transaction is open")
    }

    fn is_open(&self) -> bool {
        self.open.is_some()
    }
}

/// The system: a database, and its open transaction.
struct System {
    database: Database,
    open: Option<WriteTransaction>,
}

impl System {
    fn new() -> Self {
        let backend = InMemoryBackend::new();
        let database = Database::builder().create_with_backend(backend).unwrap();
        let create = database.begin_write().unwrap();
        create.open_table(TABLE).unwrap();
        create.commit().unwrap();
        Self { database, open: None }
    }

    fn transaction(&mut self) -> &mut WriteTransaction {
        self.open.as_mut().expect("the model has one too")
    }

    fn close(&mut self) -> WriteTransaction {
        self.open.take().expect("the model has one too")
    }

    fn insert(&mut self, key: u8, value: u16) -> Result<Option<u16>, Error> {
        let mut table = self.transaction().open_table(TABLE)?;
        let old = table.insert(key, value)?;
        Ok(old.map(|old| old.value()))
    }

    fn remove(&mut self, key: u8) -> Result<Option<u16>, Error> {
        let mut table = self.transaction().open_table(TABLE)?;
        let old = table.remove(key)?;
        Ok(old.map(|old| old.value()))
    }

    /// All rows that `table` has.
    fn rows(table: &impl ReadableTable<u8, u16>) -> Result<Rows, Error> {
        let entries = table.iter()?.map(|entry| {
            let (key, value) = entry?;
            Ok((key.value(), value.value()))
        });
        entries.collect()
    }

    fn committed_rows(&self) -> Result<Rows, Error> {
        Self::rows(&self.database.begin_read()?.open_table(TABLE)?)
    }
}

#[test]
fn a_transaction_works_on_a_copy() {
    stateful::<Model, System>()
        .model(Model::default)
        .sut(System::new)
        .command("begin", |c| {
            c.pre(|model, ()| !model.is_open()).try_run(|(), model, system| {
                model.open = Some(model.committed.clone());
                model.is_dirty = false;
                system.open = Some(system.database.begin_write()?);
                Ok::<_, Error>(())
            })
        })
        .command("insert", |c| {
            c.forall("key", 0..20_u8)
                .forall("value", 0..100_u16)
                .pre(|model, _| model.is_open())
                .try_run(|(key, value), model, system| {
                    let expected = model.write().rows.insert(key, value);
                    system.insert(key, value).map(|old| (expected, old))
                })
                .post(|_, _, _, (expected, old)| expected == old)
                .weight(3)
        })
        .command("remove", |c| {
            c.forall("key", 0..20_u8)
                .pre(|model, _| model.is_open())
                .try_run(|key, model, system| {
                    let expected = model.write().rows.remove(&key);
                    system.remove(key).map(|old| (expected, old))
                })
                .post(|_, _, _, (expected, old)| expected == old)
        })
        .command("read", |c| {
            c.pre(|model, ()| model.is_open())
                .try_run(|(), model, system| {
                    model.is_dirty = true;
                    System::rows(&system.transaction().open_table(TABLE)?)
                })
                .post(|(), model, _, rows| model.open.as_ref().is_some_and(|it| it.rows == *rows))
        })
        .command("commit", |c| {
            c.pre(|model, ()| model.is_open()).try_run(|(), model, system| {
                model.committed = model.open.take().unwrap_or_default();
                system.close().commit()
            })
        })
        .command("abort", |c| {
            c.pre(|model, ()| model.is_open()).try_run(|(), model, system| {
                model.open = None;
                system.close().abort()
            })
        })
        .command("savepoint", |c| {
            c.pre(|model, ()| model.is_open() && !model.is_dirty).try_run(|(), model, system| {
                let id = system.transaction().persistent_savepoint()?;
                let view = model.open.as_mut().expect("the precondition");
                view.savepoints.insert(id, view.rows.clone());
                Ok::<_, Error>(id)
            })
        })
        .command("restore", |c| {
            c.pick("savepoint", savepoints).try_run(|id, model, system| {
                let view = model.write();
                view.rows.clone_from(&view.savepoints[&id]);
                view.savepoints.split_off(&(id + 1));
                let savepoint = system.transaction().get_persistent_savepoint(id)?;
                Ok::<_, Error>(system.transaction().restore_savepoint(&savepoint)?)
            })
        })
        .command("forget", |c| {
            c.pick("savepoint", savepoints)
                .try_run(|id, model, system| {
                    let view = model.open.as_mut().expect("a savepoint was picked from it");
                    view.savepoints.remove(&id);
                    system.transaction().delete_persistent_savepoint(id)
                })
                .post(|_, _, _, is_there| *is_there)
        })
        .invariant("readers see what is committed", |model, system| match system.committed_rows() {
            Ok(rows) if rows == model.committed.rows => Ok(()),
            Ok(rows) => Err(format!("they see {rows:?}")),
            Err(error) => Err(error.to_string()),
        })
        .check(config())
        .unwrap();
}

/// The savepoints that the open transaction sees.
fn savepoints(model: &Model) -> Vec<u64> {
    model.open.iter().flat_map(|view| view.savepoints.keys().copied()).collect()
}
