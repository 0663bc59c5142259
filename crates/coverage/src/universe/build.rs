//! Lists the targets of a graph, node by node.

use std::{cell::OnceCell, collections::BTreeSet};

use foolproof_contract::{
    Applicator, Canonicalizer, Diagnostic, DiagnosticCode, Document, Draft, Edge, Graph,
    InPlaceApplicator, Location, MemberApplicator, Node, NodeId, Pattern, TypeSet,
};
use serde_json::{Map, Value};

use super::{
    EdgeTargets, NodeTargets, OperationSide, TargetIndex, bounds, members, names,
    presence::Presence,
    reach::{Reach, is_twin, twins},
};
use crate::{ConditionalPath, Dimensions, Params, Target, TargetKind, Unreachable};

/// The state while a universe is built.
pub(super) struct Build<'a> {
    pub(super) document: &'a Document,
    pub(super) graph: &'a Graph,
    pub(super) forms: &'a mut Canonicalizer,
    pub(super) dimensions: Dimensions,
    pub(super) reach: Reach<'a>,
    /// The locations that admit no value.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// For each node the edges that lead to it, each by its start and its number there.
    pub(super) incoming: OnceCell<Vec<Vec<(NodeId, usize)>>>,
    /// Whether some reference may be dynamic.
    pub(super) is_dynamic: bool,
    is_standard: bool,
    targets: Vec<Target>,
    pub(super) sampled: usize,
    pub(super) unlisted_names: BTreeSet<String>,
    side: Option<OperationSide<'a>>,
}

/// The parts of a universe.
pub(super) struct Built {
    pub(super) targets: Vec<Target>,
    pub(super) node_targets: Vec<NodeTargets>,
    pub(super) sampled: usize,
    pub(super) unlisted_names: BTreeSet<String>,
    pub(super) covered: Option<TargetIndex>,
}

impl<'a> Build<'a> {
    pub(super) fn run(
        document: &'a Document,
        graph: &'a Graph,
        forms: &'a mut Canonicalizer,
        dimensions: Dimensions,
        side: Option<OperationSide<'a>>,
    ) -> Built {
        let diagnostics = forms.diagnose();
        let empty = diagnostics.iter().map(|found| found.pointer().clone()).collect();
        let mut build = Self {
            document,
            graph,
            forms,
            dimensions,
            reach: Reach::of(document, graph, empty),
            diagnostics,
            incoming: OnceCell::new(),
            is_dynamic: has_dynamic_references(document) || has_unknown_text(document, graph),
            is_standard: is_standard(document),
            targets: Vec::new(),
            sampled: 0,
            unlisted_names: BTreeSet::new(),
            side,
        };
        let covered = build.covered();
        let has_targets = observed(document, graph);
        let node_targets = |(id, node): (NodeId, &Node)| {
            if !has_targets[id.index()] {
                silent(node)
            } else if document.is_written(node.location()) {
                build.node(id, node)
            } else {
                build.added_node(id, node)
            }
        };
        let node_targets = graph.iter().map(node_targets).collect();
        let Self { targets, sampled, unlisted_names, .. } = build;
        Built { targets, node_targets, sampled, unlisted_names, covered }
    }

    /// The target of the side of an operation as a whole.
    fn covered(&mut self) -> Option<TargetIndex> {
        let side = self.side.filter(|side| side.counts)?;
        let why = self.why_not_at(self.graph.root());
        self.add(Target::of_operation(side.key, side.location, side.side), why)
    }

    /// The targets at a node that the user did not write. It has none of its own, but what it adds may
    /// stand for something in the user's document: an optional parameter for its use site, a union of the
    /// schemas that extend one for its discriminator.
    fn added_node(&mut self, id: NodeId, node: &Node) -> NodeTargets {
        let mut targets = silent(node);
        let document = self.document;
        for (number, edge) in node.edges().iter().enumerate() {
            let why = self.why_not_along(id, node, edge);
            let site = edge.site();
            targets.edges[number].taken = match edge.applicator() {
                Applicator::Member(MemberApplicator::Property(_)) => {
                    document.origin(site).and_then(|origin| {
                        let target = Target::new(TargetKind::PropertyPresent, origin, Params::None);
                        self.add(target, why)
                    })
                }
                Applicator::InPlace(InPlaceApplicator::AnyOf(index)) => {
                    let keyword = site.parent();
                    let origin = keyword.as_ref().and_then(|keyword| document.origin(keyword));
                    origin.and_then(|origin| {
                        let params = Params::Branch(*index);
                        let target = Target::new(TargetKind::OneOfBranch, origin, params);
                        self.add(target, why)
                    })
                }
                Applicator::Member(_)
                | Applicator::Item(_)
                | Applicator::PropertyNames
                | Applicator::InPlace(_)
                | Applicator::Not => None,
            };
        }
        targets
    }

    /// The target of a schema that several operations refer to, if the one at `location` is one.
    fn reused(&mut self, location: &Location) -> Option<TargetIndex> {
        self.side.filter(|side| side.reused.contains(location))?;
        let mut target = Target::new(TargetKind::SchemaReusedCovered, location, Params::None);
        target.set_deprecated();
        self.add(target, None)
    }

    /// Adds a target, if its dimension is enabled; `why` is why no value can hit it, if that is known.
    pub(super) fn add(
        &mut self,
        mut target: Target,
        why: Option<Unreachable>,
    ) -> Option<TargetIndex> {
        if !self.dimensions.contains(target.dimension()) {
            return None;
        }
        // In another dialect a keyword may have another meaning, so nothing is proven.
        if let Some(why) = why.filter(|_| self.is_standard) {
            target.set_unreachable(why);
        }
        self.targets.push(target);
        Some(TargetIndex::new(self.targets.len() - 1))
    }

    /// Whether a value may take `edge`, or another edge with the same site.
    pub(super) fn leads(&self, id: NodeId, node: &Node, edge: &Edge) -> bool {
        if !self.is_dynamic {
            return !self.reach.along(id, edge).is_empty();
        }
        twins(node, edge).any(|twin| !self.reach.along(id, twin).is_empty())
    }

    /// The first of the first `known` edges that has the same site as `edge`, if one has.
    fn first_twin(&self, node: &Node, edge: &Edge, known: usize) -> Option<usize> {
        let position = || node.edges()[..known].iter().position(|other| is_twin(edge, other));
        self.is_dynamic.then(position).flatten()
    }

    /// The targets at `node`.
    fn node(&mut self, id: NodeId, node: &Node) -> NodeTargets {
        let document = self.document;
        let location = node.location();
        let target = Target::new(TargetKind::SchemaNode, location, Params::None);
        let why = self.why_not_at(id);
        let reused = self.reused(location);
        let mut targets =
            NodeTargets { node: self.add(target, why), reused, ..NodeTargets::default() };
        let unknown = Map::new();
        // The document does not contain the text of a meta-schema: only its edges are known.
        let schema = match document.at(location) {
            Some(Value::Object(schema)) => schema,
            Some(_) => return targets,
            None => &unknown,
        };
        targets.has_lone_condition = node.draft() >= Draft::Draft201909
            && schema.contains_key("if")
            && !node.edges().iter().any(|edge| edge.applicator() == &Applicator::IF);
        let presence = Presence::of(self, id, node, schema, document.at(location).is_some());
        for edge in node.edges() {
            if let Applicator::Member(MemberApplicator::Property(name)) = edge.applicator() {
                targets.declared.insert(name.clone());
            }
            let edge_targets = match self.first_twin(node, edge, targets.edges.len()) {
                Some(first) => targets.edges[first].clone(),
                None => self.edge(id, node, edge, &presence),
            };
            targets.edges.push(edge_targets);
        }
        targets.names = names::undeclared(self, id, node, schema, &presence.required);
        let listed = members::listed(self, id, node, schema);
        targets.members = members::of(self, node, schema, listed.as_deref());
        targets.bounds = bounds::of(self, id, node, schema, listed.as_deref());
        targets
    }

    /// The targets of `edge`.
    fn edge(
        &mut self,
        id: NodeId,
        node: &Node,
        edge: &Edge,
        presence: &Presence<'_>,
    ) -> EdgeTargets {
        let why = self.why_not_along(id, node, edge);
        let is_ambiguous = self.is_dynamic && twins(node, edge).count() > 1;
        let mut targets = EdgeTargets { is_ambiguous, ..EdgeTargets::default() };
        match edge.applicator() {
            Applicator::Member(MemberApplicator::Property(name)) if presence.is_optional(name) => {
                let target = Target::new(TargetKind::PropertyPresent, edge.site(), Params::None);
                let why = why.or_else(|| presence.why_not(name, node.location()));
                targets.taken = self.add(target, why);
            }
            Applicator::Member(MemberApplicator::Pattern(pattern)) => {
                targets.pattern = Pattern::new(pattern);
            }
            Applicator::InPlace(InPlaceApplicator::AnyOf(index)) => {
                targets.taken = self.branch(edge, TargetKind::AnyOfBranch, *index, why);
            }
            Applicator::InPlace(InPlaceApplicator::OneOf(index)) => {
                targets.taken = self.branch(edge, TargetKind::OneOfBranch, *index, why);
            }
            Applicator::InPlace(InPlaceApplicator::If) => {
                let (then, or_else) = self.why_not_held_or_failed(id, node);
                targets.taken = self.condition(edge, ConditionalPath::Then, why.or(then));
                targets.not_taken = self.condition(edge, ConditionalPath::Else, or_else);
            }
            Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                let active = why
                    .or_else(|| presence.why_not(name, node.location()))
                    .or_else(|| self.why_not_present(id, node, name));
                let inactive = self.why_not_absent(id, node, name, presence);
                targets.taken = self.condition(edge, ConditionalPath::Active, active);
                targets.not_taken = self.condition(edge, ConditionalPath::Inactive, inactive);
            }
            Applicator::Member(
                MemberApplicator::Property(_)
                | MemberApplicator::Additional
                | MemberApplicator::Unevaluated,
            )
            | Applicator::PropertyNames
            | Applicator::Item(_)
            | Applicator::InPlace(
                InPlaceApplicator::AllOf(_)
                | InPlaceApplicator::Then
                | InPlaceApplicator::Else
                | InPlaceApplicator::Reference,
            )
            | Applicator::Not => {}
        }
        targets
    }

    /// Why the condition at `id` cannot hold, and why it cannot fail, for any value: judged by the condition
    /// itself and by what `then` and `else` admit.
    fn why_not_held_or_failed(
        &self,
        id: NodeId,
        node: &Node,
    ) -> (Option<Unreachable>, Option<Unreachable>) {
        let why_not = |step: &Applicator| {
            let mut edges = node.edges().iter().filter(|edge| edge.applicator() == step);
            let first = edges.next()?;
            let mut all = std::iter::once(first).chain(edges);
            let leads = all.any(|edge| !self.reach.along(id, edge).is_empty());
            if leads { None } else { self.why_not_along(id, node, first) }
        };
        let always = self.reach.always_holds(id).then(|| {
            let reason = "the condition holds for every value";
            let place = node.location().key("if").to_string();
            Unreachable::new(reason, DiagnosticCode::Conditional).at([place])
        });
        let or_else = self.why_not_at(id).or(always).or_else(|| why_not(&Applicator::ELSE));
        (why_not(&Applicator::THEN), or_else)
    }

    /// Why the schema of the property `name` admits no value; it does if nothing declares it.
    fn why_not_present(&self, id: NodeId, node: &Node, name: &str) -> Option<Unreachable> {
        let is_declaration = |edge: &&Edge| matches!(edge.applicator(), Applicator::Member(MemberApplicator::Property(declared)) if declared == name);
        let declaration = node.edges().iter().find(is_declaration)?;
        self.why_not_along(id, node, declaration)
    }

    /// Why no object at `id` lacks the property `name`.
    fn why_not_absent(
        &self,
        id: NodeId,
        node: &Node,
        name: &str,
        presence: &Presence<'_>,
    ) -> Option<Unreachable> {
        let here = node.location();
        if let Some(why) = self.why_not_at(id) {
            return Some(why);
        }
        if !self.reach.at(id).overlaps(TypeSet::OBJECT) {
            let reason = format!("no value at `{here}` is an object");
            let why = Unreachable::new(reason, DiagnosticCode::TypeOrEnum);
            return Some(why.at([here.to_string()]));
        }
        presence.required.contains(name).then(|| {
            let reason = format!("the property is required at `{here}`");
            let place = here.key("required").to_string();
            Unreachable::new(reason, DiagnosticCode::Dependencies).at([place])
        })
    }

    fn branch(
        &mut self,
        edge: &Edge,
        kind: TargetKind,
        index: usize,
        why: Option<Unreachable>,
    ) -> Option<TargetIndex> {
        // The location of the target is that of the keyword; the index of the branch is a parameter.
        let keyword = edge.site().parent().unwrap_or_else(|| edge.site().clone());
        self.add(Target::new(kind, &keyword, Params::Branch(index)), why)
    }

    fn condition(
        &mut self,
        edge: &Edge,
        path: ConditionalPath,
        why: Option<Unreachable>,
    ) -> Option<TargetIndex> {
        let target = Target::new(TargetKind::ConditionalPath, edge.site(), Params::Path(path));
        self.add(target, why)
    }
}

/// A node without targets. A value may still pass it.
fn silent(node: &Node) -> NodeTargets {
    let mut targets = NodeTargets::default();
    for edge in node.edges() {
        let mut edge_targets = EdgeTargets::default();
        if let Applicator::Member(MemberApplicator::Property(name)) = edge.applicator() {
            targets.declared.insert(name.clone());
        } else if let Applicator::Member(MemberApplicator::Pattern(pattern)) = edge.applicator() {
            edge_targets.pattern = Pattern::new(pattern);
        }
        targets.edges.push(edge_targets);
    }
    targets
}

/// For each node, whether it has targets: it can be reached without passing a `not`, or a part of an API
/// that is not observed.
fn observed(document: &Document, graph: &Graph) -> Vec<bool> {
    let mut outside = vec![false; graph.nodes().len()];
    let mut pending = Vec::new();
    if document.is_observed(&Location::root()) {
        pending.push(graph.root());
    }
    while let Some(id) = pending.pop() {
        if !std::mem::replace(&mut outside[id.index()], true) {
            let is_observed = |edge: &&Edge| {
                edge.applicator() != &Applicator::Not && document.is_observed(edge.site())
            };
            pending.extend(graph[id].edges().iter().filter(is_observed).map(Edge::target));
        }
    }
    outside
}

/// Whether a schema is reached whose text the document does not contain: a meta-schema, which may have
/// dynamic references.
fn has_unknown_text(document: &Document, graph: &Graph) -> bool {
    graph.nodes().iter().any(|node| document.at(node.location()).is_none())
}

/// Whether the meaning of a schema may depend on the schemas that were passed before it.
pub(crate) fn has_dynamic_references(document: &Document) -> bool {
    let mut pending: Vec<&Value> = vec![document.value()];
    pending.extend(document.resources().map(|(_, value)| value));
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if ["$dynamicRef", "$recursiveRef"].iter().any(|key| members.contains_key(*key)) {
                    return true;
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}

/// Whether every dialect that the documents name is one of the drafts. Another dialect may not have
/// the keywords that proofs about types, limits and required names depend on. Only a schema resource
/// names its dialect.
pub(crate) fn is_standard(document: &Document) -> bool {
    let names_other = |schema: &Value| match schema.get("$schema") {
        Some(Value::String(uri)) => Draft::from_uri(uri).is_none(),
        _ => false,
    };
    let mut pending: Vec<&Value> = vec![document.value()];
    pending.extend(document.resources().map(|(_, value)| value));
    if pending.iter().any(|root| names_other(root)) {
        return false;
    }
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                let is_resource = ["$id", "id"].iter().any(|key| members.contains_key(*key));
                if is_resource && names_other(value) {
                    return false;
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    true
}
