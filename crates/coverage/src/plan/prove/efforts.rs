//! The effort of the questions about each target.

use foolproof_contract::{Document, Node, NodeId, asserts_nothing};
use serde_json::Value;

use super::super::{route::RouteStep, routes::Routes};
use crate::Observer;

/// What a question costs besides its text.
const QUESTION: usize = 500;

/// For each target the effort of the questions about it and about all targets with smaller ones: of a contract that is
/// too large for all of them, the same ones are left out whatever a run missed.
pub(super) fn efforts(observer: &Observer, routes: &Routes) -> Vec<usize> {
    let (universe, document) = (observer.universe(), observer.document());
    let graph = universe.graph();
    let mut sizes: Vec<Option<usize>> = vec![None; graph.nodes().len()];
    let mut size_of =
        |id: NodeId| *sizes[id.index()].get_or_insert_with(|| own_size(document, &graph[id]));
    let mut costs: Vec<(usize, usize)> = Vec::new();
    for target in universe.indices() {
        let Some((anchor, route)) = routes.after_anchor(target) else { continue };
        let (mut size, mut from) = (size_of(anchor) + QUESTION, anchor);
        for (step, id) in &route.steps {
            // The branch that is taken replaces all of them.
            if let RouteStep::Branch { keyword, .. } = step {
                size = size.saturating_sub(keyword_size(document, &graph[from], keyword));
            }
            size += size_of(*id);
            from = *id;
        }
        costs.push((size, target.index()));
    }
    costs.sort_unstable();
    let (mut efforts, mut total) = (vec![usize::MAX; universe.targets().len()], 0_usize);
    for (size, index) in costs {
        total = total.saturating_add(size);
        efforts[index] = total;
    }
    efforts
}

/// The size of the text of one keyword of a schema.
fn keyword_size(document: &Document, node: &Node, keyword: &str) -> usize {
    let value = document.at(node.location()).and_then(|schema| schema.get(keyword));
    value.map_or(0, |value| value.to_string().len())
}

/// The size of the text of a schema in a demand, where properties and items are references.
fn own_size(document: &Document, node: &Node) -> usize {
    const REFERENCE: usize = 60;
    let size = |value: Option<&Value>| value.map_or(0, |value| value.to_string().len());
    let edges = node.edges().iter().filter(|edge| !edge.applicator().is_in_place());
    let (mut inside, mut references) = (0, 0);
    for edge in edges {
        inside += size(document.at(edge.site()));
        references += REFERENCE;
    }
    let own = match document.at(node.location()) {
        Some(Value::Object(schema)) => {
            let kept = schema.iter().filter(|(keyword, _)| !asserts_nothing(keyword));
            kept.map(|(keyword, value)| keyword.len() + size(Some(value))).sum()
        }
        other => size(other),
    };
    own.saturating_sub(inside) + references
}
