//! A demand: the schema of the values that match a blueprint.
//!
//! The schema of each node is copied with its subschemas as references into the document. Where the
//! blueprint requires something, that replaces the subschema in question: a member's schema becomes
//! that of the member's node, `anyOf` becomes the branch that is taken. So the algebra has little to
//! intersect. The demand is never narrower than the contract together with the blueprint: other
//! branches of `oneOf` may hold too, which the oracle of the whole contract decides. So if the demand
//! is empty, no valid value matches the blueprint.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, Canonicalizer, Document, Draft, Edge, Graph, InPlaceApplicator, NodeId, TypeSet,
};
use serde_json::{Value, json};

use super::{
    blueprint::Blueprint, blueprint_node::BlueprintNode, route::Route, routes::Routes,
    value_condition::value_condition,
};
use crate::{Observer, TargetIndex};

mod covering;
mod irrelevant;
mod omission;
mod schema;

use covering::may_cover;
use irrelevant::admits_all;
pub(crate) use omission::Omission;
use schema::{
    constraints_of, decided, has_references, pattern_to_additional, remove, replace, with_goals,
};

/// Whether a demand excludes the branches of `oneOf` that the blueprint does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OtherBranches {
    /// They must not hold; the algebra may have no form for that.
    Excluded,
    /// The oracle decides whether they hold.
    Ignored,
}

impl OtherBranches {
    /// How many questions to the algebra one such demand counts as.
    pub(super) fn cost(self) -> usize {
        match self {
            Self::Excluded => 4,
            Self::Ignored => 1,
        }
    }
}

/// The most other branches of a `oneOf` among which those to exclude are looked for.
const MAX_OTHER_BRANCHES: usize = 64;

/// The most branches that a demand excludes.
const MAX_EXCLUDED_BRANCHES: usize = 8;

/// The most locations inside the branches that a demand excludes.
const MAX_EXCLUDED_LOCATIONS: usize = 200;

/// Makes demands about one contract.
#[derive(Clone, Copy)]
pub(crate) struct Demands<'a> {
    document: &'a Document,
    graph: &'a Graph,
    /// Whether subschemas of the document have a base URI of their own, which the references in them are
    /// resolved against.
    has_resources: bool,
}

impl<'a> Demands<'a> {
    pub(crate) fn of(observer: &'a Observer) -> Self {
        let (document, graph) = (observer.document(), observer.universe().graph());
        let has_resources = graph.nodes().iter().any(|node| {
            let schema = document.at(node.location());
            let id = schema.and_then(|schema| schema.get(node.draft().id_keyword()));
            id.is_some() && !node.location().pointer().is_root()
        });
        Self { document, graph, has_resources }
    }

    /// The schema of the values that match `blueprint`, with references into the document.
    pub(crate) fn demand(&self, blueprint: &Blueprint, others: OtherBranches) -> Value {
        let Self { document, graph, has_resources } = *self;
        let omitted = None;
        DemandBuilder { blueprint, others, omitted, document, graph, has_resources }.node(0)
    }

    /// How much of the contract the demand of `blueprint` consists of: its own nodes, and the locations that what it
    /// leaves open refers to.
    pub(crate) fn size(&self, blueprint: &Blueprint) -> usize {
        let mut seen = vec![false; self.graph.nodes().len()];
        let (mut size, mut pending) = (0, Vec::new());
        for node in blueprint.nodes() {
            size += 1;
            for (number, edge) in self.graph[node.schema].edges().iter().enumerate() {
                let is_replaced = match edge.applicator() {
                    Applicator::InPlace(InPlaceApplicator::AnyOf(_)) => {
                        node.branches.contains_key("anyOf")
                    }
                    Applicator::InPlace(InPlaceApplicator::OneOf(_)) => {
                        node.branches.contains_key("oneOf")
                    }
                    Applicator::InPlace(_)
                    | Applicator::Member(_)
                    | Applicator::Item(_)
                    | Applicator::PropertyNames
                    | Applicator::Not => node.in_place.contains_key(&number),
                };
                if !is_replaced {
                    pending.push(edge.target());
                }
            }
        }
        while let Some(id) = pending.pop() {
            if !std::mem::replace(&mut seen[id.index()], true) {
                size += 1;
                pending.extend(self.graph[id].edges().iter().map(Edge::target));
            }
        }
        size
    }

    /// The demand for the part of a route after its anchor, to which there is no alternative.
    pub(crate) fn after_anchor(
        &self,
        routes: &Routes,
        target: TargetIndex,
        others: OtherBranches,
    ) -> Value {
        match self.blueprint_after_anchor(routes, target) {
            Some(blueprint) => self.demand(&blueprint, others),
            // This demand is never empty, so nothing is proven.
            None => json!({}),
        }
    }

    /// The blueprint of that demand.
    pub(crate) fn blueprint_after_anchor(
        &self,
        routes: &Routes,
        target: TargetIndex,
    ) -> Option<Blueprint> {
        let (anchor, route) = routes.after_anchor(target)?;
        Some(self.blueprint_along(anchor, &route))
    }

    /// The demand for a route from `start`.
    pub(crate) fn along(&self, start: NodeId, route: &Route, others: OtherBranches) -> Value {
        self.demand(&self.blueprint_along(start, route), others)
    }

    fn blueprint_along(&self, start: NodeId, route: &Route) -> Blueprint {
        let mut blueprint = Blueprint::new(start, self.graph.nodes().len());
        blueprint.add(route);
        blueprint
    }
}

struct DemandBuilder<'a> {
    blueprint: &'a Blueprint,
    others: OtherBranches,
    omitted: Option<&'a Omission>,
    document: &'a Document,
    graph: &'a Graph,
    /// See [`Demands`].
    has_resources: bool,
}

impl DemandBuilder<'_> {
    fn node(&self, index: usize) -> Value {
        let node = self.blueprint.node(index);
        let schema = node.schema;
        let Some(Value::Object(written)) = self.document.at(self.graph[schema].location()) else {
            // `true`, `false`, or a location whose text is not in the document.
            return with_goals(node, Canonicalizer::reference(self.graph[schema].location()));
        };
        let is_own = self.graph[schema].location().resource().is_none() && !self.has_resources;
        let mut copy = Value::Object(constraints_of(written, node));
        let omitted = self.omitted.filter(|omitted| omitted.schema == schema);
        if let Some(omitted) = omitted {
            omitted.remove_from(&mut copy);
        }
        let mut all = Vec::new();
        for (number, edge) in self.graph[schema].edges().iter().enumerate() {
            if omitted.is_some_and(|omitted| omitted.has(self.relative_pointer(schema, edge))) {
                continue;
            }
            let child = node.in_place.get(&number).map(|child| self.node(*child));
            match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::Reference) => {
                    // Other keywords may be next to it, so it is one more schema in `allOf`.
                    all.push(child.unwrap_or_else(|| {
                        Canonicalizer::reference(self.graph[edge.target()].location())
                    }));
                    remove(&mut copy, self.relative_pointer(schema, edge));
                }
                Applicator::InPlace(
                    InPlaceApplicator::If | InPlaceApplicator::Then | InPlaceApplicator::Else,
                ) if decided(node).is_some() => {
                    remove(&mut copy, self.relative_pointer(schema, edge));
                    all.extend(self.condition(node, edge, child));
                }
                Applicator::Member(_) | Applicator::PropertyNames | Applicator::Item(_) => {
                    let part = child.unwrap_or_else(|| Canonicalizer::reference(edge.site()));
                    replace(&mut copy, self.relative_pointer(schema, edge), part);
                }
                Applicator::InPlace(
                    InPlaceApplicator::AllOf(_)
                    | InPlaceApplicator::AnyOf(_)
                    | InPlaceApplicator::OneOf(_)
                    | InPlaceApplicator::If
                    | InPlaceApplicator::Then
                    | InPlaceApplicator::Else
                    | InPlaceApplicator::DependentSchema(_),
                )
                | Applicator::Not => {
                    // The copy keeps the subschema itself where references in it resolve as before:
                    // the canonicalizer recognises a row of conditionals only as a whole.
                    let part = || (!is_own).then(|| Canonicalizer::reference(edge.site()));
                    let part_of_row = self.rest_of_conditional(node, edge);
                    let needs_child = node.in_place.get(&number).is_some_and(|child| {
                        let child = self.blueprint.node(*child);
                        !child.in_place.is_empty() || child.conditions.values().all(|holds| *holds)
                    });
                    let child = child.filter(|_| needs_child || part_of_row.is_none());
                    if let Some(part) = child.or_else(|| part_of_row.or_else(part)) {
                        replace(&mut copy, self.relative_pointer(schema, edge), part);
                    }
                }
            }
        }
        for (keyword, (taken, child)) in &node.branches {
            all.push(self.node(*child));
            if *keyword == "oneOf" && self.others == OtherBranches::Excluded {
                all.extend(self.exclusion(schema, *taken));
            }
        }
        pattern_to_additional(node, &mut copy);
        self.members(node, &mut copy);
        self.items(node, &mut copy);
        if !all.is_empty()
            && let Value::Object(members) = &mut copy
        {
            let also = members.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(parts) = also {
                parts.extend(all);
            }
        }
        with_goals(node, copy)
    }

    /// That no branch of `oneOf` but the one taken holds, if the others are few and small: the
    /// complement of a large schema costs the algebra seconds.
    fn exclusion(&self, schema: NodeId, taken: usize) -> Option<Value> {
        let edges = self.graph[schema].edges().iter().enumerate();
        let mut others: Vec<&Edge> = edges
            .filter(|(number, edge)| {
                *number != taken
                    && matches!(edge.applicator(), Applicator::InPlace(InPlaceApplicator::OneOf(_)))
            })
            .map(|(_, edge)| edge)
            .collect();
        if others.len() > MAX_OTHER_BRANCHES {
            return None;
        }
        let types = self.declared_types(self.graph[schema].edges()[taken].target());
        let covers = |edge: &&Edge| {
            let other = self.document.at(self.graph[edge.target()].location());
            other.is_some_and(|other| admits_all(other, types))
        };
        if others.iter().any(covers) {
            return Some(json!({ "not": {} }));
        }
        let is_small = |others: &[&Edge]| {
            let size: usize = others.iter().map(|edge| self.size(edge.target())).sum();
            others.len() <= MAX_EXCLUDED_BRANCHES && size <= MAX_EXCLUDED_LOCATIONS
        };
        if !is_small(&others) {
            // Without some of them the demand is only wider.
            let targets = others.iter().map(|edge| edge.target()).collect();
            let branch = self.graph[schema].edges()[taken].target();
            let covering = may_cover(self.document, self.graph, branch, targets);
            others.retain(|edge| covering.contains(&edge.target()));
        }
        if others.is_empty() || !is_small(&others) {
            return None;
        }
        let others = others.iter().map(|edge| Canonicalizer::reference(edge.site()));
        Some(json!({ "not": { "anyOf": others.collect::<Vec<_>>() } }))
    }

    /// The types that the schema at `id` says its values have.
    fn declared_types(&self, id: NodeId) -> TypeSet {
        let written = self.document.at(self.graph[id].location()).and_then(Value::as_object);
        written.map_or(TypeSet::ALL, TypeSet::declared)
    }

    /// How many locations can be reached from `schema`; not counted on beyond the maximum.
    fn size(&self, schema: NodeId) -> usize {
        let (mut seen, mut pending) = (BTreeSet::from([schema]), vec![schema]);
        while let Some(schema) = pending.pop().filter(|_| seen.len() <= MAX_EXCLUDED_LOCATIONS) {
            let targets = self.graph[schema].edges().iter().map(Edge::target);
            pending.extend(targets.filter(|target| seen.insert(*target)));
        }
        seen.len()
    }

    /// The pointer, inside `schema`, to the subschema that `edge` is written at.
    fn relative_pointer(&self, schema: NodeId, edge: &Edge) -> Option<String> {
        let start = self.graph[schema].location().pointer().as_str();
        edge.site().pointer().as_str().strip_prefix(start).map(str::to_owned)
    }

    /// What the schema at `edge`, which is `if`, `then` or `else`, requires once it is decided
    /// whether the condition holds.
    fn condition(&self, node: &BlueprintNode, edge: &Edge, child: Option<Value>) -> Option<Value> {
        let holds = decided(node)?;
        let part = || child.unwrap_or_else(|| self.subschema(edge));
        match (edge.applicator(), holds) {
            (Applicator::InPlace(InPlaceApplicator::If | InPlaceApplicator::Then), true)
            | (Applicator::InPlace(InPlaceApplicator::Else), false) => Some(part()),
            (Applicator::InPlace(InPlaceApplicator::If), false) => {
                Some(json!({ "not": self.subschema(edge) }))
            }
            _ => None,
        }
    }

    /// The schema that `edge` leads to: a copy if that means the same everywhere, otherwise a
    /// reference. The conditions of a row cannot be referred to once the row is read as a whole.
    fn subschema(&self, edge: &Edge) -> Value {
        let written = self.document.at(edge.site());
        let written = written
            .filter(|schema| edge.applicator() == &Applicator::IF && !has_references(schema));
        written.cloned().unwrap_or_else(|| Canonicalizer::reference(edge.site()))
    }

    /// What a conditional in `allOf` still requires if the fixed value of a property says that its
    /// condition does not hold.
    fn rest_of_conditional(&self, node: &BlueprintNode, edge: &Edge) -> Option<Value> {
        if node.property_values.is_empty()
            || !matches!(edge.applicator(), Applicator::InPlace(InPlaceApplicator::AllOf(_)))
        {
            return None;
        }
        let target = edge.target();
        let condition = value_condition(self.document, self.graph, target)?;
        let decided = node.property_values.get(condition.property)?;
        let is_only_conditional =
            self.graph[target].edges().iter().all(|edge| edge.applicator().is_conditional());
        if !is_only_conditional || condition.values.contains(decided) {
            return None;
        }
        let edges = self.graph[target].edges().iter();
        let mut otherwise = edges.filter(|edge| edge.applicator() == &Applicator::ELSE);
        let otherwise = otherwise.next().map(|edge| Canonicalizer::reference(edge.site()));
        Some(otherwise.unwrap_or_else(|| json!({})))
    }

    /// Requires the members of the node, each with the schema of its own node.
    fn members(&self, node: &BlueprintNode, copy: &mut Value) {
        if node.members.is_empty() && node.absent.is_empty() {
            return;
        }
        let mut required: Vec<Value> =
            copy.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut properties =
            copy.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, child) in &node.members {
            if !required.iter().any(|known| known == name) {
                required.push(json!(name));
            }
            properties.extend(child.map(|child| (name.clone(), self.node(child))));
        }
        for (name, value) in &node.property_values {
            let only = json!({ "enum": [value] });
            let narrow = match properties.remove(name) {
                Some(schema) => json!({ "allOf": [schema, only] }),
                None => only,
            };
            properties.insert(name.clone(), narrow);
        }
        for name in &node.absent {
            properties.insert(name.clone(), json!({ "not": {} }));
        }
        if !required.is_empty() {
            copy["required"] = Value::Array(required);
        }
        if !properties.is_empty() {
            copy["properties"] = Value::Object(properties);
        }
    }

    /// Gives each item of the node the schema of its own node.
    fn items(&self, node: &BlueprintNode, copy: &mut Value) {
        let Some((last, _)) = node.items.last_key_value() else { return };
        let is_new = self.document.draft() == Draft::Draft202012;
        let (list, rest) =
            if is_new { ("prefixItems", "items") } else { ("items", "additionalItems") };
        let (mut prefix, others) = match copy.get(list) {
            Some(Value::Array(prefix)) => (prefix.clone(), copy.get(rest).cloned()),
            other if is_new => (Vec::new(), other.or(copy.get(rest)).cloned()),
            other => (Vec::new(), other.cloned()),
        };
        while prefix.len() <= *last {
            prefix.push(others.clone().unwrap_or_else(|| json!({})));
        }
        for (index, child) in &node.items {
            prefix[*index] = self.node(*child);
        }
        copy[list] = Value::Array(prefix);
        if let Some(others) = others {
            copy[rest] = others;
        }
    }
}
