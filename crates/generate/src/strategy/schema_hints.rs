//! What the schema says about a place in a value, as hints: which values are listed there, and
//! which steps its numbers keep to.
//!
//! A hint is no proof: alternatives are all taken together. It only decides what is tried first and
//! which of two listed values is simpler; the oracle has the last word on every candidate.

use foolproof_contract::{
    Applicator, Document, Graph, InPlaceApplicator, ItemApplicator, MemberApplicator, NodeId,
    json_equal,
};
use serde_json::Value;

use super::{number, path::PathSegment};
use crate::decimal::Decimal;

/// The schema locations that may speak about one place in a value.
pub(super) type SchemaNodes = Vec<NodeId>;

/// The contract, as shrinking asks it.
#[derive(Debug)]
pub(super) struct SchemaHints {
    document: Document,
    graph: Graph,
}

impl SchemaHints {
    pub(super) fn new(document: &Document, graph: Graph) -> Self {
        Self { document: document.clone(), graph }
    }

    pub(super) fn root(&self) -> SchemaNodes {
        let mut place = SchemaNodes::new();
        if let Some(entry) = self.graph.entries().first() {
            self.enter(&mut place, entry.node());
        }
        place
    }

    /// The place one step further.
    pub(super) fn step(&self, place: &SchemaNodes, step: &PathSegment) -> SchemaNodes {
        let mut inside = SchemaNodes::new();
        for edge in place.iter().flat_map(|id| self.graph[*id].edges()) {
            if leads(edge.applicator(), step) {
                self.enter(&mut inside, edge.target());
            }
        }
        inside
    }

    pub(super) fn at(&self, path: &[PathSegment]) -> SchemaNodes {
        path.iter().fold(self.root(), |place, step| self.step(&place, step))
    }

    /// The values listed for a place by `enum` and `const`, in the order of the schema.
    pub(super) fn choices(&self, place: &SchemaNodes) -> Vec<&Value> {
        let mut choices: Vec<&Value> = Vec::new();
        for schema in self.schemas(place) {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            for value in listed.chain(schema.get("const")) {
                if !choices.iter().any(|choice| json_equal(choice, value)) {
                    choices.push(value);
                }
            }
        }
        choices
    }

    /// The divisors named for a place.
    pub(super) fn divisors(&self, place: &SchemaNodes) -> Vec<Decimal> {
        let named = self.schemas(place).filter_map(|schema| schema.get("multipleOf"));
        named.filter_map(|value| number::read(value.as_number()?)).collect()
    }

    /// Whether a place has a word of its own for the member of this name.
    pub(super) fn declares(&self, place: &SchemaNodes, name: &str) -> bool {
        let mut edges = place.iter().flat_map(|id| self.graph[*id].edges());
        edges.any(
            |edge| matches!(edge.applicator(), Applicator::Member(MemberApplicator::Property(property)) if property == name),
        )
    }

    fn schemas<'a>(&'a self, place: &SchemaNodes) -> impl Iterator<Item = &'a Value> {
        place.iter().filter_map(|id| {
            let location = self.graph[*id].location();
            let document = match location.resource() {
                None => self.document.value(),
                Some(uri) => self.document.resources().find(|(name, _)| *name == uri)?.1,
            };
            document.pointer(location.pointer().as_str())
        })
    }

    /// Adds a location, and those that speak about the same value.
    fn enter(&self, place: &mut SchemaNodes, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if place.contains(&id) {
                continue;
            }
            place.push(id);
            let edges = self.graph[id].edges().iter().rev();
            open.extend(
                edges
                    .filter(|edge| states(edge.applicator()))
                    .map(foolproof_contract::Edge::target),
            );
        }
    }
}

/// Whether the way stays on the value and what it leads to may hold for it. A condition and a
/// negation say what need not hold.
fn states(way: &Applicator) -> bool {
    way.is_in_place()
        && !matches!(way, Applicator::InPlace(InPlaceApplicator::If) | Applicator::Not)
}

fn leads(way: &Applicator, step: &PathSegment) -> bool {
    match (way, step) {
        (Applicator::Member(MemberApplicator::Property(name)), PathSegment::Member(member)) => {
            name == member
        }
        (
            Applicator::Member(
                MemberApplicator::Pattern(_)
                | MemberApplicator::Additional
                | MemberApplicator::Unevaluated,
            ),
            PathSegment::Member(_),
        )
        | (Applicator::Item(ItemApplicator::Unevaluated), PathSegment::Item(_)) => true,
        (Applicator::Item(ItemApplicator::Prefix(place)), PathSegment::Item(index)) => {
            place == index
        }
        (Applicator::Item(ItemApplicator::Rest { from }), PathSegment::Item(index)) => {
            from <= index
        }
        _ => false,
    }
}
