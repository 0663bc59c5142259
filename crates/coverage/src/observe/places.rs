//! Which values of an instance the schemas of the graph are entered at.
//!
//! A value that a schema is entered at satisfies it, and so does any other value of that schema, as far as the
//! schema alone is concerned. Planning replaces such values.

use std::collections::BTreeMap;

use foolproof_contract::{JsonView, NodeId, Pointer};
use serde_json::Value;

/// The most values that are kept for one schema.
const MAX_PLACES: usize = 8;

/// The values by the schemas that are entered there, in the order of the instance.
pub(crate) type Places = BTreeMap<NodeId, Vec<Place>>;

/// A value that a schema is entered at.
#[derive(Clone, Debug)]
pub(crate) struct Place {
    pub(crate) path: Pointer,
    /// Whether other schemas are entered at the same value, so that a value of one of them may violate another.
    pub(crate) is_shared: bool,
}

/// The schemas that a walk entered, each with the address of the value.
#[derive(Debug, Default)]
pub(super) struct Entered(Vec<(usize, NodeId)>);

impl Entered {
    pub(super) fn add(&mut self, value: JsonView<'_>, node: NodeId) {
        self.0.push((value.address(), node));
    }

    /// The paths of these values in `instance`, which was walked.
    pub(super) fn places(mut self, instance: &Value) -> Places {
        self.0.sort_unstable();
        let mut places = Places::new();
        let mut pending = vec![(instance, Pointer::root())];
        while let Some((value, path)) = pending.pop() {
            let address = JsonView::from(value).address();
            let from = self.0.partition_point(|(other, _)| *other < address);
            let here = self.0[from..].iter().take_while(|(other, _)| *other == address);
            let mut nodes: Vec<NodeId> = here.map(|(_, node)| *node).collect();
            nodes.dedup();
            for node in &nodes {
                let known = places.entry(*node).or_default();
                if known.len() < MAX_PLACES {
                    known.push(Place { path: path.clone(), is_shared: nodes.len() > 1 });
                }
            }
            match value {
                Value::Object(members) => {
                    let children = members.iter().rev();
                    pending.extend(children.map(|(name, child)| (child, path.key(name))));
                }
                Value::Array(items) => {
                    let children = items.iter().enumerate().rev();
                    pending.extend(children.map(|(index, child)| (child, path.index(index))));
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
            }
        }
        places
    }
}
