//! The hints that no instance of a run satisfied.

use std::collections::BTreeMap;

use super::{ELSEWHERE, ReportInput};
use crate::{Hint, ReasonCode, Status, TargetIndex, TestPlan, Unplanned, UnsatisfiedHint};

impl ReportInput<'_> {
    /// The hints for the targets that no instance hit: first those that a reader can do something about,
    /// and these in the order of the contract. `rejected` are the targets whose planned instances AJV
    /// rejected, and why.
    pub(super) fn unsatisfied(
        &self,
        missed: &[TargetIndex],
        rejected: &BTreeMap<TargetIndex, &str>,
    ) -> Vec<UnsatisfiedHint> {
        let Some(plan) = self.plan else { return Vec::new() };
        let hints = missed.iter().filter_map(|target| {
            let hint = Hint::of(&self.targets[*target])?;
            let rejection = rejected.get(target).copied();
            let (code, detail) = self.reason_for_hint(plan, *target, &hint, rejection)?;
            Some(hint.unsatisfied(code, detail))
        });
        let mut hints: Vec<UnsatisfiedHint> = hints.collect();
        hints.sort_by_key(UnsatisfiedHint::priority);
        hints
    }

    /// Why no instance satisfies `hint`, which is for `target`: the first reason that applies, in the
    /// order of the requirements. Nothing if another shard satisfies it.
    fn reason_for_hint<'r>(
        &self,
        plan: &TestPlan,
        target: TargetIndex,
        hint: &Hint,
        rejection: Option<&'r str>,
    ) -> Option<(ReasonCode, &'r str)> {
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
            // Another shard satisfies it, unless AJV rejected the instance.
            (_, None) if self.settings.shard.is_some() => (ReasonCode::Unknown, rejection?),
            (_, None) => (ReasonCode::Unknown, rejection.unwrap_or(ELSEWHERE)),
        })
    }
}
