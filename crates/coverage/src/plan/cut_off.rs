//! Targets that can be reached only through targets that are unreachable.
//!
//! A value is observed at a node of the graph only if it took the edges that lead there. So a node is out
//! of reach if every route from the root to it takes an edge whose target is unreachable, or passes a node
//! whose own target is; and with the node all targets at it. An edge without a target counts as one that
//! values may take.
//!
//! A value at a node takes one outcome of each of its conditions, and one branch of each `anyOf` and `oneOf`. So no value
//! is at a node of which all outcomes or all branches are unreachable, nor at one that applies such a node to the same
//! value.

use foolproof_contract::{Applicator, Edge, InPlaceApplicator, NodeId};

use crate::{Hits, Status, TargetIndex, Universe, universe::EdgeTargets};

/// The active targets at nodes that no value reaches, given those that are proven unreachable, each with the
/// unreachable target that it is behind.
pub(super) fn cut_off(universe: &Universe, is_proven: &Hits) -> Vec<(TargetIndex, TargetIndex)> {
    let mut walk = Walk { universe, is_proven, empty: vec![None; universe.graph().nodes().len()] };
    walk.find_empty();
    let (reached, blocked) = walk.reached();
    let graph = universe.graph();
    let mut behind: Vec<Option<TargetIndex>> = vec![None; graph.nodes().len()];
    let mut found = Vec::new();
    for (start, through) in blocked {
        let mut pending = vec![start];
        while let Some(id) = pending.pop() {
            if reached[id.index()] || behind[id.index()].is_some() {
                continue;
            }
            behind[id.index()] = Some(through);
            let targets = universe.node_targets(id).all();
            let is_new = |target: &TargetIndex| {
                universe[*target].status() == Status::Active && !is_proven.contains(*target)
            };
            found.extend(targets.filter(is_new).map(|target| (target, through)));
            let edges = graph[id].edges().iter();
            let onward = edges.filter(|edge| edge.applicator() != &Applicator::Not);
            pending.extend(onward.map(Edge::target));
        }
    }
    found.sort_unstable();
    found.dedup_by_key(|(target, _)| *target);
    found
}

struct Walk<'a> {
    universe: &'a Universe,
    is_proven: &'a Hits,
    /// For each node that no value is at, an unreachable target that shows it.
    empty: Vec<Option<TargetIndex>>,
}

impl Walk<'_> {
    /// Finds the nodes that no value is at, by rounds until nothing changes. A node mostly comes before what it leads
    /// to, so a round goes backward.
    fn find_empty(&mut self) {
        let nodes: Vec<NodeId> = self.universe.graph().iter().map(|(id, _)| id).collect();
        let mut has_changed = true;
        while std::mem::take(&mut has_changed) {
            for id in nodes.iter().rev().copied() {
                if self.empty[id.index()].is_none() {
                    self.empty[id.index()] = self.emptying(id);
                    has_changed |= self.empty[id.index()].is_some();
                }
            }
        }
    }

    /// The unreachable target that shows that no value is at `id`, if there is one.
    fn emptying(&self, id: NodeId) -> Option<TargetIndex> {
        if let Some(own) = self.universe.node_targets(id).node.filter(|it| self.is_unreachable(*it))
        {
            return Some(own);
        }
        if let Some(target) = self.closed_reference(id) {
            return Some(target);
        }
        let is_any_of =
            |it: &Applicator| matches!(it, Applicator::InPlace(InPlaceApplicator::AnyOf(_)));
        let is_one_of =
            |it: &Applicator| matches!(it, Applicator::InPlace(InPlaceApplicator::OneOf(_)));
        let union = self.closed_union(id, is_any_of).or_else(|| self.closed_union(id, is_one_of));
        if union.is_some() {
            return union;
        }
        self.closed_condition(id)
    }

    /// The unreachable target that shows that no value is at a schema which `id` applies to every value.
    fn closed_reference(&self, id: NodeId) -> Option<TargetIndex> {
        let targets = &self.universe.node_targets(id).edges;
        let edges = self.universe.graph()[id].edges().iter().zip(targets);
        let mut applied = edges.filter(|(edge, targets)| {
            let applicator = edge.applicator();
            !targets.is_ambiguous
                && matches!(
                    applicator,
                    Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference)
                )
        });
        applied.find_map(|(edge, _)| self.empty_at(edge))
    }

    /// The unreachable target of a branch at `id`, if all branches are closed and there are any.
    fn closed_union(
        &self,
        id: NodeId,
        is_branch: impl Fn(&Applicator) -> bool,
    ) -> Option<TargetIndex> {
        let edges = self.universe.graph()[id].edges().iter().enumerate();
        let branches = edges.filter(|(_, edge)| is_branch(edge.applicator()));
        let closed = branches
            .map(|(number, edge)| self.blocking(id, number, edge).or_else(|| self.empty_at(edge)));
        closed.reduce(Option::and).flatten()
    }

    /// The unreachable target of an outcome of a condition at `id` both of whose outcomes are closed.
    fn closed_condition(&self, id: NodeId) -> Option<TargetIndex> {
        let edges = self.universe.graph()[id].edges();
        let outcome = |applicator: &Applicator, own: Option<TargetIndex>| {
            let behind = edges.iter().find(|edge| edge.applicator() == applicator);
            let own = own.filter(|target| self.is_unreachable(*target));
            own.or_else(|| behind.and_then(|edge| self.empty_at(edge)))
        };
        let number = edges.iter().position(|edge| edge.applicator() == &Applicator::IF)?;
        let targets = &self.universe.node_targets(id).edges[number];
        if targets.is_ambiguous {
            return None;
        }
        outcome(&Applicator::THEN, targets.taken).and(outcome(&Applicator::ELSE, targets.not_taken))
    }

    fn empty_at(&self, edge: &Edge) -> Option<TargetIndex> {
        self.empty[edge.target().index()]
    }

    /// For each node, whether a value may reach it; and the nodes that an unreachable target blocks, with that
    /// target.
    fn reached(&self) -> (Vec<bool>, Vec<(NodeId, TargetIndex)>) {
        let graph = self.universe.graph();
        let mut reached = vec![false; graph.nodes().len()];
        let mut blocked = Vec::new();
        let mut pending = vec![graph.root()];
        while let Some(id) = pending.pop() {
            if let Some(shown) = self.empty[id.index()] {
                blocked.push((id, shown));
                continue;
            }
            if std::mem::replace(&mut reached[id.index()], true) {
                continue;
            }
            for (number, edge) in graph[id].edges().iter().enumerate() {
                match self.blocking(id, number, edge) {
                    Some(target) => blocked.push((edge.target(), target)),
                    None if edge.applicator() != &Applicator::Not => pending.push(edge.target()),
                    None => {}
                }
            }
        }
        blocked.sort_unstable();
        (reached, blocked)
    }

    /// The unreachable target that keeps values at `id` from taking an edge, if there is one. The two outcomes of a
    /// condition are targets of its `if`.
    fn blocking(&self, id: NodeId, number: usize, edge: &Edge) -> Option<TargetIndex> {
        let edges = &self.universe.node_targets(id).edges;
        let closed = |targets: &EdgeTargets, target: Option<TargetIndex>| {
            target.filter(|target| !targets.is_ambiguous && self.is_unreachable(*target))
        };
        let mut conditions = {
            let all = self.universe.graph()[id].edges().iter().zip(edges);
            all.filter(|(edge, _)| edge.applicator() == &Applicator::IF).map(|(_, targets)| targets)
        };
        if edge.applicator() == &Applicator::THEN {
            return conditions.find_map(|targets| closed(targets, targets.taken));
        }
        if edge.applicator() == &Applicator::ELSE {
            return conditions.find_map(|targets| closed(targets, targets.not_taken));
        }
        edges.get(number).and_then(|targets| closed(targets, targets.taken))
    }

    fn is_unreachable(&self, target: TargetIndex) -> bool {
        self.is_proven.contains(target) || self.universe[target].status() == Status::Unreachable
    }
}
