//! Shrink passes that change more than one thing, for bugs whose shorter sequences cannot be reached by
//! single changes: steps are removed while arguments are set to values that occur elsewhere, neighbours are
//! exchanged, arguments are drawn anew.

use super::Shrinker;
use crate::{Machine, StepRecord as _, execution::OnBlocked, executor::Executor, rng};

/// The longest sequence in which steps are removed and arguments changed at the same time.
const MAX_LENGTH: usize = 16;

/// How often an argument is drawn anew.
const MAX_DRAWS: u64 = 4;

impl<A: Machine, E: Executor<A::Step>> Shrinker<'_, A, E> {
    /// Sets arguments to values that occur elsewhere in the sequence.
    pub(super) async fn copy_arguments(&mut self) -> bool {
        for (target, source) in self.copies() {
            let candidate = self.with_copy(self.steps.clone(), target, source);
            let execution = self.execute(&candidate, OnBlocked::Reject).await;
            if execution.is_some_and(|execution| self.accept(execution)) {
                return true;
            }
        }
        false
    }

    /// Removes one step, and sets an argument of another to a value that occurs elsewhere: what the removed
    /// step did may be done by another, if only it has the right argument.
    pub(super) async fn remove_and_copy(&mut self) -> bool {
        if self.steps.len() > MAX_LENGTH {
            return false;
        }
        let removable = self.first_removable()..self.steps.len().saturating_sub(1);
        for removed in removable.rev() {
            for (target, source) in self.copies() {
                if target.0 == removed || self.limit_is_reached() {
                    continue;
                }
                let mut candidate = self.with_copy(self.steps.clone(), target, source);
                candidate.remove(removed);
                if self.accepts(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Which arguments may be set to which others: those of the same name, with other values. Each value is
    /// offered once.
    fn copies(&self) -> Vec<((usize, usize), (usize, usize))> {
        let positions = self.positions();
        let name = |(step, argument): (usize, usize)| {
            self.arguments.get(step).and_then(|step| step.get(argument)).map(|it| &it.name)
        };
        let mut copies = Vec::new();
        for target in positions.iter().rev() {
            let mut offered = vec![self.value(*target)];
            for source in &positions {
                let value = self.value(*source);
                if name(*source) == name(*target) && !offered.contains(&value) {
                    offered.push(value);
                    copies.push((*target, *source));
                }
            }
        }
        copies
    }

    fn with_copy(
        &self,
        mut steps: Vec<A::Step>,
        (target, argument): (usize, usize),
        (source, source_argument): (usize, usize),
    ) -> Vec<A::Step> {
        let copied = steps[target].copy_argument(argument, &self.steps[source], source_argument);
        steps[target] = copied;
        steps
    }

    /// Draws arguments anew, each alone.
    pub(super) async fn draw_arguments(&mut self) -> bool {
        for (step, argument) in self.positions().into_iter().rev() {
            if self.steps[step].is_simplest(argument) {
                continue;
            }
            for seed in 0..MAX_DRAWS {
                let mut candidate = self.steps.clone();
                candidate[step] = candidate[step].draw_argument(argument, rng::child(seed, 0));
                let execution = self.execute(&candidate, OnBlocked::Reject).await;
                if execution.is_some_and(|execution| self.accept(execution)) {
                    return true;
                }
            }
        }
        false
    }

    /// Exchanges neighbours of different commands, the failing step excepted.
    pub(super) async fn reorder(&mut self) -> bool {
        let last = self.steps.len().saturating_sub(1);
        for second in self.first_removable() + 1..last {
            if self.steps[second].command() < self.steps[second - 1].command() {
                let mut candidate = self.steps.clone();
                candidate.swap(second - 1, second);
                let execution = self.execute(&candidate, OnBlocked::Reject).await;
                if execution.is_some_and(|execution| self.accept(execution)) {
                    return true;
                }
            }
        }
        false
    }
}
