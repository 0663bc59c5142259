//! How often commands ran and how often they were blocked, and what else a run reports.

use std::{collections::BTreeMap, fmt};

use crate::Fault;

/// What a run did.
///
/// ```
/// use foolproof_stateful::{Config, stateful};
///
/// let statistics = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("next", |c| c.run(|(), model, ()| *model = model.wrapping_add(1)))
///     .command("stop", |c| c.pre(|_, ()| false).run(|(), _, ()| ()))
///     .check(Config { num_runs: 10, ..Config::default() })
///     .unwrap();
/// assert_eq!(statistics.runs, 10);
/// assert_eq!(statistics.never_ran().collect::<Vec<_>>(), ["stop"]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Statistics {
    /// The number of sequences.
    pub runs: u64,
    /// The number of steps.
    pub steps: u64,
    /// How often each command ran, in the order of the test.
    pub commands: Vec<CommandStatistics>,
    /// How often a step with each label ran, and after which other label.
    pub labels: LabelStatistics,
    /// The arguments whose strategies reject nearly everything that they draw, as `command(argument)`, and
    /// how often that was so.
    pub rejected: BTreeMap<String, u64>,
    /// What the regression file did.
    pub regressions: RegressionStatistics,
    /// What to warn of, each distinct warning once.
    pub warnings: Vec<Warning>,
    /// How many sequences ended because no command could run.
    pub cut_short: u64,
}

/// How often a command ran.
///
/// ```
/// use foolproof_stateful::{Config, stateful};
///
/// let statistics = stateful::<u8, ()>()
///     .model(|| 0)
///     .sut(|| ())
///     .command("next", |c| c.pre(|model, ()| *model < 3).run(|(), model, ()| *model += 1))
///     .check(Config { num_runs: 10, seed: Some(1), ..Config::default() })
///     .unwrap();
/// let next = &statistics.commands[0];
/// assert!(next.name == "next" && next.ran > 0 && next.blocked > 0);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct CommandStatistics {
    /// The name of the command.
    pub name: String,
    /// How often it ran.
    pub ran: u64,
    /// How often it was chosen and could not run: its precondition was false, or an argument had no
    /// candidate.
    pub blocked: u64,
}

/// How often labels occurred.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct LabelStatistics {
    /// How often a step had each label.
    pub counts: BTreeMap<String, u64>,
    /// How often a step with the second label followed one with the first.
    pub transitions: BTreeMap<String, BTreeMap<String, u64>>,
}

/// What the regression file did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct RegressionStatistics {
    /// How many sequences of it ran as they were recorded, and passed.
    pub passed: u64,
    /// The lines whose sequences could not be repeated as they were recorded, because a command or a
    /// strategy has changed, each with the reason. They are kept.
    pub stale: Vec<String>,
    /// The lines that are no sequences at all.
    pub unreadable: Vec<String>,
}

/// Something that a machine warned of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Warning {
    /// The command of the step.
    pub command: String,
    /// What it warned of when it did so first.
    pub fault: Fault,
    /// How often it did.
    pub count: u64,
}

impl Statistics {
    pub(crate) fn of(names: Vec<String>) -> Self {
        let command = |name| CommandStatistics { name, ran: 0, blocked: 0 };
        Self { commands: names.into_iter().map(command).collect(), ..Self::default() }
    }

    pub(crate) fn add(&mut self, counts: &Counts) {
        self.runs += 1;
        self.cut_short += u64::from(counts.is_cut_short);
        for (command, (ran, blocked)) in
            self.commands.iter_mut().zip(counts.ran.iter().zip(&counts.blocked))
        {
            command.ran += ran;
            command.blocked += blocked;
            self.steps += ran;
        }
        for (label, count) in &counts.labels {
            *self.labels.counts.entry(label.clone()).or_default() += count;
        }
        for ((from, to), count) in &counts.transitions {
            let after = self.labels.transitions.entry(from.clone()).or_default();
            *after.entry(to.clone()).or_default() += count;
        }
        for ((command, argument), count) in &counts.rejected {
            let command = self.commands.get(*command).map_or("", |command| &command.name);
            *self.rejected.entry(format!("{command}({argument})")).or_default() += count;
        }
        for (command, fault) in &counts.warnings {
            self.warn(*command, fault);
        }
    }

    fn warn(&mut self, command: usize, fault: &Fault) {
        let Some(name) = self.commands.get(command).map(|command| command.name.clone()) else {
            return;
        };
        let is_same = |known: &&mut Warning| known.command == name && known.fault.is_same_as(fault);
        match self.warnings.iter_mut().find(is_same) {
            Some(known) => known.count += 1,
            None => {
                self.warnings.push(Warning { command: name, fault: fault.clone(), count: 1 });
            }
        }
    }

    /// The commands that never ran.
    ///
    /// ```
    /// use foolproof_stateful::{Config, stateful};
    ///
    /// let statistics = stateful::<u8, ()>()
    ///     .model(|| 0)
    ///     .sut(|| ())
    ///     .command("next", |c| c.run(|(), _, ()| ()))
    ///     .check(Config::default())
    ///     .unwrap();
    /// assert_eq!(statistics.never_ran().count(), 0);
    /// ```
    pub fn never_ran(&self) -> impl Iterator<Item = &str> {
        self.commands.iter().filter(|command| command.ran == 0).map(|command| &*command.name)
    }
}

/// The counts of one sequence.
#[derive(Clone, Debug, Default)]
pub(crate) struct Counts {
    /// How often each command ran.
    pub(crate) ran: Vec<u64>,
    /// How often each command was blocked.
    pub(crate) blocked: Vec<u64>,
    /// How often each argument, of the command with this index, was drawn in vain.
    pub(crate) rejected: BTreeMap<(usize, String), u64>,
    pub(crate) labels: BTreeMap<String, u64>,
    pub(crate) transitions: BTreeMap<(String, String), u64>,
    /// Whether the sequence ended because no command could run.
    pub(crate) is_cut_short: bool,
    /// What steps warned of, each with the index of its command.
    pub(crate) warnings: Vec<(usize, Fault)>,
}

impl Counts {
    pub(crate) fn none(commands: usize) -> Self {
        Self { ran: vec![0; commands], blocked: vec![0; commands], ..Self::default() }
    }
}

impl fmt::Display for Statistics {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { runs, steps, commands, labels, rejected, regressions, warnings, .. } = self;
        write!(formatter, "{steps} steps in {runs} sequences")?;
        for CommandStatistics { name, ran, blocked } in commands {
            let never = if *ran == 0 && *runs > 0 { " (never ran)" } else { "" };
            write!(formatter, "\n  {name}: {ran} ran, {blocked} blocked{never}")?;
        }
        for (label, count) in &labels.counts {
            write!(formatter, "\n  label {label}: {count}")?;
            let after = labels.transitions.get(label);
            for (next, count) in after.into_iter().flatten() {
                write!(formatter, "\n    then {next}: {count}")?;
            }
        }
        for (argument, count) in rejected {
            write!(
                formatter,
                "\nwarning: the strategy of `{argument}` rejected nearly everything, {count} times"
            )?;
        }
        for Warning { command, fault, count } in warnings {
            write!(formatter, "\nwarning: `{command}`: {fault} ({count} times)")?;
        }
        let RegressionStatistics { passed, stale, unreadable } = regressions;
        if *passed > 0 {
            let plural = if *passed == 1 { "" } else { "s" };
            write!(formatter, "\n{passed} sequence{plural} of the regression file passed")?;
        }
        for line in stale {
            write!(formatter, "\nSTALE regression, not repeated: {line}")?;
        }
        for line in unreadable {
            write!(formatter, "\nUNREADABLE regression: {line}")?;
        }
        Ok(())
    }
}
