//! The locations of a report's targets as a tree.
//!
//! A node is a segment of a pointer. Levels that hold no choice are folded: a node without targets that has
//! one child, or that is below a node with targets (`properties`, `allOf`), is written in front of the names
//! of its children.

use std::collections::BTreeMap;

use foolproof_contract::Pointer;

use super::bars::{State, Tally};
use crate::TargetEntry;

/// The most levels of the tree: what is deeper has the rest of its pointer as its name. No contract is read
/// with more than 1,000, but a report may have any text as a location, and browsers nest 512 elements.
const MAX_LEVELS: usize = 100;

/// A location.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// The last segment of its pointer, unescaped.
    pub(super) name: String,
    /// The indices of its own targets.
    pub(super) targets: Vec<usize>,
    pub(super) children: Vec<usize>,
    /// Of its own targets, and of those below.
    pub(super) tally: Tally,
    by_name: BTreeMap<String, usize>,
}

/// One document of the contract.
pub(super) struct Root {
    /// Its URI; nothing for the contract itself.
    pub(super) uri: String,
    pub(super) node: usize,
}

pub(super) struct Tree {
    pub(super) roots: Vec<Root>,
    nodes: Vec<Node>,
}

/// A node as it is shown.
pub(super) struct Shown<'t> {
    /// The names of the nodes that were folded into it, and its own.
    pub(super) names: Vec<&'t str>,
    pub(super) node: usize,
}

impl Tree {
    pub(super) fn new(targets: &[TargetEntry]) -> Self {
        let mut tree = Self { roots: Vec::new(), nodes: Vec::new() };
        for (index, target) in targets.iter().enumerate() {
            let (uri, pointer) = split(&target.canon_path);
            let mut node = tree.root(uri);
            tree.nodes[node].tally.add(State::of(target));
            for segment in segments(pointer) {
                node = tree.child(node, segment);
                tree.nodes[node].tally.add(State::of(target));
            }
            tree.nodes[node].targets.push(index);
        }
        tree
    }

    fn root(&mut self, uri: &str) -> usize {
        if let Some(root) = self.roots.iter().find(|root| root.uri == uri) {
            return root.node;
        }
        self.nodes.push(Node::default());
        let node = self.nodes.len() - 1;
        self.roots.push(Root { uri: uri.to_owned(), node });
        node
    }

    fn child(&mut self, node: usize, name: String) -> usize {
        if let Some(child) = self.nodes[node].by_name.get(&name) {
            return *child;
        }
        let child = self.nodes.len();
        self.nodes.push(Node { name: name.clone(), ..Node::default() });
        self.nodes[node].children.push(child);
        self.nodes[node].by_name.insert(name, child);
        child
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    /// The counts of all targets.
    pub(super) fn tally(&self) -> Tally {
        let mut tally = Tally::default();
        for root in &self.roots {
            tally.add_all(self.node(root.node).tally);
        }
        tally
    }

    /// What is shown below `node`.
    pub(super) fn shown_below(&self, node: usize) -> Vec<Shown<'_>> {
        let mut shown = Vec::new();
        let has_targets = !self.nodes[node].targets.is_empty();
        let children = self.nodes[node].children.iter().rev();
        let mut open: Vec<Shown<'_>> = children
            .map(|child| Shown { names: vec![&self.nodes[*child].name], node: *child })
            .collect();
        while let Some(next) = open.pop() {
            let inner = &self.nodes[next.node];
            let is_folded = inner.targets.is_empty()
                && (inner.children.len() == 1 || (has_targets && next.names.len() == 1));
            if !is_folded {
                shown.push(next);
                continue;
            }
            for child in inner.children.iter().rev() {
                let mut names = next.names.clone();
                names.push(&self.nodes[*child].name);
                open.push(Shown { names, node: *child });
            }
        }
        shown
    }
}

/// The URI of a document and the pointer into it.
pub(super) fn split(location: &str) -> (&str, &str) {
    location.split_once('#').unwrap_or(("", location))
}

/// The segments of a pointer, at most [`MAX_LEVELS`] of them. What is no pointer is one segment.
fn segments(pointer: &str) -> Vec<String> {
    let Ok(pointer) = pointer.parse::<Pointer>() else { return vec![pointer.to_owned()] };
    let mut segments: Vec<String> = pointer.segments().map(std::borrow::Cow::into_owned).collect();
    if segments.len() > MAX_LEVELS {
        let rest = segments.split_off(MAX_LEVELS - 1);
        segments.push(rest.join("/"));
    }
    segments
}
