//! Proofs that need more than the branch of `oneOf` that is taken: that all of its values satisfy another
//! branch too, so that no valid value takes it.
//!
//! The complement of a branch costs the algebra much, so only the targets are asked about that are still
//! open after all rounds. A complement is only sound if the form of the branch is exact: the form of a
//! relaxed schema is wider than the schema, so its complement would be too narrow.

use foolproof_contract::Canonical;

use super::{
    demand::OtherBranches,
    planner::{BATCH, Planner},
    route::RouteStep,
};
use crate::{
    TargetIndex, TargetKind,
    universe::{has_dynamic_references, is_standard},
};

impl Planner<'_> {
    /// Decides which of the `open` targets are unreachable because of other branches of `oneOf`. Branches
    /// come first: most other targets are behind one of them.
    pub(super) fn prove_by_exclusion(&mut self, open: &[TargetIndex]) {
        let document = self.input.observer.document();
        let is_exact = self.forms.relaxed().is_empty()
            && is_standard(document)
            && !has_dynamic_references(document);
        if !is_exact {
            return;
        }
        let universe = self.input.observer.universe();
        let asked = open.iter().copied().filter(|target| self.passes_one_of(*target));
        let (branches, others): (Vec<_>, Vec<_>) =
            asked.partition(|target| *universe[*target].kind() == TargetKind::OneOfBranch);
        for targets in [branches, others] {
            self.prove_all_by_exclusion(&targets);
            self.mark_cut_off();
        }
    }

    fn prove_all_by_exclusion(&mut self, targets: &[TargetIndex]) {
        let is_open = |target: &TargetIndex| !self.plan.unreachable.contains(target);
        let targets: Vec<TargetIndex> = targets.iter().copied().filter(is_open).collect();
        for batch in targets.chunks(BATCH) {
            if !self.try_spend(batch.len() * OtherBranches::Excluded.cost()) {
                return;
            }
            let demands: Vec<_> =
                batch.iter().map(|it| self.anchored_demand(*it, OtherBranches::Excluded)).collect();
            let forms = self.forms.forms_of(&demands);
            let is_empty =
                |form: &Option<Canonical>| form.as_ref().is_some_and(Canonical::is_proven_empty);
            let empty = batch.iter().zip(forms).filter(|(_, form)| is_empty(form));
            self.plan.unreachable.extend(empty.map(|(target, _)| *target));
        }
    }

    /// Whether a branch of `oneOf` is on the part of the route to a target to which there is no alternative.
    fn passes_one_of(&self, target: TargetIndex) -> bool {
        let is_branch =
            |step: &RouteStep| matches!(step, RouteStep::Branch { keyword: "oneOf", .. });
        self.routes
            .after_anchor(target)
            .is_some_and(|(_, route)| route.steps.iter().any(|(step, _)| is_branch(step)))
    }
}
