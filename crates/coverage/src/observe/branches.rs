//! Decides which branches a value takes: which of the optional schemas at a node it satisfies.

use std::sync::{Arc, OnceLock};

use foolproof_contract::{
    Applicator, Document, FormatPolicy, InPlaceApplicator, ItemApplicator, JsonView, NodeId,
    Oracle, with_large_stack,
};

use super::prefilter::Prefilter;
use crate::{Universe, universe::is_standard};

/// Decides which edges values take from the nodes where they have a choice.
#[derive(Debug)]
pub(super) struct Branches {
    universe: Arc<Universe>,
    document: Document,
    formats: FormatPolicy,
    /// Whether keywords mean what the drafts say, so that prefilters can be trusted.
    is_standard: bool,
    nodes: Vec<OnceLock<Choices>>,
}

/// The choices at one node; each list is by edge.
#[derive(Debug)]
struct Choices {
    prefilters: Vec<Option<Prefilter>>,
    any_of: Vec<usize>,
    one_of: Vec<usize>,
    /// Compiled when the first value needs one: all at once, since compiling one reads the whole
    /// document.
    oracles: OnceLock<Vec<Option<Oracle>>>,
}

impl Branches {
    pub(super) fn new(universe: Arc<Universe>, document: Document, formats: FormatPolicy) -> Self {
        let nodes = universe.graph().nodes().len();
        let nodes = std::iter::repeat_with(OnceLock::new).take(nodes).collect();
        let is_standard = is_standard(&document);
        Self { universe, document, formats, is_standard, nodes }
    }

    /// The contract.
    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// Whether formats constrain.
    pub(super) fn formats(&self) -> FormatPolicy {
        self.formats
    }

    /// The edges that are branches of `anyOf` at `node`, then those of `oneOf`.
    pub(super) fn unions(&self, node: NodeId) -> [&[usize]; 2] {
        let choices = self.choices(node);
        [&choices.any_of, &choices.one_of]
    }

    /// Whether a quick check shows that `value` does not satisfy the schema that edge number `edge`
    /// of `node` leads to.
    pub(super) fn refuse(&self, node: NodeId, edge: usize, value: JsonView<'_>) -> bool {
        self.choices(node).prefilters[edge]
            .as_ref()
            .is_some_and(|prefilter| prefilter.refuses(value))
    }

    /// Whether `value` satisfies the schema that edge number `edge` of `node` leads to. A schema whose
    /// oracle does not compile counts as not satisfied: a hit is never a guess.
    pub(super) fn admits(&self, node: NodeId, edge: usize, value: JsonView<'_>) -> bool {
        !self.refuse(node, edge, value) && self.is_valid(node, edge, value)
    }

    /// The same for a value that the quick check does not refuse.
    pub(super) fn is_valid(&self, node: NodeId, edge: usize, value: JsonView<'_>) -> bool {
        let choices = self.choices(node);
        let compile = || with_large_stack(|| self.oracles(node, choices));
        let oracles = choices.oracles.get_or_init(compile);
        oracles[edge].as_ref().is_some_and(|oracle| oracle.is_valid(value))
    }

    fn choices(&self, node: NodeId) -> &Choices {
        self.nodes[node.index()].get_or_init(|| {
            let graph = self.universe.graph();
            let edges = graph[node].edges();
            let edge_targets = &self.universe.node_targets(node).edges;
            let signs_of = |target| {
                let is_known =
                    self.is_standard.then(|| Prefilter::of(&self.document, graph, target));
                is_known.unwrap_or_else(Prefilter::none)
            };
            let prefilters = edges.iter().zip(edge_targets).map(|(edge, targets)| {
                let needs_check = is_choice(edge.applicator()) || targets.is_ambiguous;
                needs_check.then(|| signs_of(edge.target()))
            });
            let those = |is_one: fn(&Applicator) -> bool| {
                (0..edges.len()).filter(|&edge| is_one(edges[edge].applicator())).collect()
            };
            Choices {
                prefilters: prefilters.collect(),
                any_of: those(|step| {
                    matches!(step, Applicator::InPlace(InPlaceApplicator::AnyOf(_)))
                }),
                one_of: those(|step| {
                    matches!(step, Applicator::InPlace(InPlaceApplicator::OneOf(_)))
                }),
                oracles: OnceLock::new(),
            }
        })
    }

    fn oracles(&self, node: NodeId, choices: &Choices) -> Vec<Option<Oracle>> {
        let graph = self.universe.graph();
        let edges = graph[node].edges();
        let needed: Vec<usize> =
            (0..edges.len()).filter(|&edge| choices.prefilters[edge].is_some()).collect();
        let locations = needed.iter().map(|&edge| graph[edges[edge].target()].location());
        let compiled = Oracle::all_located(&self.document, locations, self.formats);
        let mut oracles = vec![None; edges.len()];
        for (edge, oracle) in needed.into_iter().zip(compiled.into_iter().flatten()) {
            oracles[edge] = oracle.ok();
        }
        oracles
    }
}

/// Whether only an oracle can decide if the applicator applies its schema to a valid value.
fn is_choice(step: &Applicator) -> bool {
    match step {
        Applicator::Item(ItemApplicator::Contains | ItemApplicator::Unevaluated)
        | Applicator::InPlace(
            InPlaceApplicator::AnyOf(_) | InPlaceApplicator::OneOf(_) | InPlaceApplicator::If,
        ) => true,
        Applicator::Member(_)
        | Applicator::PropertyNames
        | Applicator::Item(ItemApplicator::Prefix(_) | ItemApplicator::Rest { .. })
        | Applicator::InPlace(
            InPlaceApplicator::AllOf(_)
            | InPlaceApplicator::Then
            | InPlaceApplicator::Else
            | InPlaceApplicator::DependentSchema(_)
            | InPlaceApplicator::Reference,
        )
        | Applicator::Not => false,
    }
}
