//! Whether it can matter for validity how `format` is read.

use super::told_apart::are_told_apart;
use super::{Applicator, Edge, Graph, InPlaceApplicator, ItemApplicator, NodeId};
use crate::Document;

/// Whether a value may be valid if formats are asserted and invalid if they are annotations.
///
/// A format that is not asserted makes its schema admit more. That makes the whole admit more as well, unless the schema
/// is one of those of which others must not hold: a branch of `oneOf`, `not`, `if`, `contains` with a maximum. So
/// only a format below one of these can matter, and below `oneOf` only where types and tags do not tell the branches
/// apart.
///
/// ```
/// use foolproof_contract::{Document, Graph, formats_may_decide};
/// use serde_json::json;
///
/// let is_decided = |schema| {
///     let document = Document::from_value(schema).unwrap();
///     formats_may_decide(&document, &Graph::of(&document).unwrap())
/// };
/// assert!(!is_decided(json!({ "anyOf": [{ "format": "uri" }, { "const": "none" }] })));
/// assert!(is_decided(json!({ "oneOf": [{ "format": "uri" }, { "const": "none" }] })));
/// ```
#[must_use]
pub fn formats_may_decide(document: &Document, graph: &Graph) -> bool {
    let has_format =
        |id: NodeId| document.at(graph[id].location()).is_some_and(|it| it.get("format").is_some());
    let mut seen = vec![false; graph.nodes().len()];
    let mut pending: Vec<NodeId> = Vec::new();
    for (id, node) in graph.iter() {
        let is_limited =
            document.at(node.location()).is_some_and(|it| it.get("maxContains").is_some());
        let is_branch = |edge: &&Edge| {
            matches!(edge.applicator(), Applicator::InPlace(InPlaceApplicator::OneOf(_)))
        };
        let branches: Vec<NodeId> =
            node.edges().iter().filter(is_branch).map(Edge::target).collect();
        let may_overlap = !branches.is_empty() && !are_told_apart(document, graph, id, &branches);
        let starts = node.edges().iter().filter(|edge| match edge.applicator() {
            Applicator::Not | Applicator::InPlace(InPlaceApplicator::If) => true,
            Applicator::InPlace(InPlaceApplicator::OneOf(_)) => may_overlap,
            Applicator::Item(ItemApplicator::Contains) => is_limited,
            Applicator::Item(_)
            | Applicator::Member(_)
            | Applicator::PropertyNames
            | Applicator::InPlace(_) => false,
        });
        pending.extend(starts.map(Edge::target));
    }
    while let Some(id) = pending.pop() {
        if std::mem::replace(&mut seen[id.index()], true) {
            continue;
        }
        if has_format(id) {
            return true;
        }
        pending.extend(graph[id].edges().iter().map(Edge::target));
    }
    false
}
