//! Which branches of `oneOf` may admit all values of another branch.
//!
//! An open object refuses a value because of what it declares. So a branch that declares a property which
//! another one does not declare hardly admits all values of that one: the property may have any value there.

use std::collections::{BTreeSet, VecDeque};

use foolproof_contract::{Applicator, Document, Graph, ItemApplicator, MemberApplicator, NodeId};
use serde_json::Value;

/// The most schemas that are searched in one branch, and how far below its value.
const MAX_SCHEMAS: usize = 256;
const MAX_DEPTH: usize = 4;

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

/// The paths of the properties that `start` declares or requires, of its value and of the objects in it.
fn declared_paths<'a>(
    document: &'a Document,
    graph: &'a Graph,
    start: NodeId,
) -> BTreeSet<Vec<&'a str>> {
    let mut found = BTreeSet::new();
    let mut pending = VecDeque::from([(Vec::new(), start)]);
    for _ in 0..MAX_SCHEMAS {
        let Some((path, schema)) = pending.pop_front() else { break };
        let written = document.at(graph[schema].location());
        let required = written.and_then(|schema| schema.get("required")).and_then(Value::as_array);
        for name in required.into_iter().flatten().filter_map(Value::as_str) {
            found.insert([path.as_slice(), &[name]].concat());
        }
        for edge in graph[schema].edges() {
            let next = match edge.applicator() {
                Applicator::InPlace(_) => path.clone(),
                Applicator::Member(MemberApplicator::Property(name)) => {
                    let path = [path.as_slice(), &[name.as_str()]].concat();
                    found.insert(path.clone());
                    path
                }
                Applicator::Item(ItemApplicator::Prefix(_) | ItemApplicator::Rest { .. }) => {
                    [path.as_slice(), &["*"]].concat()
                }
                Applicator::Member(
                    MemberApplicator::Pattern(_)
                    | MemberApplicator::Additional
                    | MemberApplicator::Unevaluated,
                )
                | Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains)
                | Applicator::PropertyNames
                | Applicator::Not => continue,
            };
            if next.len() <= MAX_DEPTH {
                pending.push_back((next, edge.target()));
            }
        }
    }
    found
}
