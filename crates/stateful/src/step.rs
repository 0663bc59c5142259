//! Step records: what is needed to run a step again, alone or in another sequence.
//!
//! An argument is not stored as a value. It is stored as the seed of its value tree, the shrink steps
//! applied to the tree, and, if it was picked or refers to an earlier step, what it is bound to. To run
//! the step again, the tree is built from the seed and the shrink steps are applied again.

use std::{any::Any, fmt};

/// One operation on the value tree of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ShrinkStep {
    /// `simplify`: a simpler value.
    Simplify,
    /// `complicate`: part of the last simplification is undone.
    Complicate,
    /// `simplify` as often as possible: the simplest value of the tree.
    Simplest,
}

/// How to build an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRecord {
    pub(crate) seed: u64,
    pub(crate) shrink_steps: Vec<ShrinkStep>,
    pub(crate) binding: Option<Binding>,
    /// Whether the last shrink step was not applied before. Only then does it matter whether it
    /// changes the value.
    pub(crate) has_new_shrink_step: bool,
}

/// What an argument is bound to while the steps around it change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// The candidate with this `Debug` text.
    Value(String),
    /// The result of the step with this number.
    Step(u32),
}

impl ArgumentRecord {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, shrink_steps: Vec::new(), binding: None, has_new_shrink_step: false }
    }

    /// The argument as it was drawn.
    pub(crate) fn without_shrink_steps(&self) -> Self {
        Self { shrink_steps: Vec::new(), has_new_shrink_step: false, ..self.clone() }
    }

    /// Adds one more shrink step.
    pub(crate) fn push_shrink_step(&mut self, shrink_step: ShrinkStep) {
        match shrink_step {
            // The simplest value does not depend on earlier shrink steps.
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
    /// The value trees that the step was proposed with, for its first run.
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
