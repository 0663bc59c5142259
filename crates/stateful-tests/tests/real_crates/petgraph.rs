//! `petgraph::StableGraph` against maps of its nodes and edges.
//!
//! The graph creates the indices of nodes and edges, and uses those of removed ones again, so steps refer to
//! what earlier steps returned. The reachability algorithm is compared with a search in the maps.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_stateful::stateful;
use petgraph::{
    Directed,
    algo::has_path_connecting,
    stable_graph::{EdgeIndex, NodeIndex, StableGraph},
};

use crate::config;

type Graph = StableGraph<u8, u8, Directed>;

/// The model.
#[derive(Debug, Default)]
struct Model {
    nodes: BTreeMap<NodeIndex, u8>,
    edges: BTreeMap<EdgeIndex, (NodeIndex, NodeIndex, u8)>,
}

impl Model {
    fn has_both(&self, one: NodeIndex, other: NodeIndex) -> bool {
        self.nodes.contains_key(&one) && self.nodes.contains_key(&other)
    }

    /// The nodes that an edge from `node` leads to, with one entry for each edge.
    fn successors(&self, node: NodeIndex) -> Vec<NodeIndex> {
        let mut targets: Vec<_> =
            self.edges.values().filter(|edge| edge.0 == node).map(|edge| edge.1).collect();
        targets.sort_unstable();
        targets
    }

    fn reaches(&self, from: NodeIndex, to: NodeIndex) -> bool {
        let (mut seen, mut pending) = (BTreeSet::new(), vec![from]);
        while let Some(node) = pending.pop() {
            if seen.insert(node) {
                pending.extend(self.successors(node));
            }
        }
        seen.contains(&to)
    }
}

#[test]
fn a_graph_keeps_indices_while_others_are_removed() {
    stateful::<Model, Graph>()
        .model(Model::default)
        .sut(StableGraph::new)
        .command("add_node", |c| {
            c.forall("weight", 0..100_u8)
                .run(|weight, model, graph| {
                    let node = graph.add_node(weight);
                    (node, model.nodes.insert(node, weight))
                })
                .post(|_, _, _, (_, replaced)| replaced.is_none())
                .yields(|(node, _)| Some(*node))
        })
        .command("add_edge", |c| {
            c.returned::<NodeIndex>("from", "add_node")
                .returned::<NodeIndex>("to", "add_node")
                .forall("weight", 0..100_u8)
                .pre(|model, (from, to, _)| model.has_both(*from, *to))
                .run(|(from, to, weight), model, graph| {
                    let edge = graph.add_edge(from, to, weight);
                    (edge, model.edges.insert(edge, (from, to, weight)))
                })
                .post(|_, _, _, (_, replaced)| replaced.is_none())
                .yields(|(edge, _)| Some(*edge))
                .weight(3)
        })
        .command("remove_node", |c| {
            c.consumed::<NodeIndex>("node", "add_node").oracle(
                |node, model| {
                    model.edges.retain(|_, (from, to, _)| from != node && to != node);
                    model.nodes.remove(node)
                },
                |node, graph| graph.remove_node(*node),
            )
        })
        .command("remove_edge", |c| {
            c.consumed::<EdgeIndex>("edge", "add_edge").oracle(
                |edge, model| model.edges.remove(edge).map(|(_, _, weight)| weight),
                |edge, graph| graph.remove_edge(*edge),
            )
        })
        .command("edge_endpoints", |c| {
            c.returned::<EdgeIndex>("edge", "add_edge").oracle(
                |edge, model| model.edges.get(edge).map(|(from, to, _)| (*from, *to)),
                |edge, graph| graph.edge_endpoints(*edge),
            )
        })
        .command("neighbors", |c| {
            c.returned::<NodeIndex>("node", "add_node").oracle(
                |node, model| model.successors(*node),
                |node, graph| {
                    let mut neighbors: Vec<_> = graph.neighbors(*node).collect();
                    neighbors.sort_unstable();
                    neighbors
                },
            )
        })
        .command("has_path_connecting", |c| {
            c.returned::<NodeIndex>("from", "add_node")
                .returned::<NodeIndex>("to", "add_node")
                .pre(|model, (from, to)| model.has_both(*from, *to))
                .oracle(
                    |(from, to), model| model.reaches(*from, *to),
                    |(from, to), graph| has_path_connecting(&*graph, *from, *to, None),
                )
        })
        .command("reverse", |c| {
            c.run(|(), model, graph| {
                for (from, to, _) in model.edges.values_mut() {
                    std::mem::swap(from, to);
                }
                graph.reverse();
            })
        })
        .command("retain_edges", |c| {
            c.forall("below", 0..100_u8).run(|below, model, graph| {
                model.edges.retain(|_, (_, _, weight)| *weight < below);
                graph.retain_edges(|graph, edge| graph[edge] < below);
            })
        })
        .invariant("the same nodes", |model, graph| {
            let nodes = graph.node_indices().map(|node| (node, graph[node]));
            nodes.eq(model.nodes.iter().map(|(node, weight)| (*node, *weight)))
        })
        .invariant("as many edges", |model, graph| graph.edge_count() == model.edges.len())
        .check(config())
        .unwrap();
}
