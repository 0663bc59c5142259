//! Runs the minimal sequence again and turns the outcome into a [`Failure`].

use crate::{
    Config, Failure, Machine, Tracing,
    execution::{OnBlocked, SequenceOutcome, StepTrace, run_steps},
    failure::{Counterexample, StepReport},
    shrink::Shrinker,
    statistics::Statistics,
};

/// What is known of a failing sequence besides its steps.
pub(crate) struct Confirmation<'a, A: Machine> {
    pub(crate) machine: &'a A,
    pub(crate) config: &'a Config,
    pub(crate) seed: u64,
    /// The number of the sequence, unless it is a replay.
    pub(crate) run: Option<u64>,
    /// The length of the sequence before shrinking.
    pub(crate) original: usize,
    pub(crate) statistics: Statistics,
}

impl<A: Machine> Confirmation<'_, A> {
    /// Runs the minimal sequence as often as configured, once with traces, and reports how often it
    /// failed.
    pub(crate) async fn failure(self, shrinker: &Shrinker<'_, A>) -> Failure {
        let traced = run_steps(self.machine, &shrinker.steps, OnBlocked::Reject, Tracing::On).await;
        let is_same = |end: &SequenceOutcome| matches!(end, SequenceOutcome::Failed(fault) if fault.is_same_as(&shrinker.fault));
        let mut failed = u32::from(is_same(&traced.outcome));
        for _ in 1..self.config.confirmations {
            let again =
                run_steps(self.machine, &shrinker.steps, OnBlocked::Reject, Tracing::Off).await;
            failed += u32::from(is_same(&again.outcome));
        }
        let names = self.machine.command_names();
        let steps = shrinker.steps.iter().enumerate().map(|(index, step)| {
            let trace = traced.traces.get(index);
            StepReport {
                command: names[self.machine.command_index(step)].clone(),
                arguments: trace.map(named_arguments).unwrap_or_default(),
                result: trace.and_then(|trace| trace.result.clone()),
            }
        });
        Failure::counterexample(Counterexample {
            seed: self.seed,
            run: self.run,
            original: self.original,
            steps: steps.collect(),
            fault: match traced.outcome {
                SequenceOutcome::Failed(fault) if fault.is_same_as(&shrinker.fault) => fault,
                SequenceOutcome::Failed(_)
                | SequenceOutcome::PanicOutsideStep(_)
                | SequenceOutcome::Passed
                | SequenceOutcome::Blocked
                | SequenceOutcome::Exhausted => shrinker.fault.clone(),
            },
            models: traced.models,
            executions: shrinker.executions,
            reached_shrink_limit: shrinker.reached_shrink_limit,
            confirmed: failed,
            confirmations: self.config.confirmations.max(1),
            replay: self.serialize(&shrinker.steps),
            statistics: self.statistics,
        })
    }

    /// The failure of a sequence that passed when it was run again.
    pub(crate) fn not_reproduced(self, steps: &[A::Step]) -> Failure {
        let replay = self.serialize(steps);
        Failure::not_reproduced(self.seed, self.run, replay, self.statistics)
    }

    fn serialize(&self, steps: &[A::Step]) -> String {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        steps.join("; ")
    }
}

/// Arguments as `name: value`.
fn named_arguments(trace: &StepTrace) -> Vec<String> {
    trace.arguments.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}
