//! The planted bugs as other libraries are given them: what a model predicts, and what a system answers.

use std::fmt;

use crate::planted::systems::Jug;

/// A system with a bug, and a model without.
pub(crate) trait Puzzle: 'static {
    type Model: Clone + Default + fmt::Debug + Send + Sync;
    type System: Default;

    /// The commands, with arguments as they can be drawn in this state.
    fn commands(model: &Self::Model) -> Vec<(&'static str, Vec<(&'static str, Kind)>)>;

    /// Whether a step can run. What is picked is checked besides.
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

/// What an argument is drawn from.
#[derive(Clone, Debug)]
pub(crate) enum Kind {
    Number(i64, i64),
    Pick(Vec<i64>),
    /// Up to twelve small letters.
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

/// A command with its arguments. It shows itself as ours do.
#[derive(Clone)]
pub(crate) struct Step {
    pub(crate) command: &'static str,
    pub(crate) arguments: Vec<(&'static str, Value)>,
}

impl Step {
    /// The argument at `place`, if it is a number.
    pub(crate) fn number(&self, place: usize) -> i64 {
        match self.arguments[place].1 {
            Value::Number(number) => number,
            Value::Text(_) | Value::Jug(_) => unreachable!("no number at {place} in {self:?}"),
        }
    }

    /// The same as the index of something.
    pub(crate) fn index(&self, place: usize) -> usize {
        usize::try_from(self.number(place)).expect("indices are drawn from ranges of indices")
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

/// Whether `step` can run in this state, with what it picks.
pub(crate) fn is_possible<P: Puzzle>(model: &P::Model, step: &Step) -> bool {
    let commands = P::commands(model);
    let kinds = commands.iter().find(|(name, _)| *name == step.command).map(|(_, kinds)| kinds);
    let fits = |((_, kind), (_, value)): (&(&str, Kind), &(&str, Value))| match (kind, value) {
        (Kind::Pick(candidates), Value::Number(number)) => candidates.contains(number),
        _ => true,
    };
    kinds.is_some_and(|kinds| kinds.iter().zip(&step.arguments).all(fits)) && P::can(model, step)
}
