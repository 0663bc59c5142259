//! Where values can get to, as far as types, empty schemas and limits of size tell.
//!
//! Two passes over the graph. The first takes types away from each schema that no value of it has;
//! the second follows the rest from the entries. Both keep too much rather than too little, so what
//! is out of reach here is out of reach.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, Document, Draft, Edge, Graph, InPlaceApplicator, ItemApplicator, Location, Node,
    NodeId, Pointer, TypeSet,
};
use serde_json::{Map, Value};

use super::bounds::whole;

/// How often the first pass goes over the graph at most. Each round removes only what is impossible,
/// so that stopping early is sound; contradictions are rarely more references deep.
const ROUNDS: usize = 8;

/// What can stand where.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    document: &'a Document,
    graph: &'a Graph,
    /// The places that are known to admit no value, references included.
    empty: BTreeSet<Pointer>,
    /// The types of the values that satisfy each schema, wherever they stand.
    admitted: Vec<TypeSet>,
    /// The types of the values that get there and satisfy it.
    here: Vec<TypeSet>,
}

impl<'a> Reach<'a> {
    /// `empty` are the places that are known to admit no value.
    pub(super) fn of(document: &'a Document, graph: &'a Graph, empty: BTreeSet<Pointer>) -> Self {
        let own = graph.nodes().iter().map(|node| own(document, node, &empty)).collect();
        let here = vec![TypeSet::NONE; graph.nodes().len()];
        let mut reach = Self { document, graph, empty, admitted: own, here };
        reach.narrow();
        reach.follow();
        reach
    }

    fn narrow(&mut self) {
        for _ in 0..ROUNDS {
            let mut has_changed = false;
            // What comes later in the graph is mostly below, so it is looked at first.
            for (index, node) in self.graph.nodes().iter().enumerate().rev() {
                let before = self.admitted[index];
                self.admitted[index] = before & self.combined(node);
                has_changed |= before != self.admitted[index];
            }
            if !has_changed {
                return;
            }
        }
    }

    /// The types that the schemas which a value of `node` must satisfy as well leave it.
    fn combined(&self, node: &Node) -> TypeSet {
        let admitted = |edge: &Edge| self.admitted[edge.target().index()];
        let mut types = TypeSet::ALL;
        let (mut any, mut one) = (None, None);
        for edge in node.edges() {
            match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                    let ways = twins(node, edge).map(admitted);
                    types = types & ways.fold(TypeSet::NONE, |left, right| left | right);
                }
                Applicator::InPlace(InPlaceApplicator::AnyOf(_)) => {
                    any = Some(any.unwrap_or(TypeSet::NONE) | admitted(edge));
                }
                Applicator::InPlace(InPlaceApplicator::OneOf(_)) => {
                    one = Some(one.unwrap_or(TypeSet::NONE) | admitted(edge));
                }
                Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::InPlace(
                    InPlaceApplicator::If
                    | InPlaceApplicator::Then
                    | InPlaceApplicator::Else
                    | InPlaceApplicator::DependentSchema(_),
                )
                | Applicator::Not => {}
            }
        }
        types & any.unwrap_or(TypeSet::ALL) & one.unwrap_or(TypeSet::ALL)
    }

    fn follow(&mut self) {
        let mut pending: Vec<NodeId> = Vec::new();
        for entry in self.graph.entries() {
            if !is_among(&self.empty, entry.site()) {
                let types = self.admitted[entry.node().index()];
                self.arrive(entry.node(), types, &mut pending);
            }
        }
        while let Some(id) = pending.pop() {
            for edge in self.graph[id].edges() {
                let types = self.along(id, edge);
                self.arrive(edge.target(), types, &mut pending);
            }
        }
    }

    fn arrive(&mut self, node: NodeId, types: TypeSet, pending: &mut Vec<NodeId>) {
        let before = self.here[node.index()];
        let now = before | types;
        if now != before {
            self.here[node.index()] = now;
            pending.push(node);
        }
    }

    /// The types of the values that stand at `node`; none if no value does.
    pub(super) fn at(&self, node: NodeId) -> TypeSet {
        self.here[node.index()]
    }

    /// The types of the values that get from `node` along `edge` and satisfy what is there.
    pub(super) fn along(&self, id: NodeId, edge: &Edge) -> TypeSet {
        let (here, admitted) = (self.at(id), self.admitted[edge.target().index()]);
        let node = &self.graph[id];
        // Of a schema whose text is not at hand, no limit is known.
        let has_room = match self.document.at(node.location()) {
            Some(Value::Object(schema)) => has_room(schema, node.draft(), edge.applicator()),
            _ => true,
        };
        if here.is_empty() || !has_room || is_among(&self.empty, edge.site()) {
            return TypeSet::NONE;
        }
        let inside = |container: TypeSet, types: TypeSet| {
            if here.overlaps(container) { types } else { TypeSet::NONE }
        };
        match edge.applicator() {
            Applicator::Member(_) => inside(TypeSet::OBJECT, admitted),
            Applicator::PropertyNames => inside(TypeSet::OBJECT, admitted & TypeSet::STRING),
            Applicator::Item(_) => inside(TypeSet::ARRAY, admitted),
            Applicator::InPlace(applicator) => here & admitted & self.applied_to(id, applicator),
            Applicator::Not => TypeSet::NONE,
        }
    }

    /// The types of the values at `id` that an applicator may apply its schema to.
    fn applied_to(&self, id: NodeId, applicator: &InPlaceApplicator) -> TypeSet {
        match applicator {
            InPlaceApplicator::Then => self.holding(id),
            InPlaceApplicator::Else if self.always_holds(id) => TypeSet::NONE,
            InPlaceApplicator::DependentSchema(_) => TypeSet::OBJECT,
            InPlaceApplicator::AllOf(_)
            | InPlaceApplicator::AnyOf(_)
            | InPlaceApplicator::OneOf(_)
            | InPlaceApplicator::If
            | InPlaceApplicator::Else
            | InPlaceApplicator::Reference => TypeSet::ALL,
        }
    }

    /// The types of the values at `id` that its condition may hold for.
    fn holding(&self, id: NodeId) -> TypeSet {
        let conditions =
            self.graph[id].edges().iter().filter(|edge| edge.applicator() == &Applicator::IF);
        conditions.map(|edge| self.along(id, edge)).fold(TypeSet::NONE, |left, right| left | right)
    }

    /// Whether the condition of the schema at `id` lets every value pass.
    pub(super) fn always_holds(&self, id: NodeId) -> bool {
        let mut conditions =
            self.graph[id].edges().iter().filter(|edge| edge.applicator() == &Applicator::IF);
        conditions.any(|edge| match self.document.at(self.graph[edge.target()].location()) {
            Some(Value::Bool(holds)) => *holds,
            Some(Value::Object(schema)) => schema.is_empty(),
            _ => false,
        })
    }
}

/// The edges that are written at the same place as `edge`: only a dynamic reference leads more than
/// one way.
pub(super) fn twins<'n>(node: &'n Node, edge: &'n Edge) -> impl Iterator<Item = &'n Edge> {
    let is_twin =
        |other: &&Edge| other.applicator() == edge.applicator() && other.site() == edge.site();
    node.edges().iter().filter(is_twin)
}

fn is_among(places: &BTreeSet<Pointer>, location: &Location) -> bool {
    location.resource().is_none() && places.contains(location.pointer())
}

/// The types that the schema of `node` admits by itself.
fn own(document: &Document, node: &Node, empty: &BTreeSet<Pointer>) -> TypeSet {
    if is_among(empty, node.location()) {
        return TypeSet::NONE;
    }
    match document.at(node.location()) {
        Some(Value::Bool(false)) => TypeSet::NONE,
        Some(Value::Object(schema)) => {
            let members = schema.get("enum").and_then(Value::as_array);
            let single = schema.get("const").filter(|_| node.draft() >= Draft::Draft6);
            TypeSet::declared(schema)
                & members.map_or(TypeSet::ALL, TypeSet::of_all)
                & single.map_or(TypeSet::ALL, TypeSet::of)
        }
        _ => TypeSet::ALL,
    }
}

/// Whether the limits of size leave room for a value that takes `step`.
fn has_room(schema: &Map<String, Value>, draft: Draft, step: &Applicator) -> bool {
    let admits = |keyword: &str, count: usize| {
        let limit = schema.get(keyword).and_then(whole);
        limit.is_none_or(|limit| limit >= count as u64)
    };
    match step {
        Applicator::Member(_)
        | Applicator::PropertyNames
        | Applicator::InPlace(InPlaceApplicator::DependentSchema(_)) => admits("maxProperties", 1),
        Applicator::Item(ItemApplicator::Prefix(index)) => admits("maxItems", index + 1),
        Applicator::Item(ItemApplicator::Rest { from }) => admits("maxItems", from + 1),
        Applicator::Item(ItemApplicator::Unevaluated) => admits("maxItems", 1),
        Applicator::Item(ItemApplicator::Contains) => {
            let is_counted = draft >= Draft::Draft201909;
            admits("maxItems", 1) && (!is_counted || admits("maxContains", 1))
        }
        Applicator::InPlace(
            InPlaceApplicator::AllOf(_)
            | InPlaceApplicator::AnyOf(_)
            | InPlaceApplicator::OneOf(_)
            | InPlaceApplicator::If
            | InPlaceApplicator::Then
            | InPlaceApplicator::Else
            | InPlaceApplicator::Reference,
        )
        | Applicator::Not => true,
    }
}
