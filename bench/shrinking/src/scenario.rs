//! The planted bugs in a form that other libraries can run: predictions of a model and answers of a
//! system.

use std::{
    fmt,
    panic::{AssertUnwindSafe, catch_unwind},
};

use crate::planted::systems::Jug;

/// A system with a planted bug, and its model.
pub(crate) trait Scenario: 'static {
    type Model: Clone + Default + fmt::Debug + Send + Sync;
    type System: Default;

    /// The commands, with the domains of their arguments in this state.
    fn commands(model: &Self::Model) -> Vec<(&'static str, Vec<(&'static str, Domain)>)>;

    /// The precondition of a step. Picked arguments are checked separately.
    fn can(_model: &Self::Model, _step: &Step) -> bool {
        true
    }

    fn predict(model: &mut Self::Model, step: &Step) -> String;

    fn answer(system: &mut Self::System, step: &Step) -> String;

    /// Whether the invariant holds.
    fn holds(_model: &Self::Model, _system: &Self::System) -> bool {
        true
    }
}

/// The values that an argument is drawn from.
#[derive(Clone, Debug)]
pub(crate) enum Domain {
    Number(i64, i64),
    Pick(Vec<i64>),
    /// Up to twelve lowercase letters.
    Text,
    Jug,
}

#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(i64),
    Text(String),
    Jug(Jug),
}

impl fmt::Debug for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(formatter),
            Self::Text(text) => write!(formatter, "{text:?}"),
            Self::Jug(jug) => jug.fmt(formatter),
        }
    }
}

/// A command with its arguments. Its `Debug` text is the same as in reports of foolproof.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) command: &'static str,
    pub(crate) arguments: Vec<(&'static str, Value)>,
}

impl Step {
    /// The argument at `index`, which is a number.
    pub(crate) fn number(&self, index: usize) -> i64 {
        match self.arguments[index].1 {
            Value::Number(number) => number,
            Value::Text(_) | Value::Jug(_) => unreachable!("no number at {index} in {self:?}"),
        }
    }

    /// The argument at `index`, as an index.
    pub(crate) fn index(&self, index: usize) -> usize {
        usize::try_from(self.number(index)).expect("indices are drawn from ranges of indices")
    }

    pub(crate) fn text(&self) -> &str {
        match &self.arguments[0].1 {
            Value::Text(text) => text,
            Value::Number(_) | Value::Jug(_) => unreachable!("no text in {self:?}"),
        }
    }

    pub(crate) fn jug(&self) -> Jug {
        match self.arguments[0].1 {
            Value::Jug(jug) => jug,
            Value::Number(_) | Value::Text(_) => unreachable!("no jug in {self:?}"),
        }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arguments = self.arguments.iter().map(|(name, value)| format!("{name}: {value:?}"));
        write!(formatter, "{}({})", self.command, arguments.collect::<Vec<_>>().join(", "))
    }
}

/// Whether the system does not answer `step` as `predicted`, violates the invariant, or panics.
pub(crate) fn fails<P: Scenario>(
    model: &P::Model,
    system: &mut P::System,
    step: &Step,
    predicted: &str,
) -> bool {
    let run = || P::answer(system, step) != predicted || !P::holds(model, system);
    catch_unwind(AssertUnwindSafe(run)).unwrap_or(true)
}

/// Whether `step` can run in this state with its picked arguments.
pub(crate) fn is_possible<P: Scenario>(model: &P::Model, step: &Step) -> bool {
    let commands = P::commands(model);
    let domains =
        commands.iter().find(|(name, _)| *name == step.command).map(|(_, domains)| domains);
    let fits = |((_, domain), (_, value)): (&(&str, Domain), &(&str, Value))| match (domain, value)
    {
        (Domain::Pick(candidates), Value::Number(number)) => candidates.contains(number),
        _ => true,
    };
    domains.is_some_and(|domains| domains.iter().zip(&step.arguments).all(fits))
        && P::can(model, step)
}
