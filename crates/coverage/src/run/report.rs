//! The report of a run, with the reason for every target that it missed.

use std::collections::BTreeMap;

use super::context::NO_TIME;
use crate::{
    CoverageMode, Dimension, HitLog, Hits, Observer, Outcome, PlannerCapHit, Report, RunContext,
    RunInfo, ScopeType, Settings, Status, TargetIndex, TestPlan, Unplanned, evaluate,
};

mod hints;

/// What a report contains beside the hits.
pub(super) struct ReportInput<'a> {
    pub(super) settings: &'a Settings,
    pub(super) observer: &'a Observer,
    pub(super) plan: Option<&'a TestPlan>,
}

impl ReportInput<'_> {
    /// The report on a run that generated so many instances and hit what `hit_log` says.
    pub(super) fn report(
        &self,
        hit_log: &HitLog,
        generated: u64,
        context: &RunContext<'_>,
    ) -> Report {
        let indices = self.settings.indices();
        let (started_at, duration_ms) =
            context.timing.map_or(NO_TIME, |timing| (timing.started_at(), timing.elapsed_ms()));
        let run = RunInfo {
            seed: self.settings.seed,
            max_instances: indices.end - indices.start,
            actual_instances: generated,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope: None,
            selected_operations: None,
        };
        let missed = self.missed(hit_log.hits());
        let planned = self.plan.map(|plan| self.planned_targets(plan));
        let caps = planned.as_ref().map(|planned| self.caps(planned)).unwrap_or_default();
        let reason = |target: &TargetIndex| (*target, self.reason(*target).to_owned());
        let reasons = missed.iter().map(reason).collect();
        evaluate(&Outcome {
            examples: hit_log.examples(),
            planned: planned.as_ref(),
            reasons: &reasons,
            unsatisfied_hints: &self.unsatisfied(&missed),
            planner_caps: &caps,
            notes: &self.notes(hit_log, generated),
            mode: if self.plan.is_some() { CoverageMode::Guided } else { CoverageMode::Measure },
            oracle: context.oracle_name(),
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
            ..Outcome::new(self.observer.universe(), hit_log.hits(), run)
        })
    }

    /// The targets that were not hit.
    fn missed(&self, hits: &Hits) -> Vec<TargetIndex> {
        let universe = self.observer.universe();
        universe.indices().filter(|target| !hits.contains(*target)).collect()
    }

    /// Why no instance hit `target`.
    fn reason(&self, target: TargetIndex) -> &'static str {
        if self.observer.universe()[target].status() == Status::Unreachable {
            return "no valid value can hit it";
        }
        let Some(plan) = self.plan else { return "the run was not guided" };
        let elsewhere = "the instance that was planned for it is not part of this run";
        plan.unplanned(target).map_or(elsewhere, Unplanned::reason)
    }

    fn notes(&self, hit_log: &HitLog, generated: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let asked = self.settings.instances;
        let stops_early = self.plan.is_some() && self.settings.shard.is_none();
        if stops_early && hit_log.is_complete() && generated < asked {
            notes.push(format!(
                "stopped after {generated} of at most {asked} instances: every active target is hit"
            ));
        }
        notes
    }

    /// The targets that were planned for.
    fn planned_targets(&self, plan: &TestPlan) -> Hits {
        let universe = self.observer.universe();
        let mut planned = Hits::none(universe.targets().len());
        for index in universe.indices() {
            let is_planned = plan.unplanned(index).is_none_or(Unplanned::is_attempted);
            if is_planned && universe[index].status() == Status::Active {
                planned.insert(index);
            }
        }
        planned
    }

    /// The dimensions in which a limit of planning left targets out.
    fn caps(&self, planned: &Hits) -> Vec<PlannerCapHit> {
        let Some(plan) = self.plan else { return Vec::new() };
        let universe = self.observer.universe();
        let mut scopes: BTreeMap<Dimension, (usize, usize, bool)> = BTreeMap::new();
        for index in universe.indices() {
            let target = &universe[index];
            if target.status() == Status::Active {
                let (all, chosen, is_capped) = scopes.entry(target.dimension()).or_default();
                *all += 1;
                *chosen += usize::from(planned.contains(index));
                *is_capped |= plan.unplanned(index).is_some_and(Unplanned::is_cap);
            }
        }
        let capped = scopes.into_iter().filter(|(_, (_, _, is_capped))| *is_capped);
        let cap = |(dimension, (all, chosen, _))| PlannerCapHit {
            dimension,
            scope_type: ScopeType::Schema,
            scope_key: "#".to_owned(),
            total_targets: all,
            planned_targets: chosen,
            unplanned_targets: all - chosen,
        };
        capped.map(cap).collect()
    }
}
