//! Step records: what is needed to run a step again, alone or in another sequence.
//!
//! An argument is not stored as a value. It is stored as the seed of its value tree, the shrink steps
//! applied to the tree, and, if it was picked or refers to an earlier step, what it is bound to. To run
//! the step again, the tree is built from the seed and the shrink steps are applied again. So a record is
//! plain data, which can be cloned, sent to another thread and written to a file.

use crate::machine::StepRecord;

/// One step of shrinking an argument.
///
/// ```
/// use foolproof_stateful::ShrinkStep;
///
/// // What `simplify` and `complicate` of a proptest value tree do, and `simplify` as often as possible.
/// let all = [ShrinkStep::Simplify, ShrinkStep::Complicate, ShrinkStep::Simplest];
/// assert_eq!(all.len(), 3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShrinkStep {
    /// `simplify` of the value tree.
    Simplify,
    /// `complicate` of the value tree.
    Complicate,
    /// `simplify` as often as possible, whatever was done before.
    Simplest,
}

/// An argument of a step, as a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentRecord {
    /// The seed of its value tree.
    pub(crate) seed: u64,
    /// The shrink steps applied to the tree.
    pub(crate) shrink_steps: Vec<ShrinkStep>,
    /// What a picked or returned argument is bound to.
    pub(crate) binding: Option<Binding>,
    /// Whether the last shrink step was not applied yet.
    pub(crate) has_new_shrink_step: bool,
}

/// What an argument is bound to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Binding {
    /// The candidate with this `Debug` text.
    Value(String),
    /// A value that the step with this number yielded: which of them, if it yielded several.
    Step(u32, u32),
}

impl ArgumentRecord {
    pub(crate) fn new(seed: u64) -> Self {
        Self { seed, shrink_steps: Vec::new(), binding: None, has_new_shrink_step: false }
    }

    /// The argument as it was drawn.
    pub(crate) fn as_drawn(&self) -> Self {
        Self { shrink_steps: Vec::new(), has_new_shrink_step: false, ..self.clone() }
    }

    /// Whether it is the simplest that its value tree gives.
    pub(crate) fn is_simplest(&self) -> bool {
        self.shrink_steps == [ShrinkStep::Simplest]
    }

    fn push_shrink_step(&mut self, shrink_step: ShrinkStep) {
        match shrink_step {
            // The simplest value does not depend on earlier shrink steps.
            ShrinkStep::Simplest => self.shrink_steps = vec![ShrinkStep::Simplest],
            ShrinkStep::Simplify | ShrinkStep::Complicate => self.shrink_steps.push(shrink_step),
        }
        self.has_new_shrink_step = true;
    }
}

/// A step of a test that the fluent builder made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The number of the step in the sequence that it was drawn for. Arguments of later steps refer to it.
    pub(crate) id: u32,
    /// The index of its command.
    pub(crate) command: usize,
    /// Whether it creates the initial state.
    pub(crate) is_initial: bool,
    pub(crate) arguments: Vec<ArgumentRecord>,
}

impl StepRecord for Step {
    fn command(&self) -> usize {
        self.command
    }

    fn is_initial(&self) -> bool {
        self.is_initial
    }

    fn argument_count(&self) -> usize {
        self.arguments.len()
    }

    fn is_simplest(&self, argument: usize) -> bool {
        let argument = &self.arguments[argument];
        // The first candidate may be another one once steps are removed.
        argument.is_simplest() && argument.binding.is_none()
    }

    fn shrink_argument(&self, argument: usize, shrink_step: ShrinkStep) -> Self {
        let mut step = self.clone();
        step.arguments[argument].push_shrink_step(shrink_step);
        step
    }

    fn reset_argument(&self, argument: usize) -> Self {
        let mut step = self.clone();
        step.arguments[argument] = step.arguments[argument].as_drawn();
        step
    }

    fn copy_argument(&self, argument: usize, source: &Self, source_argument: usize) -> Self {
        let mut step = self.clone();
        let copy = &source.arguments[source_argument];
        step.arguments[argument] = ArgumentRecord { has_new_shrink_step: false, ..copy.clone() };
        step
    }

    fn draw_argument(&self, argument: usize, seed: u64) -> Self {
        let mut step = self.clone();
        step.arguments[argument] = ArgumentRecord::new(seed);
        step
    }
}
