//! Shrink passes that change more than one thing, for bugs whose shorter sequences cannot be reached by
//! single changes: a step is removed while an argument is set to a value that occurs elsewhere or is
//! simplified; neighbours are exchanged; arguments are drawn anew.

use super::Shrinker;
use crate::{StepRecord, execution::OnBlocked, rng, step::ShrinkStep};

/// The most arguments of a sequence in which they are set to each other's values.
const MAX_ARGUMENTS: usize = 48;

/// The longest sequence in which a step is removed and an argument changed at the same time.
const MAX_LENGTH: usize = 16;

/// The most arguments of a name whose values are exchanged from any of them on.
const MAX_SWAPPED: usize = 12;

/// How often the drawn value of an argument is simplified, when a step is removed at the same time.
const MAX_SIMPLIFICATIONS: usize = 3;

/// How often an argument is drawn anew.
const MAX_DRAWS: u64 = 4;

/// How often arguments are drawn anew as equal ones.
const MAX_DRAWS_TOGETHER: u64 = 16;

/// The position of an argument: the index of the step, and the index of the argument in it.
type Position = (usize, usize);

impl<T: StepRecord> Shrinker<'_, T> {
    /// Sets arguments to values that occur elsewhere in the sequence.
    pub(super) async fn copy_arguments(&mut self) -> bool {
        for (target, source) in self.copies() {
            let candidate = self.with_copies(&[target], source);
            if self.accepts_as_it_is(&candidate).await {
                return true;
            }
        }
        false
    }

    /// Removes one step, and sets arguments of others to a value that occurs elsewhere: what the removed step
    /// did may be done by another, if only it has the right argument. First all arguments of one name, then
    /// single ones.
    pub(super) async fn remove_and_copy(&mut self) -> bool {
        if self.steps.len() > MAX_LENGTH {
            return false;
        }
        let together = self.values_by_name();
        let single = self.copies().into_iter().map(|(target, source)| (vec![target], source));
        for (targets, source) in together.into_iter().chain(single) {
            let changed = self.with_copies(&targets, source);
            if self.accepts_without_one(&changed, &targets).await {
                return true;
            }
        }
        false
    }

    /// Removes one step of `changed`, of which the arguments at `targets` differ from the sequence.
    async fn accepts_without_one(&mut self, changed: &[T], targets: &[Position]) -> bool {
        for removed in self.removable().rev() {
            if self.limit_is_reached() {
                return false;
            }
            if targets.iter().all(|(step, _)| *step == removed) {
                continue;
            }
            let mut candidate = changed.to_vec();
            candidate.remove(removed);
            if self.accepts(&candidate).await {
                return true;
            }
        }
        false
    }

    /// Removes one step, and simplifies an argument of another: a smaller capacity is filled by fewer steps.
    pub(super) async fn remove_and_simplify(&mut self) -> bool {
        if self.steps.len() > MAX_LENGTH {
            return false;
        }
        for (step, argument) in self.positions() {
            if self.steps[step].is_simplest(argument) {
                continue;
            }
            for simpler in self.simpler_steps(step, argument) {
                let mut changed = self.steps.clone();
                changed[step] = simpler;
                if self.accepts_without_one(&changed, &[(step, argument)]).await {
                    return true;
                }
            }
        }
        false
    }

    /// A step with simpler values of one argument: the next one of its value tree, the simplest, and some
    /// between what was drawn and the simplest. Those may have been too simple before a step was removed, and
    /// a value tree never returns to them.
    fn simpler_steps(&self, step: usize, argument: usize) -> Vec<T> {
        let step = &self.steps[step];
        let mut simpler = vec![
            step.shrink_argument(argument, ShrinkStep::Simplify),
            step.shrink_argument(argument, ShrinkStep::Simplest),
        ];
        let mut drawn = step.reset_argument(argument);
        for _ in 0..MAX_SIMPLIFICATIONS {
            drawn = drawn.shrink_argument(argument, ShrinkStep::Simplify);
            simpler.push(drawn.clone());
        }
        simpler
    }

    /// The positions of the steps that may be removed: all but the first and the last one of a kind of their
    /// own, which creates the initial state or fails.
    pub(super) fn removable(&self) -> std::ops::Range<usize> {
        self.first_removable()..self.steps.len().saturating_sub(1)
    }

    /// Which arguments may be set to which others: those of the same name, with other values. Each value is
    /// offered once.
    fn copies(&self) -> Vec<(Position, Position)> {
        let positions = self.positions();
        let mut copies = Vec::new();
        if positions.len() > MAX_ARGUMENTS {
            return copies;
        }
        for target in positions.iter().rev() {
            let mut offered = vec![self.value(*target)];
            for source in &positions {
                let value = self.value(*source);
                if self.name(*source) == self.name(*target) && !offered.contains(&value) {
                    offered.push(value);
                    copies.push((*target, *source));
                }
            }
        }
        copies
    }

    /// For each name of an argument and each of its values: all positions of the name, and one of the value.
    fn values_by_name(&self) -> Vec<(Vec<Position>, Position)> {
        let positions = self.positions();
        let mut values: Vec<(Vec<Position>, Position)> = Vec::new();
        for source in positions.iter().take(MAX_ARGUMENTS) {
            let is_known = |(_, known): &(Vec<Position>, Position)| {
                self.name(*known) == self.name(*source) && self.value(*known) == self.value(*source)
            };
            if !values.iter().any(is_known) {
                let same =
                    positions.iter().filter(|other| self.name(**other) == self.name(*source));
                values.push((same.copied().collect(), *source));
            }
        }
        values
    }

    /// The name of an argument.
    fn name(&self, (step, argument): Position) -> Option<&str> {
        let argument = self.arguments.get(step).and_then(|step| step.get(argument));
        argument.map(|argument| argument.name.as_str())
    }

    fn with_copies(&self, targets: &[Position], source: Position) -> Vec<T> {
        let mut steps = self.steps.clone();
        let (source, source_argument) = (&self.steps[source.0], source.1);
        for (step, argument) in targets {
            steps[*step] = steps[*step].copy_argument(*argument, source, source_argument);
        }
        steps
    }

    /// The steps with the arguments at `targets` drawn from one seed, so that they are equal.
    fn with_draws(&self, targets: &[Position], seed: u64) -> Vec<T> {
        let mut steps = self.steps.clone();
        for (step, argument) in targets {
            steps[*step] = steps[*step].draw_argument(*argument, rng::child(seed, 0));
        }
        steps
    }

    /// Exchanges two values of the arguments of one name, from one of them on to the end of the sequence. Such
    /// values are often mere names: it matters which of them are equal.
    pub(super) async fn swap_values(&mut self) -> bool {
        let values = self.values_by_name();
        for (index, (targets, first)) in values.iter().enumerate() {
            let others = values[index + 1..].iter().filter(|(other, _)| other == targets);
            for (_, second) in others {
                let starts = if targets.len() > MAX_SWAPPED { 1 } else { targets.len() };
                for start in 0..starts {
                    let candidate = self.with_swap(&targets[start..], *first, *second);
                    if self.limit_is_reached() {
                        return false;
                    }
                    if self.accepts_as_it_is(&candidate).await {
                        return true;
                    }
                }
            }
        }
        false
    }

    /// The steps with the values at `first` and `second` exchanged wherever `targets` have them.
    fn with_swap(&self, targets: &[Position], first: Position, second: Position) -> Vec<T> {
        let mut steps = self.steps.clone();
        for (step, argument) in targets {
            let value = self.value((*step, *argument));
            let source = match () {
                () if value == self.value(first) => second,
                () if value == self.value(second) => first,
                () => continue,
            };
            let copied = steps[*step].copy_argument(*argument, &self.steps[source.0], source.1);
            steps[*step] = copied;
        }
        steps
    }

    /// Draws arguments anew: all of one name, with which a sequence may fail earlier, equal ones together, and each
    /// alone.
    pub(super) async fn draw_arguments(&mut self) -> bool {
        let mut names: Vec<Vec<Position>> =
            self.values_by_name().into_iter().map(|(targets, _)| targets).collect();
        names.dedup();
        for targets in names {
            // Where the simplest values do, others rarely make a step unnecessary.
            if targets.iter().all(|(step, argument)| self.steps[*step].is_simplest(*argument)) {
                continue;
            }
            for seed in 0..MAX_DRAWS_TOGETHER {
                if self.accepts_as_it_is(&self.with_draws(&targets, seed)).await {
                    return true;
                }
            }
        }
        let mut equal = self.groups();
        equal.retain(|positions| positions.len() > 1);
        for mut positions in equal.into_iter().take(MAX_ARGUMENTS) {
            positions.retain(|(step, argument)| !self.steps[*step].is_simplest(*argument));
            for seed in 0..MAX_DRAWS_TOGETHER {
                if positions.len() > 1
                    && self.accepts_as_it_is(&self.with_draws(&positions, seed)).await
                {
                    return true;
                }
            }
        }
        let positions = self.positions();
        for (step, argument) in positions.into_iter().rev().take(MAX_ARGUMENTS) {
            if self.steps[step].is_simplest(argument) {
                continue;
            }
            for seed in 0..MAX_DRAWS {
                let candidate = self.with_draws(&[(step, argument)], seed);
                if self.accepts_as_it_is(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Exchanges neighbours whose commands are not in the order of the test, the failing step excepted.
    pub(super) async fn reorder(&mut self) -> bool {
        let last = self.steps.len().saturating_sub(1);
        for second in self.first_removable() + 1..last {
            if self.limit_is_reached() {
                return false;
            }
            if self.steps[second].command() < self.steps[second - 1].command() {
                let mut candidate = self.steps.clone();
                candidate.swap(second - 1, second);
                if self.accepts_as_it_is(&candidate).await {
                    return true;
                }
            }
        }
        false
    }

    /// Runs `candidate`, in which every step must be able to run, and accepts it if it is smaller.
    async fn accepts_as_it_is(&mut self, candidate: &[T]) -> bool {
        let execution = self.execute(candidate, OnBlocked::Reject).await;
        execution.is_some_and(|execution| self.accept(execution))
    }
}
