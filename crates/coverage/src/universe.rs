//! Every target of a contract, and what to look for in values to see it hit.
//!
//! Targets come from the graph of the document: whatever a value can reach, through references,
//! branches, items and members of every kind, except below `not`. They are listed in the order of
//! the graph, so equal contracts have equal lists.

use std::collections::BTreeSet;

use foolproof_contract::{Canonicalizer, Document, Graph, NodeId, Pattern};

use crate::{Dimensions, Target};

mod bounds;
mod build;
mod members;
mod names;
mod presence;
mod reach;

pub(crate) use bounds::{Bound, Measured};
pub(crate) use build::is_standard;
use build::{Build, Built};
pub(crate) use members::Members;

/// The place of a target in its universe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct TargetIndex(u32);

impl TargetIndex {
    pub(crate) fn new(index: usize) -> Self {
        Self(u32::try_from(index).expect("a contract has fewer than 2^32 targets"))
    }

    /// Its place in [`Universe::targets`].
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
    targets: Vec<Target>,
    node_targets: Vec<NodeTargets>,
    graph: Graph,
    dimensions: Dimensions,
    /// How many enumerations are too long to have a target for each member.
    sampled: usize,
}

/// What to look for in a value that stands at one node.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTargets {
    /// That it stands there.
    pub(crate) here: Option<TargetIndex>,
    pub(crate) members: Option<Members>,
    pub(crate) bounds: Vec<Bound>,
    /// Properties that a closed object admits without declaring them.
    pub(crate) names: Vec<(String, TargetIndex)>,
    /// Edge by edge.
    pub(crate) edges: Vec<EdgeTargets>,
    /// The names of declared properties, for what is additional.
    pub(crate) declared: BTreeSet<String>,
    /// Whether there is a condition that nothing follows from.
    pub(crate) has_lone_condition: bool,
}

impl NodeTargets {
    /// Whether neither a name nor a pattern declares the property `name`.
    pub(crate) fn is_additional(&self, name: &str) -> bool {
        let is_patterned =
            |edge: &EdgeTargets| edge.pattern.as_ref().is_some_and(|pattern| pattern.matches(name));
        !self.declared.contains(name) && !self.edges.iter().any(is_patterned)
    }

    /// The targets that a value at the node itself may hit.
    pub(crate) fn own(&self) -> impl Iterator<Item = TargetIndex> {
        let members = self.members.iter().flat_map(Members::targets);
        let bounds = self.bounds.iter().map(|bound| bound.target);
        let names = self.names.iter().map(|(_, target)| *target);
        let edges = self.edges.iter().flat_map(|edge| [edge.taken, edge.passed]).flatten();
        self.here.into_iter().chain(members).chain(bounds).chain(names).chain(edges)
    }
}

/// What to look for in a value that goes along one edge.
#[derive(Clone, Debug, Default)]
pub(crate) struct EdgeTargets {
    /// That it goes there.
    pub(crate) taken: Option<TargetIndex>,
    /// That it does not.
    pub(crate) passed: Option<TargetIndex>,
    pub(crate) pattern: Option<Pattern>,
    /// Whether other edges are written at the same place: where a dynamic reference leads depends on
    /// the way to it.
    pub(crate) is_ambiguous: bool,
}

impl Universe {
    /// The targets of `document` in `dimensions`.
    #[must_use]
    pub fn of(document: &Document, forms: &mut Canonicalizer, dimensions: Dimensions) -> Self {
        let graph = forms.graph().clone();
        let Built { targets, node_targets, sampled } =
            Build::run(document, &graph, forms, dimensions);
        Self { targets, node_targets, graph, dimensions, sampled }
    }

    /// The targets, in the order of the graph.
    #[must_use]
    pub fn targets(&self) -> &[Target] {
        &self.targets
    }

    /// The name of the target at `place` of [`targets`](Self::targets).
    #[must_use]
    pub fn index_of(&self, place: usize) -> TargetIndex {
        TargetIndex::new(place)
    }

    /// The dimensions it was built for.
    #[must_use]
    pub fn dimensions(&self) -> Dimensions {
        self.dimensions
    }

    /// The graph of the contract.
    #[must_use]
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// How many enumerations have targets for a choice of their members only.
    #[must_use]
    pub fn sampled_enumerations(&self) -> usize {
        self.sampled
    }

    pub(crate) fn watch(&self, node: NodeId) -> &NodeTargets {
        &self.node_targets[node.index()]
    }

    /// Takes over what planning proved.
    pub(crate) fn set_unreachable(&mut self, target: TargetIndex) {
        self.targets[target.index()].set_unreachable();
    }
}

impl std::ops::Index<TargetIndex> for Universe {
    type Output = Target;

    fn index(&self, index: TargetIndex) -> &Target {
        &self.targets[index.index()]
    }
}
