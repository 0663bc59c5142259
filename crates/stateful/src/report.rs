//! From what shrinking left to a failure that people read.

use crate::{
    Config, Failure, Machine,
    execution::{End, OnBlock, Shown, attempt},
    failure::{Counterexample, StepReport},
    shrink::Shrinker,
    statistics::Statistics,
};

/// What a report is made from.
pub(crate) struct Report<'a, A: Machine> {
    pub(crate) machine: &'a A,
    pub(crate) config: &'a Config,
    pub(crate) seed: u64,
    /// The number of the sequence, if it was not given.
    pub(crate) run: Option<u64>,
    /// How long the sequence was at first.
    pub(crate) original: usize,
    pub(crate) statistics: Statistics,
}

impl<A: Machine> Report<'_, A> {
    /// Runs what shrinking left again, to see whether it fails again, and writes it down.
    pub(crate) async fn failure(self, shrinker: &Shrinker<'_, A>) -> Failure {
        let watched = attempt(self.machine, &shrinker.steps, OnBlock::Reject, true).await;
        let is_same =
            |end: &End| matches!(end, End::Failed(fault) if fault.is_same_as(&shrinker.fault));
        let mut failed = u32::from(is_same(&watched.end));
        for _ in 1..self.config.confirmations {
            let again = attempt(self.machine, &shrinker.steps, OnBlock::Reject, false).await;
            failed += u32::from(is_same(&again.end));
        }
        let names = self.machine.command_names();
        let steps = shrinker.steps.iter().enumerate().map(|(place, step)| {
            let shown = watched.shown.get(place);
            StepReport {
                command: names[self.machine.command_index(step)].clone(),
                arguments: shown.map(named).unwrap_or_default(),
                result: shown.and_then(|shown| shown.result.clone()),
            }
        });
        Failure::counterexample(Counterexample {
            seed: self.seed,
            run: self.run,
            original: self.original,
            steps: steps.collect(),
            fault: match watched.end {
                End::Failed(fault) if fault.is_same_as(&shrinker.fault) => fault,
                End::Failed(_)
                | End::PanicOutsideStep(_)
                | End::Passed
                | End::Blocked
                | End::Exhausted => shrinker.fault.clone(),
            },
            models: watched.models,
            executions: shrinker.executions,
            reached_shrink_limit: shrinker.reached_shrink_limit,
            confirmed: failed,
            confirmations: self.config.confirmations.max(1),
            replay: self.written(&shrinker.steps),
            statistics: self.statistics,
        })
    }

    /// A sequence that failed once and not again.
    pub(crate) fn not_reproduced(self, steps: &[A::Step]) -> Failure {
        let replay = self.written(steps);
        Failure::not_reproduced(self.seed, self.run, replay, self.statistics)
    }

    fn written(&self, steps: &[A::Step]) -> String {
        let steps: Vec<String> =
            steps.iter().map(|step| self.machine.serialize_step(step)).collect();
        steps.join("; ")
    }
}

/// Arguments as calls with names have them.
fn named(shown: &Shown) -> Vec<String> {
    shown.arguments.iter().map(|(name, value)| format!("{name}: {value}")).collect()
}
