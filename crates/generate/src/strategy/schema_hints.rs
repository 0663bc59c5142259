//! What the schema says about a part of a value, as hints: which values are listed for it, and which
//! divisors its numbers have.
//!
//! A hint is no proof: all alternatives are read together. Hints only decide what is tried first and
//! which of two listed values is simpler; the oracle checks every candidate.

use foolproof_contract::{
    Applicator, Document, Graph, InPlaceApplicator, ItemApplicator, MemberApplicator, NodeId,
    json_equal,
};
use serde_json::Value;

use super::{number, path::PathSegment};
use crate::decimal::Decimal;

/// The nodes of the schemas that may apply to one part of a value.
pub(super) type SchemaNodes = Vec<NodeId>;

/// The hints of a contract.
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
        let mut nodes = SchemaNodes::new();
        self.enter(&mut nodes, self.graph.root());
        nodes
    }

    /// The nodes for the part one segment below.
    pub(super) fn step(&self, nodes: &SchemaNodes, segment: &PathSegment) -> SchemaNodes {
        let mut inside = SchemaNodes::new();
        for edge in nodes.iter().flat_map(|id| self.graph[*id].edges()) {
            if applies(edge.applicator(), segment) {
                self.enter(&mut inside, edge.target());
            }
        }
        inside
    }

    pub(super) fn at(&self, path: &[PathSegment]) -> SchemaNodes {
        path.iter().fold(self.root(), |nodes, segment| self.step(&nodes, segment))
    }

    /// The values listed by `enum` and `const`, in the order of the schema.
    pub(super) fn choices(&self, nodes: &SchemaNodes) -> Vec<&Value> {
        let mut choices: Vec<&Value> = Vec::new();
        for schema in self.schemas(nodes) {
            let listed = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
            for value in listed.chain(schema.get("const")) {
                if !choices.iter().any(|choice| json_equal(choice, value)) {
                    choices.push(value);
                }
            }
        }
        choices
    }

    /// The divisors in `multipleOf`.
    pub(super) fn divisors(&self, nodes: &SchemaNodes) -> Vec<Decimal> {
        let named = self.schemas(nodes).filter_map(|schema| schema.get("multipleOf"));
        named.filter_map(|value| number::read(value.as_number()?)).collect()
    }

    /// Whether `properties` declares the member of this name.
    pub(super) fn declares(&self, nodes: &SchemaNodes, name: &str) -> bool {
        let mut edges = nodes.iter().flat_map(|id| self.graph[*id].edges());
        edges.any(
            |edge| matches!(edge.applicator(), Applicator::Member(MemberApplicator::Property(property)) if property == name),
        )
    }

    fn schemas<'a>(&'a self, nodes: &SchemaNodes) -> impl Iterator<Item = &'a Value> {
        nodes.iter().filter_map(|id| {
            let location = self.graph[*id].location();
            let document = match location.resource() {
                None => self.document.value(),
                Some(uri) => self.document.resources().find(|(name, _)| *name == uri)?.1,
            };
            document.pointer(location.pointer().as_str())
        })
    }

    /// Adds a node, and those that apply to the same value.
    fn enter(&self, nodes: &mut SchemaNodes, id: NodeId) {
        let mut open = vec![id];
        while let Some(id) = open.pop() {
            if nodes.contains(&id) {
                continue;
            }
            nodes.push(id);
            let edges = self.graph[id].edges().iter().rev();
            open.extend(
                edges
                    .filter(|edge| applies_in_place(edge.applicator()))
                    .map(foolproof_contract::Edge::target),
            );
        }
    }
}

/// Whether the applicator applies its subschema to the same value, which then may satisfy it. The
/// subschemas of `if` and `not` need not be satisfied.
fn applies_in_place(applicator: &Applicator) -> bool {
    applicator.is_in_place()
        && !matches!(applicator, Applicator::InPlace(InPlaceApplicator::If) | Applicator::Not)
}

/// Whether the applicator may apply its subschema to the part at `segment`.
fn applies(applicator: &Applicator, segment: &PathSegment) -> bool {
    match (applicator, segment) {
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
        (Applicator::Item(ItemApplicator::Prefix(prefix)), PathSegment::Item(index)) => {
            prefix == index
        }
        (Applicator::Item(ItemApplicator::Rest { from }), PathSegment::Item(index)) => {
            from <= index
        }
        _ => false,
    }
}
