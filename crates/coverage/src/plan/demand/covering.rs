//! Which branches of `oneOf` may admit all values of another branch.
//!
//! An open object refuses a value because of what it declares. So a branch that declares a property which
//! another one does not declare hardly admits all values of that one: the property may have any value there.

use std::collections::BTreeSet;

use foolproof_contract::{DeclaredProperties, Document, Graph, NodeId, ValueStep};

/// Those of `others` that declare or require nothing that `taken` does not declare. All of them if that is
/// none, since then something else must tell.
pub(super) fn may_cover(
    document: &Document,
    graph: &Graph,
    taken: NodeId,
    others: Vec<NodeId>,
) -> Vec<NodeId> {
    let declared = |schema| declared_paths(document, graph, schema);
    let own = declared(taken);
    let likely: Vec<NodeId> =
        others.iter().copied().filter(|other| declared(*other).is_subset(&own)).collect();
    if likely.is_empty() { others } else { likely }
}

/// The paths of the properties that `start` declares or requires, of its value and of the objects in it. All items of
/// an array are one.
fn declared_paths<'a>(
    document: &'a Document,
    graph: &'a Graph,
    start: NodeId,
) -> BTreeSet<Vec<&'a str>> {
    let segment = |step: ValueStep<'a>| match step {
        ValueStep::Property(name) => name,
        ValueStep::Item(_) => "*",
    };
    let mut found = BTreeSet::new();
    for DeclaredProperties { path, names } in graph.declared_properties(document, start) {
        let path: Vec<&str> = path.into_iter().map(segment).collect();
        found.extend(names.into_iter().map(|name| [path.as_slice(), &[name]].concat()));
    }
    found
}
