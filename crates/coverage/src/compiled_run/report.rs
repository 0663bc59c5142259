//! What came of a run, with why targets were missed.

use std::collections::BTreeMap;

use crate::{
    CompiledRun, CoverageMode, Dimension, HitLog, Hits, Outcome, PlannerCapHit, Report, RunInfo,
    ScopeType, Status, TargetIndex, TestPlan, Unplanned, evaluate,
};

impl CompiledRun {
    /// The report on a run that made so many instances and hit what `hit_log` says.
    ///
    /// A library has no clock: `startedAt` is the beginning of 1970 and `durationMs` is 0.
    #[must_use]
    pub fn report(&self, hit_log: &HitLog, made: u64) -> Report {
        let indices = self.indices();
        let run = RunInfo {
            seed: self.settings.seed,
            max_instances: indices.end - indices.start,
            actual_instances: made,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at: "1970-01-01T00:00:00Z",
            duration_ms: 0,
            operations_scope: None,
            selected_operations: None,
        };
        let missed = self.missed(hit_log.hits());
        let planned = self.plan.as_ref().map(|plan| self.planned_targets(plan));
        let caps = planned.as_ref().map(|planned| self.caps(planned)).unwrap_or_default();
        let reason = |target: &TargetIndex| (*target, self.reason(*target).to_owned());
        let reasons = missed.iter().map(reason).collect();
        evaluate(&Outcome {
            examples: hit_log.examples(),
            planned: planned.as_ref(),
            reasons: &reasons,
            unsatisfied_hints: &self.unsatisfied(&missed),
            planner_caps: &caps,
            notes: &self.notes(hit_log, made),
            mode: if self.plan.is_some() { CoverageMode::Guided } else { CoverageMode::Measure },
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
            ..Outcome::new(self.observer.universe(), hit_log.hits(), run)
        })
    }

    /// The targets that were not hit.
    fn missed(&self, hits: &Hits) -> Vec<TargetIndex> {
        let universe = self.observer.universe();
        let all = (0..universe.targets().len()).map(|place| universe.index_of(place));
        all.filter(|target| !hits.contains(*target)).collect()
    }

    /// Why no instance hit `target`.
    fn reason(&self, target: TargetIndex) -> &'static str {
        if self.observer.universe()[target].status() == Status::Unreachable {
            return "no valid value can hit it";
        }
        let Some(plan) = &self.plan else { return "the run was not guided" };
        let elsewhere = "the instance that was planned for it is not part of this run";
        plan.unplanned(target).map_or(elsewhere, Unplanned::reason)
    }

    fn notes(&self, hit_log: &HitLog, made: u64) -> Vec<String> {
        let mut notes = Vec::new();
        let asked = self.settings.instances;
        if self.stops_early() && hit_log.is_complete() && made < asked {
            notes.push(format!(
                "stopped after {made} of at most {asked} instances: every active target is hit"
            ));
        }
        notes
    }

    /// The targets that planning did not leave out.
    fn planned_targets(&self, plan: &TestPlan) -> Hits {
        let universe = self.observer.universe();
        let mut planned = Hits::none(universe.targets().len());
        for (place, target) in universe.targets().iter().enumerate() {
            let index = universe.index_of(place);
            let is_planned = plan.unplanned(index).is_none_or(Unplanned::is_attempted);
            if is_planned && target.status() == Status::Active {
                planned.insert(index);
            }
        }
        planned
    }

    /// Where caps left targets out.
    fn caps(&self, planned: &Hits) -> Vec<PlannerCapHit> {
        let Some(plan) = &self.plan else { return Vec::new() };
        let universe = self.observer.universe();
        let mut scopes: BTreeMap<Dimension, (usize, usize, bool)> = BTreeMap::new();
        for (place, target) in universe.targets().iter().enumerate() {
            let index = universe.index_of(place);
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
