//! The properties that a schema of a graph declares, of its value and of the objects in it.

use std::collections::{BTreeSet, VecDeque};

use foolproof_contract::{Applicator, Document, Graph, ItemApplicator, MemberApplicator, NodeId};
use serde_json::Value;

use crate::plan::{Place, PlaceStep};

/// The most schemas that are searched for one branch, and the most places that are found in them.
const MAX_SCHEMAS: usize = 256;
const MAX_PLACES: usize = 512;

/// How far below a value the objects are whose properties are found: an array and its items are two steps.
const MAX_STEPS: usize = 4;

/// The places that the schema `start` declares or requires, those near its value first if there are too
/// many.
pub(super) fn declared_places(
    document: &Document,
    graph: &Graph,
    start: NodeId,
) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    let mut pending = VecDeque::from([(Vec::new(), start)]);
    for _ in 0..MAX_SCHEMAS {
        let Some((path, schema)) = pending.pop_front() else { break };
        let written = document.at(graph[schema].location());
        let required = written.and_then(|schema| schema.get("required")).and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let mut names: Vec<&str> = required.collect();
        for edge in graph[schema].edges() {
            let step = match edge.applicator() {
                Applicator::InPlace(_) => {
                    pending.push_back((path.clone(), edge.target()));
                    continue;
                }
                Applicator::Member(MemberApplicator::Property(name)) => {
                    names.push(name);
                    PlaceStep::Property(name.clone())
                }
                Applicator::Item(ItemApplicator::Prefix(index)) => PlaceStep::Item(*index),
                Applicator::Item(ItemApplicator::Rest { from }) => PlaceStep::Item(*from),
                Applicator::Member(
                    MemberApplicator::Pattern(_)
                    | MemberApplicator::Additional
                    | MemberApplicator::Unevaluated,
                )
                | Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains)
                | Applicator::PropertyNames
                | Applicator::Not => continue,
            };
            if path.len() < MAX_STEPS {
                let mut path = path.clone();
                path.push(step);
                pending.push_back((path, edge.target()));
            }
        }
        let room = MAX_PLACES - found.len();
        found.extend(names.into_iter().take(room).map(|name| Place::new(path.clone(), name)));
    }
    found
}
