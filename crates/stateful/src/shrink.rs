//! The shrinker: from a failing sequence to the smallest sequence that fails in the same way.
//!
//! There is one measure ([`Measure`]), and a candidate is accepted only if it fails in the same way and
//! measures less, so shrinking ends. Passes propose candidates; each is repeated until none of them helps.
//! Cheap passes come first, expensive ones only when those no longer help. A step that cannot run in a
//! candidate is drawn again or left out, and the repaired sequence is the candidate. No candidate runs
//! twice, provided that the machine serializes steps.
//!
//! To add a pass: add it to [`Pass`] and to [`CHEAP`] or [`COSTLY`], and write a function that proposes
//! candidates to [`Shrinker::accepts`].

mod arguments;
mod combine;
mod measure;
mod remove;
mod replace;

use std::{
    collections::BTreeSet,
    time::{Duration, Instant},
};

use self::measure::Measure;
pub(crate) use self::remove::needed_steps;
use crate::{
    Argument, Config, Fault, PassStatistics, ShrinkEffort, ShrinkStatistics, StepRecord,
    execution::{Execution, Job, OnBlocked},
    executor::ErasedExecutor,
    machine::StepText,
    runner::is_same_failure,
};

/// A way to propose smaller sequences.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pass {
    /// Removes all steps that the failing one does not depend on.
    KeepDependencies,
    /// Removes steps from the end.
    Truncate,
    /// Makes all arguments the simplest, at once.
    SimplestArguments,
    /// Removes steps: all of a command, chunks, single ones.
    RemoveSteps,
    /// Simplifies arguments by their value trees, equal ones together.
    SimplifyArguments,
    /// Simplifies arguments again, from what was drawn.
    RepeatSearches,
    /// Removes two steps that may depend on each other.
    RemovePairs,
    /// Replaces several steps by one.
    ReplaceSteps,
    /// Removes three steps that may depend on each other.
    RemoveTriples,
    /// Removes a step, and sets arguments of others to a value that occurs elsewhere.
    RemoveAndCopy,
    /// Removes a step, and simplifies an argument of another.
    RemoveAndSimplify,
    /// Sets arguments to values that occur elsewhere.
    CopyArguments,
    /// Draws arguments anew.
    DrawArguments,
    /// Exchanges two values of the arguments of one name.
    SwapValues,
    /// Replaces the last steps by a step of another command that fails in their place.
    FailOtherwise,
    /// Exchanges neighbours.
    Reorder,
}

/// Passes that run in every round.
const CHEAP: [Pass; 3] = [Pass::SimplestArguments, Pass::RemoveSteps, Pass::SimplifyArguments];

/// Passes that run when no cheap one helps, until one of them does. Those that keep the length come first:
/// the others try everything again when an argument has changed.
const COSTLY: [Pass; 11] = [
    Pass::RepeatSearches,
    Pass::CopyArguments,
    Pass::SwapValues,
    Pass::Reorder,
    Pass::FailOtherwise,
    Pass::RemovePairs,
    Pass::RemoveAndSimplify,
    Pass::RemoveAndCopy,
    Pass::ReplaceSteps,
    Pass::RemoveTriples,
    Pass::DrawArguments,
];

/// Those of them that a system is worth which takes long for every sequence.
const FRUGAL: [Pass; 1] = [Pass::RemovePairs];

impl Pass {
    fn name(self) -> &'static str {
        match self {
            Self::KeepDependencies => "keep dependencies",
            Self::Truncate => "truncate",
            Self::SimplestArguments => "simplest arguments",
            Self::RemoveSteps => "remove steps",
            Self::SimplifyArguments => "simplify arguments",
            Self::RepeatSearches => "repeat searches",
            Self::RemovePairs => "remove pairs",
            Self::ReplaceSteps => "replace steps",
            Self::RemoveTriples => "remove triples",
            Self::RemoveAndCopy => "remove and copy",
            Self::RemoveAndSimplify => "remove and simplify",
            Self::CopyArguments => "copy arguments",
            Self::DrawArguments => "draw arguments",
            Self::SwapValues => "swap values",
            Self::FailOtherwise => "fail otherwise",
            Self::Reorder => "reorder",
        }
    }
}

/// A failing sequence while it is shrunk.
pub(crate) struct Shrinker<'a, T> {
    machine: &'a dyn StepText<T>,
    executor: &'a dyn ErasedExecutor<T>,
    config: &'a Config,
    pub(crate) fault: Fault,
    pub(crate) steps: Vec<T>,
    /// The arguments of the steps.
    arguments: Vec<Vec<Argument>>,
    measure: Measure,
    statistics: ShrinkStatistics,
    /// Every candidate so far, serialized.
    tried: BTreeSet<String>,
    /// Whether removing large chunks was tried.
    removed_large_chunks: bool,
    /// When it must end.
    end: Option<Instant>,
}

impl<'a, T: StepRecord> Shrinker<'a, T> {
    pub(crate) fn new(
        machine: &'a dyn StepText<T>,
        executor: &'a dyn ErasedExecutor<T>,
        config: &'a Config,
        fault: Fault,
        steps: Vec<T>,
        arguments: Vec<Vec<Argument>>,
        time: Duration,
    ) -> Self {
        let measure = Measure::of(&steps, &arguments);
        Self {
            machine,
            executor,
            config,
            fault,
            steps,
            arguments,
            measure,
            statistics: ShrinkStatistics::default(),
            tried: BTreeSet::new(),
            removed_large_chunks: false,
            end: Instant::now().checked_add(time),
        }
    }

    /// What the passes did.
    pub(crate) fn statistics(&self) -> ShrinkStatistics {
        self.statistics.clone()
    }

    /// Shrinks to a fixed point, or as far as the limits allow.
    pub(crate) async fn run(&mut self) {
        if self.steps.iter().all(|step| step.dependencies().is_some()) {
            self.run_pass(Pass::KeepDependencies).await;
        }
        self.run_pass(Pass::Truncate).await;
        loop {
            let mut is_smaller = false;
            for pass in CHEAP {
                is_smaller |= self.run_pass(pass).await;
            }
            let costly = match self.config.shrink_effort {
                ShrinkEffort::Full => &COSTLY[..],
                ShrinkEffort::Frugal => &FRUGAL[..],
            };
            let mut costly = costly.iter().copied();
            while !is_smaller && let Some(pass) = costly.next() {
                is_smaller = self.run_pass(pass).await;
            }
            if !is_smaller || self.limit_is_reached() {
                return;
            }
        }
    }

    async fn run_pass(&mut self, pass: Pass) -> bool {
        if self.limit_is_reached() {
            return false;
        }
        let name = pass.name();
        let known = self.statistics.passes.iter().position(|pass| pass.name == name);
        let index = known.unwrap_or_else(|| {
            self.statistics.passes.push(PassStatistics { name, executions: 0, accepted: 0 });
            self.statistics.passes.len() - 1
        });
        let before = self.statistics.executions;
        self.statistics.current = index;
        let is_smaller = match pass {
            Pass::KeepDependencies => self.keep_dependencies().await,
            Pass::Truncate => self.truncate().await,
            Pass::SimplestArguments => self.simplify_all().await,
            Pass::RemoveSteps => self.remove_steps().await,
            Pass::SimplifyArguments => self.simplify_arguments().await,
            Pass::RepeatSearches => self.repeat_searches().await,
            Pass::RemovePairs => self.remove_pairs().await,
            Pass::ReplaceSteps => self.replace_steps().await,
            Pass::RemoveTriples => self.remove_triples().await,
            Pass::RemoveAndCopy => self.remove_and_copy().await,
            Pass::RemoveAndSimplify => self.remove_and_simplify().await,
            Pass::CopyArguments => self.copy_arguments().await,
            Pass::DrawArguments => self.draw_arguments().await,
            Pass::SwapValues => self.swap_values().await,
            Pass::FailOtherwise => self.fail_otherwise().await,
            Pass::Reorder => self.reorder().await,
        };
        self.statistics.passes[index].executions += self.statistics.executions - before;
        is_smaller
    }

    fn limit_is_reached(&mut self) -> bool {
        let limit_is_reached = self.statistics.executions >= self.config.max_shrink_runs
            || self.end.is_some_and(|end| Instant::now() >= end)
            || self.config.stop.ends_everything();
        self.statistics.reached_limit |= limit_is_reached;
        limit_is_reached
    }

    /// Runs a candidate, unless it was run before or a limit is reached.
    async fn execute(&mut self, steps: &[T], on_blocked: OnBlocked) -> Option<Execution<T>> {
        if self.limit_is_reached() {
            return None;
        }
        let text = self.serialize(steps).map(|text| format!("{on_blocked:?} {text}"));
        if !self.is_new(text) {
            return None;
        }
        let job = Job::Replay { steps: steps.to_vec(), on_blocked, is_traced: false };
        Some(self.execute_job(job).await)
    }

    async fn execute_job(&mut self, job: Job<T>) -> Execution<T> {
        self.statistics.executions += 1;
        self.executor.execute_erased(job).await
    }

    /// The steps as text, which identifies them; `None` if the machine does not serialize steps.
    fn serialize(&self, steps: &[T]) -> Option<String> {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        steps.iter().all(|step| !step.is_empty()).then(|| steps.join("; "))
    }

    /// Whether a candidate did not run before. Without text, it counts as new.
    fn is_new(&mut self, text: Option<String>) -> bool {
        text.is_none_or(|text| self.tried.insert(text))
    }

    fn fails_the_same_way(&self, execution: &Execution<T>) -> bool {
        is_same_failure((&self.fault, &self.steps), execution)
    }

    /// Runs `candidate`, repaired where a step cannot run, and accepts it if it is smaller.
    async fn accepts(&mut self, candidate: &[T]) -> bool {
        let execution = self.execute(candidate, OnBlocked::Repair).await;
        execution.is_some_and(|execution| self.accept(execution))
    }

    /// Continues with a sequence, if it fails in the same way and measures less. Nothing else changes the
    /// sequence.
    fn accept(&mut self, execution: Execution<T>) -> bool {
        self.fails_the_same_way(&execution) && self.accept_measured(execution)
    }

    /// Continues with a sequence that fails, if it measures less.
    fn accept_measured(&mut self, execution: Execution<T>) -> bool {
        let measure = Measure::of(&execution.steps, &execution.arguments);
        if measure >= self.measure {
            return false;
        }
        if let crate::execution::SequenceOutcome::Failed(fault) = execution.outcome {
            self.fault = fault;
        }
        (self.steps, self.arguments) = (execution.steps, execution.arguments);
        self.measure = measure;
        let current = self.statistics.current;
        self.statistics.passes[current].accepted += 1;
        true
    }
}
