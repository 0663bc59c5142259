//! The nodes at and below which there is nothing left to hit.
//!
//! A node is saturated if every target at it or below it is hit or proven unreachable. To compute that
//! takes a walk of the whole graph, so it is computed only when the number of values has doubled.

use foolproof_contract::{Edge, NodeId};

use crate::{Hits, Status, TargetIndex, Universe, universe::EdgeTargets};

/// The nodes that need not be visited any more, and the edges of the others that need not be followed.
#[derive(Debug)]
pub(super) struct Saturation {
    saturated: Vec<bool>,
    /// Those of all nodes, once they were computed: planning observes many values by themselves.
    open_edges: Option<OpenEdges>,
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
        Self {
            saturated: vec![false; nodes],
            open_edges: None,
            values: 0,
            next: FIRST,
            has_new_hits: false,
        }
    }

    pub(super) fn is_saturated(&self, node: NodeId) -> bool {
        self.saturated[node.index()]
    }

    /// The numbers of the edges of `node` at which, or below which, something may be left to hit; `None` for all.
    pub(super) fn open_edges(&self, node: NodeId) -> Option<&[u32]> {
        self.open_edges.as_ref().map(|open| open.of_node(node))
    }

    /// Records one more value; `fresh` are the targets that it was the first to hit.
    pub(super) fn record(&mut self, universe: &Universe, hits: &Hits, fresh: &[TargetIndex]) {
        self.values += 1;
        self.has_new_hits |= !fresh.is_empty();
        if self.values >= self.next {
            self.next = self.values * 2;
            if std::mem::take(&mut self.has_new_hits) {
                let is_open = |target: TargetIndex| {
                    !hits.contains(target) && universe[target].status() == Status::Active
                };
                self.saturated = saturated(universe, &is_open);
                self.open_edges = Some(OpenEdges::of(universe, &self.saturated, &is_open));
            }
        }
    }
}

/// The open edges of all nodes, one node after the other.
#[derive(Debug)]
struct OpenEdges {
    numbers: Vec<u32>,
    /// For each node, where its edges end.
    ends: Vec<usize>,
}

impl OpenEdges {
    fn of(universe: &Universe, saturated: &[bool], is_open: &impl Fn(TargetIndex) -> bool) -> Self {
        let (mut numbers, mut ends) = (Vec::new(), Vec::new());
        for (id, node) in universe.graph().iter() {
            let targets = &universe.node_targets(id).edges;
            let is_open_edge = |number: usize| {
                let EdgeTargets { taken, not_taken, .. } = &targets[number];
                !saturated[node.edges()[number].target().index()]
                    || taken.is_some_and(is_open)
                    || not_taken.is_some_and(is_open)
            };
            // A condition decides about the edges that depend on it.
            let is_conditional = |number: usize| node.edges()[number].applicator().is_conditional();
            let all = 0..node.edges().len();
            let has_open_condition =
                all.clone().any(|number| is_conditional(number) && is_open_edge(number));
            let open = |number: &usize| {
                is_open_edge(*number) || (has_open_condition && is_conditional(*number))
            };
            numbers.extend(all.filter(open).filter_map(|number| u32::try_from(number).ok()));
            ends.push(numbers.len());
        }
        Self { numbers, ends }
    }

    fn of_node(&self, node: NodeId) -> &[u32] {
        let start = node.index().checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.numbers[start..self.ends[node.index()]]
    }
}

/// For each node, whether no open target can be reached from it: all nodes but those that have an open
/// target, and those that lead to such a node.
fn saturated(universe: &Universe, is_open: &impl Fn(TargetIndex) -> bool) -> Vec<bool> {
    let graph = universe.graph();
    let mut users: Vec<Vec<NodeId>> = vec![Vec::new(); graph.nodes().len()];
    let mut open = Vec::new();
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
