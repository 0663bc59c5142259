//! Counters and state machines with bugs.

use std::collections::BTreeSet;

/// An account in cents. A deposit in whole units is converted in 32 bits.
#[derive(Debug, Default)]
pub(crate) struct Account {
    cents: u64,
}

impl Account {
    pub(crate) fn deposit(&mut self, units: u32) {
        self.cents += u64::from(units.wrapping_mul(100));
    }

    pub(crate) fn withdraw(&mut self, cents: u8) {
        self.cents = self.cents.saturating_sub(u64::from(cents));
    }

    pub(crate) fn cents(&self) -> u64 {
        self.cents
    }
}

/// A meter that stops at a thousand.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    total: u32,
}

impl Meter {
    pub(crate) fn add(&mut self, amount: u32) {
        self.total = (self.total + amount).min(1_000);
    }

    pub(crate) fn reset(&mut self) {
        self.total = 0;
    }

    pub(crate) fn total(&self) -> u32 {
        self.total
    }
}

/// A quota that should allow three bytes more than its limit, and allows everything.
#[derive(Debug, Default)]
pub(crate) struct Quota {
    limit: Option<u16>,
    used: u32,
}

impl Quota {
    pub(crate) fn limit(&mut self, bytes: u16) {
        self.limit = Some(bytes);
    }

    /// Whether there is room. The limit is never checked.
    pub(crate) fn write(&mut self, bytes: u16) -> bool {
        self.used += u32::from(bytes);
        true
    }

    pub(crate) fn usage(&self) -> u32 {
        self.used
    }
}

/// Accounts with transfers between them. A transfer that reverses the last one is executed twice.
#[derive(Debug, Default)]
pub(crate) struct Bank {
    balances: Vec<i64>,
    last: Option<(usize, usize)>,
}

impl Bank {
    pub(crate) fn create(&mut self) {
        self.balances.push(0);
    }

    pub(crate) fn transfer(&mut self, from: usize, to: usize, amount: i64) {
        let times = if self.last == Some((to, from)) { 2 } else { 1 };
        self.balances[from] -= amount * times;
        self.balances[to] += amount * times;
        self.last = Some((from, to));
    }

    pub(crate) fn total(&self) -> i64 {
        self.balances.iter().sum()
    }

    pub(crate) fn balances(&self) -> &[i64] {
        &self.balances
    }
}

/// A note. A text longer than four characters is cut off when it is saved.
#[derive(Debug, Default)]
pub(crate) struct Note {
    text: String,
    saved: String,
}

impl Note {
    pub(crate) fn write(&mut self, text: &str) {
        text.clone_into(&mut self.text);
    }

    pub(crate) fn save(&mut self) {
        self.saved = self.text.chars().take(4).collect();
    }

    pub(crate) fn load(&mut self) -> String {
        self.text.clone_from(&self.saved);
        self.text.clone()
    }
}

/// A connection that reports a wrong size after a login followed by an upgrade.
#[derive(Debug, Default)]
pub(crate) struct Connection {
    is_logged_in: bool,
    is_upgraded: bool,
    pings: u32,
    topics: BTreeSet<u8>,
}

impl Connection {
    pub(crate) fn log_in(&mut self) {
        self.is_logged_in = true;
    }

    pub(crate) fn upgrade(&mut self) {
        self.is_upgraded = self.is_logged_in;
    }

    pub(crate) fn send(&mut self, size: u16) -> u16 {
        let is_wrong = self.is_logged_in && self.is_upgraded;
        if is_wrong { size.wrapping_add(1) } else { size }
    }

    pub(crate) fn ping(&mut self, payload: u8) -> u8 {
        self.pings += 1;
        payload
    }

    pub(crate) fn subscribe(&mut self, topic: u8) -> bool {
        self.topics.insert(topic)
    }
}

/// One of two jugs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Jug {
    Small,
    Large,
}

/// A jug of three litres and one of five.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Jugs {
    pub(crate) small: u8,
    pub(crate) large: u8,
}

impl Jugs {
    pub(crate) fn fill(&mut self, jug: Jug) {
        match jug {
            Jug::Small => self.small = 3,
            Jug::Large => self.large = 5,
        }
    }

    pub(crate) fn empty(&mut self, jug: Jug) {
        match jug {
            Jug::Small => self.small = 0,
            Jug::Large => self.large = 0,
        }
    }

    /// Pours one jug into the other, until that is full.
    pub(crate) fn pour(&mut self, from: Jug) {
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
