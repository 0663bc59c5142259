//! The rounds of planning: pack targets into units, check the units with the algebra, generate their
//! instances, and repeat with the targets that are still open.

use std::collections::BTreeMap;

use foolproof_contract::{Canonical, Canonicalizer, NodeId};

use super::{
    PlanInput, Unplanned,
    blueprint::Blueprint,
    cut_off::cut_off,
    demand::OtherBranches,
    route::{Goal, Route, RouteStep},
    routes::{NoRoute, Routes},
    unit_check::CheckedUnits,
    unit_generator::{Candidate, Requests, UnitGenerator},
};
use crate::{Dimension, Hits, Status, Target, TargetIndex};

/// The effort that may be spent on conditions that may always hold, before anything else.
const SCREEN_EFFORT: usize = 400_000;

/// The most units that are packed and checked at once. The first units are checked one by one, since
/// their instances often hit targets that then need no other unit.
pub(super) const BATCH: usize = 64;

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

/// A unit before its instance is generated.
pub(super) struct UnitDraft {
    pub(super) unit: PackedUnit,
    pub(super) form: Canonical,
}

/// Targets whose routes do not contradict each other, so that one instance may hit all of them.
#[derive(Clone)]
pub(super) struct PackedUnit {
    pub(super) blueprint: Blueprint,
    pub(super) targets: Vec<TargetIndex>,
    /// The path in the instance at which each should be hit.
    pub(super) requests: Requests,
}

impl PackedUnit {
    pub(super) fn new(root: NodeId) -> Self {
        Self { blueprint: Blueprint::new(root), targets: Vec::new(), requests: Vec::new() }
    }

    /// Adds a target, unless its route contradicts the blueprint or exceeds its size. Returns whether
    /// it was added.
    fn try_add(&mut self, target: TargetIndex, route: &Route) -> bool {
        let path = self.blueprint.add(route);
        let fits = path.is_some();
        self.targets.extend(fits.then_some(target));
        self.requests.extend(path.map(|path| (target, path)));
        fits
    }

    /// Adds targets whether or not they fit; one that does not fit does not change the blueprint.
    pub(super) fn extend(&mut self, targets: &[TargetIndex], routes: &Routes) {
        self.targets.extend(targets);
        for target in targets {
            let route = routes.route(*target).ok();
            let path = route.and_then(|route| self.blueprint.add(route));
            self.requests.extend(path.map(|path| (*target, path)));
        }
    }
}

/// Units, and the targets that did not fit into them.
struct Packed {
    units: Vec<PackedUnit>,
    rest: Vec<TargetIndex>,
}

pub(super) struct Planner<'a> {
    pub(super) input: &'a PlanInput<'a>,
    pub(super) forms: &'a mut Canonicalizer,
    pub(super) routes: &'a Routes,
    pub(super) unit_generator: UnitGenerator<'a>,
    pub(super) candidates: Vec<Candidate>,
    /// What is left of the effort that the profile allows.
    pub(super) effort: usize,
    pub(super) has_resources: bool,
    pub(super) plan: EntryPlan,
}

/// The plan for one entry: candidates for units, and why there is none for some targets.
#[derive(Default)]
pub(super) struct EntryPlan {
    pub(super) candidates: Vec<Candidate>,
    pub(super) unplanned: BTreeMap<TargetIndex, Unplanned>,
    pub(super) unreachable: Vec<TargetIndex>,
}

impl<'a> Planner<'a> {
    pub(super) fn new(
        input: &'a PlanInput<'a>,
        forms: &'a mut Canonicalizer,
        routes: &'a Routes,
    ) -> Self {
        let observer = input.observer;
        Self {
            input,
            forms,
            routes,
            unit_generator: UnitGenerator::new(input),
            candidates: Vec::new(),
            effort: input.profile.effort(observer.universe().graph().nodes().len()),
            has_resources: super::demand::has_resources(
                observer.document(),
                observer.universe().graph(),
            ),
            plan: EntryPlan::default(),
        }
    }

    /// The targets `known` are hit already, by instances of other entries.
    pub(super) fn know(&mut self, known: &Hits) {
        self.unit_generator.know(known);
    }

    /// The plan; `open` are the targets that no candidate hits.
    pub(super) fn into_plan(mut self, open: &[TargetIndex]) -> EntryPlan {
        let (undone, missed): (Vec<_>, Vec<_>) =
            open.iter().partition(|target| self.unit_generator.is_undone_by_repair(**target));
        self.set_unplanned(&undone, Unplanned::Repaired);
        self.set_unplanned(&missed, Unplanned::Missed);
        for target in &self.plan.unreachable {
            self.plan.unplanned.remove(target);
        }
        EntryPlan { candidates: self.candidates, ..self.plan }
    }

    /// Plans for the chosen targets, and returns those that no instance hits.
    pub(super) fn run(&mut self) -> Vec<TargetIndex> {
        let mut open = self.choose();
        self.screen(&mut open);
        for (max_targets, others) in ROUNDS {
            open = self.round(open, max_targets, others);
        }
        self.mark_cut_off();
        self.prove_by_exclusion(&open);
        open
    }

    /// Marks what can be reached only through targets that are unreachable. What an instance hits is never
    /// marked.
    pub(super) fn mark_cut_off(&mut self) {
        let universe = self.input.observer.universe();
        let found = cut_off(universe, &self.plan.unreachable);
        let is_open = |target: &TargetIndex| !self.unit_generator.is_hit(*target);
        self.plan.unreachable.extend(found.into_iter().filter(is_open));
    }

    /// The targets to plan for, the most important first.
    fn choose(&mut self) -> Vec<TargetIndex> {
        let universe = self.input.observer.universe();
        let mut chosen: Vec<TargetIndex> = universe
            .indices()
            .filter(|index| universe[*index].status() == Status::Active)
            .filter(|index| !self.unit_generator.is_hit(*index))
            .collect();
        chosen.sort_by(|left, right| {
            let (one, other): (&Target, &Target) = (&universe[*left], &universe[*right]);
            let priority = one.dimension().priority().cmp(&other.dimension().priority());
            priority.then_with(|| one.location().cmp(other.location())).then(left.cmp(right))
        });
        let mut counts: BTreeMap<Dimension, usize> = BTreeMap::new();
        chosen.retain(|index| {
            let count = counts.entry(universe[*index].dimension()).or_default();
            *count += 1;
            let fits = *count <= self.input.profile.cap(universe[*index].dimension());
            if !fits {
                self.plan.unplanned.insert(*index, Unplanned::Cap);
            }
            fits
        });
        chosen
    }

    /// Removes the targets of conditions that always hold and so never take their `else`. In a unit
    /// of many targets each costs a search by bisection, and contracts that have one often have many.
    fn screen(&mut self, open: &mut Vec<TargetIndex>) {
        let routes = self.routes;
        // In a row of variants, every value of one variant does not meet the conditions of the others.
        let is_in_row =
            |route: &Route| matches!(route.steps.last(), Some((RouteStep::InPlace { .. }, _)));
        let is_else = |route: &Route| matches!(route.goal, Goal::Condition { holds: false, .. });
        let is_suspect = |target: &TargetIndex| {
            routes.route(*target).is_ok_and(|route| is_else(route) && !is_in_row(route))
        };
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        let suspects = open.iter().copied().filter(is_suspect).take(SCREEN_EFFORT / locations);
        let infeasible = self.infeasible(&suspects.collect::<Vec<_>>());
        self.prove_unreachable(&infeasible);
        open.retain(|target| !infeasible.contains(target));
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
            if self.candidates.len() >= self.input.units {
                self.set_unplanned(&open, Unplanned::Cap);
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
            self.prove_unreachable(&infeasible);
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
        for UnitDraft { unit, form } in drafts {
            let is_open = unit.targets.iter().any(|target| !self.unit_generator.is_hit(*target));
            if is_open && self.candidates.len() < self.input.units {
                let number = self.candidates.len();
                let candidate =
                    self.unit_generator.generate(number, &form, &unit.blueprint, unit.requests);
                self.candidates.extend(candidate);
            }
            targets.extend(unit.targets);
        }
        targets
    }

    /// Adds each target to the first of at most `width` units that it fits into. A unit has at most
    /// `max_targets`.
    fn pack(&mut self, targets: &[TargetIndex], max_targets: usize, width: usize) -> Packed {
        let mut rest = Vec::new();
        let mut units: Vec<PackedUnit> = Vec::new();
        let root = self.input.observer.universe().graph().root();
        for target in targets {
            let route = match self.routes.route(*target) {
                Ok(route) => route,
                Err(reason) => {
                    self.set_unplanned(&[*target], reason.into());
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
            let mut unit = PackedUnit::new(root);
            if unit.try_add(*target, route) {
                units.push(unit);
            } else {
                self.set_unplanned(&[*target], Unplanned::Contradiction);
            }
        }
        Packed { units, rest }
    }

    /// One unit with those of `targets` that do not contradict the ones before them.
    pub(super) fn pack_one(&mut self, targets: &[TargetIndex]) -> Option<PackedUnit> {
        self.pack(targets, usize::MAX, 1).units.pop()
    }

    pub(super) fn set_unplanned(&mut self, targets: &[TargetIndex], reason: Unplanned) {
        self.plan.unplanned.extend(targets.iter().map(|target| (*target, reason)));
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
