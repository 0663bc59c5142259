//! The rounds of planning: pack, settle, make, and again with what is still open.

use std::collections::BTreeMap;

use foolproof_contract::{Canonical, Canonicalizer, NodeId};

use super::{
    PlanInput, TestPlan, Unplanned,
    blueprint::Blueprint,
    demand::Others,
    maker::{Candidate, Maker, Requests},
    route::{Goal, Route, RouteStep},
    routes::{NoRoute, Routes},
    settle::Settled,
};
use crate::{Dimension, Status, Target, TargetIndex};

/// How much is spent on conditions that may never fail, before anything else.
const SCREENED: usize = 400_000;

/// How many units are packed and asked about at once, at the most. The first are asked about one by
/// one: what the first instances hit needs no others.
pub(super) const BATCH: usize = 64;

/// How much of the effort a round may take without hitting anything new; what it has not come to by
/// then is left to the next. A few questions are always asked.
const PATIENCE: usize = 12_000;
const LEAST_PATIENCE: usize = 6;

/// How many targets share a unit, round by round: as many as fit, then few, then one. That other
/// branches do not hold costs the algebra much to say, and is needed seldom.
const ROUNDS: [(usize, Others); 3] =
    [(usize::MAX, Others::Ignored), (6, Others::Ignored), (1, Others::Excluded)];

/// A unit before its instance is generated.
pub(super) struct UnitDraft {
    pub(super) unit: PackedUnit,
    pub(super) form: Canonical,
}

/// Targets that one instance may hit together, as far as their routes tell.
#[derive(Clone)]
pub(super) struct PackedUnit {
    pub(super) blueprint: Blueprint,
    pub(super) targets: Vec<TargetIndex>,
    /// Where in the instance each is to be hit.
    pub(super) requests: Requests,
}

impl PackedUnit {
    pub(super) fn new(root: NodeId) -> Self {
        Self { blueprint: Blueprint::new(root), targets: Vec::new(), requests: Vec::new() }
    }

    /// Adds a target, unless its route contradicts what is there or there is no room.
    fn try_add(&mut self, target: TargetIndex, route: &Route) -> bool {
        let path = self.blueprint.add(route);
        let fits = path.is_some();
        self.targets.extend(fits.then_some(target));
        self.requests.extend(path.map(|path| (target, path)));
        fits
    }

    /// Adds targets whether or not they fit; those that do not leave the blueprint as it is.
    pub(super) fn extend(&mut self, targets: &[TargetIndex], routes: &Routes) {
        self.targets.extend(targets);
        for target in targets {
            let route = routes.route(*target).ok();
            let path = route.and_then(|route| self.blueprint.add(route));
            self.requests.extend(path.map(|path| (*target, path)));
        }
    }
}

/// What was packed into units, and what found no room in them.
struct Packed {
    units: Vec<PackedUnit>,
    rest: Vec<TargetIndex>,
}

pub(super) struct Planner<'a> {
    pub(super) input: &'a PlanInput<'a>,
    pub(super) forms: &'a mut Canonicalizer,
    pub(super) routes: &'a Routes,
    pub(super) maker: Maker<'a>,
    pub(super) candidates: Vec<Candidate>,
    pub(super) effort: usize,
    pub(super) has_resources: bool,
    pub(super) plan: TestPlan,
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
            maker: Maker::new(input),
            candidates: Vec::new(),
            effort: input.profile.effort(observer.universe().graph().nodes().len()),
            has_resources: super::demand::has_resources(
                observer.document(),
                observer.universe().graph(),
            ),
            plan: TestPlan {
                units: Vec::new(),
                unplanned: BTreeMap::new(),
                unreachable: Vec::new(),
            },
        }
    }

    /// Plans for the chosen targets, and returns those that no instance hits.
    pub(super) fn run(&mut self) -> Vec<TargetIndex> {
        let mut open = self.choose();
        self.screen(&mut open);
        for (most, others) in ROUNDS {
            open = self.round(open, most, others);
        }
        open
    }

    /// The targets to plan for, the most important first.
    fn choose(&mut self) -> Vec<TargetIndex> {
        let universe = self.input.observer.universe();
        let mut chosen: Vec<TargetIndex> = (0..universe.targets().len())
            .map(TargetIndex::new)
            .filter(|index| universe[*index].status() == Status::Active)
            .collect();
        chosen.sort_by(|left, right| {
            let (one, other): (&Target, &Target) = (&universe[*left], &universe[*right]);
            let ranks = one.dimension().priority().cmp(&other.dimension().priority());
            ranks.then_with(|| one.location().cmp(other.location())).then(left.cmp(right))
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

    /// Takes out conditions that never fail. Each would have to be searched for in a unit of many
    /// targets, and contracts that have one often have many.
    fn screen(&mut self, open: &mut Vec<TargetIndex>) {
        let routes = self.routes;
        // In a row of variants each is passed by whoever takes another.
        let is_alone =
            |route: &Route| !matches!(route.moves.last(), Some((RouteStep::Along { .. }, _)));
        let fails = |route: &Route| matches!(route.goal, Goal::Decide { holds: false, .. });
        let is_suspect = |target: &TargetIndex| {
            routes.route(*target).is_ok_and(|route| fails(route) && is_alone(route))
        };
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        let asked = open.iter().copied().filter(is_suspect).take(SCREENED / locations);
        let hopeless = self.impossible(&asked.collect::<Vec<_>>());
        self.prove(&hopeless);
        open.retain(|target| !hopeless.contains(target));
    }

    /// Makes units of `most` targets until each open target was asked for once. Returns those that
    /// are still open.
    fn round(
        &mut self,
        mut open: Vec<TargetIndex>,
        most: usize,
        others: Others,
    ) -> Vec<TargetIndex> {
        let (mut missed, mut width) = (Vec::new(), 1);
        let locations = self.input.observer.universe().graph().nodes().len().max(1);
        let patience = (PATIENCE / locations).max(LEAST_PATIENCE);
        let mut in_vain = 0;
        loop {
            open.retain(|target| !self.maker.is_hit(*target));
            if self.candidates.len() >= self.input.units {
                self.set_unplanned(&open, Unplanned::Cap);
                break;
            }
            let Packed { units, rest } = self.pack(&open, most, width);
            if units.is_empty() {
                break;
            }
            if in_vain >= patience {
                missed.append(&mut open);
                break;
            }
            in_vain += units.len();
            let before = self.candidates.len();
            let Settled { drafts, hopeless, back, later } = self.settle(units, others);
            self.prove(&hopeless);
            missed.extend(self.make(drafts));
            missed.extend(later);
            open = back;
            open.extend(rest);
            if self.candidates.len() > before {
                in_vain = 0;
            }
            width = (width * 2).min(BATCH);
        }
        missed.retain(|target| !self.maker.is_hit(*target));
        missed
    }

    /// Makes the instances of units, those with the most targets first, and returns their targets.
    fn make(&mut self, mut drafts: Vec<UnitDraft>) -> Vec<TargetIndex> {
        drafts.sort_by_key(|draft| std::cmp::Reverse(draft.unit.targets.len()));
        let mut asked = Vec::new();
        for UnitDraft { unit, form } in drafts {
            let is_open = unit.targets.iter().any(|target| !self.maker.is_hit(*target));
            if is_open && self.candidates.len() < self.input.units {
                let number = self.candidates.len();
                self.candidates.extend(self.maker.make(number, &form, unit.requests));
            }
            asked.extend(unit.targets);
        }
        asked
    }

    /// Puts each target into the first of `width` units that it fits. A unit takes `most` at the
    /// most.
    fn pack(&mut self, targets: &[TargetIndex], most: usize, width: usize) -> Packed {
        let mut rest = Vec::new();
        let mut units: Vec<PackedUnit> = Vec::new();
        let Some(entry) = self.input.observer.universe().graph().entries().first() else {
            return Packed { units: Vec::new(), rest };
        };
        for target in targets {
            let route = match self.routes.route(*target) {
                Ok(route) => route,
                Err(reason) => {
                    self.set_unplanned(&[*target], reason.into());
                    continue;
                }
            };
            let has_room = |unit: &PackedUnit| unit.targets.len() < most;
            if units.iter_mut().any(|unit| has_room(unit) && unit.try_add(*target, route)) {
                continue;
            }
            if units.len() == width {
                rest.push(*target);
                continue;
            }
            let mut unit = PackedUnit::new(entry.node());
            if unit.try_add(*target, route) {
                units.push(unit);
            } else {
                self.set_unplanned(&[*target], Unplanned::Contradiction);
            }
        }
        Packed { units, rest }
    }

    /// Those of `targets` that one instance may have, each if it does not contradict those before it.
    pub(super) fn together(&mut self, targets: &[TargetIndex]) -> Option<PackedUnit> {
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
