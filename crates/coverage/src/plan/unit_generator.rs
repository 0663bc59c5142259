//! Generates the instances of units, within a budget of work.

use std::collections::BTreeSet;

use foolproof_contract::Pointer;
use foolproof_generate::{
    BranchSeparator, Generated, Generator, Host, Meter, Phase, PhaseMetrics, PlanCompiler,
    RepairEdit, Seed,
};
use serde_json::Value;

use super::{PlanInput, packed_unit::UnitDraft};
use crate::{HitTracker, Hits, Observer, Status, TargetIndex};

/// How many instances of a unit are generated. The one that hits the most targets is kept.
const ATTEMPTS: u64 = 4;

/// The most draws for one instance. A unit that needs more is better split.
const DRAWS: u32 = 6;

/// The same for a part of an instance, and its draws. None of them is repaired: a repair may change the rest of the
/// instance, and takes much longer than to draw another part.
const PART_ATTEMPTS: u64 = 2;
const PART_DRAWS: u32 = 4;

/// How many of the draws of whole instances are repaired if they are rejected.
const REPAIRS: usize = 2;

/// The budget for all instances together, counted in values that are drawn or validated.
const WORK_BUDGET: usize = 10_000_000;

/// The budget for all draws, counted in values, the discarded ones included. A value that is filtered may be drawn
/// thousands of times in vain, which no instance shows.
const DRAW_BUDGET: usize = 20_000_000;

/// The budget for the repair of one draw: the number of checks by the oracle times the number of
/// locations of the contract.
const REPAIR_BUDGET: usize = 400_000;

/// The budget for all repairs that fail, in the same measure. Once it is used up, a repair has the fewest
/// checks: what eight units could not do, the next will hardly do.
const FAILED_REPAIR_BUDGET: usize = 16 * REPAIR_BUDGET;

/// The fewest and the most checks of one repair.
const MIN_CHECKS: usize = 40;
const MAX_CHECKS: usize = 4_000;

/// The most checks of the repair of a sketch.
const SKETCH_CHECKS: usize = 200;

/// The targets of a unit, each with the path in the instance at which it should be hit.
pub(super) type Requests = Vec<(TargetIndex, Pointer)>;

/// What is done for draws that several branches of `oneOf` admit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BranchEffort {
    /// Nothing but to draw again.
    None,
    /// They are changed until one branch admits them, which takes many checks.
    Separate,
}

/// A generated instance, and which targets it is for.
pub(super) struct Candidate {
    /// The targets that it was generated for.
    pub(super) requests: Requests,
    /// The targets that a plain instance was adopted for.
    pub(super) adopted: Vec<TargetIndex>,
    /// The seed of its draw.
    pub(super) seed: Seed,
    /// The active targets that it hits.
    pub(super) hits: Vec<TargetIndex>,
    /// Every target that it hits, if all of them were observed.
    pub(super) all_hits: Option<Hits>,
    pub(super) generated: Generated,
}

/// Generates the instances of units, and tracks what they hit.
pub(super) struct UnitGenerator<'a> {
    generator: &'a Generator,
    plans: PlanCompiler,
    separator: BranchSeparator,
    observer: &'a Observer,
    tracker: HitTracker,
    seed: Seed,
    /// The number of locations of the contract.
    locations: usize,
    /// What is left of the budget for repairs that fail.
    failed_repairs: usize,
    /// What is left of the budget of work.
    work: usize,
    /// What is left of the budget of draws.
    draws: usize,
    /// The targets that an instance was generated for, and that repair undid.
    undone: BTreeSet<TargetIndex>,
    /// How many parts of instances were drawn.
    parts: u64,
    /// Counts what generating and observing cost. It has no clock: the time of planning is one phase.
    meter: Meter,
}

impl<'a> UnitGenerator<'a> {
    pub(super) fn new(input: &PlanInput<'a>) -> Self {
        let observer = input.observer;
        let graph = observer.universe().graph();
        let locations = graph.nodes().len().max(1);
        Self {
            generator: input.generator,
            plans: PlanCompiler::new(observer.document(), graph),
            separator: input.generator.branch_separator(
                observer.document(),
                graph,
                observer.formats(),
            ),
            observer,
            tracker: HitTracker::new(observer),
            seed: input.seed,
            locations,
            failed_repairs: FAILED_REPAIR_BUDGET,
            work: WORK_BUDGET,
            draws: DRAW_BUDGET,
            undone: BTreeSet::new(),
            parts: 0,
            meter: Meter::counting(),
        }
    }

    /// What the instances of units cost.
    pub(super) fn metrics(&self) -> &PhaseMetrics {
        self.meter.metrics()
    }

    /// Records targets that instances of other entries hit.
    pub(super) fn know(&mut self, known: &Hits) {
        self.tracker.record(known);
    }

    /// Whether an instance hits `target`.
    pub(super) fn is_hit(&self, target: TargetIndex) -> bool {
        self.tracker.hits().contains(target)
    }

    /// How many targets instances hit.
    pub(super) fn hit_count(&self) -> usize {
        self.tracker.hits().len()
    }

    /// Whether an instance was generated for `target`, and repair changed the value at its path.
    pub(super) fn is_undone_by_repair(&self, target: TargetIndex) -> bool {
        self.undone.contains(&target)
    }

    /// Whether the budget of work allows another instance.
    pub(super) fn has_work_left(&self) -> bool {
        self.work > 0
    }

    /// Whether at least half of it is left.
    pub(super) fn has_half_of_work_left(&self) -> bool {
        self.work >= WORK_BUDGET / 2
    }

    /// The instance that a run without guidance has at `index`, if it hits an active target that no instance hits
    /// yet. What it hits counts once it is [recorded](Self::record).
    pub(super) fn plain(&mut self, index: u64) -> Option<Candidate> {
        self.plain_of(self.generator, index)
    }

    /// The same of another generator of the contract.
    pub(super) fn plain_of(&mut self, generator: &Generator, index: u64) -> Option<Candidate> {
        if self.work == 0 {
            return None;
        }
        let generated = generator.generate(self.seed, index).ok()?;
        self.spend(size(generated.instance().value()) * (1 + generated.rejected() as usize));
        let candidate = self.adopted(generated);
        (!candidate.adopted.is_empty()).then_some(candidate)
    }

    /// `generated` as a candidate for what it is the first to hit.
    fn adopted(&self, generated: Generated) -> Candidate {
        let hits = self.observer.observe(generated.instance());
        let active = self.active(&hits);
        let fresh = active.iter().copied().filter(|target| !self.is_hit(*target)).collect();
        let (requests, seed, all_hits) = (Vec::new(), self.seed, Some(hits));
        Candidate { requests, adopted: fresh, seed, hits: active, all_hits, generated }
    }

    /// `value` as a candidate for whatever it is the first to hit, `requests` among it; or the paths at which it is not
    /// valid.
    pub(super) fn judge(
        &mut self,
        value: Value,
        requests: Requests,
    ) -> Result<Candidate, Vec<Pointer>> {
        self.spend(size(&value));
        let judged = self.generator.judge(value, &mut self.meter);
        let generated = judged.map_err(|rejected| {
            let violations = rejected.violations().iter();
            violations.map(|violation| violation.instance().clone()).collect::<Vec<_>>()
        })?;
        self.meter.count(Phase::Observe, 1);
        let mut candidate = self.adopted(generated);
        let fresh: BTreeSet<TargetIndex> = candidate.adopted.iter().copied().collect();
        candidate.requests = requests;
        candidate.requests.retain(|(target, _)| fresh.contains(target));
        let asked: BTreeSet<TargetIndex> = candidate.requests.iter().map(|(it, _)| *it).collect();
        candidate.adopted.retain(|target| !asked.contains(target));
        Ok(candidate)
    }

    /// The instance of a unit that hits the most of the requested targets, among a few attempts.
    /// Nothing if no attempt is valid and hits one of them, or if the budget is used up.
    pub(super) fn generate(&mut self, number: usize, draft: UnitDraft) -> Option<Candidate> {
        let seed = self.seed.child("unit", number as u64);
        let checks = self.checks();
        let generator = self.compile(&draft, BranchEffort::Separate).draws(DRAWS).checks(checks);
        let (best, is_exhausted) = self.best_of(&generator, seed, draft.unit.requests, ATTEMPTS);
        if is_exhausted {
            let failed = REPAIRS * checks * self.locations;
            self.failed_repairs = self.failed_repairs.saturating_sub(failed);
        }
        let candidate = best?;
        if let Some(hits) = &candidate.all_hits {
            self.tracker.record(hits);
        }
        Some(candidate)
    }

    /// The same for a part of `host`. What the instance hits counts once it is [recorded](Self::record).
    pub(super) fn generate_part(
        &mut self,
        draft: &UnitDraft,
        host: Host,
        branches: BranchEffort,
    ) -> Option<Candidate> {
        self.parts += 1;
        let seed = self.seed.child("part", self.parts);
        let mut requests = draft.unit.requests.clone();
        for (_, path) in &mut requests {
            *path = host.path().join(path);
        }
        let generator = self.compile(draft, branches).draws(PART_DRAWS).inside(host);
        self.best_of(&generator, seed, requests, PART_ATTEMPTS).0
    }

    fn compile(&mut self, draft: &UnitDraft, branches: BranchEffort) -> Generator {
        let UnitDraft { unit, form } = draft;
        let generator = self.generator.within(self.plans.compile(form));
        match branches {
            BranchEffort::None => generator,
            BranchEffort::Separate => {
                generator.choosing(unit.blueprint.one_of_choices(), &self.separator, form)
            }
        }
    }

    /// `value` as a candidate for `request`, if it is valid and hits that.
    pub(super) fn check(
        &mut self,
        value: Value,
        request: (TargetIndex, Pointer),
    ) -> Option<Candidate> {
        if self.work == 0 {
            return None;
        }
        self.spend(size(&value));
        let generated = self.generator.accept(value, &mut self.meter)?;
        self.candidate(generated, request)
    }

    /// The same for what `value` is once it is repaired.
    pub(super) fn repair(
        &mut self,
        value: Value,
        request: (TargetIndex, Pointer),
    ) -> Option<Candidate> {
        if self.work == 0 {
            return None;
        }
        self.parts += 1;
        let seed = self.seed.child("sketch", self.parts);
        let checks = self.checks().min(SKETCH_CHECKS);
        self.spend(size(&value));
        let generated = self.generator.repaired(value, seed, checks, &mut self.meter);
        if generated.is_none() {
            let failed = checks * self.locations;
            self.failed_repairs = self.failed_repairs.saturating_sub(failed);
        }
        self.candidate(generated?, request)
    }

    /// An instance as a candidate for `request`, if it hits that.
    fn candidate(
        &mut self,
        generated: Generated,
        request: (TargetIndex, Pointer),
    ) -> Option<Candidate> {
        self.meter.count(Phase::Observe, 1);
        let hits = self.observer.observe(generated.instance());
        if !hits.contains(request.0) {
            return None;
        }
        let (requests, adopted, seed) = (vec![request], Vec::new(), self.seed);
        let active = self.active(&hits);
        Some(Candidate { requests, adopted, seed, hits: active, all_hits: Some(hits), generated })
    }

    /// Records what an instance hits.
    pub(super) fn record(&mut self, hits: &Hits) {
        self.tracker.record(hits);
    }

    /// The instance that hits the most of `requests`, and whether a draw was accepted at every attempt.
    fn best_of(
        &mut self,
        generator: &Generator,
        seed: Seed,
        requests: Requests,
        attempts: u64,
    ) -> (Option<Candidate>, bool) {
        let open: Requests =
            requests.iter().filter(|(target, _)| !self.is_hit(*target)).cloned().collect();
        let count = |hits: &Hits| open.iter().filter(|(it, _)| hits.contains(*it)).count();
        let (mut best, mut is_exhausted): (Option<(usize, Hits, Generated)>, bool) = (None, false);
        for attempt in 0..attempts {
            if self.work == 0 {
                break;
            }
            // The first indices of a generator visit every part of the contract in turn. A unit has
            // its own choice of parts, so it uses indices far from those.
            let index = u64::MAX - attempt;
            let generated = generator.try_generate(seed, index, &mut self.meter);
            self.spend_draws();
            let Some(generated) = generated else {
                self.spend(MIN_CHECKS * requests.len());
                is_exhausted = true;
                break;
            };
            self.spend(size(generated.instance().value()) * (1 + generated.rejected() as usize));
            self.meter.count(Phase::Observe, 1);
            let hits = self.observer.observe(generated.instance());
            let hit = count(&hits);
            self.undone.extend(undone_by_repair(&open, &hits, &generated));
            if best.as_ref().is_none_or(|(most, ..)| hit > *most) {
                best = Some((hit, hits, generated));
            }
            if hit == open.len() {
                break;
            }
        }
        let candidate = best.filter(|(hit, ..)| *hit > 0).map(|(_, hits, generated)| {
            let (active, adopted, all_hits) = (self.active(&hits), Vec::new(), Some(hits));
            Candidate { requests, adopted, seed, hits: active, all_hits, generated }
        });
        (candidate, is_exhausted)
    }

    /// The most checks of one repair.
    fn checks(&self) -> usize {
        let budget = REPAIR_BUDGET.min(self.failed_repairs / REPAIRS);
        (budget / self.locations).clamp(MIN_CHECKS, MAX_CHECKS)
    }

    fn spend(&mut self, work: usize) {
        self.work = self.work.saturating_sub(work.max(1));
    }

    /// Spends the values that were drawn since the last call. Without any left, planning ends.
    fn spend_draws(&mut self) {
        self.draws = self.draws.saturating_sub(self.meter.take_drawn());
        if self.draws == 0 {
            self.work = 0;
        }
    }

    /// The active targets among `hits`.
    fn active(&self, hits: &Hits) -> Vec<TargetIndex> {
        let universe = self.observer.universe();
        let is_active = |target: &TargetIndex| universe[*target].status() == Status::Active;
        hits.iter().filter(is_active).collect()
    }
}

/// The targets that `generated` does not hit, and at whose paths repair changed something.
fn undone_by_repair<'t>(
    requests: &'t Requests,
    hits: &'t Hits,
    generated: &'t Generated,
) -> impl Iterator<Item = TargetIndex> + 't {
    let is_edited = |path: &Pointer| {
        let mut edited = generated.edits().iter().map(RepairEdit::instance);
        edited.any(|edited| edited.is_within(path) || path.is_within(edited))
    };
    let missed = requests.iter().filter(|(target, _)| !hits.contains(*target));
    missed.filter(move |(_, path)| is_edited(path)).map(|(target, _)| *target)
}

/// The number of values in `value`.
pub(super) fn size(value: &Value) -> usize {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(size).sum::<usize>(),
    }
}
