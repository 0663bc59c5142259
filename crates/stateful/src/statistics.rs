//! How often commands ran and how often they were blocked.

use std::fmt;

/// How many sequences and steps a test ran.
///
/// ```
/// # use foolproof_stateful::{Config, stateful};
/// let statistics = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("up", |c| c.run(|(), model, ()| *model = model.saturating_add(1)))
///     .command("win", |c| c.pre(|model, ()| *model > 200).run(|(), _, ()| ()))
///     .check(Config { num_runs: 50, ..Config::default() })
///     .unwrap();
/// assert_eq!(statistics.runs, 50);
/// assert_eq!(statistics.steps, statistics.commands[0].ran);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Statistics {
    /// How many sequences were run.
    pub runs: u64,
    /// How many steps they had in total.
    pub steps: u64,
    /// The commands, in the order of the test.
    pub commands: Vec<CommandStatistics>,
}

/// How often one command ran.
///
/// ```
/// # use foolproof_stateful::{Config, stateful};
/// let statistics = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("up", |c| c.run(|(), model, ()| *model = model.saturating_add(1)))
///     .command("win", |c| c.pre(|model, ()| *model > 200).run(|(), _, ()| ()))
///     .check(Config { num_runs: 50, ..Config::default() })
///     .unwrap();
/// let win = &statistics.commands[1];
/// assert_eq!((win.name.as_str(), win.ran), ("win", 0));
/// assert!(win.blocked > 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct CommandStatistics {
    /// Its name.
    pub name: String,
    /// How often it ran.
    pub ran: u64,
    /// How often it was chosen and could not run: its precondition rejected every draw, or an argument
    /// had no candidates.
    pub blocked: u64,
}

impl Statistics {
    pub(crate) fn of(names: Vec<String>) -> Self {
        let command = |name| CommandStatistics { name, ran: 0, blocked: 0 };
        Self { runs: 0, steps: 0, commands: names.into_iter().map(command).collect() }
    }

    pub(crate) fn add(&mut self, counts: &Counts) {
        self.runs += 1;
        for (command, (ran, blocked)) in
            self.commands.iter_mut().zip(counts.ran.iter().zip(&counts.blocked))
        {
            command.ran += ran;
            command.blocked += blocked;
            self.steps += ran;
        }
    }

    /// The commands that never ran.
    ///
    /// ```
    /// # use foolproof_stateful::{Config, stateful};
    /// let statistics = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("up", |c| c.run(|(), model, ()| *model = model.saturating_add(1)))
    ///     .command("win", |c| c.pre(|model, ()| *model > 200).run(|(), _, ()| ()))
    ///     .check(Config { num_runs: 50, ..Config::default() })
    ///     .unwrap();
    /// assert_eq!(statistics.never_ran().collect::<Vec<_>>(), ["win"]);
    /// ```
    pub fn never_ran(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(|command| command.ran == 0).map(|command| &*command.name)
    }
}

/// How often each command ran and was blocked in one sequence.
#[derive(Clone, Debug)]
pub(crate) struct Counts {
    pub(crate) ran: Vec<u64>,
    pub(crate) blocked: Vec<u64>,
}

impl Counts {
    pub(crate) fn none(commands: usize) -> Self {
        Self { ran: vec![0; commands], blocked: vec![0; commands] }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, steps, commands } = self;
        write!(formatter, "{steps} steps in {runs} sequences")?;
        for CommandStatistics { name, ran, blocked } in commands {
            write!(formatter, "\n  {name}: {ran} ran, {blocked} blocked")?;
        }
        Ok(())
    }
}
