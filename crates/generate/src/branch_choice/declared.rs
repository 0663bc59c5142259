//! The places that a schema of a graph declares: properties of its value and of the objects in it.

use std::collections::BTreeSet;

use foolproof_contract::{DeclaredProperties, Document, Graph, NodeId, ValueStep};

use crate::plan::{Place, PlaceStep};

/// The most places that are found for one branch.
const MAX_PLACES: usize = 512;

/// The places that the schema `start` declares or requires, those near its value first if there are too
/// many.
pub(super) fn declared_places(
    document: &Document,
    graph: &Graph,
    start: NodeId,
) -> BTreeSet<Place> {
    let mut found = BTreeSet::new();
    for DeclaredProperties { path, names } in graph.declared_properties(document, start) {
        let path: Vec<PlaceStep> = path.into_iter().map(step).collect();
        let room = MAX_PLACES - found.len();
        found.extend(names.into_iter().take(room).map(|name| Place::new(path.clone(), name)));
    }
    found
}

fn step(step: ValueStep<'_>) -> PlaceStep {
    match step {
        ValueStep::Property(name) => PlaceStep::Property(name.to_owned()),
        ValueStep::Item(index) => PlaceStep::Item(index),
    }
}
