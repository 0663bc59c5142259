//! Shrink passes that remove steps.
//!
//! The failing step stays, since the steps before it pass. Only a failure in teardown can remain when
//! steps at the end are removed.

use std::mem;

use super::Shrinker;
use crate::{Machine, execution::OnBlocked};

impl<A: Machine> Shrinker<'_, A> {
    /// Removes steps from the end, as long as the sequence still fails.
    pub(super) async fn truncate(&mut self) {
        while let Some(last) = self.steps.len().checked_sub(1) {
            let before = self.steps[..last].to_vec();
            if !self.accepts_if_shorter(&before).await {
                return;
            }
        }
    }

    /// Removes steps: all steps of a command, then chunks, large ones first, from the end.
    pub(super) async fn remove_steps(&mut self) -> bool {
        let mut is_smaller = self.remove_commands().await;
        let mut size = (self.steps.len() / 2).max(1);
        // Large chunks are tried once. Single steps are tried again, since simpler arguments may make
        // them unnecessary.
        if mem::replace(&mut self.removed_large_chunks, true) {
            size = size.min(1);
        }
        while size > 0 && !self.limit_is_reached() {
            is_smaller |= self.remove_chunks(size).await;
            size /= 2;
        }
        is_smaller
    }

    async fn remove_chunks(&mut self, size: usize) -> bool {
        let mut is_smaller = false;
        let mut end = self.steps.len().saturating_sub(1);
        while end > 0 && !self.limit_is_reached() {
            let start = end.saturating_sub(size);
            let mut candidate = self.steps[..start].to_vec();
            candidate.extend_from_slice(&self.steps[end..]);
            is_smaller |= self.accepts_if_shorter(&candidate).await;
            end = start.min(self.steps.len().saturating_sub(1));
        }
        is_smaller
    }

    /// Removes two steps that may depend on each other, such as open and close: neighbours, those with one
    /// step between them, and consecutive steps of one command.
    pub(super) async fn remove_pairs(&mut self) -> bool {
        for second in (1..self.steps.len().saturating_sub(1)).rev() {
            let command = |position: usize| self.machine.command_index(&self.steps[position]);
            let alike = (0..second).rev().find(|first| command(*first) == command(second));
            let firsts = [Some(second - 1), second.checked_sub(2), alike];
            for first in firsts.into_iter().flatten() {
                let is_kept =
                    |(position, _): &(usize, &A::Step)| *position != first && *position != second;
                let kept = self.steps.iter().enumerate().filter(is_kept);
                let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
                if self.accepts_if_shorter(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Removes all steps of a command at once: most commands are often irrelevant to a bug.
    async fn remove_commands(&mut self) -> bool {
        let mut is_smaller = false;
        for command in 0..self.machine.command_names().len() {
            let last = self.steps.len().saturating_sub(1);
            let is_kept = |(position, step): &(usize, &A::Step)| {
                *position == last || self.machine.command_index(step) != command
            };
            let kept = self.steps.iter().enumerate().filter(is_kept);
            let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
            // Single steps are removed by `remove_chunks`.
            if candidate.len() + 1 < self.steps.len() {
                is_smaller |= self.accepts_if_shorter(&candidate).await;
            }
        }
        is_smaller
    }

    /// Accepts `candidate`, repaired where a step cannot run, if it fails in the same way and is shorter.
    pub(super) async fn accepts_if_shorter(&mut self, candidate: &[A::Step]) -> bool {
        let execution = self.execute(candidate, OnBlocked::Repair).await;
        execution.is_some_and(|execution| self.accept_if_shorter(execution))
    }
}
