//! Every target of a contract, and how to decide whether a value hits it.
//!
//! Targets come from the graph of the document: whatever a value can reach, through references,
//! branches, items and members of every kind, except below `not`. They are listed in the order of
//! the graph, so equal contracts have equal lists.

use std::{collections::BTreeSet, sync::Arc};

use foolproof_contract::{
    Canonicalizer, Document, Graph, Location, NodeId, Pattern, openapi::Side,
};

use crate::{Dimensions, Target, TargetSet, Unreachable};

mod bounds;
mod build;
mod domain;
mod members;
mod names;
mod presence;
mod reach;
mod reasons;

pub(crate) use bounds::{Bound, Measured};
use build::{Build, Built};
pub(crate) use build::{has_dynamic_references, is_standard};
pub(crate) use members::Members;
pub(crate) use names::MAX_NAMES;
pub(crate) use reasons::incoming_edges;

/// The index of a target in its universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetIndex(u32);

impl TargetIndex {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a contract has fewer than 2^32 targets"))
    }

    /// Its index in [`Universe::targets`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Every target of a contract.
///
/// ```
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy};
/// use foolproof_coverage::{Dimensions, Target, Universe};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "type": "object", "properties": { "size": { "enum": ["S", "L"] } }
/// }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let universe = Universe::of(&document, &mut forms, Dimensions::all());
/// let ids: Vec<&str> = universe.targets().iter().map(Target::id).collect();
/// assert_eq!(ids, [
///     "struct:#", "prop:#/properties/size:present", "struct:#/properties/size",
///     "enum:#/properties/size:0", "enum:#/properties/size:1",
/// ]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Universe {
    set: TargetSet,
    node_targets: Arc<[NodeTargets]>,
    graph: Graph,
    /// That there is a value at all: a request or a response of an operation.
    covered: Option<TargetIndex>,
}

/// The side of an operation that a universe is of.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OperationSide<'a> {
    /// The key of the operation.
    pub(crate) key: &'a str,
    /// Where the operation is written.
    pub(crate) location: &'a Location,
    pub(crate) side: Side,
    /// Whether the side counts as covered once there is a value.
    pub(crate) counts: bool,
    /// The schemas that several operations refer to.
    pub(crate) reused: &'a BTreeSet<Location>,
}

/// The targets at one node of the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTargets {
    /// That a value is validated against the schema.
    pub(crate) node: Option<TargetIndex>,
    /// The same for a schema that several operations refer to.
    pub(crate) reused: Option<TargetIndex>,
    pub(crate) members: Option<Members>,
    pub(crate) bounds: Vec<Bound>,
    /// Properties that a closed object admits without declaring them.
    pub(crate) names: Vec<(String, TargetIndex)>,
    /// The targets of each edge of the node.
    pub(crate) edges: Vec<EdgeTargets>,
    /// The names in `properties`: they decide which properties are additional.
    pub(crate) declared: BTreeSet<String>,
    /// Whether there is an `if` without `then` and `else`.
    pub(crate) has_lone_condition: bool,
}

impl NodeTargets {
    /// Whether the property `name` is additional: neither `properties` nor `patternProperties` has it.
    pub(crate) fn is_additional(&self, name: &str) -> bool {
        let is_patterned =
            |edge: &EdgeTargets| edge.pattern.as_ref().is_some_and(|pattern| pattern.matches(name));
        !self.declared.contains(name) && !self.edges.iter().any(is_patterned)
    }

    /// All of them.
    pub(crate) fn all(&self) -> impl Iterator<Item = TargetIndex> {
        let members = self.members.iter().flat_map(Members::targets);
        let bounds = self.bounds.iter().map(|bound| bound.target);
        let names = self.names.iter().map(|(_, target)| *target);
        let edges = self.edges.iter().flat_map(|edge| [edge.taken, edge.not_taken]).flatten();
        self.node
            .into_iter()
            .chain(self.reused)
            .chain(members)
            .chain(bounds)
            .chain(names)
            .chain(edges)
    }
}

/// The targets of one edge of the graph.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeTargets {
    /// That a value takes the edge.
    pub(crate) taken: Option<TargetIndex>,
    /// That a value does not take the edge.
    pub(crate) not_taken: Option<TargetIndex>,
    pub(crate) pattern: Option<Pattern>,
    /// Whether other edges have the same site: where a dynamic reference leads depends on the schemas
    /// that were passed before it.
    pub(crate) is_ambiguous: bool,
}

impl Universe {
    /// The targets of `document` in `dimensions`.
    #[must_use]
    pub fn of(document: &Document, forms: &mut Canonicalizer, dimensions: Dimensions) -> Self {
        Self::build(document, forms, dimensions, None)
    }

    /// The targets of one side of an operation, whose entry is `document`.
    pub(crate) fn of_side(
        document: &Document,
        forms: &mut Canonicalizer,
        dimensions: Dimensions,
        side: OperationSide<'_>,
    ) -> Self {
        Self::build(document, forms, dimensions, Some(side))
    }

    /// The targets of `document` in all dimensions.
    pub(crate) fn whole(
        document: &Document,
        forms: &mut Canonicalizer,
        side: Option<OperationSide<'_>>,
    ) -> Self {
        Self::build(document, forms, Dimensions::all(), side)
    }

    fn build(
        document: &Document,
        forms: &mut Canonicalizer,
        dimensions: Dimensions,
        side: Option<OperationSide<'_>>,
    ) -> Self {
        let graph = forms.graph().clone();
        let Built { targets, node_targets, sampled, unlisted_names, covered } =
            Build::run(document, &graph, forms, dimensions, side);
        let set = TargetSet::new(targets, dimensions, sampled).unlisting(unlisted_names);
        Self { set, node_targets: node_targets.into(), graph, covered }
    }

    /// The target that every value hits: that the operation has a request or a response.
    pub(crate) fn covered(&self) -> Option<TargetIndex> {
        self.covered
    }

    /// The targets, in the order of the graph.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        self.set.targets()
    }

    /// The targets without the graph that they are in.
    #[must_use]
    pub fn target_set(&self) -> &TargetSet {
        &self.set
    }

    /// The typed index of the target at `index` of [`targets`](Self::targets).
    #[must_use]
    pub fn index_of(&self, index: usize) -> TargetIndex {
        TargetIndex::new(index)
    }

    /// The indices of all targets, in their order.
    pub(crate) fn indices(&self) -> impl Iterator<Item = TargetIndex> + use<> {
        self.set.indices()
    }

    /// The dimensions it was built for.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        self.set.dimensions()
    }

    /// The graph of the contract.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How many enumerations have targets for a sample of their members only.
    #[must_use]
    pub fn sampled_enumerations(&self) -> usize {
        self.set.sampled_enumerations()
    }

    pub(crate) fn node_targets(&self, node: NodeId) -> &NodeTargets {
        &self.node_targets[node.index()]
    }

    /// Records why no value can hit `target`.
    pub(crate) fn set_unreachable(&mut self, target: TargetIndex, why: Unreachable) {
        self.set.set_unreachable(target, why);
    }
}

impl std::ops::Index<TargetIndex> for Universe {
    type Output = Target;

    fn index(&self, index: TargetIndex) -> &Target {
        &self.set[index]
    }
}
