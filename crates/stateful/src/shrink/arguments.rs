//! Simplifying arguments.
//!
//! Value trees only go one way, and what was too simple once is never tried again. So a search begins
//! at what was drawn at first whenever the steps around it have changed, and counts if what it ends with
//! is written shorter.

use super::Shrinker;
use crate::{
    Machine,
    runner::{End, Execution, OnBlock, Shown, attempt},
    step::Turn,
};

/// Arguments: a step, and which of its arguments.
type Places = [(usize, usize)];

impl<A: Machine> Shrinker<'_, A> {
    /// Makes all arguments as simple as can be, at once.
    pub(super) async fn jump(&mut self) -> bool {
        let arguments = |(step, record)| (0..self.machine.arguments(record)).map(move |argument| (step, argument));
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
        for (step, shown) in self.watch().await.iter().enumerate().rev() {
            for (argument, (_, value)) in shown.arguments.iter().enumerate() {
                match groups.iter_mut().find(|(known, _)| known == value) {
                    Some((_, places)) => places.push((step, argument)),
                    None => groups.push((value.clone(), vec![(step, argument)])),
                }
            }
        }
        groups.into_iter().map(|(_, places)| places).collect()
    }

    async fn watch(&mut self) -> Vec<Shown> {
        self.executions += 1;
        attempt(self.machine, &self.steps, OnBlock::Reject, true).await.shown
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
        let Some(candidate) = self.turned(&self.steps, places, Turn::Simplest) else { return false };
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

    /// Turns the value trees at `places` toward what is simpler, all at once, as long as the sequence
    /// fails in the same way.
    async fn search(&mut self, places: &Places) -> bool {
        let mut is_better = false;
        let mut current = self.steps.clone();
        let mut turn = Turn::Simplify;
        while let Some(next) = self.turned(&current, places, turn) {
            current = next;
            let Some(execution) = self.execute(&current, OnBlock::Reject).await else { break };
            if matches!(execution.end, End::Spent) {
                break;
            }
            turn = Turn::Complicate;
            if self.is_same(&execution) {
                is_better = true;
                turn = Turn::Simplify;
                self.take(execution);
                current.truncate(self.steps.len());
            }
        }
        is_better
    }

    /// `steps` with one more turn at each of `places`, if they are all there.
    fn turned(&self, steps: &[A::Step], places: &Places, turn: Turn) -> Option<Vec<A::Step>> {
        let mut steps = steps.to_vec();
        for (step, argument) in places {
            let step = steps.get_mut(*step)?;
            *step = self.machine.turn(step, *argument, turn);
        }
        Some(steps)
    }
}
