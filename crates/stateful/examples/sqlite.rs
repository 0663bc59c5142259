//! A table of a database in memory (`rusqlite`), with its constraints and its savepoints, against a
//! `BTreeMap`.
//!
//! The model of a transaction is a copy: `begin` saves one, `rollback` restores it. Errors of the
//! database are predicted too, by the kind of constraint that is violated.
#![expect(clippy::print_stdout, reason = "an example shows what it found")]

mod print;

use std::collections::BTreeMap;

use foolproof_stateful::{Config, Failure, stateful};
use rusqlite::{Connection, ffi};

type Stock = BTreeMap<String, i64>;

/// The model: the rows of the table, now and at every open savepoint.
#[derive(Debug, Default)]
struct Model {
    stock: Stock,
    savepoints: Vec<Stock>,
}

/// The outcome of a statement.
#[derive(Debug, PartialEq)]
enum Outcome {
    Changed(usize),
    NotUnique,
    CheckFailed,
    Failed(String),
}

fn execute(connection: &Connection, sql: &str, name: &str, amount: i64) -> Outcome {
    let mut prepared = match connection.prepare_cached(sql) {
        Ok(prepared) => prepared,
        Err(error) => return Outcome::Failed(error.to_string()),
    };
    match prepared.execute((name, amount)) {
        Ok(rows) => Outcome::Changed(rows),
        Err(error) => match error.sqlite_error().map(|error| error.extended_code) {
            Some(ffi::SQLITE_CONSTRAINT_PRIMARYKEY) => Outcome::NotUnique,
            Some(ffi::SQLITE_CONSTRAINT_CHECK) => Outcome::CheckFailed,
            Some(_) | None => Outcome::Failed(error.to_string()),
        },
    }
}

/// All rows of the table in the database.
fn rows(connection: &Connection) -> rusqlite::Result<Stock> {
    let mut select = connection.prepare_cached("SELECT name, amount FROM stock")?;
    select.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
}

impl Model {
    fn insert(&mut self, name: &str, amount: i64) -> Outcome {
        if self.stock.contains_key(name) {
            return Outcome::NotUnique;
        }
        self.stock.insert(name.to_owned(), amount);
        Outcome::Changed(1)
    }

    fn take(&mut self, name: &str, amount: i64) -> Outcome {
        match self.stock.get_mut(name) {
            None => Outcome::Changed(0),
            Some(left) if *left < amount => Outcome::CheckFailed,
            Some(left) => {
                *left -= amount;
                Outcome::Changed(1)
            }
        }
    }
}

fn main() -> Result<(), Failure> {
    let statistics = stateful::<Model, Connection>()
        .model(Model::default)
        .sut(|| Connection::open_in_memory().expect("a database in memory needs no file"))
        .setup(|_, connection| {
            let sql = "CREATE TABLE stock (
                name TEXT PRIMARY KEY,
                amount INTEGER NOT NULL CHECK (amount >= 0)
            ) STRICT";
            connection.execute(sql, ()).expect("the schema is right");
        })
        .command("insert", |c| {
            c.forall("name", "[a-d]").forall("amount", 0..100_i64).oracle(
                |(name, amount), model| model.insert(name, *amount),
                |(name, amount), connection| {
                    execute(connection, "INSERT INTO stock VALUES (?1, ?2)", name, *amount)
                },
            )
        })
        .command("take", |c| {
            c.forall("name", "[a-d]").forall("amount", 1..100_i64).oracle(
                |(name, amount), model| model.take(name, *amount),
                |(name, amount), connection| {
                    let sql = "UPDATE stock SET amount = amount - ?2 WHERE name = ?1";
                    execute(connection, sql, name, *amount)
                },
            )
        })
        .command("delete", |c| {
            c.pick("name", |model| model.stock.keys().cloned().collect::<Vec<_>>())
                .run(|name, model, connection| {
                    model.stock.remove(&name);
                    connection.execute("DELETE FROM stock WHERE name = ?1", [name])
                })
                .post(|_, _, _, deleted| *deleted == Ok(1))
        })
        .command("begin", |c| {
            c.pre(|model, ()| model.savepoints.len() < 3).run(|(), model, connection| {
                model.savepoints.push(model.stock.clone());
                connection.execute_batch("SAVEPOINT here")
            })
        })
        .command("commit", |c| {
            c.pre(|model, ()| !model.savepoints.is_empty()).run(|(), model, connection| {
                model.savepoints.pop();
                connection.execute_batch("RELEASE here")
            })
        })
        .command("rollback", |c| {
            c.pre(|model, ()| !model.savepoints.is_empty()).run(|(), model, connection| {
                model.stock = model.savepoints.pop().unwrap_or_default();
                connection.execute_batch("ROLLBACK TO here; RELEASE here")
            })
        })
        .invariant("the same rows", |model, connection| {
            rows(connection).is_ok_and(|rows| rows == model.stock)
        })
        .invariant("a transaction is open while a savepoint is", |model, connection| {
            connection.is_autocommit() == model.savepoints.is_empty()
        })
        .check(Config { num_runs: 200, require_all_commands: true, ..Config::default() })?;
    print::statistics("the table behaves like its model", &statistics);
    Ok(())
}
