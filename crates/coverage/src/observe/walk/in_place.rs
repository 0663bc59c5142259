//! From one schema to others that apply to the same value.

use foolproof_contract::{Applicator, Edge, InPlaceApplicator, JsonKind, JsonView, NodeId};

use super::Walk;

impl Walk<'_> {
    /// Applies the schemas that `id` leads to in place to the same value.
    pub(super) fn in_place(&mut self, id: NodeId, value: JsonView<'_>) {
        let observer = self.observer;
        let targets = observer.universe.node_targets(id);
        let edges = observer.graph()[id].edges();
        let mut condition = None;
        for (number, edge) in self.open_edges(id) {
            let (target, edge_targets) = (edge.target(), &targets.edges[number]);
            match edge.applicator() {
                Applicator::InPlace(InPlaceApplicator::AllOf(_) | InPlaceApplicator::Reference) => {
                    if !self.saturation.is_saturated(target) && self.is_certain(id, number, value) {
                        self.apply(target);
                    }
                }
                Applicator::InPlace(InPlaceApplicator::If) => {
                    if self.is_open(id, number) {
                        let holds = observer.branches.admits(id, number, value);
                        condition = Some(holds || condition == Some(true));
                        self.mark(if holds { edge_targets.taken } else { edge_targets.not_taken });
                        if holds {
                            self.apply(target);
                        }
                    }
                }
                Applicator::InPlace(InPlaceApplicator::DependentSchema(name)) => {
                    if let JsonKind::Object(members) = value.kind() {
                        let is_active = members.contains_key(name);
                        self.mark(if is_active {
                            edge_targets.taken
                        } else {
                            edge_targets.not_taken
                        });
                        if is_active && self.is_certain(id, number, value) {
                            self.apply(target);
                        }
                    }
                }
                Applicator::InPlace(
                    InPlaceApplicator::AnyOf(_)
                    | InPlaceApplicator::OneOf(_)
                    | InPlaceApplicator::Then
                    | InPlaceApplicator::Else,
                )
                | Applicator::Member(_)
                | Applicator::PropertyNames
                | Applicator::Item(_)
                | Applicator::Not => {}
            }
        }
        self.unions(id, value);
        let Some(holds) = condition else { return };
        let taken = if holds {
            Applicator::InPlace(InPlaceApplicator::Then)
        } else {
            Applicator::InPlace(InPlaceApplicator::Else)
        };
        for (number, edge) in
            edges.iter().enumerate().filter(|(_, edge)| edge.applicator() == &taken)
        {
            if self.is_certain(id, number, value) {
                self.apply(edge.target());
            }
        }
    }

    /// Applies the branches that `value`, which satisfies the schema at `id`, takes there.
    fn unions(&mut self, id: NodeId, value: JsonView<'_>) {
        let observer = self.observer;
        let has_choice = |(_, edge): (usize, &Edge)| edge.applicator().is_union_branch();
        if !self.open_edges(id).any(has_choice) {
            return;
        }
        let [any_of, one_of] = observer.branches.unions(id);
        self.branches(id, any_of, value);
        self.branches(id, one_of, value);
    }

    /// The same for the branches of one keyword. A valid value takes at least one of them, so if the
    /// quick check refuses all but one, that one is taken.
    fn branches(&mut self, id: NodeId, branches: &[usize], value: JsonView<'_>) {
        let observer = self.observer;
        let not_refused = |number: &usize| !observer.branches.refuse(id, *number, value);
        // Most values take a branch at which nothing is left to hit.
        let mut open = branches.iter().filter(|number| !self.is_edge_saturated(id, **number));
        if !open.any(not_refused) {
            return;
        }
        let mut left = branches.iter().copied().filter(not_refused);
        let (first, second) = (left.next(), left.next());
        let is_only = second.is_none();
        for number in first.into_iter().chain(second).chain(left) {
            if self.is_edge_saturated(id, number) {
                continue;
            }
            if is_only || observer.branches.is_valid(id, number, value) {
                self.mark(observer.universe.node_targets(id).edges[number].taken);
                self.apply(observer.graph()[id].edges()[number].target());
            }
        }
    }

    /// Whether nothing is left to hit at edge `number` of `id` or below it.
    fn is_edge_saturated(&self, id: NodeId, number: usize) -> bool {
        let observer = self.observer;
        self.is_marked(observer.universe.node_targets(id).edges[number].taken)
            && self.saturation.is_saturated(observer.graph()[id].edges()[number].target())
    }

    /// Whether something is left to hit at the condition at edge `number` of `id`, or below it.
    fn is_open(&self, id: NodeId, number: usize) -> bool {
        let edge_targets = &self.observer.universe.node_targets(id).edges[number];
        let depends = |step: &Applicator| step.is_conditional();
        let edges = self.observer.graph()[id].edges();
        !self.is_marked(edge_targets.taken)
            || !self.is_marked(edge_targets.not_taken)
            || edges.iter().any(|edge| {
                depends(edge.applicator()) && !self.saturation.is_saturated(edge.target())
            })
    }
}
