//! Shrink passes that simplify arguments by their value trees.
//!
//! A value tree never returns to a value that was rejected once. So when nothing else helps, searches
//! start again from the drawn value, if the steps around it have changed since.

use std::collections::BTreeMap;

use super::Shrinker;
use crate::{
    StepRecord,
    execution::{Execution, OnBlocked, SequenceOutcome},
    step::ShrinkStep,
};

/// Positions of arguments: the index of the step, and the index of the argument in it.
type Positions = [(usize, usize)];

impl<T: StepRecord> Shrinker<'_, T> {
    /// The positions of all arguments.
    pub(super) fn positions(&self) -> Vec<(usize, usize)> {
        let arguments = |(step, record): (usize, &T)| {
            (0..record.argument_count()).map(move |argument| (step, argument))
        };
        self.steps.iter().enumerate().flat_map(arguments).collect()
    }

    /// The value of an argument as text.
    pub(super) fn value(&self, (step, argument): (usize, usize)) -> &str {
        let argument = self.arguments.get(step).and_then(|step| step.get(argument));
        argument.map_or("", |argument| &argument.value)
    }

    /// Makes all arguments the simplest, at once.
    pub(super) async fn simplify_all(&mut self) -> bool {
        self.simplest(&self.positions()).await
    }

    /// Simplifies arguments: equal ones together, since one alone would no longer match the others, then
    /// one by one.
    pub(super) async fn simplify_arguments(&mut self) -> bool {
        let mut is_smaller = false;
        for positions in self.groups() {
            if self.limit_is_reached() {
                break;
            }
            is_smaller |= self.simplify_group(&positions).await;
        }
        is_smaller
    }

    /// The positions of arguments, grouped by equal values. Those of the last step, which fails, come
    /// first.
    pub(super) fn groups(&self) -> Vec<Vec<(usize, usize)>> {
        let mut groups: Vec<Vec<(usize, usize)>> = Vec::new();
        let mut known: BTreeMap<&str, usize> = BTreeMap::new();
        for step in (0..self.steps.len()).rev() {
            for argument in 0..self.steps[step].argument_count() {
                let group = *known.entry(self.value((step, argument))).or_insert(groups.len());
                if group == groups.len() {
                    groups.push(Vec::new());
                }
                groups[group].push((step, argument));
            }
        }
        groups
    }

    async fn simplify_group(&mut self, positions: &Positions) -> bool {
        if self.simplest(positions).await {
            return true;
        }
        let mut is_smaller = false;
        let mut rest = Vec::new();
        for position in positions {
            let is_tried = positions.len() > 1 && !self.limit_is_reached();
            let is_simpler = is_tried && self.simplest(&[*position]).await;
            is_smaller |= is_simpler;
            if !is_simpler {
                rest.push(*position);
            }
        }
        if rest.len() > 1 {
            is_smaller |= self.search(&rest).await;
        }
        for position in rest {
            is_smaller |= !self.limit_is_reached() && self.search(&[position]).await;
        }
        is_smaller
    }

    /// Makes the arguments at `positions` the simplest. Returns whether that was accepted.
    async fn simplest(&mut self, positions: &Positions) -> bool {
        let is_done = |(step, argument): &(usize, usize)| {
            self.steps.get(*step).is_some_and(|step| step.is_simplest(*argument))
        };
        if positions.iter().all(is_done) {
            return false;
        }
        let Some(candidate) = Self::shrunk(&self.steps, positions, ShrinkStep::Simplest) else {
            return false;
        };
        let execution = self.execute(&candidate, OnBlocked::Reject).await;
        execution.is_some_and(|execution| self.accept(execution))
    }

    /// Simplifies the arguments at `positions` together by their value trees.
    async fn search(&mut self, positions: &Positions) -> bool {
        let found = self.descend(self.steps.clone(), positions).await;
        found.is_some_and(|found| self.accept(found))
    }

    /// Simplifies the value trees at `positions` of `current` together: `simplify` while the sequence fails
    /// in the same way, `complicate` while it does not. The last sequence that failed, if any.
    async fn descend(
        &mut self,
        mut current: Vec<T>,
        positions: &Positions,
    ) -> Option<Execution<T>> {
        let mut found = None;
        let mut shrink_step = ShrinkStep::Simplify;
        while let Some(next) = Self::shrunk(&current, positions, shrink_step) {
            current = next;
            let Some(execution) = self.execute(&current, OnBlocked::Reject).await else { break };
            if matches!(execution.outcome, SequenceOutcome::Exhausted) {
                break;
            }
            shrink_step = ShrinkStep::Complicate;
            if self.fails_the_same_way(&execution) {
                shrink_step = ShrinkStep::Simplify;
                current.truncate(execution.steps.len());
                found = Some(execution);
            }
        }
        found
    }

    /// Searches again from the drawn values: a value that was too simple may no longer be.
    pub(super) async fn repeat_searches(&mut self) -> bool {
        for mut positions in self.groups() {
            positions.retain(|(step, argument)| {
                self.steps.get(*step).is_some_and(|step| !step.is_simplest(*argument))
            });
            let together = if positions.len() > 1 { Some(&positions[..]) } else { None };
            for positions in together.into_iter().chain(positions.chunks(1)) {
                if self.limit_is_reached() {
                    return false;
                }
                if self.search_from_start(positions).await {
                    return true;
                }
            }
        }
        false
    }

    async fn search_from_start(&mut self, positions: &Positions) -> bool {
        let Some(start) = self.reset(positions) else { return false };
        let Some(execution) = self.execute(&start, OnBlocked::Reject).await else { return false };
        if !self.fails_the_same_way(&execution) {
            return false;
        }
        let found = self.descend(start, positions).await.unwrap_or(execution);
        self.accept(found)
    }

    /// The steps with all arguments at `positions` as the first of them was drawn, so that their trees
    /// stay equal; `None` if that changes nothing.
    fn reset(&self, positions: &Positions) -> Option<Vec<T>> {
        let (like, which) = positions.first()?;
        let like = self.steps.get(*like)?.reset_argument(*which);
        let mut steps = self.steps.clone();
        for (step, argument) in positions {
            let step = steps.get_mut(*step)?;
            *step = step.copy_argument(*argument, &like, *which);
        }
        (self.serialize(&steps) != self.serialize(&self.steps)).then_some(steps)
    }

    /// `steps` with one more shrink step at each of `positions`; `None` if one is past the end.
    fn shrunk(steps: &[T], positions: &Positions, shrink_step: ShrinkStep) -> Option<Vec<T>> {
        let mut steps = steps.to_vec();
        for (step, argument) in positions {
            let step = steps.get_mut(*step)?;
            *step = step.shrink_argument(*argument, shrink_step);
        }
        Some(steps)
    }
}
