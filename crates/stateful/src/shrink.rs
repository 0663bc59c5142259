//! The shrinker: from a failing sequence to the smallest sequence that fails in the same way.
//!
//! Passes are repeated until none of them helps: make all arguments the simplest, remove steps, simplify
//! arguments. When these no longer help, more expensive passes follow: repeat the searches for simpler
//! arguments from the start, remove pairs of steps, replace several steps by one. A candidate is accepted
//! only if it is strictly smaller, first in length, then in its arguments. A step that cannot run in a
//! candidate is drawn again or left out, and the repaired sequence is the candidate. No candidate runs
//! twice, provided that the machine serializes steps.

mod arguments;
mod remove;
mod replace;

use std::{collections::BTreeSet, time::Instant};

use crate::{
    Config, Fault, Machine, Tracing,
    execution::{Execution, OnBlocked, SequenceOutcome, run_steps},
};

/// A failing sequence while it is shrunk.
pub(crate) struct Shrinker<'a, A: Machine> {
    machine: &'a A,
    config: &'a Config,
    pub(crate) fault: Fault,
    pub(crate) steps: Vec<A::Step>,
    pub(crate) executions: u32,
    /// Whether a limit ended the search.
    pub(crate) reached_shrink_limit: bool,
    /// Every candidate so far, serialized.
    tried: BTreeSet<String>,
    /// Whether removing large chunks was tried.
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
            // These cost more and help less often, so they run only when the others have failed.
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
        Some(run_steps(self.machine, steps, on_blocked, Tracing::Off).await)
    }

    /// The steps as text, which identifies them; `None` if the machine does not serialize steps.
    fn serialize(&self, steps: &[A::Step]) -> Option<String> {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        steps.iter().all(|step| !step.is_empty()).then(|| steps.join("; "))
    }

    /// Whether a candidate did not run before. Without text, it counts as new.
    fn is_new(&mut self, text: Option<String>) -> bool {
        text.is_none_or(|text| self.tried.insert(text))
    }

    /// Whether it is the same fault, in a step of the same command: shrinking must not replace one bug
    /// by another.
    fn fails_the_same_way(&self, execution: &Execution<A::Step>) -> bool {
        let command = |steps: &[A::Step]| steps.last().map(|step| self.machine.command_index(step));
        matches!(&execution.outcome, SequenceOutcome::Failed(fault) if fault.is_same_as(&self.fault))
            && command(&execution.steps) == command(&self.steps)
    }

    /// Accepts a sequence if it fails in the same way and is shorter.
    fn accept_if_shorter(&mut self, execution: Execution<A::Step>) -> bool {
        let is_smaller =
            self.fails_the_same_way(&execution) && execution.steps.len() < self.steps.len();
        if is_smaller {
            self.accept(execution);
        }
        is_smaller
    }

    /// Continues with this sequence, which ends with its failing step.
    fn accept(&mut self, execution: Execution<A::Step>) {
        if let SequenceOutcome::Failed(fault) = execution.outcome {
            self.fault = fault;
            self.steps = execution.steps;
        }
    }
}
