//! Simplifying arguments.
//!
//! Value trees go one way only: what was too simple once is never tried again. So when nothing else
//! helps, searches begin once more at what was drawn at first, if the steps around it have changed since.
//! There is no order on values of any type; what such a search ends with is better if it is written
//! shorter.

use super::Shrinker;
use crate::{
    Machine,
    execution::{Execution, OnBlocked, SequenceOutcome, StepTrace, run_steps},
    step::ShrinkStep,
};

/// Arguments: a step, and which of its arguments.
type Positions = [(usize, usize)];

impl<A: Machine> Shrinker<'_, A> {
    /// Makes all arguments as simple as can be, at once.
    pub(super) async fn simplify_all(&mut self) -> bool {
        let arguments = |(step, record)| {
            (0..self.machine.argument_count(record)).map(move |argument| (step, argument))
        };
        let positions: Vec<_> = self.steps.iter().enumerate().flat_map(arguments).collect();
        self.simplest(&positions).await
    }

    /// Simplifies arguments: those that are equal together, since alone each would no longer match the
    /// others, then one by one.
    pub(super) async fn simplify_arguments(&mut self) -> bool {
        let mut is_smaller = false;
        for positions in self.groups().await {
            is_smaller |= self.simplify_group(&positions).await;
        }
        is_smaller
    }

    /// Arguments with equal values; those of the last step, which fails, come first.
    async fn groups(&mut self) -> Vec<Vec<(usize, usize)>> {
        let mut groups: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (step, traces) in self.trace(&self.steps.clone()).await.iter().enumerate().rev() {
            for (argument, (_, value)) in traces.arguments.iter().enumerate() {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, positions)) => positions.push((step, argument)),
                    None => groups.push((value.clone(), vec![(step, argument)])),
                }
            }
        }
        groups.into_iter().map(|(_, positions)| positions).collect()
    }

    /// The arguments of `steps` as reports show them.
    async fn trace(&mut self, steps: &[A::Step]) -> Vec<StepTrace> {
        self.executions += 1;
        run_steps(self.machine, steps, OnBlocked::Reject, true).await.traces
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

    /// Whether the arguments at `places` can all be the simplest, and were not.
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

    /// Turns the value trees at `places` toward what is simpler.
    async fn search(&mut self, positions: &Positions) -> bool {
        let found = self.descend(self.steps.clone(), positions).await;
        found.map(|found| self.accept(found)).is_some()
    }

    /// The last sequence that fails in the same way when the value trees at `places` are turned toward
    /// what is simpler, all at once, beginning with those of `current`.
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

    /// Searches from the beginning once more: what was too simple may no longer be.
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

    /// Whether an argument was made the simplest.
    fn is_simplest(&self, (step, argument): (usize, usize)) -> bool {
        let is_simplest = |step: &A::Step| {
            let simplest = self.machine.shrink_argument(step, argument, ShrinkStep::Simplest);
            self.machine.serialize_step(&simplest) == self.machine.serialize_step(step)
        };
        self.steps.get(step).is_some_and(is_simplest)
    }

    /// The steps with the arguments at `places` as the first of them was drawn, so that they go the
    /// same way, unless there is none that was turned.
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

    /// `steps` with one more turn at each of `places`, if they are all there.
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

/// How much it takes to write a sequence down.
fn size(traces: &[StepTrace]) -> (usize, usize, Vec<&str>) {
    let values =
        traces.iter().flat_map(|traces| &traces.arguments).map(|(_, value)| value.as_str());
    let values: Vec<&str> = values.collect();
    (traces.len(), values.iter().map(|value| value.len()).sum(), values)
}
