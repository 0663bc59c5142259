//! Simplifying arguments.
//!
//! Value trees go one way only: what was too simple once is never tried again. So when nothing else
//! helps, searches begin once more at what was drawn at first, if the steps around it have changed since.
//! There is no order on values of any type; what such a search ends with is better if it is written
//! shorter.

use super::Shrinker;
use crate::{
    Machine,
    execution::{End, Execution, OnBlock, Shown, attempt},
    step::ShrinkStep,
};

/// Arguments: a step, and which of its arguments.
type Places = [(usize, usize)];

impl<A: Machine> Shrinker<'_, A> {
    /// Makes all arguments as simple as can be, at once.
    pub(super) async fn jump(&mut self) -> bool {
        let arguments = |(step, record)| {
            (0..self.machine.argument_count(record)).map(move |argument| (step, argument))
        };
        let places: Vec<_> = self.steps.iter().enumerate().flat_map(arguments).collect();
        self.simplest(&places).await
    }

    /// Simplifies arguments: those that are equal together, since alone each would no longer match the
    /// others, then one by one.
    pub(super) async fn simplify(&mut self) -> bool {
        let mut is_better = false;
        for places in self.groups().await {
            is_better |= self.simplify_group(&places).await;
        }
        is_better
    }

    /// Arguments with equal values; those of the last step, which fails, come first.
    async fn groups(&mut self) -> Vec<Vec<(usize, usize)>> {
        let mut groups: Vec<(String, Vec<(usize, usize)>)> = Vec::new();
        for (step, shown) in self.watch(&self.steps.clone()).await.iter().enumerate().rev() {
            for (argument, (_, value)) in shown.arguments.iter().enumerate() {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, places)) => places.push((step, argument)),
                    None => groups.push((value.clone(), vec![(step, argument)])),
                }
            }
        }
        groups.into_iter().map(|(_, places)| places).collect()
    }

    /// The arguments of `steps` as reports show them.
    async fn watch(&mut self, steps: &[A::Step]) -> Vec<Shown> {
        self.executions += 1;
        attempt(self.machine, steps, OnBlock::Reject, true).await.shown
    }

    async fn simplify_group(&mut self, places: &Places) -> bool {
        if self.simplest(places).await {
            return true;
        }
        let mut is_better = false;
        let mut rest = Vec::new();
        for place in places {
            let is_simpler = places.len() > 1 && self.simplest(&[*place]).await;
            is_better |= is_simpler;
            if !is_simpler {
                rest.push(*place);
            }
        }
        if rest.len() > 1 {
            is_better |= self.search(&rest).await;
        }
        for place in rest {
            is_better |= self.search(&[place]).await;
        }
        is_better
    }

    /// Whether the arguments at `places` can all be the simplest, and were not.
    async fn simplest(&mut self, places: &Places) -> bool {
        let Some(candidate) = self.shrunk(&self.steps, places, ShrinkStep::Simplest) else {
            return false;
        };
        let before = self.written(&self.steps);
        if self.written(&candidate) == before {
            return false;
        }
        let Some(execution) = self.execute(&candidate, OnBlock::Reject).await else { return false };
        let is_better = self.is_same(&execution) && self.written(&execution.steps) != before;
        if is_better {
            self.take(execution);
        }
        is_better
    }

    /// Turns the value trees at `places` toward what is simpler.
    async fn search(&mut self, places: &Places) -> bool {
        let found = self.descend(self.steps.clone(), places).await;
        found.map(|found| self.take(found)).is_some()
    }

    /// The last sequence that fails in the same way when the value trees at `places` are turned toward
    /// what is simpler, all at once, beginning with those of `current`.
    async fn descend(
        &mut self,
        mut current: Vec<A::Step>,
        places: &Places,
    ) -> Option<Execution<A::Step>> {
        let mut found = None;
        let mut shrink_step = ShrinkStep::Simplify;
        while let Some(next) = self.shrunk(&current, places, shrink_step) {
            current = next;
            let Some(execution) = self.execute(&current, OnBlock::Reject).await else { break };
            if matches!(execution.end, End::Exhausted) {
                break;
            }
            shrink_step = ShrinkStep::Complicate;
            if self.is_same(&execution) {
                shrink_step = ShrinkStep::Simplify;
                current.truncate(execution.steps.len());
                found = Some(execution);
            }
        }
        found
    }

    /// Searches from the beginning once more: what was too simple may no longer be.
    pub(super) async fn search_again(&mut self) -> bool {
        for mut places in self.groups().await {
            places.retain(|place| !self.is_simplest(*place));
            let together = if places.len() > 1 { Some(&places[..]) } else { None };
            for places in together.into_iter().chain(places.chunks(1)) {
                if self.search_anew(places).await {
                    return true;
                }
            }
        }
        false
    }

    async fn search_anew(&mut self, places: &Places) -> bool {
        let Some(start) = self.restarted(places) else { return false };
        let Some(execution) = self.execute(&start, OnBlock::Reject).await else { return false };
        if !self.is_same(&execution) {
            return false;
        }
        let found = self.descend(start, places).await.unwrap_or(execution);
        let is_better =
            size(&self.watch(&found.steps).await) < size(&self.watch(&self.steps.clone()).await);
        if is_better {
            self.take(found);
        }
        is_better
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
    fn restarted(&self, places: &Places) -> Option<Vec<A::Step>> {
        let (like, which) = places.first()?;
        let mut steps = self.steps.clone();
        for (step, argument) in places {
            let restarted = self.steps.get(*step).zip(self.steps.get(*like));
            let restarted = restarted
                .map(|(step, like)| self.machine.reset_argument(step, *argument, (like, *which)));
            *steps.get_mut(*step)? = restarted?;
        }
        (self.written(&steps) != self.written(&self.steps)).then_some(steps)
    }

    /// `steps` with one more turn at each of `places`, if they are all there.
    fn shrunk(
        &self,
        steps: &[A::Step],
        places: &Places,
        shrink_step: ShrinkStep,
    ) -> Option<Vec<A::Step>> {
        let mut steps = steps.to_vec();
        for (step, argument) in places {
            let step = steps.get_mut(*step)?;
            *step = self.machine.shrink_argument(step, *argument, shrink_step);
        }
        Some(steps)
    }
}

/// How much it takes to write a sequence down.
fn size(shown: &[Shown]) -> (usize, usize, Vec<&str>) {
    let values = shown.iter().flat_map(|shown| &shown.arguments).map(|(_, value)| value.as_str());
    let values: Vec<&str> = values.collect();
    (shown.len(), values.iter().map(|value| value.len()).sum(), values)
}
