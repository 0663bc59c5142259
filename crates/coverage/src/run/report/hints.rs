//! The hints that no instance of a run satisfied.

use super::ReportInput;
use crate::{Hint, ReasonCode, Status, TargetIndex, TestPlan, Unplanned, UnsatisfiedHint};

impl ReportInput<'_> {
    /// The hints for the targets that no instance hit, in the order of the contract.
    pub(super) fn unsatisfied(&self, missed: &[TargetIndex]) -> Vec<UnsatisfiedHint> {
        let Some(plan) = self.plan else { return Vec::new() };
        let hints = missed.iter().filter_map(|target| {
            let hint = Hint::of(&self.targets[*target])?;
            let (code, detail) = self.reason_for_hint(plan, *target, &hint)?;
            Some(hint.unsatisfied(code, detail))
        });
        hints.collect()
    }

    /// Why no instance satisfies `hint`, which is for `target`: the first reason that applies, in the
    /// order of the requirements. Nothing if another shard satisfies it.
    fn reason_for_hint(
        &self,
        plan: &TestPlan,
        target: TargetIndex,
        hint: &Hint,
    ) -> Option<(ReasonCode, &'static str)> {
        let is_unreachable = self.targets[target].status() == Status::Unreachable;
        let unplanned = plan.unplanned(target);
        Some(match (hint, unplanned) {
            (Hint::PreferBranch { .. }, _) if is_unreachable => {
                (ReasonCode::UnreachableBranch, "no valid value takes this branch")
            }
            (_, Some(unplanned)) if unplanned.is_cap() => {
                (ReasonCode::PlannerCap, unplanned.reason())
            }
            (_, Some(Unplanned::Repaired)) => {
                (ReasonCode::RepairModifiedValue, Unplanned::Repaired.reason())
            }
            _ if is_unreachable => {
                (ReasonCode::ConflictingConstraints, "no valid value satisfies it")
            }
            (_, Some(unplanned)) => (ReasonCode::Unknown, unplanned.reason()),
            (_, None) if self.settings.shard.is_some() => return None,
            (_, None) => {
                (ReasonCode::Unknown, "the instance that was planned for it was not accepted")
            }
        })
    }
}
