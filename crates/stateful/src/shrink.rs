//! The shrinker: from a sequence that fails to the smallest sequence that fails in the same way.
//!
//! Passes are repeated until none of them helps: jump to the simplest arguments, remove steps, simplify
//! arguments; and when that does not help any more, simplify from the beginning, remove pairs of steps,
//! replace several by a single one. What is accepted is strictly smaller, first in length, then in its
//! arguments. A candidate in which a step cannot run is never accepted as it stands: that step is drawn
//! again or left out, and what is left is the candidate. No candidate is run twice, as far
//! as the machine tells steps apart by writing them down.

mod arguments;
mod remove;
mod replace;

use std::{collections::BTreeSet, time::Instant};

use crate::{
    Config, Fault, Machine,
    execution::{End, Execution, OnBlock, attempt},
};

/// What is left of a failing sequence.
pub(crate) struct Shrinker<'a, A: Machine> {
    machine: &'a A,
    config: &'a Config,
    pub(crate) fault: Fault,
    pub(crate) steps: Vec<A::Step>,
    pub(crate) executions: u32,
    /// Whether a limit ended it.
    pub(crate) reached_shrink_limit: bool,
    /// Every candidate so far.
    tried: BTreeSet<String>,
    /// Whether large chunks were removed.
    is_sifted: bool,
    start: Instant,
}

impl<'a, A: Machine> Shrinker<'a, A> {
    pub(crate) fn new(
        machine: &'a A,
        config: &'a Config,
        fault: Fault,
        steps: Vec<A::Step>,
    ) -> Self {
        Self {
            machine,
            config,
            fault,
            steps,
            executions: 0,
            reached_shrink_limit: false,
            tried: BTreeSet::new(),
            is_sifted: false,
            start: Instant::now(),
        }
    }

    /// Shrinks to a fixed point, or as far as the limits allow.
    pub(crate) async fn run(&mut self) {
        self.cut().await;
        loop {
            let mut is_better = self.jump().await;
            is_better |= self.remove().await;
            is_better |= self.simplify().await;
            // What takes more and helps less comes when nothing else does.
            is_better = is_better
                || self.search_again().await
                || self.remove_pairs().await
                || self.replace().await;
            if !is_better || self.is_over() {
                return;
            }
        }
    }

    fn is_over(&mut self) -> bool {
        let is_over = self.executions >= self.config.max_shrink_runs
            || self.start.elapsed() >= self.config.max_shrink_time;
        self.reached_shrink_limit |= is_over;
        is_over
    }

    /// Runs a candidate, unless it was run before or a limit is reached.
    async fn execute(
        &mut self,
        steps: &[A::Step],
        on_block: OnBlock,
    ) -> Option<Execution<A::Step>> {
        let text = self.written(steps).map(|text| format!("{on_block:?} {text}"));
        if self.is_over() || !self.is_new(text) {
            return None;
        }
        self.executions += 1;
        Some(attempt(self.machine, steps, on_block, false).await)
    }

    /// The steps as text, which tells them from others; nothing if the machine does not write steps.
    fn written(&self, steps: &[A::Step]) -> Option<String> {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        steps.iter().all(|step| !step.is_empty()).then(|| steps.join("; "))
    }

    /// Whether a candidate was not run before. One that is not written may be new.
    fn is_new(&mut self, text: Option<String>) -> bool {
        text.is_none_or(|text| self.tried.insert(text))
    }

    /// Whether it is the same fault, in a step of the same command: shrinking must not slide from one
    /// bug to another.
    fn is_same(&self, execution: &Execution<A::Step>) -> bool {
        let command = |steps: &[A::Step]| steps.last().map(|step| self.machine.command_index(step));
        matches!(&execution.end, End::Failed(fault) if fault.is_same_as(&self.fault))
            && command(&execution.steps) == command(&self.steps)
    }

    /// Goes on from there, if it fails in the same way and is shorter.
    fn take_shorter(&mut self, execution: Execution<A::Step>) -> bool {
        let is_better = self.is_same(&execution) && execution.steps.len() < self.steps.len();
        if is_better {
            self.take(execution);
        }
        is_better
    }

    /// Goes on from there: what comes behind the failing step is gone.
    fn take(&mut self, execution: Execution<A::Step>) {
        if let End::Failed(fault) = execution.end {
            self.fault = fault;
            self.steps = execution.steps;
        }
    }
}
