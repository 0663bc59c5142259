//! Shrink passes that simplify arguments.
//!
//! A value tree never returns to a value that was rejected once. So when nothing else helps, searches
//! start again from the drawn value, if the steps around it have changed since. Values of arbitrary types
//! have no order, so the result of such a search is smaller if its `Debug` text is shorter.

use super::Shrinker;
use crate::{
    Machine, Tracing,
    execution::{Execution, OnBlocked, SequenceOutcome, StepTrace, run_steps},
    step::ShrinkStep,
};

/// Positions of arguments: the index of the step, and the index of the argument in it.
type Positions = [(usize, usize)];

impl<A: Machine> Shrinker<'_, A> {
    /// Makes all arguments the simplest, at once.
    pub(super) async fn simplify_all(&mut self) -> bool {
        let arguments = |(step, record)| {
            (0..self.machine.argument_count(record)).map(move |argument| (step, argument))
        };
        let positions: Vec<_> = self.steps.iter().enumerate().flat_map(arguments).collect();
        self.simplest(&positions).await
    }

    /// Simplifies arguments: equal ones together, since one alone would no longer match the others, then
    /// one by one.
    pub(super) async fn simplify_arguments(&mut self) -> bool {
        let mut is_smaller = false;
        for positions in self.groups().await {
            is_smaller |= self.simplify_group(&positions).await;
        }
        is_smaller
    }

    /// The positions of arguments, grouped by equal values. Those of the last step, which fails, come
    /// first.
    async fn groups(&mut self) -> Vec<Vec<(usize, usize)>> {
        let mut groups: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (step, trace) in self.trace(&self.steps.clone()).await.iter().enumerate().rev() {
            for (argument, (_, value)) in trace.arguments.iter().enumerate() {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, positions)) => positions.push((step, argument)),
                    None => groups.push((value.clone(), vec![(step, argument)])),
                }
            }
        }
        groups.into_iter().map(|(_, positions)| positions).collect()
    }

    /// The arguments of `steps` as text.
    async fn trace(&mut self, steps: &[A::Step]) -> Vec<StepTrace> {
        self.executions += 1;
        run_steps(self.machine, steps, OnBlocked::Reject, Tracing::On).await.traces
    }

    async fn simplify_group(&mut self, positions: &Positions) -> bool {
        if self.simplest(positions).await {
            return true;
        }
        let mut is_smaller = false;
        let mut rest = Vec::new();
        for position in positions {
            let is_simpler = positions.len() > 1 && self.simplest(&[*position]).await;
            is_smaller |= is_simpler;
            if !is_simpler {
                rest.push(*position);
            }
        }
        if rest.len() > 1 {
            is_smaller |= self.search(&rest).await;
        }
        for position in rest {
            is_smaller |= self.search(&[position]).await;
        }
        is_smaller
    }

    /// Makes the arguments at `positions` the simplest. Returns whether that was accepted.
    async fn simplest(&mut self, positions: &Positions) -> bool {
        let Some(candidate) = self.shrunk(&self.steps, positions, ShrinkStep::Simplest) else {
            return false;
        };
        let before = self.serialize(&self.steps);
        if self.serialize(&candidate) == before {
            return false;
        }
        let Some(execution) = self.execute(&candidate, OnBlocked::Reject).await else {
            return false;
        };
        let is_smaller =
            self.fails_the_same_way(&execution) && self.serialize(&execution.steps) != before;
        if is_smaller {
            self.accept(execution);
        }
        is_smaller
    }

    /// Simplifies the arguments at `positions` together by their value trees.
    async fn search(&mut self, positions: &Positions) -> bool {
        let found = self.descend(self.steps.clone(), positions).await;
        found.map(|found| self.accept(found)).is_some()
    }

    /// Simplifies the value trees at `positions` of `current` together: `simplify` while the sequence fails
    /// in the same way, `complicate` while it does not. The last sequence that failed, if any.
    async fn descend(
        &mut self,
        mut current: Vec<A::Step>,
        positions: &Positions,
    ) -> Option<Execution<A::Step>> {
        let mut found = None;
        let mut shrink_step = ShrinkStep::Simplify;
        while let Some(next) = self.shrunk(&current, positions, shrink_step) {
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
        for mut positions in self.groups().await {
            positions.retain(|position| !self.is_simplest(*position));
            let together = if positions.len() > 1 { Some(&positions[..]) } else { None };
            for positions in together.into_iter().chain(positions.chunks(1)) {
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
        let is_smaller =
            size(&self.trace(&found.steps).await) < size(&self.trace(&self.steps.clone()).await);
        if is_smaller {
            self.accept(found);
        }
        is_smaller
    }

    /// Whether an argument is the simplest already.
    fn is_simplest(&self, (step, argument): (usize, usize)) -> bool {
        let is_simplest = |step: &A::Step| {
            let simplest = self.machine.shrink_argument(step, argument, ShrinkStep::Simplest);
            self.machine.serialize_step(&simplest) == self.machine.serialize_step(step)
        };
        self.steps.get(step).is_some_and(is_simplest)
    }

    /// The steps with all arguments at `positions` as the first of them was drawn, so that their trees
    /// stay equal; `None` if that changes nothing.
    fn reset(&self, positions: &Positions) -> Option<Vec<A::Step>> {
        let (like, which) = positions.first()?;
        let mut steps = self.steps.clone();
        for (step, argument) in positions {
            let reset = self.steps.get(*step).zip(self.steps.get(*like));
            let reset = reset
                .map(|(step, like)| self.machine.reset_argument(step, *argument, (like, *which)));
            *steps.get_mut(*step)? = reset?;
        }
        (self.serialize(&steps) != self.serialize(&self.steps)).then_some(steps)
    }

    /// `steps` with one more shrink step at each of `positions`; `None` if one is past the end.
    fn shrunk(
        &self,
        steps: &[A::Step],
        positions: &Positions,
        shrink_step: ShrinkStep,
    ) -> Option<Vec<A::Step>> {
        let mut steps = steps.to_vec();
        for (step, argument) in positions {
            let step = steps.get_mut(*step)?;
            *step = self.machine.shrink_argument(step, *argument, shrink_step);
        }
        Some(steps)
    }
}

/// The size of a sequence: its length, then the length of its arguments as text, then the text.
fn size(traces: &[StepTrace]) -> (usize, usize, Vec<&str>) {
    let values = traces.iter().flat_map(|trace| &trace.arguments).map(|(_, value)| value.as_str());
    let values: Vec<&str> = values.collect();
    (traces.len(), values.iter().map(|value| value.len()).sum(), values)
}
