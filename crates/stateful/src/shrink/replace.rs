//! The shrink pass that replaces several steps by one, when few are left.

use super::Shrinker;
use crate::{
    StepRecord,
    execution::{Execution, Job, Proposal, SequenceOutcome},
};

/// The longest sequence in which steps are replaced: the pass is expensive.
const MAX_LENGTH: usize = 8;

/// How often the replacement is drawn, divided by the length of the sequence: a shorter sequence has
/// fewer positions to try, so each can be tried more often.
const MAX_DRAWS: usize = 12;

/// How often another failing step is drawn.
const OBSERVATIONS: u64 = 4;

impl<T: StepRecord> Shrinker<'_, T> {
    /// Replaces two or three steps by one step of any command.
    pub(super) async fn replace_steps(&mut self) -> bool {
        if self.steps.len() > MAX_LENGTH {
            return false;
        }
        let first = self.first_removable();
        for size in [3, 2] {
            for start in (first..(self.steps.len() + 1).saturating_sub(size)).rev() {
                for command in 0..self.machine.commands().len() {
                    if self.replace_at(start, size, command).await {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// Replaces the last steps by one step of another command that fails in the state before them: a wrong
    /// state shows in several ways, some of which need fewer steps. The steps before must stay as they are, so
    /// that it is the same wrong state.
    pub(super) async fn fail_otherwise(&mut self) -> bool {
        if !self.fault.is_observation() {
            return false;
        }
        let first = self.first_removable();
        for size in [2, 3] {
            let Some(start) = self.steps.len().checked_sub(size).filter(|it| *it >= first) else {
                continue;
            };
            for command in 0..self.machine.commands().len() {
                for seed in 0..OBSERVATIONS {
                    let Some(execution) = self.execute_with(start, size, command, seed).await
                    else {
                        continue;
                    };
                    let drawn = execution.steps.get(start);
                    let has_arguments = drawn.is_some_and(|step| step.argument_count() > 0);
                    if self.accept_other_observation(execution) {
                        return true;
                    }
                    if !has_arguments {
                        break;
                    }
                }
            }
        }
        false
    }

    /// Continues with a sequence that fails in another command, if that is as wrong an answer and measures
    /// less.
    fn accept_other_observation(&mut self, execution: Execution<T>) -> bool {
        let SequenceOutcome::Failed(fault) = &execution.outcome else { return false };
        if fault.kind() != self.fault.kind() || !fault.is_observation() {
            return false;
        }
        let (fault, before) = (fault.clone(), self.fault.clone());
        self.fault = fault;
        let is_accepted = self.accept_measured(execution);
        if !is_accepted {
            self.fault = before;
        }
        is_accepted
    }

    async fn replace_at(&mut self, start: usize, size: usize, command: usize) -> bool {
        for seed in 0..(MAX_DRAWS / self.steps.len()).max(2) as u64 {
            let execution = self.execute_with(start, size, command, seed).await;
            let Some(execution) = execution else { continue };
            let drawn = execution.steps.get(start);
            let has_arguments = drawn.is_some_and(|step| step.argument_count() > 0);
            if self.accept(execution) {
                return true;
            }
            // A command that cannot run there, or has no arguments, is the same in every draw.
            if !has_arguments {
                return false;
            }
        }
        false
    }

    /// Runs the steps with a new one instead of `size` of them, unless that candidate ran before or a
    /// limit is reached.
    async fn execute_with(
        &mut self,
        start: usize,
        size: usize,
        command: usize,
        seed: u64,
    ) -> Option<Execution<T>> {
        let (before, after) = (&self.steps[..start], &self.steps[start + size..]);
        let text = self.serialize(before).zip(self.serialize(after));
        let text = text.map(|(before, after)| format!("{before} + {command} {seed} + {after}"));
        if self.limit_is_reached() || !self.is_new(text) {
            return None;
        }
        // No step of the sequence has a number this large.
        let id = u32::MAX - self.statistics.executions;
        let proposal = Proposal { command, id, seed };
        let (before, after) = (&self.steps[..start], &self.steps[start + size..]);
        let job = Job::Insert { before: before.to_vec(), proposal, after: after.to_vec() };
        Some(self.execute_job(job).await)
    }
}
