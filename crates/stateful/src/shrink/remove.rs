//! Removing steps.
//!
//! The step that fails stays: what comes before it passes on its own. Only what fails after the last
//! step, when a session ends, can do with fewer steps at the end.

use std::mem;

use super::Shrinker;
use crate::{Machine, execution::OnBlock};

impl<A: Machine> Shrinker<'_, A> {
    /// Removes steps from the end, as long as that is of use.
    pub(super) async fn cut(&mut self) {
        while let Some(last) = self.steps.len().checked_sub(1) {
            let before = self.steps[..last].to_vec();
            if !self.accepts_shorter(&before).await {
                return;
            }
        }
    }

    /// Removes steps: all of a command, then chunks, large ones first, from the back.
    pub(super) async fn remove(&mut self) -> bool {
        let mut is_better = self.remove_commands().await;
        let mut size = (self.steps.len() / 2).max(1);
        // Once is enough for large chunks; simpler arguments may make single steps superfluous.
        if mem::replace(&mut self.is_sifted, true) {
            size = size.min(1);
        }
        while size > 0 && !self.is_over() {
            is_better |= self.remove_chunks(size).await;
            size /= 2;
        }
        is_better
    }

    async fn remove_chunks(&mut self, size: usize) -> bool {
        let mut is_better = false;
        let mut end = self.steps.len().saturating_sub(1);
        while end > 0 && !self.is_over() {
            let start = end.saturating_sub(size);
            let mut candidate = self.steps[..start].to_vec();
            candidate.extend_from_slice(&self.steps[end..]);
            is_better |= self.accepts_shorter(&candidate).await;
            end = start.min(self.steps.len().saturating_sub(1));
        }
        is_better
    }

    /// Removes two steps that may belong together, as open and close do: neighbours, those with one
    /// between them, and those that follow each other among the steps of one command.
    pub(super) async fn remove_pairs(&mut self) -> bool {
        for second in (1..self.steps.len().saturating_sub(1)).rev() {
            let command = |place: usize| self.machine.command_index(&self.steps[place]);
            let alike = (0..second).rev().find(|first| command(*first) == command(second));
            let firsts = [Some(second - 1), second.checked_sub(2), alike];
            for first in firsts.into_iter().flatten() {
                let is_kept = |(place, _): &(usize, &A::Step)| *place != first && *place != second;
                let kept = self.steps.iter().enumerate().filter(is_kept);
                let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
                if self.accepts_shorter(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Removes all steps of a command at once: often, a bug has nothing to do with most of them.
    async fn remove_commands(&mut self) -> bool {
        let mut is_better = false;
        for command in 0..self.machine.command_names().len() {
            let last = self.steps.len().saturating_sub(1);
            let is_kept = |(place, step): &(usize, &A::Step)| {
                *place == last || self.machine.command_index(step) != command
            };
            let kept = self.steps.iter().enumerate().filter(is_kept);
            let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
            // Single steps have their turn.
            if candidate.len() + 1 < self.steps.len() {
                is_better |= self.accepts_shorter(&candidate).await;
            }
        }
        is_better
    }

    /// Whether `candidate`, mended where a step cannot run, fails in the same way and is shorter.
    pub(super) async fn accepts_shorter(&mut self, candidate: &[A::Step]) -> bool {
        let execution = self.execute(candidate, OnBlock::Mend).await;
        execution.is_some_and(|execution| self.take_shorter(execution))
    }
}
