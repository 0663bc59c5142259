//! Why no value reaches a schema or takes an edge, as far as types, empty schemas and limits of size show it.

use std::collections::{BTreeSet, VecDeque};

use foolproof_contract::{
    Applicator, Diagnostic, DiagnosticCode, Edge, Graph, InPlaceApplicator, Location, Node, NodeId,
};

use super::Build;
use crate::Unreachable;

impl Build<'_> {
    /// Why no value reaches the schema at `id`; nothing if one may.
    pub(super) fn why_not_at(&self, id: NodeId) -> Option<Unreachable> {
        if !self.reach.at(id).is_empty() {
            return None;
        }
        let location = self.graph[id].location();
        if let Some(found) = self.diagnostic(location) {
            return Some(Unreachable::by_diagnostic(found));
        }
        if self.reach.admits_nothing(id) {
            let reason =
                format!("the types of what applies at `{location}` have no value in common");
            let why = Unreachable::new(reason, DiagnosticCode::TypeOrEnum);
            return Some(why.at([location.to_string()]));
        }
        Some(self.why_not_reached(id))
    }

    /// Why no value takes `edge`, nor another edge with the same site; nothing if one may.
    pub(super) fn why_not_along(
        &self,
        id: NodeId,
        node: &Node,
        edge: &Edge,
    ) -> Option<Unreachable> {
        if self.leads(id, node, edge) {
            return None;
        }
        Some(self.why_not_at(id).unwrap_or_else(|| self.why_not_taken(id, edge)))
    }

    /// Why no value at `id`, which values reach, takes `edge`.
    fn why_not_taken(&self, id: NodeId, edge: &Edge) -> Unreachable {
        let (site, target) = (edge.site(), self.graph[edge.target()].location());
        let here = self.graph[id].location();
        if let Some(keyword) = self.reach.limit(id, edge) {
            let reason = if keyword == "patternProperties" {
                format!("`{keyword}` at `{here}` matches every name")
            } else {
                format!("`{keyword}` at `{here}` leaves no room for it")
            };
            let code = match edge.applicator() {
                Applicator::Item(_) => DiagnosticCode::ArrayBounds,
                Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::InPlace(_)
                | Applicator::Not => DiagnosticCode::ObjectConstraints,
            };
            return Unreachable::new(reason, code).at([here.key(keyword).to_string()]);
        }
        if let Some(found) = self.diagnostic(site).or_else(|| self.diagnostic(target)) {
            return Unreachable::by_diagnostic(found);
        }
        let (reason, code) = match edge.applicator() {
            Applicator::InPlace(InPlaceApplicator::Then | InPlaceApplicator::Else) => (
                format!("the condition at `{here}` has only one outcome"),
                DiagnosticCode::Conditional,
            ),
            Applicator::Member(_)
            | Applicator::PropertyNames
            | Applicator::Item(_)
            | Applicator::InPlace(_)
            | Applicator::Not => (
                format!("`{here}` and `{target}` admit no common type of values"),
                DiagnosticCode::TypeOrEnum,
            ),
        };
        Unreachable::new(reason, code).at([here.to_string(), site.to_string()])
    }

    /// Why no value gets to the schema at `id`, which admits values: what blocks the way to it, looked for
    /// backwards from it.
    fn why_not_reached(&self, id: NodeId) -> Unreachable {
        let (mut seen, mut pending) = (BTreeSet::from([id]), VecDeque::from([id]));
        while let Some(behind) = pending.pop_front() {
            for (from, number) in self.incoming(behind) {
                if !self.reach.at(*from).is_empty() {
                    return self.why_not_taken(*from, &self.graph[*from].edges()[*number]);
                }
                if let Some(found) = self.diagnostic(self.graph[*from].location()) {
                    return Unreachable::by_diagnostic(found);
                }
                if seen.insert(*from) {
                    pending.push_back(*from);
                }
            }
        }
        Unreachable::new("nothing that a value can reach leads to it", DiagnosticCode::Conflict)
            .at([self.graph[id].location().to_string()])
    }

    /// The edges that lead to `id`, each by its start and its number there.
    pub(super) fn incoming(&self, id: NodeId) -> &[(NodeId, usize)] {
        &self.incoming.get_or_init(|| incoming_edges(self.graph))[id.index()]
    }

    /// The finding that the schema at `location` admits no value.
    fn diagnostic(&self, location: &Location) -> Option<&Diagnostic> {
        let is_own = location.resource().is_none();
        self.diagnostics.iter().find(|found| is_own && found.pointer() == location.pointer())
    }
}

/// For each node the edges that lead to it, but for `not`, each by its start and its number there.
pub(crate) fn incoming_edges(graph: &Graph) -> Vec<Vec<(NodeId, usize)>> {
    let mut incoming = vec![Vec::new(); graph.nodes().len()];
    for (from, node) in graph.iter() {
        let edges = node.edges().iter().enumerate();
        for (number, edge) in edges.filter(|(_, edge)| edge.applicator() != &Applicator::Not) {
            incoming[edge.target().index()].push((from, number));
        }
    }
    incoming
}
