//! The instances of units, within a budget of work.

use foolproof_contract::{Accepted, Canonical};
use foolproof_generate::{Generator, Made, Plans, Seed};
use serde_json::Value;

use super::Basis;
use crate::{Hits, Observer, Status, TargetIndex, Watcher};

/// How many instances of a unit are made, of which the one that hits the most is kept.
const TRIES: u64 = 4;

/// How often one instance is drawn. A unit that few draws lead to is better taken apart.
const DRAWS: u32 = 6;

/// What all the instances may cost together, counted in values that are drawn or judged.
const WORK: usize = 10_000_000;

/// What the repair of one draw may cost, counted in locations of the contract per question.
const REPAIR: usize = 400_000;

/// The fewest and the most questions of one repair.
const LEAST_CHECKS: usize = 40;
const MOST_CHECKS: usize = 4_000;

/// An instance that was made, and what it is good for.
pub(super) struct Candidate {
    /// The targets that it was made for.
    pub(super) targets: Vec<TargetIndex>,
    /// The active targets that it hits.
    pub(super) hits: Vec<TargetIndex>,
    pub(super) made: Made,
}

/// Makes the instances of units, and knows what they hit so far.
pub(super) struct Maker<'a> {
    generator: &'a Generator,
    plans: Plans,
    observer: &'a Observer,
    watcher: Watcher,
    seed: Seed,
    checks: usize,
    /// What is left of the budget.
    work: usize,
}

impl<'a> Maker<'a> {
    pub(super) fn new(basis: &Basis<'a>) -> Self {
        let observer = basis.observer;
        let locations = observer.universe().graph().nodes().len().max(1);
        Self {
            generator: basis.generator,
            plans: Plans::new(observer.document(), observer.universe().graph()),
            observer,
            watcher: Watcher::new(observer),
            seed: basis.seed,
            checks: (REPAIR / locations).clamp(LEAST_CHECKS, MOST_CHECKS),
            work: WORK,
        }
    }

    /// Whether an instance hits `target`.
    pub(super) fn is_hit(&self, target: TargetIndex) -> bool {
        self.watcher.hits().contains(target)
    }

    /// Looks at an instance, and returns the targets that it is the first to hit.
    pub(super) fn watch(&mut self, instance: &Accepted) -> Vec<TargetIndex> {
        self.watcher.watch(instance).to_vec()
    }

    /// An instance of `form` that hits as many of `targets` as one of a few tries does; nothing if
    /// none of them is valid, or hits any, or the budget is used up.
    pub(super) fn make(
        &mut self,
        number: usize,
        form: &Canonical,
        targets: &[TargetIndex],
    ) -> Option<Candidate> {
        if self.work == 0 {
            return None;
        }
        let plan = self.plans.compile(form);
        let generator = self.generator.within(plan).draws(DRAWS).checks(self.checks);
        let seed = self.seed.child("unit", number as u64);
        let open: Vec<TargetIndex> =
            targets.iter().copied().filter(|target| !self.is_hit(*target)).collect();
        let count = |hits: &Hits| open.iter().filter(|target| hits.contains(**target)).count();
        let mut best: Option<(usize, Hits, Made)> = None;
        for attempt in 0..TRIES {
            // Far from the start of a run, which is a tour: a unit says itself what it is for.
            let Ok(made) = generator.make(seed, u64::MAX - attempt) else {
                self.spend(self.checks * targets.len());
                break;
            };
            self.spend(size(made.instance().value()) * (1 + made.rejected() as usize));
            let hits = self.observer.observe(made.instance());
            let hit = count(&hits);
            if best.as_ref().is_none_or(|(most, ..)| hit > *most) {
                best = Some((hit, hits, made));
            }
            if hit == open.len() {
                break;
            }
        }
        let (hit, hits, made) = best?;
        if hit == 0 {
            return None;
        }
        self.watcher.watch(made.instance());
        Some(Candidate { targets: targets.to_vec(), hits: self.active(&hits), made })
    }

    fn spend(&mut self, work: usize) {
        self.work = self.work.saturating_sub(work.max(1));
    }

    /// The active targets among `hits`.
    fn active(&self, hits: &Hits) -> Vec<TargetIndex> {
        let universe = self.observer.universe();
        let targets = (0..universe.targets().len()).map(TargetIndex::new);
        targets
            .filter(|it| hits.contains(*it) && universe[*it].status() == Status::Active)
            .collect()
    }
}

/// The number of values in `value`.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
    }
}
