//! References that lead back to themselves without entering the value.
//!
//! JSON Schema leaves it open what such a schema means (2020-12 Core §9.4.1: "a schema MUST NOT be
//! run into an infinite loop against an instance"), and validators recurse on it until their stack
//! ends. So the graph refuses it. What counts is a location *in a scope*, since a dynamic reference
//! leads elsewhere in another scope: two edges that no single validation takes are no cycle.
//!
//! The search is one iterative depth-first walk, linear in the number of edges.

use super::{Graph, Location};

/// A location in one scope: the index of what the walk has arrived at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct State(usize);

/// The edges that stay on the same value.
#[derive(Default)]
pub(super) struct InPlace {
    states: Vec<StateEdges>,
}

struct StateEdges {
    location: Location,
    edges: Vec<InPlaceEdge>,
}

struct InPlaceEdge {
    site: Location,
    target: State,
}

/// How far the search has come with a state.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    New,
    /// On the path from a start to where the search is now.
    Open,
    Done,
}

impl InPlace {
    pub(super) fn add_state(&mut self, location: Location) -> State {
        self.states.push(StateEdges { location, edges: Vec::new() });
        State(self.states.len() - 1)
    }

    pub(super) fn add_edge(&mut self, from: State, site: Location, target: State) {
        self.states[from.0].edges.push(InPlaceEdge { site, target });
    }

    /// The locations of the first cycle, in the order they are applied; the last leads to the first.
    pub(super) fn find_cycle(&self) -> Option<Vec<Location>> {
        let mut progress = vec![Progress::New; self.states.len()];
        for start in 0..self.states.len() {
            // The path from `start`, each state with the number of its edges that were followed.
            let mut path: Vec<(State, usize)> = Vec::new();
            if progress[start] == Progress::New {
                progress[start] = Progress::Open;
                path.push((State(start), 0));
            }
            while let Some((state, followed)) = path.last_mut() {
                let Some(edge) = self.states[state.0].edges.get(*followed) else {
                    progress[state.0] = Progress::Done;
                    path.pop();
                    continue;
                };
                *followed += 1;
                match progress[edge.target.0] {
                    Progress::New => {
                        progress[edge.target.0] = Progress::Open;
                        path.push((edge.target, 0));
                    }
                    Progress::Open => {
                        let first = path.iter().position(|(state, _)| *state == edge.target);
                        return Some(self.locations(&path[first.unwrap_or(0)..]));
                    }
                    Progress::Done => {}
                }
            }
        }
        None
    }

    /// The states of a cycle and, where they are elsewhere than the next state, the sites between.
    fn locations(&self, cycle: &[(State, usize)]) -> Vec<Location> {
        let mut locations = Vec::new();
        for (state, followed) in cycle {
            let StateEdges { location, edges } = &self.states[state.0];
            let InPlaceEdge { site, target } = &edges[followed - 1];
            locations.push(location.clone());
            if *site != self.states[target.0].location {
                locations.push(site.clone());
            }
        }
        locations
    }
}

/// Whether any cycle is in `graph`: nodes that nothing leads to are taken away until none is left, or
/// only what lies on cycles and behind them.
pub(super) fn has_cycle(graph: &Graph) -> bool {
    let mut users = vec![0_usize; graph.nodes().len()];
    for edge in graph.nodes().iter().flat_map(|node| &node.edges) {
        users[edge.target.index()] += 1;
    }
    let mut free: Vec<usize> = (0..users.len()).filter(|node| users[*node] == 0).collect();
    let mut taken = 0;
    while let Some(node) = free.pop() {
        taken += 1;
        for edge in &graph.nodes()[node].edges {
            let target = edge.target.index();
            users[target] -= 1;
            if users[target] == 0 {
                free.push(target);
            }
        }
    }
    taken < users.len()
}
