//! Tests of counters and state machines.

use foolproof_stateful::{Config, stateful};
use proptest::prelude::*;

use super::super::{
    CheckResult, create,
    systems::{Account, Bank, Connection, Jug, Jugs, Meter, Note, Quota},
};

pub(crate) fn account(config: Config) -> CheckResult {
    stateful::<u64, Account>()
        .model(|| 0)
        .sut(create)
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

pub(crate) fn connection(config: Config) -> CheckResult {
    stateful::<(), Connection>()
        .model(|| ())
        .sut(create)
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

pub(crate) fn jugs(config: Config) -> CheckResult {
    let any_jug = || prop_oneof![Just(Jug::Small), Just(Jug::Large)];
    stateful::<(), Jugs>()
        .model(|| ())
        .sut(create)
        .command("fill", |c| c.forall("jug", any_jug()).run(|jug, (), jugs| jugs.fill(jug)))
        .command("empty", |c| c.forall("jug", any_jug()).run(|jug, (), jugs| jugs.empty(jug)))
        .command("pour", |c| c.forall("from", any_jug()).run(|from, (), jugs| jugs.pour(from)))
        .invariant("the large jug does not hold four litres", |(), jugs| jugs.large != 4)
        .check(config)
}

pub(crate) fn note(config: Config) -> CheckResult {
    /// The text, and the saved text.
    type Texts = (String, String);
    stateful::<Texts, Note>()
        .model(Texts::default)
        .sut(create)
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

pub(crate) fn quota(config: Config) -> CheckResult {
    stateful::<Option<u16>, Quota>()
        .model(|| None)
        .sut(create)
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

pub(crate) fn bank(config: Config) -> CheckResult {
    let known = |model: &Vec<i64>| 0..model.len();
    stateful::<Vec<i64>, Bank>()
        .model(Vec::new)
        .sut(create)
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

pub(crate) fn meter(config: Config) -> CheckResult {
    stateful::<u32, Meter>()
        .model(|| 0)
        .sut(create)
        .command("add", |c| {
            c.forall("amount", 0..=1_500_u32).run(|amount, model, meter| {
                *model += amount;
                meter.add(amount);
            })
        })
        .command("reset", |c| {
            c.run(|(), model, meter| {
                *model = 0;
                meter.reset();
            })
        })
        .invariant("same total", |model, meter| *model == meter.total())
        .check(config)
}
