//! The rounds of planning: pack targets into units, check the units with the algebra, generate their
//! instances, and repeat with the targets that are still open.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{Canonicalizer, NodeId};
use foolproof_generate::{Meter, Phase, PhaseMetrics};

use super::{
    PlanInput, Unplanned,
    blueprint::Blueprint,
    demand::{Demands, OtherBranches},
    packed_unit::{PackedUnit, UnitDraft},
    prove::{ProofInput, Proofs, prove},
    route::{Goal, Route, RouteStep},
    routes::{NoRoute, Routes},
    unit_check::CheckedUnits,
    unit_generator::{Candidate, UnitGenerator},
};
use crate::{Dimension, Hits, Status, Target, TargetIndex, universe::OperationSide};

/// The effort that may be spent on conditions that may always hold, before anything else.
const SCREEN_EFFORT: usize = 400_000;

/// The effort for the first units, which are packed with as many targets as possible: a small contract needs no others,
/// and of a large one they are what parts are put into.
const FIRST_EFFORT: usize = 12_000;

/// How many targets each question has to hit so that more such units are packed once plain instances were tried: parts
/// take no large questions, but a check of the whole instance for every few hits.
const FIRST_HITS: usize = 300;

/// The most questions about each of the first units.
const FIRST_QUESTIONS: usize = 4;

/// The most of the first units that are checked at once.
const FIRST_WIDTH: usize = 4;

/// The most units that are packed and checked at once. The first units are checked one by one, since
/// their instances often hit targets that then need no other unit.
pub(crate) const BATCH: usize = 64;

/// The effort that a round may spend without a new hit. The targets that it has not reached by then
/// are left to the next round. A few units are always tried.
const PATIENCE: usize = 12_000;
const MIN_PATIENCE: usize = 6;

/// The most targets of a unit in each round: as many as fit, then few, then one. To exclude other
/// branches costs the algebra much and is rarely needed, so only the last round does it.
const ROUNDS: [(usize, OtherBranches); 3] = [
    (usize::MAX, OtherBranches::Ignored),
    (6, OtherBranches::Ignored),
    (1, OtherBranches::Excluded),
];

/// The rounds for targets that are tried along another route.
const ROUNDS_OF_OTHER_ROUTE: [(usize, OtherBranches); 2] =
    [(usize::MAX, OtherBranches::Ignored), (1, OtherBranches::Excluded)];

/// How many other routes of a target are tried, one after the other.
const MAX_OTHER_ROUTES: usize = 3;

/// The fewest candidates that are planned. A run of few instances uses those that cover the most.
const MIN_CANDIDATES: usize = 48;

/// Units, and the targets that did not fit into them.
struct Packed {
    units: Vec<PackedUnit>,
    rest: Vec<TargetIndex>,
}

pub(super) struct Planner<'a> {
    pub(super) input: &'a PlanInput<'a>,
    pub(super) forms: &'a mut Canonicalizer,
    pub(super) demands: Demands<'a>,
    pub(super) routes: Routes,
    pub(super) unit_generator: UnitGenerator<'a>,
    pub(super) candidates: Vec<Candidate>,
    /// What is left of the effort that the profile allows.
    pub(super) effort: usize,
    /// The targets that an instance was generated for.
    pub(super) tried: BTreeSet<TargetIndex>,
    /// The branches of `oneOf`, by the schema and the number of the edge, that the algebra cannot tell apart from the
    /// others.
    pub(super) inexpressible: BTreeSet<(NodeId, usize)>,
    pub(super) unplanned: BTreeMap<TargetIndex, Unplanned>,
}

/// The plan for one entry: candidates for units, why there is none for some targets, and which of them no value can
/// hit.
#[derive(Default)]
pub(super) struct EntryPlan {
    pub(super) candidates: Vec<Candidate>,
    pub(super) unplanned: BTreeMap<TargetIndex, Unplanned>,
    pub(super) proofs: Proofs,
    /// What the instances of candidates cost.
    pub(super) metrics: PhaseMetrics,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        input: &'a PlanInput<'a>,
        forms: &'a mut Canonicalizer,
        routes: Routes,
    ) -> Self {
        let observer = input.observer;
        Self {
            input,
            forms,
            demands: Demands::of(observer),
            routes,
            unit_generator: UnitGenerator::new(input),
            candidates: Vec::new(),
            effort: input.profile.effort(observer.universe().graph().nodes().len(), input.units),
            tried: BTreeSet::new(),
            inexpressible: BTreeSet::new(),
            unplanned: BTreeMap::new(),
        }
    }

    /// The targets `known` are hit already, by instances of other entries.
    pub(super) fn know(&mut self, known: &Hits) {
        self.unit_generator.know(known);
    }

    /// Plans for the chosen targets, and proves which of those that no instance hits are unreachable. Those that are
    /// `possible` were not proven in an earlier entry: nothing that is proven here would make them unreachable.
    pub(super) fn run(
        mut self,
        side: Option<OperationSide<'_>>,
        possible: &Hits,
        meter: &mut Meter,
    ) -> EntryPlan {
        let mut open = meter.time(Phase::Plan, || {
            let open = self.choose();
            if self.input.generator.excess().is_some() {
                self.unplanned.extend(open.into_iter().map(|it| (it, Unplanned::TooLarge)));
                return Vec::new();
            }
            let mut open = self.add_wide(open);
            let locations = self.input.observer.universe().graph().nodes().len();
            open = self.first_round(open, |spent, _| spent + locations <= FIRST_EFFORT);
            self.add_plain(&mut open);
            if open.len() >= FIRST_HITS {
                open = self.first_round(open, |_, hits| hits >= FIRST_HITS);
            }
            open = self.splice(open);
            // What was left out for lack of effort is still open.
            self.unplanned.retain(|_, why| *why != Unplanned::Effort);
            open.retain(|target| !self.unplanned.contains_key(target));
            self.screen(&mut open);
            self.rounds(open, &ROUNDS)
        });
        let universe = self.input.observer.universe();
        let is_missed = |target: &TargetIndex| {
            universe[*target].status() == Status::Active
                && !self.unit_generator.is_hit(*target)
                && !possible.contains(*target)
        };
        let missed: Vec<TargetIndex> = universe.indices().filter(is_missed).collect();
        let input = ProofInput {
            observer: self.input.observer,
            side,
            generator: Some(self.input.generator),
        };
        let proofs = meter.time(Phase::Prove, || prove(input, self.forms, &missed));
        meter.count(Phase::Prove, proofs.asked);
        self.unplanned.retain(|target, _| !proofs.unreachable.contains_key(target));
        open.retain(|target| !proofs.unreachable.contains_key(target));
        let contradictory = self.unplanned.iter().filter(|(_, why)| why.may_have_other_route());
        open.extend(contradictory.map(|(target, _)| *target));
        self.sort_by_priority(&mut open);
        let is_possible = |target: &TargetIndex| !proofs.unreachable.contains_key(target);
        let missed: Vec<TargetIndex> = missed.into_iter().filter(is_possible).collect();
        let open = meter.time(Phase::Plan, || {
            self.sketch(&missed);
            self.try_other_routes(open)
        });
        self.into_plan(&open, proofs)
    }

    /// The plan; `open` are the targets that no candidate hits and that have no other reason.
    fn into_plan(mut self, open: &[TargetIndex], proofs: Proofs) -> EntryPlan {
        for target in open {
            self.unplanned.entry(*target).or_insert(Unplanned::Effort);
        }
        let (profile, has_values_left) = (self.input.profile, self.unit_generator.has_work_left());
        let mut unplanned = self.unplanned;
        unplanned.retain(|target, why| {
            if self.tried.contains(target) && !why.is_limit_of_choice() {
                let is_undone = self.unit_generator.is_undone_by_repair(*target);
                *why = if is_undone { Unplanned::Repaired } else { Unplanned::Missed };
            }
            if *why == Unplanned::Effort {
                *why = Unplanned::for_lack_of_effort(profile, has_values_left);
            }
            let is_hit = self.unit_generator.is_hit(*target);
            let is_proven = proofs.unreachable.contains_key(target);
            !is_proven && (why.is_limit_of_choice() || !is_hit)
        });
        let metrics = self.unit_generator.metrics().clone();
        EntryPlan { candidates: self.candidates, unplanned, proofs, metrics }
    }

    fn rounds(
        &mut self,
        mut open: Vec<TargetIndex>,
        rounds: &[(usize, OtherBranches)],
    ) -> Vec<TargetIndex> {
        for (max_targets, others) in rounds {
            open = self.round(open, *max_targets, *others);
        }
        open
    }

    /// Tries the targets that are open along other routes, each of which avoids the last step to a shared schema
    /// that the routes before it took.
    fn try_other_routes(&mut self, mut open: Vec<TargetIndex>) -> Vec<TargetIndex> {
        for _ in 0..MAX_OTHER_ROUTES {
            let is_open = |target: &TargetIndex| !self.unit_generator.is_hit(*target);
            open.retain(is_open);
            let observer = self.input.observer;
            let found =
                self.routes.avoiding(&open, observer.universe(), observer.document(), self.forms);
            let Some(routes) = found else { break };
            let (again, rest): (Vec<_>, Vec<_>) =
                open.iter().partition(|target| routes.route(**target).is_ok());
            self.routes = routes;
            if again.is_empty() {
                break;
            }
            for target in &again {
                self.unplanned.remove(target);
            }
            let before = self.candidates.len();
            open = self.rounds(again, &ROUNDS_OF_OTHER_ROUTE);
            let is_useful = self.candidates.len() > before;
            let contradictory = self.unplanned.iter().filter(|(_, why)| why.may_have_other_route());
            open.extend(contradictory.map(|(target, _)| *target));
            open.extend(rest);
            open.sort_unstable();
            open.dedup();
            self.sort_by_priority(&mut open);
            if !is_useful {
                break;
            }
        }
        open
    }

    /// The first units: as many targets as fit into few instances, as long as it `is_worth` what they cost, given the
    /// effort so far and the hits of each question. What they miss is for those that change them.
    fn first_round(
        &mut self,
        open: Vec<TargetIndex>,
        is_worth: impl Fn(usize, usize) -> bool,
    ) -> Vec<TargetIndex> {
        let locations = self.input.observer.universe().graph().nodes().len();
        let start = self.effort;
        let sure = open.iter().copied().filter(|target| !self.is_suspect(*target));
        let (mut sure, mut width): (Vec<TargetIndex>, usize) = (sure.collect(), 1);
        while self.candidates.len() < self.most_candidates() {
            sure.retain(|target| !self.unit_generator.is_hit(*target));
            let Packed { units, rest } = self.pack(&sure, usize::MAX, width);
            if units.is_empty() {
                break;
            }
            let hit_before = self.unit_generator.hit_count();
            let (spent, missed) = self.first_units(units, locations);
            let hit = self.unit_generator.hit_count() - hit_before;
            if !is_worth(start - self.effort, hit * locations / spent.max(1)) {
                break;
            }
            sure = missed;
            sure.extend(rest);
            width = (width * 2).min(FIRST_WIDTH);
        }
        let is_open = |target: &TargetIndex| !self.unit_generator.is_hit(*target);
        open.into_iter().filter(is_open).collect()
    }

    /// Generates some of the first units, with a limit on the effort for each. Returns the effort, and the targets that
    /// need another unit.
    fn first_units(
        &mut self,
        units: Vec<PackedUnit>,
        locations: usize,
    ) -> (usize, Vec<TargetIndex>) {
        let before = self.effort;
        let allowed = before.min(units.len() * FIRST_QUESTIONS * locations);
        self.effort = allowed;
        let CheckedUnits { drafts, infeasible, incompatible, .. } =
            self.check_units(units, OtherBranches::Ignored);
        let spent = allowed - self.effort;
        self.effort = before - spent;
        for (target, reason) in infeasible {
            self.set_unplanned(&[target], reason);
        }
        self.generate(drafts);
        (spent, incompatible)
    }

    pub(super) fn most_candidates(&self) -> usize {
        self.input.units.max(MIN_CANDIDATES)
    }

    /// The targets to plan for, the most important first.
    fn choose(&mut self) -> Vec<TargetIndex> {
        let universe = self.input.observer.universe();
        let mut chosen: Vec<TargetIndex> = universe
            .indices()
            .filter(|index| universe[*index].status() == Status::Active)
            .filter(|index| !self.unit_generator.is_hit(*index))
            .collect();
        self.sort_by_priority(&mut chosen);
        let mut counts: BTreeMap<Dimension, usize> = BTreeMap::new();
        chosen.retain(|index| {
            let count = counts.entry(universe[*index].dimension()).or_default();
            *count += 1;
            let dimension = universe[*index].dimension();
            let fits = *count <= self.input.profile.cap_for(dimension, self.input.units);
            if !fits {
                self.unplanned.insert(*index, Unplanned::ProfileCap);
            }
            fits
        });
        chosen
    }

    fn sort_by_priority(&self, targets: &mut [TargetIndex]) {
        let universe = self.input.observer.universe();
        targets.sort_by(|left, right| {
            let (one, other): (&Target, &Target) = (&universe[*left], &universe[*right]);
            let priority = one.dimension().priority().cmp(&other.dimension().priority());
            priority.then_with(|| one.location().cmp(other.location())).then(left.cmp(right))
        });
    }

    /// Removes the targets of conditions that always hold and so never take their `else`. In a unit
    /// of many targets each costs a search by bisection, and contracts that have one often have many.
    fn screen(&mut self, open: &mut Vec<TargetIndex>) {
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        let suspects = open.iter().copied().filter(|target| self.is_suspect(*target));
        let suspects = suspects.take(SCREEN_EFFORT / locations);
        let infeasible = self.infeasible(&suspects.collect::<Vec<_>>());
        self.set_unplanned(&infeasible, Unplanned::Contradiction);
        open.retain(|target| !infeasible.contains(target));
    }

    /// Whether a target is that of a condition which may always hold.
    fn is_suspect(&self, target: TargetIndex) -> bool {
        // In a row of variants, every value of one variant does not meet the conditions of the others.
        let is_in_row =
            |route: &Route| matches!(route.steps.last(), Some((RouteStep::InPlace { .. }, _)));
        let is_else = |route: &Route| matches!(route.goal, Goal::Condition { holds: false, .. });
        self.routes.route(target).is_ok_and(|route| is_else(route) && !is_in_row(route))
    }

    /// Generates units of at most `max_targets` targets until each open target was in one. Returns
    /// the targets that are still open.
    fn round(
        &mut self,
        mut open: Vec<TargetIndex>,
        max_targets: usize,
        others: OtherBranches,
    ) -> Vec<TargetIndex> {
        let (mut missed, mut width) = (Vec::new(), 1);
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        let patience = (PATIENCE / locations).max(MIN_PATIENCE);
        let mut units_without_hit = 0;
        loop {
            open.retain(|target| !self.unit_generator.is_hit(*target));
            if self.candidates.len() >= self.most_candidates() {
                self.set_unplanned(&open, Unplanned::Instances);
                break;
            }
            let Packed { units, rest } = self.pack(&open, max_targets, width);
            if units.is_empty() {
                break;
            }
            if units_without_hit >= patience {
                missed.append(&mut open);
                break;
            }
            units_without_hit += units.len();
            let before = self.candidates.len();
            let CheckedUnits { drafts, infeasible, incompatible, unanalysed } =
                self.check_units(units, others);
            for (target, reason) in infeasible {
                self.set_unplanned(&[target], reason);
            }
            missed.extend(self.generate(drafts));
            missed.extend(unanalysed);
            open = incompatible;
            open.extend(rest);
            if self.candidates.len() > before {
                units_without_hit = 0;
            }
            width = (width * 2).min(BATCH);
        }
        missed.retain(|target| !self.unit_generator.is_hit(*target));
        missed
    }

    /// Generates the instances of units, those with the most targets first, and returns the targets of
    /// all units.
    fn generate(&mut self, mut drafts: Vec<UnitDraft>) -> Vec<TargetIndex> {
        drafts.sort_by_key(|draft| std::cmp::Reverse(draft.unit.targets.len()));
        let mut targets = Vec::new();
        for draft in drafts {
            let unit = &draft.unit;
            let is_open = unit.targets.iter().any(|target| !self.unit_generator.is_hit(*target));
            if is_open && self.candidates.len() < self.most_candidates() {
                let number = self.candidates.len();
                if self.unit_generator.has_work_left() {
                    self.tried.extend(&unit.targets);
                }
                targets.extend(&unit.targets);
                let candidate = self.unit_generator.generate(number, draft);
                self.candidates.extend(candidate);
            } else {
                targets.extend(&unit.targets);
            }
        }
        targets
    }

    /// Adds each target to the first of at most `width` units that it fits into. A unit has at most
    /// `max_targets`.
    fn pack(&mut self, targets: &[TargetIndex], max_targets: usize, width: usize) -> Packed {
        let mut rest = Vec::new();
        let mut units: Vec<PackedUnit> = Vec::new();
        let graph = self.input.observer.universe().graph();
        let empty = Blueprint::new(graph.root(), graph.nodes().len());
        for target in targets {
            let route = match self.routes.route(*target) {
                Ok(route) => route,
                Err(reason) => {
                    self.unplanned.insert(*target, reason.into());
                    continue;
                }
            };
            let has_room = |unit: &PackedUnit| unit.targets.len() < max_targets;
            if units.iter_mut().any(|unit| has_room(unit) && unit.try_add(*target, route)) {
                continue;
            }
            if units.len() == width {
                rest.push(*target);
                continue;
            }
            let mut unit = PackedUnit::of(empty.clone());
            if unit.try_add(*target, route) {
                units.push(unit);
            } else {
                self.unplanned.insert(*target, Unplanned::Contradiction);
            }
        }
        Packed { units, rest }
    }

    /// One unit with those of `targets` that do not contradict the ones before them.
    pub(super) fn pack_one(&mut self, targets: &[TargetIndex]) -> Option<PackedUnit> {
        self.pack(targets, usize::MAX, 1).units.pop()
    }

    pub(super) fn set_unplanned(&mut self, targets: &[TargetIndex], reason: Unplanned) {
        self.unplanned.extend(targets.iter().map(|target| (*target, reason)));
    }
}

impl From<NoRoute> for Unplanned {
    fn from(reason: NoRoute) -> Self {
        match reason {
            NoRoute::TooLarge => Self::TooLarge,
            NoRoute::NoName => Self::NoName,
            NoRoute::Unreached => Self::NoRoute,
        }
    }
}
