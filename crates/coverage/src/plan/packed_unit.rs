//! A packed unit: targets that one instance, or one part of an instance, may hit together.

use foolproof_contract::{Canonical, NodeId, Pointer};

use super::{blueprint::Blueprint, route::Route, routes::Routes, unit_generator::Requests};
use crate::TargetIndex;

/// Targets whose routes do not contradict each other.
#[derive(Clone)]
pub(super) struct PackedUnit {
    pub(super) blueprint: Blueprint,
    pub(super) targets: Vec<TargetIndex>,
    /// The path at which each should be hit, in the instance or in the part of it.
    pub(super) requests: Requests,
    /// The schema of the part of an instance that the unit is about; nothing if it is about the whole.
    pub(super) part: Option<NodeId>,
}

/// A unit before its instance is generated.
pub(super) struct UnitDraft {
    pub(super) unit: PackedUnit,
    /// The form of its demand.
    pub(super) form: Canonical,
}

impl PackedUnit {
    /// A unit without targets yet, for whole instances.
    pub(super) fn of(blueprint: Blueprint) -> Self {
        Self { blueprint, targets: Vec::new(), requests: Vec::new(), part: None }
    }

    /// The same for the parts of instances that the schema `part` is entered at.
    pub(super) fn of_part(part: NodeId) -> Self {
        Self { part: Some(part), ..Self::of(Blueprint::of_part(part)) }
    }

    /// The same unit without its targets.
    pub(super) fn emptied(&self) -> Self {
        Self { part: self.part, ..Self::of(self.blueprint.emptied()) }
    }

    /// Adds a target, unless its route contradicts the blueprint or exceeds its size. Returns whether
    /// it was added.
    pub(super) fn try_add(&mut self, target: TargetIndex, route: &Route) -> bool {
        let path = self.add_route(route);
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
            let path = route.and_then(|route| self.add_route(route));
            self.requests.extend(path.map(|path| (*target, path)));
        }
    }

    fn add_route(&mut self, route: &Route) -> Option<Pointer> {
        let steps = match self.part {
            Some(part) => route.after(part)?,
            None => &route.steps,
        };
        self.blueprint.add_steps(steps, &route.goal)
    }
}
