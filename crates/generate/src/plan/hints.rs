//! Property names that a canonical form omits.
//!
//! A property whose schema admits any value constrains nothing, so the form of an open object does
//! not contain it. Its author declared it, and values should have it. The graph has such names; an
//! object of the form gets those of every location whose other properties it has.

use std::collections::BTreeSet;

use foolproof_contract::{Document, Graph, is_annotation};
use serde_json::{Map, Value};

/// The names that forms do not contain.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    groups: Vec<Group>,
}

/// The properties of one location: those with constraints, and those without.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    constrained: BTreeSet<String>,
    unconstrained: Vec<String>,
}

impl Hints {
    pub(crate) fn of(document: &Document, graph: &Graph) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for node in graph.nodes().iter().filter(|node| node.location().resource().is_none()) {
            let schema = node.location().pointer().resolve(document.value());
            let properties =
                schema.and_then(|schema| schema.get("properties")).and_then(Value::as_object);
            if let Some(group) = properties.and_then(Group::of)
                && !groups.contains(&group)
            {
                groups.push(group);
            }
        }
        Self { groups }
    }

    /// The unconstrained names that belong to an object with the properties `names`.
    pub(crate) fn for_object<'a>(
        &'a self,
        names: &BTreeSet<&str>,
    ) -> impl Iterator<Item = &'a str> {
        let fits = |group: &&Group| {
            let is_part = group.constrained.iter().all(|name| names.contains(name.as_str()));
            is_part
                && (!group.constrained.is_empty()
                    || names.is_empty()
                    || group.unconstrained.iter().any(|name| names.contains(name.as_str())))
        };
        let found: BTreeSet<&str> = self
            .groups
            .iter()
            .filter(fits)
            .flat_map(|group| &group.unconstrained)
            .map(String::as_str)
            .collect();
        found.into_iter()
    }
}

impl Group {
    fn of(properties: &Map<String, Value>) -> Option<Self> {
        let mut group = Self { constrained: BTreeSet::new(), unconstrained: Vec::new() };
        for (name, schema) in properties {
            if is_unconstrained(schema) {
                group.unconstrained.push(name.clone());
            } else {
                group.constrained.insert(name.clone());
            }
        }
        (!group.unconstrained.is_empty()).then_some(group)
    }
}

/// Whether a schema has no keyword that constrains values.
fn is_unconstrained(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => members.keys().all(|key| is_annotation(key)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}
