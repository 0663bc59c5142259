//! Whether the branches of a union exclude one another by types or by tags: what is plain to see, without formats.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{Applicator, Graph, InPlaceApplicator, MemberApplicator, NodeId};
use crate::{Document, Draft, JsonType, TypeSet};

/// The references and `allOf` inside one another that are followed.
const DEPTH: usize = 4;

/// The number of branches of which each is compared with each.
const PAIRS: usize = 64;

/// Whether no value satisfies two of `branches`, which `parent` applies to the same value.
pub(super) fn are_told_apart(
    document: &Document,
    graph: &Graph,
    parent: NodeId,
    branches: &[NodeId],
) -> bool {
    let mut shared = Facts::NONE;
    shared.add(document, graph, parent, DEPTH);
    let branches = branches.iter().map(|branch| {
        let mut facts = shared.clone();
        facts.add(document, graph, *branch, DEPTH);
        facts
    });
    let branches: Vec<Facts<'_>> = branches.collect();
    have_a_common_tag(&branches)
        || (branches.len() <= PAIRS
            && branches
                .iter()
                .enumerate()
                .all(|(index, facts)| branches[..index].iter().all(|other| facts.exclude(other))))
}

/// What a schema requires of every value.
#[derive(Clone)]
struct Facts<'d> {
    types: TypeSet,
    required: BTreeSet<&'d str>,
    /// The properties whose values are listed and all strings.
    listed: BTreeMap<&'d str, BTreeSet<&'d str>>,
}

impl<'d> Facts<'d> {
    const NONE: Self =
        Self { types: TypeSet::ALL, required: BTreeSet::new(), listed: BTreeMap::new() };

    /// Adds what the schema `id` requires.
    fn add(&mut self, document: &'d Document, graph: &'d Graph, id: NodeId, depth: usize) {
        let node = &graph[id];
        let Some(Value::Object(schema)) = document.at(node.location()) else { return };
        self.types = self.types & TypeSet::declared(schema);
        if let Some(values) = listed(schema, node.draft()) {
            self.types = self.types & TypeSet::of_all(values);
        }
        if let Some(Value::Array(names)) = schema.get("required") {
            self.required.extend(names.iter().filter_map(Value::as_str));
        }
        for edge in node.edges() {
            match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(name)) => {
                    let target = &graph[edge.target()];
                    let schema = document.at(target.location()).and_then(Value::as_object);
                    let values = schema.and_then(|schema| listed(schema, target.draft()));
                    let strings = values.and_then(|values| {
                        values.iter().map(Value::as_str).collect::<Option<BTreeSet<&str>>>()
                    });
                    if let Some(strings) = strings {
                        self.listed.insert(name, strings);
                    }
                }
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference)
                    if depth > 0 =>
                {
                    self.add(document, graph, edge.target(), depth - 1);
                }
                Applicator::Member(_)
                | Applicator::Item(_)
                | Applicator::PropertyNames
                | Applicator::InPlace(_)
                | Applicator::Not => {}
            }
        }
    }

    /// The required properties whose values are listed.
    fn tags(&self) -> impl Iterator<Item = (&'d str, &BTreeSet<&'d str>)> {
        self.listed
            .iter()
            .filter(|(name, _)| self.required.contains(*name))
            .map(|(name, it)| (*name, it))
    }

    fn exclude(&self, other: &Self) -> bool {
        let both = self.types & other.types;
        let differs = |(name, values): (&str, &BTreeSet<&str>)| {
            other.tags().any(|(tag, others)| tag == name && values.is_disjoint(others))
        };
        both.without(JsonType::Object).is_empty() && (both.is_empty() || self.tags().any(differs))
    }
}

/// Whether the branches are objects that one property tells apart.
fn have_a_common_tag(branches: &[Facts<'_>]) -> bool {
    let is_object = |facts: &Facts<'_>| facts.types.without(JsonType::Object).is_empty();
    let Some(first) = branches.first().filter(|_| branches.iter().all(is_object)) else {
        return false;
    };
    first.tags().any(|(name, _)| {
        let mut seen = BTreeSet::new();
        branches.iter().all(|facts| {
            let tag = facts.tags().find(|(other, _)| *other == name);
            tag.is_some_and(|(_, values)| values.iter().all(|value| seen.insert(*value)))
        })
    })
}

/// The values that `const` or `enum` lists.
fn listed(schema: &Map<String, Value>, draft: Draft) -> Option<&[Value]> {
    match (schema.get("const"), schema.get("enum")) {
        (Some(value), _) if draft != Draft::Draft4 => Some(std::slice::from_ref(value)),
        (_, Some(Value::Array(values))) => Some(values),
        (_, _) => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn told_apart(schema: Value) -> bool {
        let document = Document::from_value(schema).unwrap();
        let graph = Graph::of(&document).unwrap();
        let edges = graph[graph.root()].edges().iter();
        let branches = edges.filter(|edge| edge.applicator().is_union_branch());
        let branches: Vec<NodeId> = branches.map(super::super::Edge::target).collect();
        are_told_apart(&document, &graph, graph.root(), &branches)
    }

    #[test]
    fn types_tell_branches_apart() {
        assert!(told_apart(
            json!({ "oneOf": [{ "type": "string" }, { "type": ["null", "array"] }] })
        ));
        assert!(told_apart(json!({ "oneOf": [{ "const": 1 }, { "type": "string" }] })));
        assert!(!told_apart(json!({ "oneOf": [{ "type": "integer" }, { "type": "number" }] })));
        assert!(!told_apart(json!({ "oneOf": [{ "const": "none" }, { "type": "string" }] })));
        assert!(!told_apart(json!({ "oneOf": [{}, { "type": "string" }] })));
    }

    #[test]
    fn required_tags_tell_objects_apart() {
        let tagged =
            |tag: &str| json!({ "required": ["kind"], "properties": { "kind": { "const": tag } } });
        assert!(told_apart(json!({ "type": "object", "oneOf": [tagged("a"), tagged("b")] })));
        assert!(!told_apart(json!({ "type": "object", "oneOf": [tagged("a"), tagged("a")] })));
        // Neither is about values that are not objects.
        assert!(!told_apart(json!({ "oneOf": [tagged("a"), tagged("b")] })));
        let optional = json!({ "properties": { "kind": { "const": "b" } } });
        assert!(!told_apart(json!({ "type": "object", "oneOf": [tagged("a"), optional] })));
    }

    #[test]
    fn references_are_followed() {
        assert!(told_apart(json!({
            "oneOf": [{ "$ref": "#/$defs/a" }, { "type": "object", "allOf": [{ "$ref": "#/$defs/b" }] }],
            "$defs": {
                "a": { "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["a", "c"] } } },
                "b": { "required": ["kind"], "properties": { "kind": { "enum": ["b", "d"] } } }
            }
        })));
    }
}
