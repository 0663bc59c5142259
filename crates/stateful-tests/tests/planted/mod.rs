//! Systems with planted bugs, and the smallest sequence that shows each.

use std::cell::Cell;

use foolproof_stateful::{Config, Failure, Statistics};

mod checks;
pub(crate) mod systems;

/// The result of a test.
pub(crate) type CheckResult = Result<Statistics, Failure>;

/// A planted bug.
pub(crate) struct Bug {
    pub(crate) name: &'static str,
    /// The length of the shortest sequence that shows it.
    pub(crate) length: usize,
    /// The steps of such a sequence with the simplest arguments.
    pub(crate) smallest: &'static [&'static str],
    pub(crate) check: fn(Config) -> CheckResult,
}

impl Bug {
    /// Whether `steps` are as few as possible.
    pub(crate) fn is_shortest<T>(&self, steps: &[T]) -> bool {
        steps.len() == self.length
    }

    /// Whether `steps` are as few and as simple as possible.
    pub(crate) fn is_smallest<T: ToString>(&self, steps: &[T]) -> bool {
        let is_simple = |step: &T| self.smallest.contains(&step.to_string().as_str());
        self.is_shortest(steps) && steps.iter().all(is_simple)
    }
}

pub(crate) const BUGS: [Bug; 14] = [
    Bug {
        name: "stale length after wrap-around",
        length: 8,
        smallest: &["push(item: 0)", "pop()"],
        check: checks::ring,
    },
    Bug {
        name: "key lost after delete and re-insert",
        length: 4,
        smallest: &["put(key: 0, value: 0)", "delete(key: 0)", "get(key: 0)"],
        check: checks::store,
    },
    Bug {
        name: "overflow of one large argument",
        length: 1,
        smallest: &["deposit(units: 42949673)"],
        check: checks::account,
    },
    Bug {
        name: "same id twice, returned",
        length: 3,
        smallest: &["create()", "lock(id: 0)", "delete(id: 0)"],
        check: checks::registry,
    },
    Bug {
        name: "same id thrice, picked",
        length: 4,
        smallest: &[
            "create()",
            "assign(ticket: 0, person: 0)",
            "close(ticket: 0)",
            "reopen(ticket: 0)",
        ],
        check: checks::tickets,
    },
    Bug {
        name: "leak after ten opens",
        length: 12,
        smallest: &["open(name: 0)", "close(file: 0)"],
        check: checks::files,
    },
    Bug {
        name: "three commands in order",
        length: 3,
        smallest: &["log_in()", "upgrade()", "send(size: 0)"],
        check: checks::connection,
    },
    Bug {
        name: "water jugs",
        length: 6,
        smallest: &["fill(jug: Large)", "pour(from: Large)", "empty(jug: Small)"],
        check: checks::jugs,
    },
    Bug {
        name: "text cut off",
        length: 3,
        smallest: &["write(text: \"aaaaa\")", "save()", "load()"],
        check: checks::note,
    },
    Bug {
        name: "one argument depends on another",
        length: 2,
        smallest: &["limit(bytes: 0)", "write(bytes: 4)"],
        check: checks::quota,
    },
    Bug {
        name: "two different ids",
        length: 4,
        smallest: &[
            "create()",
            "transfer(from: 0, to: 1, amount: 1)",
            "transfer(from: 1, to: 0, amount: 1)",
        ],
        check: checks::bank,
    },
    Bug {
        name: "steps that cancel each other out",
        length: 4,
        smallest: &["toggle()", "add(item: 0)"],
        check: checks::switch,
    },
    Bug {
        name: "sum that one step can reach",
        length: 1,
        smallest: &["add(amount: 1001)"],
        check: checks::meter,
    },
    Bug {
        name: "equal arguments from a threshold on",
        length: 2,
        smallest: &["put(key: 37, value: 0)", "get(key: 37)"],
        check: checks::index,
    },
];

/// Bugs in wrappers of published crates. They need longer sequences of more commands.
pub(crate) const CRATE_BUGS: [Bug; 5] = [
    Bug {
        name: "peek promotes after a resize (lru)",
        length: 6,
        smallest: &[
            "put(key: 0, value: 0)",
            "put(key: 1, value: 0)",
            "put(key: 2, value: 0)",
            "resize(capacity: 1)",
            "resize(capacity: 2)",
            "peek(key: 0)",
            "peek(key: 1)",
            "get(key: 0)",
            "get(key: 1)",
            "pop(key: 0)",
            "pop(key: 1)",
        ],
        check: checks::resized_cache,
    },
    Bug {
        name: "panic at the third eviction (lru)",
        length: 6,
        smallest: &[
            "put(key: 0, value: 0)",
            "put(key: 1, value: 0)",
            "put(key: 2, value: 0)",
            "put(key: 3, value: 0)",
        ],
        check: checks::fragile_cache,
    },
    Bug {
        name: "last message lost (async-channel)",
        length: 4,
        smallest: &["send(message: 0)", "close()", "len()"],
        check: checks::channel,
    },
    Bug {
        name: "savepoint loses a write (redb)",
        length: 6,
        smallest: &[
            "begin()",
            "insert(key: 0, value: 0)",
            "commit()",
            "savepoint()",
            "rollback()",
            "get(key: 0)",
        ],
        check: checks::savepoints,
    },
    Bug {
        name: "abort keeps removals (redb)",
        length: 7,
        smallest: &[
            "begin()",
            "insert(key: 0, value: 0)",
            "commit()",
            "remove(key: 0)",
            "abort()",
            "get(key: 0)",
        ],
        check: checks::aborts,
    },
];

thread_local! {
    static CREATED: Cell<u32> = const { Cell::new(0) };
}

/// Creates a fresh system and counts it.
pub(crate) fn create<S: Default>() -> S {
    CREATED.set(CREATED.get() + 1);
    S::default()
}

/// How many systems were created on this thread since the last call.
pub(crate) fn take_created() -> u32 {
    CREATED.take()
}
