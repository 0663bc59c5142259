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
    execution::{Execution, OnBlocked, SequenceOutcome, run_steps},
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
    removed_large_chunks: bool,
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
            removed_large_chunks: false,
            start: Instant::now(),
        }
    }

    /// Shrinks to a fixed point, or as far as the limits allow.
    pub(crate) async fn run(&mut self) {
        self.truncate().await;
        loop {
            let mut is_smaller = self.simplify_all().await;
            is_smaller |= self.remove_steps().await;
            is_smaller |= self.simplify_arguments().await;
            // What takes more and helps less comes when nothing else does.
            is_smaller = is_smaller
                || self.repeat_searches().await
                || self.remove_pairs().await
                || self.replace_steps().await;
            if !is_smaller || self.limit_is_reached() {
                return;
            }
        }
    }

    fn limit_is_reached(&mut self) -> bool {
        let limit_is_reached = self.executions >= self.config.max_shrink_runs
            || self.start.elapsed() >= self.config.max_shrink_time;
        self.reached_shrink_limit |= limit_is_reached;
        limit_is_reached
    }

    /// Runs a candidate, unless it was run before or a limit is reached.
    async fn execute(
        &mut self,
        steps: &[A::Step],
        on_blocked: OnBlocked,
    ) -> Option<Execution<A::Step>> {
        let text = self.serialize(steps).map(|text| format!("{on_blocked:?} {text}"));
        if self.limit_is_reached() || !self.is_new(text) {
            return None;
        }
        self.executions += 1;
        Some(run_steps(self.machine, steps, on_blocked, false).await)
    }

    /// The steps as text, which tells them from others; nothing if the machine does not write steps.
    fn serialize(&self, steps: &[A::Step]) -> Option<String> {
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
    fn fails_the_same_way(&self, execution: &Execution<A::Step>) -> bool {
        let command = |steps: &[A::Step]| steps.last().map(|step| self.machine.command_index(step));
        matches!(&execution.outcome, SequenceOutcome::Failed(fault) if fault.is_same_as(&self.fault))
            && command(&execution.steps) == command(&self.steps)
    }

    /// Goes on from there, if it fails in the same way and is shorter.
    fn accept_if_shorter(&mut self, execution: Execution<A::Step>) -> bool {
        let is_smaller =
            self.fails_the_same_way(&execution) && execution.steps.len() < self.steps.len();
        if is_smaller {
            self.accept(execution);
        }
        is_smaller
    }

    /// Goes on from there: what comes behind the failing step is gone.
    fn accept(&mut self, execution: Execution<A::Step>) {
        if let SequenceOutcome::Failed(fault) = execution.outcome {
            self.fault = fault;
            self.steps = execution.steps;
        }
    }
}
