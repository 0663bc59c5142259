//! The routes of the targets at a node, from the route of the node.

use foolproof_contract::{Applicator, InPlaceApplicator, MemberApplicator, NodeId};
use serde_json::Value;

use super::{
    super::route::{Goal, Route, RouteStep},
    NoRoute, NodeRoute, RouteFinder, Routes,
};
use crate::{
    Status, TargetIndex,
    universe::{Bound, Measured},
};

/// The largest array that is generated to hit a target of its size.
const MAX_SIZE: u64 = 10_000;

/// The longest string that is generated to hit a target of its length.
const MAX_LENGTH: u64 = 2_000_000;

/// A target, the step that follows the route to its node, if one does, and what is required there.
type TargetGoal = (TargetIndex, Option<(RouteStep, NodeId)>, Result<Goal, NoRoute>);

impl RouteFinder<'_> {
    /// The route of the target that every value hits.
    pub(super) fn covered(&self, routes: &mut Routes) {
        if let Some(covered) = self.universe.covered() {
            let route = Route { steps: Vec::new(), goal: Goal::Exists };
            routes.by_target[covered.index()] = Ok((route, Some(0)));
        }
    }

    /// The routes of the targets at one node.
    pub(super) fn targets(&mut self, index: usize, routes: &mut Routes) {
        let graph = self.universe.graph();
        let Some((id, _)) = graph.iter().nth(index) else { return };
        let Some(route) = self.node_routes[index].clone() else { return };
        if let Some(object) = route.named_object {
            self.targets_of_names(id, object, &route, routes);
            return;
        }
        let NodeRoute { steps, anchor, shared, .. } = route;
        for (target, last, goal) in self.goals(id) {
            let mut anchor = anchor;
            let steps = steps.clone().map(|mut steps| {
                if matches!(goal, Ok(Goal::Condition { holds: true, .. })) {
                    self.add_property_value(id, &mut steps, &mut anchor);
                }
                if let Ok(Goal::Equals(value)) = &goal {
                    replace_property_value(&mut steps, value);
                }
                if goal.as_ref().is_ok_and(Goal::excludes_objects) {
                    anchor -= remove_property_values(&mut steps, anchor);
                }
                steps.extend(last);
                steps
            });
            routes.shared[target.index()] = shared;
            routes.by_target[target.index()] =
                steps.and_then(|steps| Ok((Route { steps, goal: goal? }, Some(anchor))));
        }
    }

    /// The routes of the targets at `id`, a schema of the property names of `object`. Each leads to the object, and
    /// asks for a property with a name that hits the target. Proofs start from the schema of names instead.
    fn targets_of_names(
        &mut self,
        id: NodeId,
        object: NodeId,
        route: &NodeRoute,
        routes: &mut Routes,
    ) {
        for (target, name) in self.names_for(id, object) {
            let name = name.ok_or(NoRoute::NoName);
            let found = route
                .steps
                .clone()
                .and_then(|steps| Ok((Route { steps, goal: Goal::HasProperty(name?) }, None)));
            routes.by_target[target.index()] = found;
        }
        let Some((start, steps)) = &route.name_steps else { return };
        for (target, last, goal) in self.goals(id) {
            if let Ok(goal) = goal {
                let steps = steps.iter().cloned().chain(last).collect();
                routes.of_names.insert(target, (*start, Route { steps, goal }));
            }
        }
    }

    /// The active targets at `id`, each with the step that follows the route to `id`, if one does, and with what is
    /// required of the value there.
    fn goals(&self, id: NodeId) -> Vec<TargetGoal> {
        let (targets, node) = (self.universe.node_targets(id), &self.universe.graph()[id]);
        let mut found = Vec::new();
        let mut add = |target: Option<TargetIndex>, last: Option<(RouteStep, NodeId)>, goal| {
            let target = target.filter(|it| self.universe[*it].status() == Status::Active);
            found.extend(target.map(|target| (target, last, goal)));
        };
        add(targets.node, None, Ok(Goal::Exists));
        for (name, target) in &targets.names {
            add(Some(*target), None, Ok(Goal::HasProperty(name.clone())));
        }
        if let Some(members) = &targets.members {
            for (value, target) in members.iter() {
                add(Some(*target), None, Ok(Goal::Equals(value.clone())));
            }
        }
        for bound in &targets.bounds {
            add(Some(bound.target), None, goal_of(bound));
        }
        for (number, (edge, edge_targets)) in node.edges().iter().zip(&targets.edges).enumerate() {
            match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(name)) => {
                    add(edge_targets.taken, None, Ok(Goal::HasProperty(name.clone())));
                }
                Applicator::InPlace(InPlaceApplicator::If) => {
                    let sides = [(edge_targets.taken, true), (edge_targets.not_taken, false)];
                    for (target, holds) in sides {
                        add(target, None, Ok(Goal::Condition { condition: number, holds }));
                    }
                }
                Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                    add(edge_targets.taken, None, Ok(Goal::HasProperty(name.clone())));
                    add(edge_targets.not_taken, None, Ok(Goal::LacksProperty(name.clone())));
                }
                Applicator::InPlace(InPlaceApplicator::AnyOf(_) | InPlaceApplicator::OneOf(_)) => {
                    let keyword = if matches!(
                        edge.applicator(),
                        Applicator::InPlace(InPlaceApplicator::AnyOf(_))
                    ) {
                        "anyOf"
                    } else {
                        "oneOf"
                    };
                    let last = (RouteStep::Branch { keyword, edge: number }, edge.target());
                    add(edge_targets.taken, Some(last), Ok(Goal::Exists));
                }
                Applicator::Member(
                    MemberApplicator::Pattern(_)
                    | MemberApplicator::Additional
                    | MemberApplicator::Unevaluated,
                )
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::InPlace(
                    InPlaceApplicator::AllOf(_)
                    | InPlaceApplicator::Then
                    | InPlaceApplicator::Else
                    | InPlaceApplicator::Reference,
                )
                | Applicator::Not => {}
            }
        }
        found
    }
}

/// If the route ends in a property that an earlier step requires to have another value, that step
/// requires `goal` instead.
fn replace_property_value(steps: &mut [(RouteStep, NodeId)], goal: &Value) {
    let Some(last) = steps.iter().rposition(|(step, _)| step.leads_to_child()) else { return };
    let (before, rest) = steps.split_at_mut(last);
    let RouteStep::Member(member) = &rest[0].0 else { return };
    let before = before.iter_mut().rev().map(|(step, _)| step);
    for step in before.take_while(|step| !step.leads_to_child()) {
        if let RouteStep::PropertyEquals { name, value, .. } = step
            && name == member
        {
            *value = goal.clone();
        }
    }
}

/// Removes the steps that require a property of the last value of a route, for a goal that no object
/// meets. Returns how many of them came before the anchor.
fn remove_property_values(steps: &mut Vec<(RouteStep, NodeId)>, anchor: usize) -> usize {
    let last_child = steps.iter().rposition(|(step, _)| step.leads_to_child());
    let start = last_child.map_or(0, |last| last + 1);
    let is_removed =
        |step: &RouteStep| matches!(step, RouteStep::PropertyEquals { is_forced: false, .. });
    let before = steps[start.min(anchor)..anchor].iter();
    let removed_before = before.filter(|(step, _)| is_removed(step)).count();
    let rest = steps.split_off(start);
    steps.extend(rest.into_iter().filter(|(step, _)| !is_removed(step)));
    removed_before
}

fn goal_of(bound: &Bound) -> Result<Goal, NoRoute> {
    match &bound.measured {
        Measured::Number(number) => Ok(Goal::Equals(number.clone())),
        Measured::Length(length) if *length <= MAX_LENGTH => Ok(Goal::Length(*length)),
        Measured::Items(size) if *size <= MAX_SIZE => Ok(Goal::Size(*size)),
        Measured::Length(_) | Measured::Items(_) => Err(NoRoute::TooLarge),
    }
}
