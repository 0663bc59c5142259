//! The nodes at and below which there is nothing left to hit.
//!
//! A node is saturated if every target at it or below it is hit or proven unreachable. To compute that
//! takes a walk of the whole graph, so it is computed only when the number of values has doubled.

use foolproof_contract::{Edge, NodeId};

use crate::{Hits, Status, TargetIndex, Universe};

/// The nodes that need not be visited any more.
#[derive(Debug)]
pub(super) struct Saturation {
    saturated: Vec<bool>,
    /// The number of values so far.
    values: u64,
    /// The number of values at which it is computed next.
    next: u64,
    /// Whether there were new hits since it was computed.
    has_new_hits: bool,
}

/// The number of values after which it is first computed.
const FIRST: u64 = 4;

impl Saturation {
    pub(super) fn of(universe: &Universe) -> Self {
        let nodes = universe.graph().nodes().len();
        Self { saturated: vec![false; nodes], values: 0, next: FIRST, has_new_hits: false }
    }

    pub(super) fn is_saturated(&self, node: NodeId) -> bool {
        self.saturated[node.index()]
    }

    /// Records one more value; `fresh` are the targets that it was the first to hit.
    pub(super) fn record(&mut self, universe: &Universe, hits: &Hits, fresh: &[TargetIndex]) {
        self.values += 1;
        self.has_new_hits |= !fresh.is_empty();
        if self.values >= self.next {
            self.next = self.values * 2;
            if std::mem::take(&mut self.has_new_hits) {
                self.saturated = saturated(universe, hits);
            }
        }
    }
}

/// For each node, whether no open target can be reached from it: all nodes but those that have an open
/// target, and those that lead to such a node.
fn saturated(universe: &Universe, hits: &Hits) -> Vec<bool> {
    let graph = universe.graph();
    let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes().len()];
    let mut open = Vec::new();
    let is_open =
        |target: TargetIndex| !hits.contains(target) && universe[target].status() == Status::Active;
    for (id, node) in graph.iter() {
        for target in node.edges().iter().map(Edge::target) {
            users[target.index()].push(id);
        }
        if universe.node_targets(id).all().any(is_open) {
            open.push(id);
        }
    }
    let mut saturated = vec![true; graph.nodes().len()];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut saturated[id.index()], false) {
            open.extend(&users[id.index()]);
        }
    }
    saturated
}
