//! A blueprint as a schema: the demand that a value must meet to look like it.
//!
//! The schema at each place is copied with its parts as references to where they stand, and what the
//! blueprint says replaces the part it speaks of: a member's schema by that of the member's place,
//! `anyOf` by the branch that is taken. So the algebra has next to nothing to intersect. The result
//! is never narrower than the contract with the blueprint (other branches of `oneOf` may hold too; the
//! oracle of the whole has the last word), so if it is empty, nothing looks like the blueprint.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, Canonicalizer, Document, Draft, Edge, Graph, InPlaceApplicator, NodeId,
};
use serde_json::{Value, json};

use super::{blueprint::Blueprint, place::Place, value_condition::value_condition};

mod schema;

use schema::{decided, free_members, has_references, plain, put, remove, with_wishes};

/// Whether a demand says that the other branches of `oneOf` do not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Others {
    /// It says so; the algebra may have no form for it.
    Excluded,
    /// It leaves that to the oracle.
    Ignored,
}

impl Others {
    /// How many questions one counts for.
    pub(super) fn cost(self) -> usize {
        match self {
            Self::Excluded => 4,
            Self::Ignored => 1,
        }
    }
}

/// The most branches that a demand excludes.
const MOST_EXCLUDED: usize = 8;

/// The most locations inside the branches that a demand excludes.
const LARGEST_EXCLUDED: usize = 200;

/// The schema of the values that `blueprint` describes, with references into `document`.
pub(crate) fn demand(
    blueprint: &Blueprint,
    others: Others,
    document: &Document,
    graph: &Graph,
    has_resources: bool,
) -> Value {
    Writer { blueprint, others, document, graph, has_resources }.place(0)
}

/// Whether parts of the document have a base of their own for the references in them.
pub(crate) fn has_resources(document: &Document, graph: &Graph) -> bool {
    graph.nodes().iter().any(|node| {
        let schema = document.at(node.location());
        let id = schema.and_then(|schema| schema.get(node.draft().id_keyword()));
        id.is_some() && !node.location().pointer().is_root()
    })
}

struct Writer<'a> {
    blueprint: &'a Blueprint,
    others: Others,
    document: &'a Document,
    graph: &'a Graph,
    /// Whether parts of the document have a base of their own for the references in them.
    has_resources: bool,
}

impl Writer<'_> {
    fn place(&self, index: usize) -> Value {
        let place = self.blueprint.place(index);
        let node = place.node;
        let Some(Value::Object(written)) = self.document.at(self.graph[node].location()) else {
            // `true`, `false`, or a place that only a reference leads to.
            return with_wishes(place, Canonicalizer::reference(self.graph[node].location()));
        };
        let is_own = self.graph[node].location().resource().is_none() && !self.has_resources;
        let mut copy = Value::Object(plain(written));
        let mut all = Vec::new();
        for (number, edge) in self.graph[node].edges().iter().enumerate() {
            let child = place.along.get(&number).map(|child| self.place(*child));
            match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::Reference) => {
                    // Beside other keywords it is one more schema that holds.
                    all.push(child.unwrap_or_else(|| {
                        Canonicalizer::reference(self.graph[edge.target()].location())
                    }));
                    remove(&mut copy, self.inside(node, edge));
                }
                Applicator::InPlace(
                    InPlaceApplicator::If | InPlaceApplicator::Then | InPlaceApplicator::Else,
                ) if decided(place).is_some() => {
                    remove(&mut copy, self.inside(node, edge));
                    all.extend(self.condition(place, edge, child));
                }
                Applicator::Member(_) | Applicator::PropertyNames | Applicator::Item(_) => {
                    let part = child.unwrap_or_else(|| Canonicalizer::reference(edge.site()));
                    put(&mut copy, self.inside(node, edge), part);
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
                    // Written out where that is safe: rows of conditionals are read as a whole.
                    let part = || (!is_own).then(|| Canonicalizer::reference(edge.site()));
                    let part_of_row = self.ruled_out(place, edge);
                    let needs_child = place.along.get(&number).is_some_and(|child| {
                        let child = self.blueprint.place(*child);
                        !child.along.is_empty() || child.conditions.values().all(|holds| *holds)
                    });
                    let child = child.filter(|_| needs_child || part_of_row.is_none());
                    if let Some(part) = child.or_else(|| part_of_row.or_else(part)) {
                        put(&mut copy, self.inside(node, edge), part);
                    }
                }
            }
        }
        for (keyword, (taken, child)) in &place.branches {
            remove(&mut copy, Some(format!("/{keyword}")));
            all.push(self.place(*child));
            if *keyword == "oneOf" && self.others == Others::Excluded {
                all.extend(self.exclusion(node, *taken));
            }
        }
        free_members(place, &mut copy);
        self.members(place, &mut copy);
        self.items(place, &mut copy);
        if !all.is_empty()
            && let Value::Object(members) = &mut copy
        {
            let also = members.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(parts) = also {
                parts.extend(all);
            }
        }
        with_wishes(place, copy)
    }

    /// That no branch of `oneOf` beside the one taken holds, if there are not too many, and if they
    /// are small: the complement of a large schema costs the algebra seconds.
    fn exclusion(&self, node: NodeId, taken: usize) -> Option<Value> {
        let edges = self.graph[node].edges().iter().enumerate();
        let others: Vec<&Edge> = edges
            .filter(|(number, edge)| {
                *number != taken
                    && matches!(edge.applicator(), Applicator::InPlace(InPlaceApplicator::OneOf(_)))
            })
            .map(|(_, edge)| edge)
            .collect();
        let size: usize = others.iter().map(|edge| self.size(edge.target())).sum();
        if !(1..=MOST_EXCLUDED).contains(&others.len()) || size > LARGEST_EXCLUDED {
            return None;
        }
        let others = others.iter().map(|edge| Canonicalizer::reference(edge.site()));
        Some(json!({ "not": { "anyOf": others.collect::<Vec<_>>() } }))
    }

    /// How many locations can be reached from `node`, as far as it matters.
    fn size(&self, node: NodeId) -> usize {
        let (mut seen, mut pending) = (BTreeSet::from([node]), vec![node]);
        while let Some(node) = pending.pop().filter(|_| seen.len() <= LARGEST_EXCLUDED) {
            let targets = self.graph[node].edges().iter().map(Edge::target);
            pending.extend(targets.filter(|target| seen.insert(*target)));
        }
        seen.len()
    }

    /// Where the part that `edge` leads to stands in the schema at `node`.
    fn inside(&self, node: NodeId, edge: &Edge) -> Option<String> {
        let start = self.graph[node].location().pointer().as_str();
        edge.site().pointer().as_str().strip_prefix(start).map(str::to_owned)
    }

    /// What is left of `if`, `then` and `else` once it is decided which way it goes.
    fn condition(&self, place: &Place, edge: &Edge, child: Option<Value>) -> Option<Value> {
        let holds = decided(place)?;
        let part = || child.unwrap_or_else(|| self.part(edge));
        match (edge.applicator(), holds) {
            (Applicator::InPlace(InPlaceApplicator::If | InPlaceApplicator::Then), true)
            | (Applicator::InPlace(InPlaceApplicator::Else), false) => Some(part()),
            (Applicator::InPlace(InPlaceApplicator::If), false) => {
                Some(json!({ "not": self.part(edge) }))
            }
            _ => None,
        }
    }

    /// The schema that `edge` leads to: as it is written, if that means the same everywhere. The
    /// conditions of a row are no place that can be referred to once the row is read as a whole.
    fn part(&self, edge: &Edge) -> Value {
        let written = self.document.at(edge.site());
        let written = written
            .filter(|schema| edge.applicator() == &Applicator::IF && !has_references(schema));
        written.cloned().unwrap_or_else(|| Canonicalizer::reference(edge.site()))
    }

    /// What is left of a conditional of `allOf` that what is given rules out.
    fn ruled_out(&self, place: &Place, edge: &Edge) -> Option<Value> {
        if place.given.is_empty()
            || !matches!(edge.applicator(), Applicator::InPlace(InPlaceApplicator::AllOf(_)))
        {
            return None;
        }
        let target = edge.target();
        let condition = value_condition(self.document, self.graph, target)?;
        let decided = place.given.get(condition.property)?;
        let is_alone =
            self.graph[target].edges().iter().all(|edge| edge.applicator().is_conditional());
        if !is_alone || condition.values.contains(decided) {
            return None;
        }
        let edges = self.graph[target].edges().iter();
        let mut otherwise = edges.filter(|edge| edge.applicator() == &Applicator::ELSE);
        let otherwise = otherwise.next().map(|edge| Canonicalizer::reference(edge.site()));
        Some(otherwise.unwrap_or_else(|| json!({})))
    }

    /// Requires the members of the place, each with the schema of its own place.
    fn members(&self, place: &Place, copy: &mut Value) {
        if place.members.is_empty() && place.lacking.is_empty() {
            return;
        }
        let mut required: Vec<Value> =
            copy.get("required").and_then(Value::as_array).cloned().unwrap_or_default();
        let mut properties =
            copy.get("properties").and_then(Value::as_object).cloned().unwrap_or_default();
        for (name, child) in &place.members {
            if !required.iter().any(|known| known == name) {
                required.push(json!(name));
            }
            properties.extend(child.map(|child| (name.clone(), self.place(child))));
        }
        for (name, value) in &place.given {
            let only = json!({ "enum": [value] });
            let narrow = match properties.remove(name) {
                Some(schema) => json!({ "allOf": [schema, only] }),
                None => only,
            };
            properties.insert(name.clone(), narrow);
        }
        for name in &place.lacking {
            properties.insert(name.clone(), json!({ "not": {} }));
        }
        if !required.is_empty() {
            copy["required"] = Value::Array(required);
        }
        if !properties.is_empty() {
            copy["properties"] = Value::Object(properties);
        }
    }

    /// Gives the items of the place the schemas of their own places.
    fn items(&self, place: &Place, copy: &mut Value) {
        let Some((last, _)) = place.items.last_key_value() else { return };
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
        for (position, child) in &place.items {
            prefix[*position] = self.place(*child);
        }
        copy[list] = Value::Array(prefix);
        if let Some(others) = others {
            copy[rest] = others;
        }
    }
}
