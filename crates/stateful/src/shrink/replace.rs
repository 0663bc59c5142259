//! The shrink pass that replaces several steps by one, when few are left.

use super::Shrinker;
use crate::{
    Machine,
    execution::{Execution, Proposal, run_with_proposal},
};

/// The longest sequence in which steps are replaced: the pass is expensive.
const MAX_LENGTH: usize = 8;

/// How often the replacement is drawn, divided by the length of the sequence: a shorter sequence has
/// fewer positions to try, so each can be tried more often.
const MAX_DRAWS: usize = 12;

impl<A: Machine> Shrinker<'_, A> {
    /// Replaces two or three steps by one step of any command.
    pub(super) async fn replace_steps(&mut self) -> bool {
        if self.steps.len() > MAX_LENGTH {
            return false;
        }
        for size in [3, 2] {
            for start in (0..(self.steps.len() + 1).saturating_sub(size)).rev() {
                for command in 0..self.machine.command_names().len() {
                    if self.replace_at(start, size, command).await {
                        return true;
                    }
                }
            }
        }
        false
    }

    async fn replace_at(&mut self, start: usize, size: usize, command: usize) -> bool {
        for seed in 0..(MAX_DRAWS / self.steps.len()).max(2) as u64 {
            let execution = self.execute_with(start, size, command, seed).await;
            let Some(execution) = execution else { continue };
            let drawn = execution.steps.get(start);
            let has_arguments = drawn.is_some_and(|step| self.machine.argument_count(step) > 0);
            if self.accept_if_shorter(execution) {
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
    ) -> Option<Execution<A::Step>> {
        let (before, after) = (&self.steps[..start], &self.steps[start + size..]);
        let text = self.serialize(before).zip(self.serialize(after));
        let text = text.map(|(before, after)| format!("{before} + {command} {seed} + {after}"));
        if self.limit_is_reached() || !self.is_new(text) {
            return None;
        }
        self.executions += 1;
        // No step of the sequence has a number this large.
        let proposal = Proposal { command, id: u32::MAX - self.executions, seed };
        let (before, after) = (&self.steps[..start], &self.steps[start + size..]);
        Some(run_with_proposal(self.machine, before, proposal, after).await)
    }
}
