//! From the way to a node to the routes of its targets.

use foolproof_contract::{Applicator, InPlaceApplicator, MemberApplicator, NodeId};
use serde_json::Value;

use super::{
    super::route::{Goal, Route, RouteStep},
    Finder, NoRoute, Routes, Way,
};
use crate::{
    Status, TargetIndex,
    universe::{Bound, Measured},
};

/// The largest array that is worth making for the sake of its size.
const LARGEST: u64 = 2_000;

/// The longest text that is worth making for the sake of its length.
const LONGEST: u64 = 200_000;

impl Finder<'_> {
    /// The routes of the targets at one node.
    pub(super) fn targets(&mut self, index: usize, routes: &mut Routes) {
        let graph = self.universe.graph();
        let Some((id, node)) = graph.iter().nth(index) else { return };
        if let Some(Way { moves, naming: Some(object), .. }) = self.ways[index].clone() {
            for (target, name) in self.names_for(id, object) {
                let name = name.ok_or(NoRoute::NoName);
                let route = moves
                    .clone()
                    .and_then(|moves| Ok((Route { moves, goal: Goal::Have(name?) }, None)));
                routes.routes[target.index()] = route;
            }
            return;
        }
        let Some(Way { moves, anchor, .. }) = &self.ways[index] else { return };
        let watch = self.universe.watch(id);
        let mut add_by = |target: Option<TargetIndex>, last: Option<(RouteStep, NodeId)>, goal| {
            let Some(target) = target else { return };
            if self.universe[target].status() == Status::Active {
                let mut anchor = *anchor;
                let moves = moves.clone().map(|mut moves| {
                    if matches!(goal, Ok(Goal::Decide { holds: true, .. })) {
                        self.give(id, &mut moves, &mut anchor);
                    }
                    if let Ok(Goal::Be(value)) = &goal {
                        give_instead(&mut moves, value);
                    }
                    if goal.as_ref().is_ok_and(Goal::is_for_no_object) {
                        anchor -= take_back(&mut moves, anchor);
                    }
                    moves.extend(last);
                    moves
                });
                routes.routes[target.index()] =
                    moves.and_then(|moves| Ok((Route { moves, goal: goal? }, Some(anchor))));
            }
        };
        add_by(watch.here, None, Ok(Goal::Nothing));
        for (name, target) in &watch.names {
            add_by(Some(*target), None, Ok(Goal::Have(name.clone())));
        }
        if let Some(members) = &watch.members {
            for (value, target) in members.iter() {
                add_by(Some(*target), None, Ok(Goal::Be(value.clone())));
            }
        }
        for bound in &watch.bounds {
            add_by(Some(bound.target), None, wish_of(bound));
        }
        for (number, (edge, seen)) in node.edges().iter().zip(&watch.edges).enumerate() {
            match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(name)) => {
                    add_by(seen.taken, None, Ok(Goal::Have(name.clone())));
                }
                Applicator::InPlace(InPlaceApplicator::If) => {
                    for (target, holds) in [(seen.taken, true), (seen.passed, false)] {
                        add_by(target, None, Ok(Goal::Decide { condition: number, holds }));
                    }
                }
                Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                    add_by(seen.taken, None, Ok(Goal::Have(name.clone())));
                    add_by(seen.passed, None, Ok(Goal::Lack(name.clone())));
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
                    add_by(seen.taken, Some(last), Ok(Goal::Nothing));
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
    }
}

/// Gives the property that a route ends in the value that is wished for, if it was given another.
fn give_instead(moves: &mut [(RouteStep, NodeId)], wished: &Value) {
    let Some(last) = moves.iter().rposition(|(step, _)| step.leads_inside()) else { return };
    let (before, rest) = moves.split_at_mut(last);
    let RouteStep::Member(member) = &rest[0].0 else { return };
    let beside = before.iter_mut().rev().map(|(step, _)| step);
    for step in beside.take_while(|step| !step.leads_inside()) {
        if let RouteStep::PropertyEquals { name, value, .. } = step
            && name == member
        {
            *value = wished.clone();
        }
    }
}

/// Takes the properties back that the last value of a route was given: it is no object. Returns how
/// many of them stood before the anchor.
fn take_back(moves: &mut Vec<(RouteStep, NodeId)>, anchor: usize) -> usize {
    let start = moves.iter().rposition(|(step, _)| step.leads_inside()).map_or(0, |last| last + 1);
    let is_given =
        |step: &RouteStep| matches!(step, RouteStep::PropertyEquals { is_forced: false, .. });
    let before = moves[start.min(anchor)..anchor].iter().filter(|(step, _)| is_given(step)).count();
    let kept = moves.split_off(start);
    moves.extend(kept.into_iter().filter(|(step, _)| !is_given(step)));
    before
}

fn wish_of(bound: &Bound) -> Result<Goal, NoRoute> {
    match &bound.measured {
        Measured::Number(number) => Ok(Goal::Be(number.clone())),
        Measured::Length(length) if *length <= LONGEST => Ok(Goal::Length(*length)),
        Measured::Items(size) if *size <= LARGEST => Ok(Goal::Size(*size)),
        Measured::Length(_) | Measured::Items(_) => Err(NoRoute::TooLarge),
    }
}
