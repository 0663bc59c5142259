//! Alternatives that lead back to the set they are alternatives of.
//!
//! A schema that requires itself of the same value has a form that refers to itself. As a source of
//! values such an alternative offers nothing that the others do not, and a draw that keeps to it never
//! ends. So the edges that close a cycle are taken out: after it, every draw from an alternative ends
//! at a node that is no alternative.

use std::sync::Arc;

use super::{Node, NodeId};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Progress {
    New,
    /// On the path to where the search is now.
    Open,
    Done,
}

/// Breaks the cycles among the nodes from `first` on; those before it have none, and lead to none of
/// the later ones. The search is iterative and takes each edge once.
pub(super) fn break_cycles(nodes: &mut [Arc<Node>], first: usize) {
    let mut progress = vec![Progress::New; nodes.len()];
    progress[..first].fill(Progress::Done);
    let mut closing: Vec<(usize, NodeId)> = Vec::new();
    for start in first..nodes.len() {
        if progress[start] != Progress::New {
            continue;
        }
        progress[start] = Progress::Open;
        // Each node of the path with the number of its alternatives that were followed.
        let mut path = vec![(start, 0)];
        while let Some((node, followed)) = path.last_mut() {
            let Some(next) = alternatives(&nodes[*node]).get(*followed).copied() else {
                progress[*node] = Progress::Done;
                path.pop();
                continue;
            };
            *followed += 1;
            match progress[next.index()] {
                Progress::New => {
                    progress[next.index()] = Progress::Open;
                    path.push((next.index(), 0));
                }
                Progress::Open => closing.push((*node, next)),
                Progress::Done => {}
            }
        }
    }
    for (node, back) in closing {
        let node = Arc::get_mut(&mut nodes[node]).expect("a new node is in no plan yet");
        if let Node::Union(options) | Node::Filtered { bases: options, .. } = node {
            options.retain(|option| *option != back);
        }
    }
}

fn alternatives(node: &Node) -> &[NodeId] {
    match node {
        Node::Union(options) | Node::Filtered { bases: options, .. } => options,
        Node::Never
        | Node::Types(_)
        | Node::Values(_)
        | Node::String(_)
        | Node::Integer(_)
        | Node::Number(_)
        | Node::Array(_)
        | Node::Object(_) => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_of_itself_and_another_is_the_other() {
        let id = NodeId;
        let mut nodes = vec![
            Arc::new(Node::Types(Vec::new())),
            Arc::new(Node::Union(vec![id(2), id(0)])),
            Arc::new(Node::Union(vec![id(1)])),
            Arc::new(Node::Union(vec![id(3), id(1), id(0)])),
        ];
        break_cycles(&mut nodes, 1);
        assert_eq!(alternatives(&nodes[1]), [id(2), id(0)]);
        assert_eq!(alternatives(&nodes[2]), []);
        assert_eq!(alternatives(&nodes[3]), [id(1), id(0)]);
    }
}
