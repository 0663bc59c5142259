//! What guidance asked for and did not get.

use crate::{Course, Hint, LeftOut, Plan, ReasonCode, Status, TargetIndex, UnsatisfiedHint};

impl Course {
    /// The hints at the targets that no instance hit, in the order of the contract.
    pub(super) fn unsatisfied(&self, missed: &[TargetIndex]) -> Vec<UnsatisfiedHint> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let hints = missed.iter().filter_map(|target| {
            let hint = Hint::of(&self.observer.universe()[*target])?;
            let (code, detail) = self.why(plan, *target, &hint)?;
            Some(hint.unsatisfied(code, detail))
        });
        hints.collect()
    }

    /// Why no instance satisfies `hint`, which aims at `target`: the first that applies, in the order
    /// of the requirements. Nothing if another shard satisfies it.
    fn why(
        &self,
        plan: &Plan,
        target: TargetIndex,
        hint: &Hint,
    ) -> Option<(ReasonCode, &'static str)> {
        let is_unreachable = self.observer.universe()[target].status() == Status::Unreachable;
        let left_out = plan.left_out(target);
        Some(match (hint, left_out) {
            (Hint::PreferBranch { .. }, _) if is_unreachable => {
                (ReasonCode::UnreachableBranch, "no valid value takes this branch")
            }
            (_, Some(left_out)) if left_out.is_cap() => (ReasonCode::PlannerCap, left_out.reason()),
            (_, Some(LeftOut::Repaired)) => {
                (ReasonCode::RepairModifiedValue, LeftOut::Repaired.reason())
            }
            _ if is_unreachable => {
                (ReasonCode::ConflictingConstraints, "no valid value satisfies it")
            }
            (_, Some(left_out)) => (ReasonCode::Unknown, left_out.reason()),
            (_, None) if self.settings.shard.is_some() => return None,
            (_, None) => (ReasonCode::Unknown, "what was planned for it was not accepted"),
        })
    }
}
