//! Which properties and items are evaluated, so that `unevaluatedProperties` and `unevaluatedItems` do
//! not apply to them: those that another keyword applies to.
//!
//! A condition without `then` and `else` leads nowhere and is not in the graph, but it evaluates what
//! it applies to. That is not known here. So everything counts as evaluated then, since a hit must be
//! certain.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, Draft, InPlaceApplicator, ItemApplicator, JsonKind, JsonView, MemberApplicator,
    NodeId,
};

use super::Observer;

/// The names of the properties that keywords other than `unevaluatedProperties` evaluate.
pub(super) fn names<'v>(observer: &Observer, id: NodeId, value: JsonView<'v>) -> BTreeSet<&'v str> {
    let mut names = BTreeSet::new();
    let JsonKind::Object(members) = value.kind() else { return names };
    visit_in_place(observer, id, value, &mut |id, is_start| {
        let targets = observer.universe.node_targets(id);
        if targets.has_lone_condition {
            names.extend(members.keys());
        }
        for (edge, edge_targets) in observer.graph()[id].edges().iter().zip(&targets.edges) {
            match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(name)) => {
                    names.extend(members.keys().find(|key| key == name));
                }
                Applicator::Member(MemberApplicator::Pattern(_)) => {
                    let matched = |name: &&str| {
                        edge_targets.pattern.as_ref().is_some_and(|pattern| pattern.matches(name))
                    };
                    names.extend(members.keys().filter(matched));
                }
                Applicator::Member(MemberApplicator::Additional) => {
                    let additional = |name: &&str| targets.is_additional(name);
                    names.extend(members.keys().filter(additional));
                }
                Applicator::Member(MemberApplicator::Unevaluated) if !is_start => {
                    names.extend(members.keys());
                }
                Applicator::Member(MemberApplicator::Unevaluated)
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::InPlace(_)
                | Applicator::Not => {}
            }
        }
    });
    names
}

/// For each item, whether a keyword other than `unevaluatedItems` evaluates it.
pub(super) fn items(observer: &Observer, id: NodeId, value: JsonView<'_>) -> Vec<bool> {
    let JsonKind::Array(items) = value.kind() else { return Vec::new() };
    let mut known = vec![false; items.len()];
    visit_in_place(observer, id, value, &mut |id, is_start| {
        let node = &observer.graph()[id];
        if observer.universe.node_targets(id).has_lone_condition {
            known.fill(true);
        }
        for (number, edge) in node.edges().iter().enumerate() {
            match edge.applicator() {
                Applicator::Item(ItemApplicator::Prefix(index)) => {
                    known.iter_mut().skip(*index).take(1).for_each(|known| *known = true);
                }
                Applicator::Item(ItemApplicator::Rest { from }) => {
                    known.iter_mut().skip(*from).for_each(|known| *known = true);
                }
                // Before 2020-12, `contains` does not evaluate items; validators differ, so the walk asks whether they
                // satisfy what applies to them then.
                Applicator::Item(ItemApplicator::Contains)
                    if node.draft() >= Draft::Draft202012 =>
                {
                    for (known, item) in known.iter_mut().zip(items.iter()) {
                        *known = *known || observer.branches.admits(id, number, item);
                    }
                }
                Applicator::Item(ItemApplicator::Unevaluated) if !is_start => known.fill(true),
                Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains)
                | Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::InPlace(_)
                | Applicator::Not => {}
            }
        }
    });
    known
}

/// Calls `visit` with every schema that applies to the same value: the one at `start`, and those it
/// leads to in place.
fn visit_in_place(
    observer: &Observer,
    start: NodeId,
    value: JsonView<'_>,
    visit: &mut impl FnMut(NodeId, bool),
) {
    let mut pending = vec![start];
    let mut seen = BTreeSet::new();
    while let Some(id) = pending.pop() {
        if !seen.insert(id) {
            continue;
        }
        visit(id, id == start);
        let edges = observer.graph()[id].edges();
        let admits = |number: usize| observer.branches.admits(id, number, value);
        let condition = edges.iter().position(|edge| edge.applicator() == &Applicator::IF);
        let holds = condition.is_some_and(admits);
        for (number, edge) in edges.iter().enumerate() {
            let is_ambiguous = observer.universe.node_targets(id).edges[number].is_ambiguous;
            let applies = match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                    !is_ambiguous || admits(number)
                }
                Applicator::InPlace(InPlaceApplicator::AnyOf(_) | InPlaceApplicator::OneOf(_)) => {
                    admits(number)
                }
                Applicator::InPlace(InPlaceApplicator::If | InPlaceApplicator::Then) => holds,
                Applicator::InPlace(InPlaceApplicator::Else) => !holds,
                Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                    value.as_object().is_some_and(|members| members.contains_key(name))
                }
                Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::Not => false,
            };
            if applies {
                pending.push(edge.target());
            }
        }
    }
}
