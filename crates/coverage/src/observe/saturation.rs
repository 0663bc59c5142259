//! Below which nodes there is nothing left to see.
//!
//! A node is done when every target that a value can hit at it or below it was hit or is proven out
//! of reach. That takes a walk of the whole graph to know, so it is worked out anew only when the
//! number of values has doubled since.

use foolproof_contract::{Edge, NodeId};

use crate::{Hits, Status, TargetIndex, Universe};

/// The nodes that need no look any more.
#[derive(Debug)]
pub(super) struct Saturation {
    done: Vec<bool>,
    seen: u64,
    next: u64,
    changed: bool,
}

/// The first number of values after which it is worked out.
const FIRST: u64 = 4;

impl Saturation {
    pub(super) fn of(universe: &Universe) -> Self {
        let nodes = universe.graph().nodes().len();
        Self { done: vec![false; nodes], seen: 0, next: FIRST, changed: false }
    }

    pub(super) fn is_done(&self, node: NodeId) -> bool {
        self.done[node.index()]
    }

    /// Takes note of one more value, and of what it was the first to hit.
    pub(super) fn after(&mut self, universe: &Universe, hits: &Hits, fresh: &[TargetIndex]) {
        self.seen += 1;
        self.changed |= !fresh.is_empty();
        if self.seen >= self.next {
            self.next = self.seen * 2;
            if std::mem::take(&mut self.changed) {
                self.done = done(universe, hits);
            }
        }
    }
}

/// The nodes from which no open target can be reached: what is left when those that have one, and
/// everything that leads to them, is taken away.
fn done(universe: &Universe, hits: &Hits) -> Vec<bool> {
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
    let mut done = vec![true; graph.nodes().len()];
    while let Some(id) = open.pop() {
        if std::mem::replace(&mut done[id.index()], false) {
            open.extend(&users[id.index()]);
        }
    }
    done
}
