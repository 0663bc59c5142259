//! The instances of units, within a budget of work.

use std::collections::BTreeSet;

use foolproof_contract::{Accepted, Canonical, Pointer};
use foolproof_generate::{Generated, Generator, PlanCompiler, RepairEdit, Seed};
use serde_json::Value;

use super::PlanInput;
use crate::{HitTracker, Hits, Observer, Status, TargetIndex};

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

/// What a unit asks for: targets, and where in the instance each is to be hit.
pub(super) type Requests = Vec<(TargetIndex, Pointer)>;

/// An instance that was made, and what it is good for.
pub(super) struct Candidate {
    /// What it was made for.
    pub(super) asked: Requests,
    /// What it is taken over for, though nothing was asked of it.
    pub(super) adopted: Vec<TargetIndex>,
    /// What it was drawn from.
    pub(super) seed: Seed,
    /// The active targets that it hits.
    pub(super) hits: Vec<TargetIndex>,
    /// Every target that it hits, if all were observed.
    pub(super) all_hits: Option<Hits>,
    pub(super) generated: Generated,
}

/// Makes the instances of units, and knows what they hit so far.
pub(super) struct Maker<'a> {
    generator: &'a Generator,
    plans: PlanCompiler,
    observer: &'a Observer,
    tracker: HitTracker,
    seed: Seed,
    checks: usize,
    /// What is left of the budget.
    work: usize,
    /// The targets that repair gave up for the sake of validity.
    undone: BTreeSet<TargetIndex>,
}

impl<'a> Maker<'a> {
    pub(super) fn new(input: &PlanInput<'a>) -> Self {
        let observer = input.observer;
        let locations = observer.universe().graph().nodes().len().max(1);
        Self {
            generator: input.generator,
            plans: PlanCompiler::new(observer.document(), observer.universe().graph()),
            observer,
            tracker: HitTracker::new(observer),
            seed: input.seed,
            checks: (REPAIR / locations).clamp(LEAST_CHECKS, MOST_CHECKS),
            work: WORK,
            undone: BTreeSet::new(),
        }
    }

    /// Whether an instance hits `target`.
    pub(super) fn is_hit(&self, target: TargetIndex) -> bool {
        self.tracker.hits().contains(target)
    }

    /// Looks at an instance, and returns the targets that it is the first to hit.
    pub(super) fn observe(&mut self, instance: &Accepted) -> Vec<TargetIndex> {
        self.tracker.observe(instance).to_vec()
    }

    /// Whether an instance was made for `target` and repair had to change the place.
    pub(super) fn is_undone(&self, target: TargetIndex) -> bool {
        self.undone.contains(&target)
    }

    /// An instance of `form` that hits as many of the targets as one of a few tries does; nothing if
    /// none of them is valid, or hits any, or the budget is used up.
    pub(super) fn make(
        &mut self,
        number: usize,
        form: &Canonical,
        asked: Requests,
    ) -> Option<Candidate> {
        if self.work == 0 {
            return None;
        }
        let plan = self.plans.compile(form);
        let generator = self.generator.within(plan).draws(DRAWS).checks(self.checks);
        let seed = self.seed.child("unit", number as u64);
        let open: Requests =
            asked.iter().filter(|(target, _)| !self.is_hit(*target)).cloned().collect();
        let count = |hits: &Hits| open.iter().filter(|(it, _)| hits.contains(*it)).count();
        let mut best: Option<(usize, Hits, Generated)> = None;
        for attempt in 0..TRIES {
            // Far from the start of a run, which is a tour: a unit says itself what it is for.
            let Ok(made) = generator.generate(seed, u64::MAX - attempt) else {
                self.spend(self.checks * asked.len());
                break;
            };
            self.spend(size(made.instance().value()) * (1 + made.rejected() as usize));
            let hits = self.observer.observe(made.instance());
            let hit = count(&hits);
            self.undone.extend(undone(&open, &hits, &made));
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
        self.tracker.record(&hits);
        let active = self.active(&hits);
        let (adopted, all_hits) = (Vec::new(), Some(hits));
        Some(Candidate { asked, adopted, seed, hits: active, all_hits, generated: made })
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

/// The targets whose places repair changed, and that `made` does not hit.
fn undone<'t>(
    asked: &'t Requests,
    hits: &'t Hits,
    made: &'t Generated,
) -> impl Iterator<Item = TargetIndex> + 't {
    let is_touched = |place: &Pointer| {
        let touched = made.edits().iter().map(RepairEdit::instance);
        touched.into_iter().any(|touched| touched.is_within(place) || place.is_within(touched))
    };
    let missed = asked.iter().filter(|(target, _)| !hits.contains(*target));
    missed.filter(move |(_, place)| is_touched(place)).map(|(target, _)| *target)
}

/// The number of values in `value`.
fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
    }
}
