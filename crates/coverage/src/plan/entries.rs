//! The plan of a run over several entries.
//!
//! Entries are planned one after the other. Targets that units of an earlier entry hit need no unit of a
//! later one, and every entry that counts has at least one unit, because that there is a request or a response is
//! a target of its own. Then the units of all entries are put in one order and cut to the budget: first those
//! that are the first of their operation's side, then those that add the most.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BinaryHeap},
};

use foolproof_contract::{Canonicalizer, Pointer};
use foolproof_generate::{Generated, Generator, Meter, Phase, Seed};

use super::{
    PlanInput, Proofs, TestPlan, TestUnit, Unplanned,
    planner::{EntryPlan, Planner},
    routes::Routes,
    unit_generator::Candidate,
};
use crate::{
    Dimension, Hits, Profile, Status, TargetIndex, TargetSet, Unreachable,
    entry_set::{EntryIndex, EntrySet, LinkedObserver, RunTracker},
    universe::OperationSide,
};

/// One entry to plan for.
pub(crate) struct EntryInput<'a> {
    pub(crate) entry: EntryIndex,
    pub(crate) observer: &'a LinkedObserver,
    pub(crate) generator: &'a Generator,
    pub(crate) seed: Seed,
    /// The side of an operation that the entry is, if it is one.
    pub(crate) side: Option<OperationSide<'a>>,
}

/// A candidate, with the targets of the set that it is for.
#[derive(Clone)]
pub(super) struct EntryCandidate {
    pub(super) entry: EntryIndex,
    pub(super) requests: Vec<(TargetIndex, Pointer)>,
    pub(super) adopted: Vec<TargetIndex>,
    pub(super) seed: Seed,
    /// The active targets of the set that it hits.
    hits: Vec<TargetIndex>,
    /// Every target of the entry that it hits, if all of them were observed.
    pub(super) all_hits: Option<Hits>,
    pub(super) generated: Generated,
}

/// The plan of a run while its entries are planned for.
pub(crate) struct PlanBuilder {
    /// The most instances.
    units: usize,
    profile: Profile,
    /// The targets of the set that units hit.
    hits: Hits,
    candidates: Vec<EntryCandidate>,
    unplanned: BTreeMap<TargetIndex, Unplanned>,
    /// The targets of the set that are not proven unreachable in every entry.
    is_possible: Hits,
    /// Why targets of the set are unreachable in the first entry in which that is proven.
    proven: BTreeMap<TargetIndex, Unreachable>,
    late: usize,
    /// Counts what the instances made in planning cost.
    meter: Meter,
}

impl PlanBuilder {
    pub(crate) fn new(units: usize, profile: Profile) -> Self {
        Self {
            units,
            profile,
            hits: Hits::none(0),
            candidates: Vec::new(),
            unplanned: BTreeMap::new(),
            is_possible: Hits::none(0),
            proven: BTreeMap::new(),
            late: 0,
            meter: Meter::counting(),
        }
    }

    /// Plans for the targets of one entry that are still open; the set has `targets` so far.
    pub(crate) fn add(
        &mut self,
        input: &EntryInput<'_>,
        forms: &mut Canonicalizer,
        targets: &TargetSet,
        meter: &mut Meter,
    ) {
        self.hits.grow(targets.targets().len());
        self.is_possible.grow(targets.targets().len());
        let LinkedObserver { observer, link } = input.observer;
        let universe = observer.universe();
        let plan = self.plan_entry(input, forms, meter);
        self.meter.add(&plan.metrics);
        let Proofs { unreachable, late, .. } = plan.proofs;
        self.late += late;
        for target in universe.indices() {
            let is_active = universe[target].status() != Status::Unreachable;
            if is_active && !unreachable.contains_key(&target) {
                self.is_possible.insert(link.to_set(target));
            }
        }
        for (target, why) in unreachable {
            self.proven.entry(link.to_set(target)).or_insert(why);
        }
        for (target, reason) in plan.unplanned {
            self.unplanned.entry(link.to_set(target)).or_insert(reason);
        }
        for candidate in plan.candidates {
            let Candidate { requests, adopted, seed, hits, all_hits, generated } = candidate;
            let to_set = |target: TargetIndex| link.to_set(target);
            for hit in all_hits.iter().flat_map(Hits::iter) {
                self.hits.insert(to_set(hit));
            }
            self.candidates.push(EntryCandidate {
                entry: input.entry,
                requests: requests.into_iter().map(|(it, path)| (to_set(it), path)).collect(),
                adopted: adopted.into_iter().map(to_set).collect(),
                seed,
                hits: hits.into_iter().map(to_set).collect(),
                all_hits,
                generated,
            });
        }
    }

    fn plan_entry(
        &self,
        input: &EntryInput<'_>,
        forms: &mut Canonicalizer,
        meter: &mut Meter,
    ) -> EntryPlan {
        let LinkedObserver { observer, link } = input.observer;
        let universe = observer.universe();
        let mut known = Hits::none(universe.targets().len());
        let mut possible = Hits::none(universe.targets().len());
        let mut has_open = false;
        for target in universe.indices() {
            if self.is_possible.contains(link.to_set(target)) {
                possible.insert(target);
            }
            if self.hits.contains(link.to_set(target)) {
                known.insert(target);
            } else {
                has_open |= universe[target].status() == Status::Active;
            }
        }
        if !has_open {
            return EntryPlan::default();
        }
        let EntryInput { generator, seed, side, .. } = *input;
        let (units, profile) = (self.units, self.profile);
        let input = PlanInput { observer, generator, seed, units, profile };
        let mut planner = meter.time(Phase::Plan, || {
            let routes = Routes::of(universe, observer.document(), forms);
            Planner::new(&input, forms, routes)
        });
        planner.know(&known);
        planner.run(side, &possible, meter)
    }

    /// The plan. `generators` are those of the entries, with their seeds.
    pub(crate) fn finish(self, entries: &EntrySet, generators: &[(&Generator, Seed)]) -> TestPlan {
        let tracker = RunTracker::new(entries);
        Planning { builder: self, entries, generators, tracker }.finish()
    }
}

/// The end of planning: units are put in order, and plain instances that hit more are adopted.
struct Planning<'a> {
    builder: PlanBuilder,
    entries: &'a EntrySet,
    generators: &'a [(&'a Generator, Seed)],
    tracker: RunTracker,
}

impl Planning<'_> {
    fn finish(mut self) -> TestPlan {
        let targets = self.entries.targets();
        let candidates = drop_redundant(std::mem::take(&mut self.builder.candidates));
        let mut units = self.in_order(candidates);
        let shown = self.entries_without_unit(&units);
        // They are added in the end: there is room for them, if there is room for one unit of each entry.
        self.builder.units -= shown.len();
        let dropped = units.split_off(units.len().min(self.builder.units));
        self.record(&shown);
        self.record(&units);
        if dropped.is_empty() && self.adopt(&mut units) == Adopted::All {
            // Every plain instance that adds something is among the units.
        } else {
            units = self.best(&units, &dropped);
        }
        units.extend(shown);
        let hits = self.tracker.hits();
        for target in dropped.iter().flat_map(|unit| &unit.hits) {
            if !hits.contains(*target) {
                self.builder.unplanned.insert(*target, Unplanned::Instances);
            }
        }
        // A target that the profile left out was not planned for, even if a unit hits it.
        let is_left = |target: &TargetIndex, reason: &mut Unplanned| {
            reason.is_limit_of_choice() || !hits.contains(*target)
        };
        let mut unplanned = self.builder.unplanned;
        unplanned.retain(is_left);
        let is_unreachable = |target: &TargetIndex| {
            !self.builder.is_possible.contains(*target)
                && !hits.contains(*target)
                && targets[*target].status() == Status::Active
        };
        let why = |target: TargetIndex| Some((target, self.builder.proven.get(&target)?.clone()));
        let unreachable: BTreeMap<TargetIndex, Unreachable> =
            targets.indices().filter(is_unreachable).filter_map(why).collect();
        unplanned.retain(|target, _| !unreachable.contains_key(target));
        let numbered = units.into_iter().enumerate();
        let units = numbered.map(|(number, unit)| TestUnit::new(number, unit, targets)).collect();
        let late = self.builder.late;
        let metrics = self.builder.meter.metrics().clone();
        TestPlan { units, unplanned, unreachable, late, metrics }
    }

    fn in_order(&self, candidates: Vec<EntryCandidate>) -> Vec<EntryCandidate> {
        let targets = self.entries.targets();
        order_by_gain(candidates, |target| targets[target].dimension() == Dimension::Operations)
    }

    fn record(&mut self, units: &[EntryCandidate]) {
        for unit in units {
            if let Some(hits) = &unit.all_hits {
                self.tracker.record(unit.entry, hits);
            }
        }
    }

    /// A plain instance of each entry of several that has no unit, because nothing in it counts; as many as leave room
    /// for one unit of each other entry.
    fn entries_without_unit(&mut self, units: &[EntryCandidate]) -> Vec<EntryCandidate> {
        let count = self.entries.entries().len();
        if count == 1 {
            return Vec::new();
        }
        let mut has_unit = vec![false; count];
        for unit in units {
            has_unit[unit.entry.0] = true;
        }
        let others = has_unit.iter().filter(|has_unit| **has_unit).count();
        let room = self.builder.units.saturating_sub(others);
        let mut found = Vec::new();
        for entry in (0..count).filter(|number| !has_unit[*number]).take(room) {
            found.extend(self.plain(EntryIndex(entry), 0));
        }
        found
    }

    /// Adds the plain instances at the indices of units that hit a target no unit hits. So a guided run
    /// hits every target that a run without guidance of the same length hits, if there is room for them.
    fn adopt(&mut self, units: &mut Vec<EntryCandidate>) -> Adopted {
        let count = self.entries.entries().len();
        let mut index = 0;
        while index < units.len() {
            let entry = EntryIndex(index % count);
            if let Some(mut unit) = self.plain(entry, (index / count) as u64) {
                unit.adopted.retain(|target| !self.tracker.hits().contains(*target));
                if !unit.adopted.is_empty() {
                    if units.len() == self.builder.units {
                        return Adopted::Some;
                    }
                    self.record(std::slice::from_ref(&unit));
                    units.push(unit);
                }
            }
            index += 1;
        }
        Adopted::All
    }

    /// The best units where there is no room for all: those that add the most, chosen among the planned and the
    /// plain ones, or all plain ones, if they hit more.
    fn best(
        &mut self,
        units: &[EntryCandidate],
        dropped: &[EntryCandidate],
    ) -> Vec<EntryCandidate> {
        let count = self.entries.entries().len();
        let mut plain: Vec<EntryCandidate> = Vec::new();
        for index in 0..self.builder.units {
            plain.extend(self.plain(EntryIndex(index % count), (index / count) as u64));
        }
        let pool = units.iter().chain(dropped).chain(&plain).cloned().collect();
        let mut chosen = without_idle(self.in_order(pool));
        chosen.truncate(self.builder.units);
        if hit_count(&plain) > hit_count(&chosen) {
            chosen = without_idle(self.in_order(plain));
        }
        self.tracker = RunTracker::new(self.entries);
        self.record(&chosen);
        chosen
    }

    /// The instance of an entry that a run without guidance has at its index `index`, as a unit.
    fn plain(&mut self, entry: EntryIndex, index: u64) -> Option<EntryCandidate> {
        let (generator, seed) = self.generators[entry.0];
        let meter = &mut self.builder.meter;
        let generated = generator.generate_metered(seed, index, meter).ok()?;
        meter.count(Phase::Observe, 1);
        let LinkedObserver { observer, link } = self.entries.entry(entry);
        let all_hits = observer.observe(generated.instance());
        let targets = self.entries.targets();
        let hits: Vec<TargetIndex> = all_hits
            .iter()
            .map(|target| link.to_set(target))
            .filter(|target| targets[*target].status() == Status::Active)
            .collect();
        let (requests, adopted, all_hits) = (Vec::new(), hits.clone(), Some(all_hits));
        Some(EntryCandidate { entry, requests, adopted, seed, hits, all_hits, generated })
    }
}

/// Whether there was room for every plain instance that adds something.
#[derive(PartialEq, Eq)]
enum Adopted {
    All,
    Some,
}

/// The units that hit something that those before them do not.
fn without_idle(mut units: Vec<EntryCandidate>) -> Vec<EntryCandidate> {
    let mut seen = Hits::none(target_count(&units));
    units.retain(|unit| unit.hits.iter().filter(|target| seen.insert(**target)).count() > 0);
    units
}

/// How many targets that count the units hit together.
fn hit_count(units: &[EntryCandidate]) -> usize {
    let mut hits = Hits::none(target_count(units));
    units.iter().flat_map(|unit| &unit.hits).filter(|target| hits.insert(**target)).count()
}

/// Drops candidates whose targets others hit as well, those that hit the fewest first.
fn drop_redundant(candidates: Vec<EntryCandidate>) -> Vec<EntryCandidate> {
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

/// Orders candidates so that each is the one that adds the most to what those before it hit: first the
/// most operations, then the most targets; of equal ones the first. What a candidate adds only falls while
/// others are chosen, so one that still adds what it did when it was last looked at is the best.
fn order_by_gain(
    candidates: Vec<EntryCandidate>,
    is_operation: impl Fn(TargetIndex) -> bool,
) -> Vec<EntryCandidate> {
    let mut seen = Hits::none(target_count(&candidates));
    let gain = |candidate: &EntryCandidate, seen: &Hits| {
        let fresh = candidate.hits.iter().filter(|hit| !seen.contains(**hit));
        let operations = fresh.clone().filter(|hit| is_operation(**hit)).count();
        (operations, fresh.count())
    };
    let mut waiting: Vec<Option<EntryCandidate>> = candidates.into_iter().map(Some).collect();
    let mut queue: BinaryHeap<((usize, usize), Reverse<usize>)> = waiting
        .iter()
        .enumerate()
        .filter_map(|(number, it)| Some((gain(it.as_ref()?, &seen), Reverse(number))))
        .collect();
    let mut ordered = Vec::with_capacity(waiting.len());
    while let Some((known, Reverse(number))) = queue.pop() {
        let Some(candidate) = &waiting[number] else { continue };
        let now = gain(candidate, &seen);
        if now < known {
            queue.push((now, Reverse(number)));
            continue;
        }
        for hit in &candidate.hits {
            seen.insert(*hit);
        }
        ordered.extend(waiting[number].take());
    }
    ordered
}

/// A number of targets that includes every target that a candidate hits.
fn target_count(candidates: &[EntryCandidate]) -> usize {
    let hits = candidates.iter().flat_map(|candidate| &candidate.hits);
    hits.map(|target| target.index() + 1).max().unwrap_or(0)
}
