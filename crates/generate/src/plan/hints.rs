//! Property names that a canonical form forgets.
//!
//! A property whose schema admits any value constrains nothing, so the form of an open object does
//! not mention it. Its author did, and values should have it. The graph knows such names; an object
//! of the form takes those of every location whose other properties it has.

use std::collections::BTreeSet;

use foolproof_contract::{Document, Graph, is_annotation};
use serde_json::{Map, Value};

/// The names that forms do not mention.
#[derive(Debug, Default)]
pub(crate) struct Hints {
    groups: Vec<Group>,
}

/// The properties of one location: those that say something, and those that do not.
#[derive(Debug, PartialEq, Eq)]
struct Group {
    telling: BTreeSet<String>,
    silent: Vec<String>,
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

    /// The silent names that belong to an object with the properties `names`.
    pub(crate) fn for_object<'a>(
        &'a self,
        names: &BTreeSet<&str>,
    ) -> impl Iterator<Item = &'a str> {
        let fits = |group: &&Group| {
            let is_part = group.telling.iter().all(|name| names.contains(name.as_str()));
            is_part
                && (!group.telling.is_empty()
                    || names.is_empty()
                    || group.silent.iter().any(|name| names.contains(name.as_str())))
        };
        let found: BTreeSet<&str> = self
            .groups
            .iter()
            .filter(fits)
            .flat_map(|group| &group.silent)
            .map(String::as_str)
            .collect();
        found.into_iter()
    }
}

impl Group {
    fn of(properties: &Map<String, Value>) -> Option<Self> {
        let mut group = Self { telling: BTreeSet::new(), silent: Vec::new() };
        for (name, schema) in properties {
            if is_silent(schema) {
                group.silent.push(name.clone());
            } else {
                group.telling.insert(name.clone());
            }
        }
        (!group.silent.is_empty()).then_some(group)
    }
}

/// Whether a schema admits any value on the face of it.
fn is_silent(schema: &Value) -> bool {
    match schema {
        Value::Bool(admits) => *admits,
        Value::Object(members) => members.keys().all(|key| is_annotation(key)),
        Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => false,
    }
}
