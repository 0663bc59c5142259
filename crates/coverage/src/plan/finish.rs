//! The end of planning: superfluous units are dropped, useful plain instances are taken over.
//!
//! A guided run gives the units first and then plain instances, each at its own index. So a plain
//! instance at the index of a unit is never made in such a run; what it alone would have hit is made
//! a unit of its own. With that, a guided run hits whatever a plain one of the same length does.

use std::cmp::Reverse;

use super::{TestPlan, TestUnit, Unplanned, maker::Candidate, planner::Planner};
use crate::{Hits, Status, TargetIndex};

impl Planner<'_> {
    /// The plan, once `open` is all that no candidate hits.
    pub(super) fn finish(mut self, open: &[TargetIndex]) -> TestPlan {
        let (undone, missed): (Vec<_>, Vec<_>) =
            open.iter().partition(|target| self.maker.is_undone(**target));
        self.set_unplanned(&undone, Unplanned::Repaired);
        self.set_unplanned(&missed, Unplanned::Missed);
        let mut candidates = order(drop_superfluous(std::mem::take(&mut self.candidates)));
        self.adopt(&mut candidates);
        let is_hit = |target: &TargetIndex| self.maker.is_hit(*target);
        let mut plan = self.plan;
        // What a cap left out was not planned for, even if something else hits it.
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

    /// Takes over the plain instances, up to as many as there are units, that hit a target no unit
    /// hits.
    fn adopt(&mut self, units: &mut Vec<Candidate>) {
        let universe = self.input.observer.universe();
        let mut index = 0;
        while index < units.len() && units.len() < self.input.units {
            if let Ok(made) = self.input.generator.generate(self.input.seed, index as u64) {
                let mut targets = self.maker.observe(made.instance());
                targets.retain(|target| universe[*target].status() == Status::Active);
                if !targets.is_empty() {
                    // Its hits are not looked at any more.
                    let (asked, hits, seed) = (Vec::new(), Vec::new(), self.input.seed);
                    let (adopted, all_hits, generated) = (targets, None, made);
                    units.push(Candidate { asked, adopted, seed, hits, all_hits, generated });
                }
            }
            index += 1;
        }
    }
}

/// Drops what others hit as well, those that hit the least first.
fn drop_superfluous(candidates: Vec<Candidate>) -> Vec<Candidate> {
    let most = candidates.iter().flat_map(|it| &it.hits).map(|target| target.index() + 1).max();
    let mut counts = vec![0_usize; most.unwrap_or(0)];
    for target in candidates.iter().flat_map(|it| &it.hits) {
        counts[target.index()] += 1;
    }
    let mut by_size: Vec<usize> = (0..candidates.len()).collect();
    // The later of two alike was made for what the others missed: it is the last to go.
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

/// Those first that add the most to what is hit.
fn order(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let most = candidates.iter().flat_map(|it| &it.hits).map(|target| target.index() + 1).max();
    let mut seen = Hits::none(most.unwrap_or(0));
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
