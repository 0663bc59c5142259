//! Scenarios of counters and state machines.

use crate::{
    planted::systems::{Account, Bank, Connection, Jugs, Meter, Note, Quota},
    scenario::{Domain, Scenario, Step},
};

type Commands = Vec<(&'static str, Vec<(&'static str, Domain)>)>;

const BYTE: Domain = Domain::Number(0, 255);

/// A number in the type of the system; it was drawn from a range that fits.
fn number<T: TryFrom<i64>>(step: &Step, index: usize) -> T {
    T::try_from(step.number(index)).ok().expect("it was drawn from a range that fits")
}

pub(crate) struct Accounts;

impl Scenario for Accounts {
    type Model = u64;
    type System = Account;

    fn commands(_: &u64) -> Commands {
        vec![
            ("deposit", vec![("units", Domain::Number(0, 50_000_000))]),
            ("withdraw", vec![("cents", BYTE)]),
        ]
    }

    fn predict(model: &mut u64, step: &Step) -> String {
        let amount: u64 = number(step, 0);
        match step.command {
            "deposit" => *model += amount * 100,
            _ => *model = model.saturating_sub(amount),
        }
        String::new()
    }

    fn answer(account: &mut Account, step: &Step) -> String {
        match step.command {
            "deposit" => account.deposit(number(step, 0)),
            _ => account.withdraw(number(step, 0)),
        }
        String::new()
    }

    fn holds(model: &u64, account: &Account) -> bool {
        *model == account.cents()
    }
}

pub(crate) struct Meters;

impl Scenario for Meters {
    type Model = u32;
    type System = Meter;

    fn commands(_: &u32) -> Commands {
        vec![("add", vec![("amount", Domain::Number(0, 1_500))]), ("reset", vec![])]
    }

    fn predict(model: &mut u32, step: &Step) -> String {
        match step.command {
            "add" => *model += number::<u32>(step, 0),
            _ => *model = 0,
        }
        String::new()
    }

    fn answer(meter: &mut Meter, step: &Step) -> String {
        match step.command {
            "add" => meter.add(number(step, 0)),
            _ => meter.reset(),
        }
        String::new()
    }

    fn holds(model: &u32, meter: &Meter) -> bool {
        *model == meter.total()
    }
}

pub(crate) struct Quotas;

impl Scenario for Quotas {
    type Model = Option<u16>;
    type System = Quota;

    fn commands(_: &Option<u16>) -> Commands {
        vec![
            ("limit", vec![("bytes", Domain::Number(0, 1_000))]),
            ("write", vec![("bytes", Domain::Number(0, 2_000))]),
            ("usage", vec![]),
        ]
    }

    fn predict(model: &mut Option<u16>, step: &Step) -> String {
        match step.command {
            "limit" => *model = Some(number(step, 0)),
            "write" => {
                let bytes: u16 = number(step, 0);
                return model.is_none_or(|limit| bytes <= limit + 3).to_string();
            }
            _ => {}
        }
        String::new()
    }

    fn answer(quota: &mut Quota, step: &Step) -> String {
        match step.command {
            "limit" => quota.limit(number(step, 0)),
            "write" => return quota.write(number(step, 0)).to_string(),
            _ => drop(quota.usage()),
        }
        String::new()
    }
}

pub(crate) struct Banks;

impl Scenario for Banks {
    type Model = Vec<i64>;
    type System = Bank;

    fn commands(model: &Vec<i64>) -> Commands {
        let account = || Domain::Pick((0..i64::try_from(model.len()).unwrap_or(0)).collect());
        vec![
            ("create", vec![]),
            (
                "transfer",
                vec![("from", account()), ("to", account()), ("amount", Domain::Number(1, 100))],
            ),
            ("audit", vec![]),
        ]
    }

    fn predict(model: &mut Vec<i64>, step: &Step) -> String {
        match step.command {
            "create" => model.push(0),
            "transfer" => {
                model[step.index(0)] -= step.number(2);
                model[step.index(1)] += step.number(2);
            }
            _ => {}
        }
        String::new()
    }

    fn answer(bank: &mut Bank, step: &Step) -> String {
        match step.command {
            "create" => bank.create(),
            "transfer" => bank.transfer(step.index(0), step.index(1), step.number(2)),
            _ => drop(bank.total()),
        }
        String::new()
    }

    fn holds(model: &Vec<i64>, bank: &Bank) -> bool {
        model == bank.balances()
    }
}

pub(crate) struct Notes;

impl Scenario for Notes {
    /// The text, and the saved text.
    type Model = (String, String);
    type System = Note;

    fn commands(_: &Self::Model) -> Commands {
        vec![("write", vec![("text", Domain::Text)]), ("save", vec![]), ("load", vec![])]
    }

    fn predict((written, saved): &mut Self::Model, step: &Step) -> String {
        match step.command {
            "write" => step.text().clone_into(written),
            "save" => saved.clone_from(written),
            _ => {
                written.clone_from(saved);
                return written.clone();
            }
        }
        String::new()
    }

    fn answer(note: &mut Note, step: &Step) -> String {
        match step.command {
            "write" => note.write(step.text()),
            "save" => note.save(),
            _ => return note.load(),
        }
        String::new()
    }
}

pub(crate) struct Connections;

impl Scenario for Connections {
    type Model = ();
    type System = Connection;

    fn commands((): &()) -> Commands {
        vec![
            ("log_in", vec![]),
            ("upgrade", vec![]),
            ("send", vec![("size", Domain::Number(0, 65_535))]),
            ("ping", vec![("payload", BYTE)]),
            ("subscribe", vec![("topic", BYTE)]),
        ]
    }

    fn predict((): &mut (), step: &Step) -> String {
        match step.command {
            "send" | "ping" => step.number(0).to_string(),
            _ => String::new(),
        }
    }

    fn answer(connection: &mut Connection, step: &Step) -> String {
        match step.command {
            "log_in" => connection.log_in(),
            "upgrade" => connection.upgrade(),
            "send" => return connection.send(number(step, 0)).to_string(),
            "ping" => return connection.ping(number(step, 0)).to_string(),
            _ => drop(connection.subscribe(number(step, 0))),
        }
        String::new()
    }
}

pub(crate) struct Waters;

impl Scenario for Waters {
    type Model = ();
    type System = Jugs;

    fn commands((): &()) -> Commands {
        vec![
            ("fill", vec![("jug", Domain::Jug)]),
            ("empty", vec![("jug", Domain::Jug)]),
            ("pour", vec![("from", Domain::Jug)]),
        ]
    }

    fn predict((): &mut (), _: &Step) -> String {
        String::new()
    }

    fn answer(jugs: &mut Jugs, step: &Step) -> String {
        match step.command {
            "fill" => jugs.fill(step.jug()),
            "empty" => jugs.empty(step.jug()),
            _ => jugs.pour(step.jug()),
        }
        String::new()
    }

    fn holds((): &(), jugs: &Jugs) -> bool {
        jugs.large != 4
    }
}
