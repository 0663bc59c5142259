//! A cheap check that refuses values which certainly do not satisfy a schema.
//!
//! Only keywords that a value must satisfy by itself are read, so that a refusal is certain; what is not
//! refused may still be invalid. The branches of most unions differ in a type, a required name or a fixed
//! property, and there this check replaces the oracle.

use foolproof_contract::{
    Applicator, Document, Draft, Graph, JsonKind, JsonView, MemberApplicator, NodeId, TypeSet,
};
use serde_json::{Map, Value};

/// The prefilter of one schema: what a value must have.
#[derive(Clone, Debug)]
pub(super) struct Prefilter {
    types: TypeSet,
    listed: Option<Vec<Value>>,
    required: Vec<String>,
    /// Properties that have one of a few values if they are there.
    fixed: Vec<(String, Vec<Value>)>,
}

/// The most values of a property that are compared.
const FEW: usize = 8;

impl Prefilter {
    /// A prefilter that refuses nothing.
    pub(super) fn none() -> Self {
        Self { types: TypeSet::ALL, listed: None, required: Vec::new(), fixed: Vec::new() }
    }

    pub(super) fn of(document: &Document, graph: &Graph, id: NodeId) -> Self {
        let mut prefilter = Self::none();
        let Some(Value::Object(schema)) = document.at(graph[id].location()) else {
            return prefilter;
        };
        prefilter.types = TypeSet::declared(schema);
        prefilter.listed = listed(schema, graph[id].draft());
        if let Some(Value::Array(names)) = schema.get("required") {
            prefilter.required =
                names.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        }
        let edges = graph[id].edges();
        for edge in edges {
            let Applicator::Member(MemberApplicator::Property(name)) = edge.applicator() else {
                continue;
            };
            // Where a dynamic reference leads depends on the way.
            let is_sure =
                edges.iter().filter(|twin| twin.applicator() == edge.applicator()).count() == 1;
            let node = &graph[edge.target()];
            if let (true, Some(Value::Object(property))) = (is_sure, document.at(node.location()))
                && let Some(values) = listed(property, node.draft())
            {
                prefilter.fixed.push((name.clone(), values));
            }
        }
        prefilter
    }

    /// Whether `value` surely does not satisfy the schema.
    pub(super) fn refuses(&self, value: JsonView<'_>) -> bool {
        let is_among = |values: &[Value], value: JsonView<'_>| {
            values.iter().any(|one| value.equals(JsonView::from(one)))
        };
        if !self.types.overlaps(TypeSet::of(value)) {
            return true;
        }
        if self.listed.as_ref().is_some_and(|listed| !is_among(listed, value)) {
            return true;
        }
        let JsonKind::Object(members) = value.kind() else { return false };
        let is_other = |(name, values): &(String, Vec<Value>)| {
            members.get(name).is_some_and(|member| !is_among(values, member))
        };
        self.fixed.iter().any(is_other)
            || self.required.iter().any(|name| !members.contains_key(name))
    }
}

/// The values that `const` or a short `enum` admits.
fn listed(schema: &Map<String, Value>, draft: Draft) -> Option<Vec<Value>> {
    let single = schema.get("const").filter(|_| draft >= Draft::Draft6);
    let several = schema.get("enum").and_then(Value::as_array);
    match (single, several) {
        (Some(single), _) => Some(vec![single.clone()]),
        (None, Some(several)) if several.len() <= FEW => Some(several.clone()),
        (None, _) => None,
    }
}
