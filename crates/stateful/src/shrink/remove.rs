//! Shrink passes that remove steps.
//!
//! The failing step stays, since the steps before it pass. Only a failure in teardown can remain when
//! steps at the end are removed. A step that creates the initial state stays too.

use std::{collections::BTreeSet, mem};

use super::Shrinker;
use crate::StepRecord;

/// The longest sequence of which any two steps are removed together.
const MAX_FOR_PAIRS: usize = 14;

/// The longest sequence of which any three steps are removed together.
const MAX_FOR_TRIPLES: usize = 10;

impl<T: StepRecord> Shrinker<'_, T> {
    /// The position of the first step that may be removed.
    pub(super) fn first_removable(&self) -> usize {
        usize::from(self.steps.first().is_some_and(StepRecord::is_initial))
    }

    /// Keeps the last step, the steps that it depends on, those that they depend on, and so on.
    pub(super) async fn keep_dependencies(&mut self) -> bool {
        match needed_steps(&self.steps) {
            Some(kept) => self.accepts(&kept).await,
            None => false,
        }
    }

    /// Removes steps from the end, as long as the sequence still fails. A fault outside of steps may need
    /// none at all.
    pub(super) async fn truncate(&mut self) -> bool {
        let mut is_smaller = false;
        if self.fault.is_outside_of_steps() {
            let initial = self.steps[..self.first_removable()].to_vec();
            is_smaller |= initial.len() < self.steps.len() && self.accepts(&initial).await;
        }
        while self.steps.len() > self.first_removable() {
            let before = self.steps[..self.steps.len() - 1].to_vec();
            let has_steps = before.len() > self.first_removable();
            if !has_steps && !self.fault.is_outside_of_steps() || !self.accepts(&before).await {
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
    pub(super) fn without(&self, positions: std::ops::Range<usize>) -> Vec<T> {
        [&self.steps[..positions.start], &self.steps[positions.end..]].concat()
    }

    /// Removes two steps that may depend on each other, such as open and close: any two of a short sequence; of
    /// a longer one neighbours, those with one step between them, and consecutive steps of one command.
    pub(super) async fn remove_pairs(&mut self) -> bool {
        let first_removable = self.first_removable();
        for second in self.removable().rev() {
            let command = |position: usize| self.steps[position].command();
            let alike = (0..second).rev().find(|first| command(*first) == command(second));
            let close = [second.checked_sub(1), second.checked_sub(2), alike];
            let any = if self.steps.len() <= MAX_FOR_PAIRS { 0..second } else { 0..0 };
            let firsts = close.into_iter().flatten().chain(any.rev());
            for first in firsts.filter(|first| *first >= first_removable) {
                if self.limit_is_reached() {
                    return false;
                }
                if self.accepts(&self.without_all(&[first, second])).await {
                    return true;
                }
            }
        }
        false
    }

    /// Removes any three steps of a short sequence.
    pub(super) async fn remove_triples(&mut self) -> bool {
        if self.steps.len() > MAX_FOR_TRIPLES {
            return false;
        }
        for third in self.removable().rev() {
            for second in (self.first_removable()..third).rev() {
                for first in (self.first_removable()..second).rev() {
                    if self.limit_is_reached() {
                        return false;
                    }
                    if self.accepts(&self.without_all(&[first, second, third])).await {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The steps without those at `positions`.
    fn without_all(&self, positions: &[usize]) -> Vec<T> {
        let kept = self.steps.iter().enumerate().filter(|(index, _)| !positions.contains(index));
        kept.map(|(_, step)| step.clone()).collect()
    }

    /// Removes all steps of a command at once: most commands are often irrelevant to a bug.
    async fn remove_commands(&mut self) -> bool {
        let mut is_smaller = false;
        for command in 0..self.machine.commands().len() {
            if self.limit_is_reached() {
                break;
            }
            let last = self.steps.len().saturating_sub(1);
            let is_kept = |(position, step): &(usize, &T)| {
                *position == last || step.is_initial() || step.command() != command
            };
            let kept = self.steps.iter().enumerate().filter(is_kept);
            let candidate: Vec<T> = kept.map(|(_, step)| step.clone()).collect();
            // Single steps are removed by `remove_chunks`.
            if candidate.len() + 1 < self.steps.len() {
                is_smaller |= self.accepts(&candidate).await;
            }
        }
        is_smaller
    }
}

/// The last step with all that it depends on; `None` if that is all of `steps`, or not known.
pub(crate) fn needed_steps<T: StepRecord>(steps: &[T]) -> Option<Vec<T>> {
    let (last, before) = steps.split_last()?;
    let mut needed: BTreeSet<u32> = last.dependencies()?.1.into_iter().collect();
    let mut kept = vec![last.clone()];
    for step in before.iter().rev() {
        let (id, uses) = step.dependencies()?;
        if needed.contains(&id) || step.is_initial() {
            needed.extend(uses);
            kept.push(step.clone());
        }
    }
    kept.reverse();
    (kept.len() < steps.len()).then_some(kept)
}
