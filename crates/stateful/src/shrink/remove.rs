//! Shrink passes that remove steps.
//!
//! The failing step stays, since the steps before it pass. Only a failure in teardown can remain when
//! steps at the end are removed. A step that creates the initial state stays too.

use std::mem;

use super::Shrinker;
use crate::{Machine, StepRecord as _, executor::Executor};

impl<A: Machine, E: Executor<A::Step>> Shrinker<'_, A, E> {
    /// The position of the first step that may be removed.
    pub(super) fn first_removable(&self) -> usize {
        usize::from(self.steps.first().is_some_and(crate::StepRecord::is_initial))
    }

    /// Removes steps from the end, as long as the sequence still fails.
    pub(super) async fn truncate(&mut self) -> bool {
        let mut is_smaller = false;
        while self.steps.len() > self.first_removable() {
            let before = self.steps[..self.steps.len() - 1].to_vec();
            if !self.accepts(&before).await {
                break;
            }
            is_smaller = true;
        }
        is_smaller
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
        let first = self.first_removable();
        let mut end = self.steps.len().saturating_sub(1);
        while end > first && !self.limit_is_reached() {
            let start = end.saturating_sub(size).max(first);
            is_smaller |= self.accepts(&self.without(start..end)).await;
            end = start.min(self.steps.len().saturating_sub(1));
        }
        is_smaller
    }

    /// The steps without those at `positions`.
    pub(super) fn without(&self, positions: std::ops::Range<usize>) -> Vec<A::Step> {
        [&self.steps[..positions.start], &self.steps[positions.end..]].concat()
    }

    /// Removes two steps that may depend on each other, such as open and close: neighbours, those with one
    /// step between them, and consecutive steps of one command.
    pub(super) async fn remove_pairs(&mut self) -> bool {
        let first_removable = self.first_removable();
        for second in (first_removable + 1..self.steps.len().saturating_sub(1)).rev() {
            let command = |position: usize| self.steps[position].command();
            let alike = (0..second).rev().find(|first| command(*first) == command(second));
            let firsts = [Some(second - 1), second.checked_sub(2), alike];
            for first in firsts.into_iter().flatten().filter(|first| *first >= first_removable) {
                let is_kept =
                    |(position, _): &(usize, &A::Step)| *position != first && *position != second;
                let kept = self.steps.iter().enumerate().filter(is_kept);
                let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
                if self.accepts(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Removes all steps of a command at once: most commands are often irrelevant to a bug.
    async fn remove_commands(&mut self) -> bool {
        let mut is_smaller = false;
        for command in 0..self.machine.commands().len() {
            let last = self.steps.len().saturating_sub(1);
            let is_kept = |(position, step): &(usize, &A::Step)| {
                *position == last || step.is_initial() || step.command() != command
            };
            let kept = self.steps.iter().enumerate().filter(is_kept);
            let candidate: Vec<A::Step> = kept.map(|(_, step)| step.clone()).collect();
            // Single steps are removed by `remove_chunks`.
            if candidate.len() + 1 < self.steps.len() {
                is_smaller |= self.accepts(&candidate).await;
            }
        }
        is_smaller
    }
}
