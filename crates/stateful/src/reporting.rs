//! From a sequence that failed to a [`Failure`]: reproduce it, shrink it, run the minimal sequence again.

use std::time::Duration;

use crate::{
    Argument, Config, Failure, Fault, ShrinkEffort, StepRecord,
    execution::{Execution, Job, OnBlocked, SequenceOutcome},
    executor::ErasedExecutor,
    failure::{Counterexample, ProposalFailure, ShortSequence, StartFailure, StepReport},
    machine::StepText,
    regressions,
    runner::is_same_failure,
    shrink::{Shrinker, needed_steps},
    statistics::Statistics,
};

/// How often a sequence is run again until it fails again.
const REPRODUCTIONS: u32 = 20;

/// The share of the time of a failure in which it is shrunk.
const SHRINKING: f64 = 0.6;

/// Reports a failing sequence.
pub(crate) struct Reporter<'a, T> {
    pub(crate) machine: &'a dyn StepText<T>,
    pub(crate) executor: &'a dyn ErasedExecutor<T>,
    pub(crate) config: &'a Config,
    /// The number of the sequence, unless it is a replay.
    pub(crate) run: Option<u64>,
    /// The line of the regression file that it comes from, if it does.
    pub(crate) origin: Option<usize>,
    pub(crate) statistics: Statistics,
    /// The longest time for all that is done, if there is one.
    pub(crate) time: Option<Duration>,
}

/// The outcome of shrinking: the smallest sequence, and how it was found.
struct Minimal<'a, T> {
    fault: &'a Fault,
    steps: &'a [T],
    shrinking: crate::ShrinkStatistics,
}

impl<T: StepRecord> Reporter<'_, T> {
    /// Reports a sequence that was explored.
    pub(crate) async fn report(self, first: Execution<T>) -> Failure {
        let SequenceOutcome::Failed(fault) = first.outcome.clone() else {
            return self.report_unshrinkable(first).await;
        };
        if self.config.shrink_effort == ShrinkEffort::Frugal
            && let Some(needed) = needed_steps(&first.steps)
        {
            // If what the failing step depends on is enough, the whole need not be run again.
            let again = self.replay(&needed, true).await;
            if is_same_failure((&fault, &needed), &again) {
                let original = self.step_reports_without_initial(&first);
                return self.shrink(fault, again, original).await;
            }
        }
        let mut passing = None;
        for passed in 0..REPRODUCTIONS {
            let again = self.replay(&first.steps, true).await;
            if is_same_failure((&fault, &first.steps), &again) {
                let original = self.step_reports_without_initial(&again);
                return self.shrink(fault, again, original).await;
            }
            if self.config.stop.ends_everything() {
                return self.unconfirmed(&fault, &first, passed);
            }
            passing = Some(again);
        }
        self.vanished(&fault, first, passing.map(|it| it.arguments).unwrap_or_default())
    }

    /// Reports a sequence that is minimal already.
    pub(crate) async fn confirm(self, execution: Execution<T>) -> Failure {
        let SequenceOutcome::Failed(fault) = execution.outcome.clone() else {
            return self.report_unshrinkable(execution).await;
        };
        let original = self.step_reports_without_initial(&execution);
        let shrinking = crate::ShrinkStatistics::default();
        let minimal = Minimal { fault: &fault, steps: &execution.steps, shrinking };
        self.counterexample(minimal, original).await
    }

    async fn shrink(
        self,
        fault: Fault,
        traced: Execution<T>,
        original: Vec<StepReport>,
    ) -> Failure {
        let (steps, arguments) = (traced.steps, traced.arguments);
        // What is left is for running the minimal sequence again.
        let share = self.time.map_or(Duration::MAX, |time| time.mul_f64(SHRINKING));
        let time = self.config.max_shrink_time.min(share);
        let mut shrinker =
            Shrinker::new(self.machine, self.executor, self.config, fault, steps, arguments, time);
        shrinker.run().await;
        let shrinking = shrinker.statistics();
        let minimal = Minimal { fault: &shrinker.fault, steps: &shrinker.steps, shrinking };
        self.counterexample(minimal, original).await
    }

    /// Runs the minimal sequence as often as configured, and reports how often it failed.
    async fn counterexample(&self, minimal: Minimal<'_, T>, original: Vec<StepReport>) -> Failure {
        let Minimal { fault, steps, shrinking } = minimal;
        let traced = self.replay(steps, true).await;
        let mut failed = u32::from(is_same_failure((fault, steps), &traced));
        // What was cut off did not pass.
        let is_cut = || self.config.stop.ends_everything();
        let mut all = if is_cut() { failed } else { 1 };
        while all < self.config.confirmations && !is_cut() {
            let again = self.replay(steps, false).await;
            let is_same = is_same_failure((fault, steps), &again);
            if is_same || !is_cut() {
                failed += u32::from(is_same);
                all += 1;
            }
        }
        let found = match &traced.outcome {
            SequenceOutcome::Failed(found) if found.is_same_as(fault) => found,
            SequenceOutcome::Failed(_)
            | SequenceOutcome::StartFailed(_)
            | SequenceOutcome::ProposalFailed(_)
            | SequenceOutcome::TooShort
            | SequenceOutcome::Passed
            | SequenceOutcome::Blocked
            | SequenceOutcome::Exhausted => fault,
        };
        let mut counterexample = self.known(found.clone(), steps, &traced);
        counterexample.original = original.len();
        counterexample.original_steps = original;
        let (before, after) = traced.states;
        counterexample.models = (before.model, after.model);
        counterexample.systems = (before.system, after.system);
        counterexample.executions = shrinking.executions;
        counterexample.reached_shrink_limit = shrinking.reached_limit;
        counterexample.shrinking = shrinking;
        counterexample.confirmed = failed;
        counterexample.confirmations = all;
        Failure::counterexample(counterexample)
    }

    /// The failure of a sequence that passed so often, until the run was stopped.
    fn unconfirmed(&self, fault: &Fault, first: &Execution<T>, passed: u32) -> Failure {
        let mut counterexample = self.known(fault.clone(), &first.steps, first);
        counterexample.original = counterexample.steps.len();
        counterexample.original_steps.clone_from(&counterexample.steps);
        counterexample.confirmations = passed;
        Failure::counterexample(counterexample)
    }

    /// The failure of a sequence that never failed again: what is known is from its only failure.
    fn vanished(
        &self,
        fault: &Fault,
        first: Execution<T>,
        arguments: Vec<Vec<Argument>>,
    ) -> Failure {
        let first = Execution { arguments, ..first };
        let mut counterexample = self.known(fault.clone(), &first.steps, &first);
        counterexample.original = counterexample.steps.len();
        counterexample.original_steps.clone_from(&counterexample.steps);
        counterexample.confirmations = REPRODUCTIONS;
        Failure::vanished(counterexample)
    }

    /// A counterexample with what every report has.
    fn known(&self, fault: Fault, steps: &[T], execution: &Execution<T>) -> Counterexample {
        let reports = self.step_reports(&Execution { steps: steps.to_vec(), ..execution.clone() });
        let is_initial = steps.first().is_some_and(StepRecord::is_initial);
        let given = if is_initial { reports[0].arguments.clone() } else { Vec::new() };
        Counterexample {
            seed: self.config.chosen_seed(),
            run: self.run,
            origin: self.origin,
            regression_file: None,
            given,
            steps: reports.into_iter().skip(usize::from(is_initial)).collect(),
            fault,
            replay: self.serialize(steps),
            record: regressions::record(self.machine, steps, &execution.arguments),
            is_verbose: self.config.verbose,
            statistics: self.statistics.clone(),
            original: 0,
            original_steps: Vec::new(),
            models: Default::default(),
            systems: Default::default(),
            executions: 0,
            reached_shrink_limit: false,
            shrinking: crate::ShrinkStatistics::default(),
            confirmed: 0,
            confirmations: 0,
        }
    }

    /// Reports what is no failure of a step.
    async fn report_unshrinkable(self, execution: Execution<T>) -> Failure {
        let (seed, run) = (self.config.chosen_seed(), self.run);
        match execution.outcome {
            SequenceOutcome::StartFailed(fault) => {
                let statistics = self.statistics;
                Failure::start_failed(StartFailure { fault, seed, run, statistics })
            }
            SequenceOutcome::ProposalFailed(fault) => {
                let steps = self.step_reports(&self.replay(&execution.steps, true).await);
                let statistics = self.statistics;
                Failure::proposal_failed(ProposalFailure { fault, steps, seed, run, statistics })
            }
            SequenceOutcome::TooShort => {
                let steps = self.step_reports(&self.replay(&execution.steps, true).await);
                let (least, statistics) = (self.config.min_commands, self.statistics);
                Failure::too_short(ShortSequence { least, steps, seed, run, statistics })
            }
            SequenceOutcome::Failed(_)
            | SequenceOutcome::Passed
            | SequenceOutcome::Blocked
            | SequenceOutcome::Exhausted => Failure::misuse("a sequence did not fail after all"),
        }
    }

    async fn replay(&self, steps: &[T], is_traced: bool) -> Execution<T> {
        let (steps, on_blocked) = (steps.to_vec(), OnBlocked::Reject);
        self.executor.execute_erased(Job::Replay { steps, on_blocked, is_traced }).await
    }

    fn step_reports_without_initial(&self, execution: &Execution<T>) -> Vec<StepReport> {
        let is_initial = execution.steps.first().is_some_and(StepRecord::is_initial);
        self.step_reports(execution).into_iter().skip(usize::from(is_initial)).collect()
    }

    fn step_reports(&self, execution: &Execution<T>) -> Vec<StepReport> {
        let names = self.machine.commands();
        let reports = execution.steps.iter().enumerate().map(|(index, step)| {
            let arguments = execution.arguments.get(index).map(Vec::as_slice).unwrap_or_default();
            let result = execution.results.get(index).filter(|result| !result.is_empty());
            StepReport {
                command: names.get(step.command()).cloned().unwrap_or_default(),
                arguments: arguments.iter().map(ToString::to_string).collect(),
                result: result.cloned(),
            }
        });
        reports.collect()
    }

    fn serialize(&self, steps: &[T]) -> String {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        if steps.iter().any(String::is_empty) { String::new() } else { steps.join("; ") }
    }
}
