//! The report of a run, with the reason for every target that it missed.

use std::collections::BTreeMap;

use foolproof_contract::wording::count;

use super::{api::ApiRun, context::NO_TIME};
use crate::{
    CoverageMode, Dimension, HitLog, Hits, Outcome, PlannerCapHit, Report, RunContext, RunInfo,
    RunTotals, ScopeType, Settings, ShardRange, Status, TargetIndex, TargetSet, TestPlan,
    Unplanned,
    entry_set::{EntryIndex, EntrySet},
    evaluate,
    plan::Proofs,
};

mod hints;

/// Why a shard misses a target that another one hits.
const ELSEWHERE: &str = "the instance that was planned for it is not part of this run";

/// What a report contains beside the hits.
pub(super) struct ReportInput<'a> {
    pub(super) settings: &'a Settings,
    pub(super) entries: &'a EntrySet,
    pub(super) targets: &'a TargetSet,
    pub(super) plan: Option<&'a TestPlan>,
    pub(super) api: Option<&'a ApiRun>,
    /// How many proofs got no answer in time.
    pub(super) late: usize,
    /// For each index whose planned instance AJV rejected, why.
    pub(super) rejections: &'a BTreeMap<u64, String>,
}

impl ReportInput<'_> {
    /// The report on a run that generated so many instances and hit what `hit_log` says.
    pub(super) fn report(
        &self,
        hit_log: &HitLog,
        totals: &RunTotals,
        context: &RunContext<'_>,
    ) -> Report {
        let indices = self.settings.indices();
        let (started_at, duration_ms) =
            context.timing.map_or(NO_TIME, |timing| (timing.started_at(), timing.elapsed_ms()));
        let run = RunInfo {
            seed: self.settings.seed,
            max_instances: indices.end - indices.start,
            actual_instances: totals.generated,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope: self.api.map(ApiRun::scope),
            selected_operations: self.api.and_then(ApiRun::selected),
        };
        let missed = self.missed(hit_log.hits());
        let planned = self.plan.map(|plan| self.planned_targets(plan));
        let caps = planned.as_ref().map(|planned| self.caps(planned)).unwrap_or_default();
        let rejected = self.rejected();
        let reason =
            |target: &TargetIndex| Some((*target, self.reason(*target, &rejected)?.to_owned()));
        let reasons = missed.iter().filter_map(reason).collect();
        let mut report = evaluate(&Outcome {
            fingerprint: Some(self.fingerprint()),
            examples: hit_log.examples(),
            planned: planned.as_ref(),
            reasons: &reasons,
            unsatisfied_hints: &self.unsatisfied(&missed, &rejected),
            planner_caps: &caps,
            notes: &self.notes(hit_log, totals),
            mode: if self.plan.is_some() { CoverageMode::Guided } else { CoverageMode::Measure },
            oracle: context.oracle_name(),
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
            ..Outcome::new(self.targets, hit_log.hits(), run)
        });
        let shard = self.settings.shard.as_ref();
        let instances = self.settings.instances;
        report.run.shard =
            shard.map(|part| ShardRange { start: part.start, end: part.end, instances });
        report
    }

    /// The targets that were not hit.
    fn missed(&self, hits: &Hits) -> Vec<TargetIndex> {
        self.targets.indices().filter(|target| !hits.contains(*target)).collect()
    }

    fn fingerprint(&self) -> String {
        let document = self.api.map(|api| api.api().document());
        let own = || self.entries.entry(EntryIndex(0)).observer.document();
        document.unwrap_or_else(own).fingerprint()
    }

    /// The targets that an instance was planned for which AJV rejected, and what it found wrong.
    fn rejected(&self) -> BTreeMap<TargetIndex, &str> {
        let mut rejected = BTreeMap::new();
        let Some(plan) = self.plan else { return rejected };
        for (index, why) in self.rejections {
            let unit = usize::try_from(*index).ok().and_then(|index| plan.units().get(index));
            let Some(unit) = unit else { continue };
            let link = &self.entries.entry(unit.entry()).link;
            let hits = unit.hits().into_iter().flat_map(Hits::iter).map(|hit| link.to_set(hit));
            for target in hits.chain(unit.targets().iter().copied()) {
                rejected.entry(target).or_insert(why.as_str());
            }
        }
        rejected
    }

    /// Why no instance hit `target`. An unreachable one has its own reason.
    fn reason<'r>(
        &self,
        target: TargetIndex,
        rejected: &BTreeMap<TargetIndex, &'r str>,
    ) -> Option<&'r str> {
        if self.targets[target].status() == Status::Unreachable {
            return None;
        }
        let Some(plan) = self.plan else { return Some("the run was not guided") };
        Some(match plan.unplanned(target) {
            Some(unplanned) => unplanned.reason(),
            None => rejected.get(&target).copied().unwrap_or(ELSEWHERE),
        })
    }

    fn notes(&self, hit_log: &HitLog, totals: &RunTotals) -> Vec<String> {
        let RunTotals { generated, redundant, only_asserted, .. } = *totals;
        let mut notes: Vec<String> = self.api.map(ApiRun::notes).unwrap_or_default();
        notes.extend(Proofs::late_note(self.late));
        if only_asserted > 0 {
            let are = if only_asserted == 1 { "is" } else { "are" };
            notes.push(format!(
                "{} {are} valid only for validators that assert `format`",
                count(only_asserted, "instance")
            ));
        }
        let asked = self.settings.instances;
        let stops_early = self.plan.is_some() && self.settings.shard.is_none();
        if stops_early && redundant > 0 && !hit_log.is_complete() {
            let instances = count(redundant, "instance");
            notes.push(format!(
                "{instances} beyond those planned hit no further target and were left out"
            ));
        }
        if stops_early && hit_log.is_complete() && generated > 0 && generated < asked {
            notes.push(format!(
                "stopped after {generated} of at most {asked} instances: every active target is hit"
            ));
        }
        notes
    }

    /// The targets that were planned for.
    fn planned_targets(&self, plan: &TestPlan) -> Hits {
        let targets = self.targets;
        let mut planned = Hits::none(targets.targets().len());
        for index in targets.indices() {
            let is_planned = plan.unplanned(index).is_none_or(Unplanned::is_attempted);
            if is_planned && targets[index].status() == Status::Active {
                planned.insert(index);
            }
        }
        planned
    }

    /// What a target is counted for: the schema, or the operations of an API that reach it.
    fn scopes_of(&self, target: TargetIndex) -> Vec<(ScopeType, &str)> {
        if self.api.is_none() {
            return vec![(ScopeType::Schema, "#")];
        }
        self.targets.operations(target).map(|key| (ScopeType::Operation, key)).collect()
    }

    /// The scopes and dimensions in which a limit of planning left targets out.
    fn caps(&self, planned: &Hits) -> Vec<PlannerCapHit> {
        let Some(plan) = self.plan else { return Vec::new() };
        let mut scopes: BTreeMap<(ScopeType, &str, Dimension), (usize, usize, bool)> =
            BTreeMap::new();
        for index in self.targets.indices() {
            let target = &self.targets[index];
            if target.status() != Status::Active {
                continue;
            }
            for (scope, key) in self.scopes_of(index) {
                let counts = scopes.entry((scope, key, target.dimension())).or_default();
                let (all, chosen, is_capped) = counts;
                *all += 1;
                *chosen += usize::from(planned.contains(index));
                *is_capped |= plan.unplanned(index).is_some_and(Unplanned::is_cap);
            }
        }
        let capped = scopes.into_iter().filter(|(_, (_, _, is_capped))| *is_capped);
        let cap = |((scope_type, key, dimension), (all, chosen, _))| PlannerCapHit {
            dimension,
            scope_type,
            scope_key: String::from(key),
            total_targets: all,
            planned_targets: chosen,
            unplanned_targets: all - chosen,
        };
        capped.map(cap).collect()
    }
}
