//! Targets that can be reached only through targets that are unreachable.
//!
//! A value is observed at a node of the graph only if it took the edges that lead there. So a node is out
//! of reach if every route from the root to it takes an edge whose target is unreachable, or passes a node
//! whose own target is; and with the node all targets at it. An edge without a target counts as one that
//! values may take.

use foolproof_contract::{Applicator, Edge, NodeId};

use crate::{Hits, Status, TargetIndex, Universe, universe::EdgeTargets};

/// The active targets at nodes that no value reaches, given those that are proven `unreachable`.
pub(super) fn cut_off(universe: &Universe, unreachable: &[TargetIndex]) -> Vec<TargetIndex> {
    let mut is_proven = Hits::none(universe.targets().len());
    for target in unreachable {
        is_proven.insert(*target);
    }
    let reached = Walk { universe, is_proven: &is_proven }.reached();
    let nodes = universe.graph().iter().filter(|(id, _)| !reached[id.index()]);
    let mut found: Vec<TargetIndex> = nodes
        .flat_map(|(id, _)| universe.node_targets(id).all())
        .filter(|target| universe[*target].status() == Status::Active && is_proven.insert(*target))
        .collect();
    found.sort_unstable();
    found
}

struct Walk<'a> {
    universe: &'a Universe,
    is_proven: &'a Hits,
}

impl Walk<'_> {
    /// For each node, whether a value may reach it.
    fn reached(&self) -> Vec<bool> {
        let graph = self.universe.graph();
        let mut reached = vec![false; graph.nodes().len()];
        let mut pending = vec![graph.root()];
        while let Some(id) = pending.pop() {
            if self.is_unreachable(self.universe.node_targets(id).node)
                || std::mem::replace(&mut reached[id.index()], true)
            {
                continue;
            }
            let edges = graph[id].edges().iter().enumerate();
            let passable = edges.filter(|(number, edge)| self.is_passable(id, *number, edge));
            pending.extend(passable.map(|(_, edge)| edge.target()));
        }
        reached
    }

    /// Whether a value at `id` may take an edge. The two outcomes of a condition are targets of its `if`.
    /// Nothing is observed below `not`.
    fn is_passable(&self, id: NodeId, number: usize, edge: &Edge) -> bool {
        if edge.applicator() == &Applicator::Not {
            return false;
        }
        let edges = &self.universe.node_targets(id).edges;
        let is_closed = |targets: &EdgeTargets, target: Option<TargetIndex>| {
            !targets.is_ambiguous && self.is_unreachable(target)
        };
        let conditions = || {
            let all = self.universe.graph()[id].edges().iter().zip(edges);
            all.filter(|(edge, _)| edge.applicator() == &Applicator::IF).map(|(_, targets)| targets)
        };
        if edge.applicator() == &Applicator::THEN {
            return !conditions().any(|targets| is_closed(targets, targets.taken));
        }
        if edge.applicator() == &Applicator::ELSE {
            return !conditions().any(|targets| is_closed(targets, targets.not_taken));
        }
        edges.get(number).is_none_or(|targets| !is_closed(targets, targets.taken))
    }

    fn is_unreachable(&self, target: Option<TargetIndex>) -> bool {
        target.is_some_and(|target| {
            self.is_proven.contains(target) || self.universe[target].status() == Status::Unreachable
        })
    }
}
