//! Step records: what a step was, so that it can be done again, alone or among others.
//!
//! An argument is not stored as a value. It is stored as the seed that it was drawn from and the turns
//! that shrinking took from there, and for what was picked or referred to, what that was. A value tree
//! is built anew from the seed, and the turns are taken again.

use std::{any::Any, fmt};

/// One turn of a value tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShrinkStep {
    /// To a simpler value.
    Simplify,
    /// Half the way back.
    Complicate,
    /// To the simplest value that there is on the way.
    Simplest,
}

/// Where an argument comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRecord {
    pub(crate) seed: u64,
    pub(crate) shrink_steps: Vec<ShrinkStep>,
    pub(crate) binding: Option<Binding>,
    /// Whether the last turn is new, so that it is of interest whether it leads anywhere.
    pub(crate) has_new_shrink_step: bool,
}

/// What an argument holds on to while the steps around it change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// The candidate that looks like this.
    Value(String),
    /// What the step of this number returned.
    Step(u32),
}

impl ArgumentRecord {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, shrink_steps: Vec::new(), binding: None, has_new_shrink_step: false }
    }

    /// The same before any turns.
    pub(crate) fn without_shrink_steps(&self) -> Self {
        Self { shrink_steps: Vec::new(), has_new_shrink_step: false, ..self.clone() }
    }

    /// Takes one more turn.
    pub(crate) fn push_shrink_step(&mut self, shrink_step: ShrinkStep) {
        match shrink_step {
            // Whatever turns were taken, the simplest is the same.
            ShrinkStep::Simplest => self.shrink_steps = vec![ShrinkStep::Simplest],
            ShrinkStep::Simplify | ShrinkStep::Complicate => self.shrink_steps.push(shrink_step),
        }
        self.has_new_shrink_step = true;
    }
}

/// One step of a sequence.
pub struct Step {
    pub(crate) id: u32,
    pub(crate) command: usize,
    pub(crate) arguments: Vec<ArgumentRecord>,
    /// What the arguments were built from when the step was proposed, for its first run.
    pub(crate) trees: Option<Box<dyn Any>>,
}

impl Step {
    /// The step with one more shrink step of one argument.
    pub(crate) fn with_shrink_step(&self, argument: usize, shrink_step: ShrinkStep) -> Self {
        let mut step = self.clone();
        step.arguments[argument].push_shrink_step(shrink_step);
        step
    }

    /// The step with one argument replaced by that of another step, as it was before it was shrunk.
    pub(crate) fn with_reset_argument(&self, argument: usize, like: (&Self, usize)) -> Self {
        let mut step = self.clone();
        step.arguments[argument] = like.0.arguments[like.1].without_shrink_steps();
        step
    }
}

impl Clone for Step {
    fn clone(&self) -> Self {
        let (id, command) = (self.id, self.command);
        Self { id, command, arguments: self.arguments.clone(), trees: None }
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { id, command, arguments, .. } = self;
        write!(formatter, "step {id}: command {command} with {arguments:?}")
    }
}
