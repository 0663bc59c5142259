//! Which schemas values can reach, judged by types, empty schemas and limits of size.
//!
//! Two passes over the graph. The first removes from each schema the types that none of its values
//! has. The second follows the remaining types from the root. Both keep too many types rather than
//! too few, so what is unreachable here is truly unreachable.

use std::collections::BTreeSet;

use foolproof_contract::{
    Applicator, Document, Draft, Edge, Graph, InPlaceApplicator, ItemApplicator, Location,
    MemberApplicator, Node, NodeId, Pointer, TypeSet, language::matches_every_text,
};
use serde_json::{Map, Value};

use super::bounds::whole;

/// The most rounds of the first pass. Each round removes only what is impossible, so stopping early is
/// sound; contradictions rarely pass more references than this.
const MAX_ROUNDS: usize = 8;

/// The types of the values that can reach each schema.
#[derive(Debug)]
pub(super) struct Reach<'a> {
    document: &'a Document,
    graph: &'a Graph,
    /// The pointers to schemas that are known to admit no value, references included.
    empty: BTreeSet<Pointer>,
    /// The nodes whose `patternProperties` match every name, so that no property is an additional one.
    without_additional: BTreeSet<NodeId>,
    /// The types of the values that satisfy each schema, whether or not they reach it.
    admitted: Vec<TypeSet>,
    /// The types of the values that reach each schema and satisfy it.
    reaching: Vec<TypeSet>,
}

impl<'a> Reach<'a> {
    /// `empty` are the pointers to schemas that are known to admit no value.
    pub(super) fn of(document: &'a Document, graph: &'a Graph, empty: BTreeSet<Pointer>) -> Self {
        let own = graph.nodes().iter().map(|node| own(document, node, &empty)).collect();
        let reaching = vec![TypeSet::NONE; graph.nodes().len()];
        let without_additional = graph.iter().filter(|(_, node)| matches_all(node));
        let without_additional = without_additional.map(|(id, _)| id).collect();
        let mut reach =
            Self { document, graph, empty, without_additional, admitted: own, reaching };
        reach.narrow();
        reach.follow();
        reach
    }

    fn narrow(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let mut has_changed = false;
            // Later nodes are mostly below earlier ones, so going backwards takes fewer rounds.
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

    /// The types that the other schemas admit that apply to every value of `node` in place.
    fn combined(&self, node: &Node) -> TypeSet {
        let admitted = |edge: &Edge| self.admitted[edge.target().index()];
        let mut types = TypeSet::ALL;
        let (mut any, mut one) = (None, None);
        for edge in node.edges() {
            match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                    let alternatives = twins(node, edge).map(admitted);
                    types = types & alternatives.fold(TypeSet::NONE, |left, right| left | right);
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
        let root = self.graph.root();
        if !self.empty.contains(&Pointer::root()) {
            let types = self.admitted[root.index()];
            self.arrive(root, types, &mut pending);
        }
        while let Some(id) = pending.pop() {
            for edge in self.graph[id].edges() {
                let types = self.along(id, edge);
                self.arrive(edge.target(), types, &mut pending);
            }
        }
    }

    fn arrive(&mut self, node: NodeId, types: TypeSet, pending: &mut Vec<NodeId>) {
        let before = self.reaching[node.index()];
        let now = before | types;
        if now != before {
            self.reaching[node.index()] = now;
            pending.push(node);
        }
    }

    /// The types of the values that reach `node`; none if no value does.
    pub(super) fn at(&self, node: NodeId) -> TypeSet {
        self.reaching[node.index()]
    }

    /// Whether no value satisfies the schema at `node`, wherever it is used.
    pub(super) fn admits_nothing(&self, node: NodeId) -> bool {
        self.admitted[node.index()].is_empty()
    }

    /// The keyword at `id` that leaves no room for a value that takes `edge`, if one does.
    pub(super) fn limit(&self, id: NodeId, edge: &Edge) -> Option<&'static str> {
        let is_additional = edge.applicator() == &Applicator::Member(MemberApplicator::Additional);
        if is_additional && self.without_additional.contains(&id) {
            return Some("patternProperties");
        }
        limit(self.document, &self.graph[id], edge)
    }

    /// The types of the values that take `edge` from `id` and satisfy the schema that it leads to.
    pub(super) fn along(&self, id: NodeId, edge: &Edge) -> TypeSet {
        let (here, admitted) = (self.at(id), self.admitted[edge.target().index()]);
        if here.is_empty() || self.limit(id, edge).is_some() || is_among(&self.empty, edge.site()) {
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

    /// Whether the condition of the schema at `id` holds for every value.
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

/// The edges with the same site as `edge`: only a dynamic reference leads to more than one schema.
pub(super) fn twins<'n>(node: &'n Node, edge: &'n Edge) -> impl Iterator<Item = &'n Edge> {
    node.edges().iter().filter(|other| is_twin(edge, other))
}

/// Whether two edges of a node have the same applicator and the same site.
pub(super) fn is_twin(edge: &Edge, other: &Edge) -> bool {
    other.applicator() == edge.applicator() && other.site() == edge.site()
}

fn is_among(pointers: &BTreeSet<Pointer>, location: &Location) -> bool {
    location.resource().is_none() && pointers.contains(location.pointer())
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

/// Whether `patternProperties` of a node that has `additionalProperties` too match every name.
fn matches_all(node: &Node) -> bool {
    let is_additional =
        |edge: &Edge| edge.applicator() == &Applicator::Member(MemberApplicator::Additional);
    let is_for_all = |edge: &Edge| matches!(edge.applicator(), Applicator::Member(MemberApplicator::Pattern(pattern)) if matches_every_text(pattern));
    node.edges().iter().any(is_additional) && node.edges().iter().any(is_for_all)
}

/// Whether a schema admits no property at all: none is declared, and no other is allowed.
fn admits_no_property(node: &Node, schema: &Map<String, Value>) -> bool {
    let is_member = |edge: &Edge| {
        matches!(
            edge.applicator(),
            Applicator::Member(MemberApplicator::Property(_) | MemberApplicator::Pattern(_))
        )
    };
    schema.get("additionalProperties") == Some(&Value::Bool(false))
        && !node.edges().iter().any(is_member)
}

/// The keyword that admits no value which `edge` applies to. If the document does not contain the text of the
/// schema, nothing is known.
fn limit(document: &Document, node: &Node, edge: &Edge) -> Option<&'static str> {
    let Some(Value::Object(schema)) = document.at(node.location()) else { return None };
    let below = |keyword: &'static str, count: usize| {
        let limit = schema.get(keyword).and_then(whole);
        limit.filter(|limit| *limit < count as u64).map(|_| keyword)
    };
    match edge.applicator() {
        Applicator::PropertyNames if admits_no_property(node, schema) => {
            Some("additionalProperties")
        }
        Applicator::Member(_)
        | Applicator::PropertyNames
        | Applicator::InPlace(InPlaceApplicator::DependentSchema(_)) => below("maxProperties", 1),
        Applicator::Item(ItemApplicator::Prefix(index)) => below("maxItems", index + 1),
        Applicator::Item(ItemApplicator::Rest { from }) => below("maxItems", from + 1),
        Applicator::Item(ItemApplicator::Unevaluated) => below("maxItems", 1),
        Applicator::Item(ItemApplicator::Contains) => {
            let is_counted = node.draft() >= Draft::Draft201909;
            let contained = || below("maxContains", 1).filter(|_| is_counted);
            below("maxItems", 1).or_else(contained)
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
        | Applicator::Not => None,
    }
}
