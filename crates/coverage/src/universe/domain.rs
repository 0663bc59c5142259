//! The effective domain of a location: the constraints that every value observed there has to satisfy.
//!
//! A value that is observed at a schema satisfies it, and with it what always applies to the same value: the schemas
//! in its `allOf` and behind its `$ref`. If the schema applies in one place only, and there to the value of another
//! schema (as a part of its `allOf`, a branch, a `then`), the value satisfies that other schema too, and so on
//! upwards. What applies only sometimes (other branches, schemas that are used in several places) does not count.

use std::collections::BTreeSet;

use foolproof_contract::{Applicator, Draft, Edge, InPlaceApplicator, Location, NodeId};
use serde_json::{Map, Number, Value};

use super::Build;

/// The schemas that apply to every value observed at a location, its own first.
pub(super) struct Domain<'a> {
    pub(super) schemas: Vec<DomainSchema<'a>>,
}

/// One of these schemas.
#[derive(Clone, Copy)]
pub(super) struct DomainSchema<'a> {
    pub(super) id: NodeId,
    pub(super) location: &'a Location,
    pub(super) text: &'a Map<String, Value>,
    pub(super) draft: Draft,
}

/// A keyword with a number, and the pointer to it.
#[derive(Clone, Copy)]
pub(super) struct Rule<'a> {
    pub(super) keyword: &'static str,
    pub(super) number: &'a Number,
    pub(super) is_exclusive: bool,
    pub(super) location: &'a Location,
}

impl Rule<'_> {
    /// The pointer to the keyword.
    pub(super) fn pointer(&self) -> String {
        self.location.key(self.keyword).to_string()
    }
}

impl<'a> Domain<'a> {
    pub(super) fn at(build: &Build<'a>, id: NodeId) -> Self {
        let (mut schemas, mut seen) = (Vec::new(), BTreeSet::new());
        let mut around = Some(id);
        while let Some(id) = around {
            collect(build, id, &mut schemas, &mut seen);
            around = outer(build, id).filter(|outer| !seen.contains(outer));
        }
        Self { schemas }
    }

    /// The numbers that `keyword` has in these schemas; of `exclusiveMinimum` and `exclusiveMaximum`, those that are
    /// bounds of their own.
    pub(super) fn rules(&self, keyword: &'static str) -> impl Iterator<Item = Rule<'a>> {
        let exclusive = match keyword {
            "minimum" => "exclusiveMinimum",
            "maximum" => "exclusiveMaximum",
            _ => "",
        };
        let is_always_exclusive = keyword.starts_with("exclusive");
        self.schemas.iter().filter_map(move |schema| {
            let number = schema.text.get(keyword)?.as_number()?;
            // Before draft 6 the keyword is a flag beside the bound.
            let is_flagged = schema.text.get(exclusive) == Some(&Value::Bool(true));
            let is_exclusive = is_always_exclusive || is_flagged;
            Some(Rule { keyword, number, is_exclusive, location: schema.location })
        })
    }

    /// The values that `enum` or `const` of these schemas list, with the keyword; own ones are not included.
    pub(super) fn other_lists(&self) -> impl Iterator<Item = (String, &'a [Value])> {
        self.schemas.iter().skip(1).filter_map(|schema| {
            let list = match (schema.text.get("enum"), schema.text.get("const")) {
                (Some(Value::Array(members)), _) => ("enum", members.as_slice()),
                (_, Some(only)) if schema.draft >= Draft::Draft6 => {
                    ("const", std::slice::from_ref(only))
                }
                _ => return None,
            };
            Some((schema.location.key(list.0).to_string(), list.1))
        })
    }
}

/// Adds the schema at `id`, and those that always apply to the same value.
fn collect<'a>(
    build: &Build<'a>,
    id: NodeId,
    schemas: &mut Vec<DomainSchema<'a>>,
    seen: &mut BTreeSet<NodeId>,
) {
    let mut pending = vec![id];
    while let Some(id) = pending.pop().filter(|id| seen.insert(*id)) {
        let node = &build.graph[id];
        if let Some(Value::Object(text)) = build.document.at(node.location()) {
            let (location, draft) = (node.location(), node.draft());
            schemas.push(DomainSchema { id, location, text, draft });
        }
        // Where a dynamic reference leads is not known.
        let always = node.edges().iter().rev().filter(|edge| {
            let is_fixed = matches!(
                edge.applicator(),
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference)
            );
            is_fixed && !build.is_dynamic
        });
        pending.extend(always.map(Edge::target).filter(|target| !seen.contains(target)));
    }
}

/// The schema that the one at `id` is always applied together with: the only one that uses it, if it applies it to
/// the same value.
fn outer(build: &Build<'_>, id: NodeId) -> Option<NodeId> {
    if build.is_dynamic || id == build.graph.root() {
        return None;
    }
    let [(from, number)] = build.incoming(id) else { return None };
    build.graph[*from].edges()[*number].applicator().is_in_place().then_some(*from)
}
