//! Targets that can be reached only through targets that are unreachable.
//!
//! A value is observed at a node of the graph only if it took the edges that lead there. So a node is out
//! of reach if every route from the root to it takes an edge whose target is unreachable, or passes a node
//! whose own target is; and with the node all targets at it. An edge without a target counts as one that
//! values may take.

use foolproof_contract::{Applicator, Edge, NodeId};

use crate::{Hits, Status, TargetIndex, Universe, universe::EdgeTargets};

/// The active targets at nodes that no value reaches, given those that are proven unreachable, each with the
/// unreachable target that it is behind.
pub(super) fn cut_off(universe: &Universe, is_proven: &Hits) -> Vec<(TargetIndex, TargetIndex)> {
    let walk = Walk { universe, is_proven };
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
}

impl Walk<'_> {
    /// For each node, whether a value may reach it; and the nodes that an unreachable target blocks, with that
    /// target.
    fn reached(&self) -> (Vec<bool>, Vec<(NodeId, TargetIndex)>) {
        let graph = self.universe.graph();
        let mut reached = vec![false; graph.nodes().len()];
        let mut blocked = Vec::new();
        let mut pending = vec![graph.root()];
        while let Some(id) = pending.pop() {
            let own = self.universe.node_targets(id).node;
            if let Some(own) = own.filter(|own| self.is_unreachable(*own)) {
                blocked.push((id, own));
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
