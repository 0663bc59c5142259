//! Removing steps.
//!
//! The step that fails stays: what comes before it passes on its own. Only what fails after the last
//! step, when a session ends, can do with fewer steps at the end.

use std::mem;

use super::Shrinker;
use crate::{Machine, execution::OnBlocked};

impl<A: Machine> Shrinker<'_, A> {
    /// Removes steps from the end, as long as that is of use.
    pub(super) async fn truncate(&mut self) {
        while let Some(last) = self.steps.len().checked_sub(1) {
            let before = self.steps[..last].to_vec();
            if !self.accepts_if_shorter(&before).await {
                return;
            }
        }
    }

    /// Removes steps: all of a command, then chunks, large ones first, from the back.
    pub(super) async fn remove_steps(&mut self) -> bool {
        let mut is_smaller = self.remove_commands().await;
        let mut size = (self.steps.len() / 2).max(1);
        // Once is enough for large chunks; simpler arguments may make single steps superfluous.
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

    /// Removes two steps that may belong together, as open and close do: neighbours, those with one
    /// between them, and those that follow each other among the steps of one command.
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

    /// Removes all steps of a command at once: often, a bug has nothing to do with most of them.
    async fn remove_commands(&mut self) -> bool {
        let mut is_smaller = false;
        for command in 0..self.machine.command_names().len() {
            let last = self.steps.len().saturating_sub(1);
            let is_kept = |(position, step): &(usize, &A::Step)| {
                *position == last || self.machine.command_index(step) != command
            };
            let kept = self.steps.iter().enumerate().filter(is_kept);
            let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
            // Single steps have their turn.
            if candidate.len() + 1 < self.steps.len() {
                is_smaller |= self.accepts_if_shorter(&candidate).await;
            }
        }
        is_smaller
    }

    /// Whether `candidate`, mended where a step cannot run, fails in the same way and is shorter.
    pub(super) async fn accepts_if_shorter(&mut self, candidate: &[A::Step]) -> bool {
        let execution = self.execute(candidate, OnBlocked::Repair).await;
        execution.is_some_and(|execution| self.accept_if_shorter(execution))
    }
}
