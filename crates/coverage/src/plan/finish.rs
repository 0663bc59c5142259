//! The end of planning: redundant units are dropped, and plain instances that hit more are adopted.
//!
//! A guided run gives the units first and then plain instances, each at its own index. So it never
//! generates the plain instance at the index of a unit. If such an instance hits a target that no
//! unit hits, it becomes a unit itself. So a guided run hits every target that a run without guidance
//! of the same length hits.

use std::cmp::Reverse;

use super::{TestPlan, TestUnit, Unplanned, planner::Planner, unit_generator::Candidate};
use crate::{Hits, Status, TargetIndex};

impl Planner<'_> {
    /// The plan; `open` are the targets that no candidate hits.
    pub(super) fn finish(mut self, open: &[TargetIndex]) -> TestPlan {
        let (undone, missed): (Vec<_>, Vec<_>) =
            open.iter().partition(|target| self.unit_generator.is_undone_by_repair(**target));
        self.set_unplanned(&undone, Unplanned::Repaired);
        self.set_unplanned(&missed, Unplanned::Missed);
        let mut candidates = order_by_gain(drop_redundant(std::mem::take(&mut self.candidates)));
        self.adopt(&mut candidates);
        let is_hit = |target: &TargetIndex| self.unit_generator.is_hit(*target);
        let mut plan = self.plan;
        // A target that a cap left out was not planned for, even if a unit hits it.
        plan.unplanned.retain(|target, reason| *reason == Unplanned::Cap || !is_hit(target));
        plan.units = candidates
            .into_iter()
            .enumerate()
            .map(|(number, candidate)| {
                TestUnit::new(number, candidate, self.input.observer.universe())
            })
            .collect();
        plan
    }

    /// Adds the plain instances at the indices of units that hit a target no unit hits.
    fn adopt(&mut self, units: &mut Vec<Candidate>) {
        let universe = self.input.observer.universe();
        let mut index = 0;
        while index < units.len() && units.len() < self.input.units {
            if let Ok(generated) = self.input.generator.generate(self.input.seed, index as u64) {
                let mut targets = self.unit_generator.observe(generated.instance());
                targets.retain(|target| universe[*target].status() == Status::Active);
                if !targets.is_empty() {
                    // Nothing reads its hits after this.
                    let (requests, hits, seed) = (Vec::new(), Vec::new(), self.input.seed);
                    let (adopted, all_hits) = (targets, None);
                    units.push(Candidate { requests, adopted, seed, hits, all_hits, generated });
                }
            }
            index += 1;
        }
    }
}

/// Drops candidates whose targets others hit as well, those that hit the fewest first.
fn drop_redundant(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut counts = vec![0_usize; target_count(&candidates)];
    for target in candidates.iter().flat_map(|it| &it.hits) {
        counts[target.index()] += 1;
    }
    let mut by_size: Vec<usize> = (0..candidates.len()).collect();
    // The sort is stable: of two that hit as many, the later one was generated for what the earlier
    // ones missed, and is dropped last.
    by_size.sort_by_key(|number| candidates[*number].hits.len());
    let mut is_kept = vec![true; candidates.len()];
    for number in by_size {
        let hits = &candidates[number].hits;
        if hits.iter().all(|target| counts[target.index()] > 1) {
            is_kept[number] = false;
            for target in hits {
                counts[target.index()] -= 1;
            }
        }
    }
    let kept = candidates.into_iter().zip(is_kept).filter(|(_, is_kept)| *is_kept);
    kept.map(|(candidate, _)| candidate).collect()
}

/// Orders candidates so that each is the one that adds the most to what those before it hit.
fn order_by_gain(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let mut seen = Hits::none(target_count(&candidates));
    let mut ordered = Vec::with_capacity(candidates.len());
    while !candidates.is_empty() {
        let fresh = |it: &Candidate| it.hits.iter().filter(|hit| !seen.contains(**hit)).count();
        let best = candidates.iter().enumerate().min_by_key(|(_, it)| Reverse(fresh(it)));
        let Some(best) = best.map(|(number, _)| number) else { break };
        let next = candidates.remove(best);
        for hit in &next.hits {
            seen.insert(*hit);
        }
        ordered.push(next);
    }
    ordered
}

/// A number of targets that includes every target that a candidate hits.
fn target_count(candidates: &[Candidate]) -> usize {
    let hits = candidates.iter().flat_map(|candidate| &candidate.hits);
    hits.map(|target| target.index() + 1).max().unwrap_or(0)
}
