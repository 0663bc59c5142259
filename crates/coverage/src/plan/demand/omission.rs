//! Demands without one of the keywords that they are made of.

use std::collections::BTreeSet;

use foolproof_contract::{NodeId, Pointer, asserts_nothing};
use serde_json::{Value, json};

use super::{
    super::{blueprint::Blueprint, blueprint_node::BlueprintNode},
    DemandBuilder, Demands, OtherBranches,
    schema::decided,
};

/// A keyword, or a schema of `allOf`, that a demand lacks.
#[derive(Clone, Debug)]
pub(crate) struct Omission {
    pub(crate) schema: NodeId,
    /// Where it is in the schema.
    pub(crate) pointer: Pointer,
}

impl Omission {
    pub(super) fn remove_from(&self, copy: &mut Value) {
        let path = self.pointer.as_str();
        match (path.matches('/').count(), copy) {
            (1, Value::Object(keywords)) => {
                keywords.retain(|keyword, _| Pointer::root().key(keyword) != self.pointer);
            }
            (_, copy) => {
                if let Some(part) = copy.pointer_mut(path) {
                    *part = json!({});
                }
            }
        }
    }

    /// Whether the part of the schema at `pointer` is omitted.
    pub(super) fn has(&self, pointer: Option<String>) -> bool {
        let pointer = pointer.and_then(|pointer| pointer.parse::<Pointer>().ok());
        pointer.is_some_and(|pointer| pointer.is_within(&self.pointer))
    }
}

impl Demands<'_> {
    /// The demand of `blueprint` without one keyword.
    pub(crate) fn without(&self, blueprint: &Blueprint, omitted: &Omission) -> Value {
        let Self { document, graph, has_resources } = *self;
        let (others, omitted) = (OtherBranches::Ignored, Some(omitted));
        DemandBuilder { blueprint, others, omitted, document, graph, has_resources }.node(0)
    }

    /// What the demand of `blueprint` can do without: the keywords that do not lead on to another of its nodes. Those
    /// of the last nodes come first.
    pub(crate) fn omissions(&self, blueprint: &Blueprint) -> Vec<Omission> {
        blueprint.nodes().iter().rev().flat_map(|node| self.omissions_at(node)).collect()
    }

    fn omissions_at(&self, node: &BlueprintNode) -> Vec<Omission> {
        let (schema, location) = (node.schema, self.graph[node.schema].location());
        let Some(Value::Object(written)) = self.document.at(location) else { return Vec::new() };
        if !self.document.is_written(location) {
            return Vec::new();
        }
        let start = location.pointer().as_str();
        let sites = node.in_place.keys().map(|edge| self.graph[schema].edges()[*edge].site());
        let sites = sites.filter_map(|site| site.pointer().as_str().strip_prefix(start));
        let taken: BTreeSet<Pointer> = sites.filter_map(|site| site.parse().ok()).collect();
        let is_open = |keyword: &str| {
            let is_decided = ["if", "then", "else"].contains(&keyword) && decided(node).is_some();
            !asserts_nothing(keyword) && !node.branches.contains_key(keyword) && !is_decided
        };
        let mut found = Vec::new();
        for (keyword, value) in written.iter().filter(|(keyword, _)| is_open(keyword)) {
            let whole = Pointer::root().key(keyword);
            match value.as_array().filter(|_| keyword == "allOf") {
                Some(parts) => found.extend((0..parts.len()).map(|index| whole.index(index))),
                None => found.push(whole),
            }
        }
        found.retain(|pointer| !taken.iter().any(|taken| taken.is_within(pointer)));
        found.into_iter().map(|pointer| Omission { schema, pointer }).collect()
    }
}
