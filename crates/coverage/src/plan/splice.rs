//! Splicing: open targets are hit by replacing single values of candidates.
//!
//! A candidate that has a value of a schema on the route to a target needs no other instance: only that value has to
//! change. So the demand starts at that schema instead of the root, which is a far smaller question, and where a value
//! follows from the goal alone there is no question at all. The rest of the instance is valid already; whether the
//! new whole is, the oracle decides.

use std::collections::{BTreeMap, BTreeSet};

use foolproof_contract::{NodeId, Pointer};
use foolproof_generate::Host;
use serde_json::Value;

use super::{
    demand::OtherBranches,
    hosts::Hosts,
    packed_unit::{PackedUnit, UnitDraft},
    planner::{BATCH, Planner},
    route::Goal,
    unit_check::CheckedUnits,
    unit_generator::{BranchEffort, Candidate},
};
use crate::TargetIndex;

/// The most candidates in which one part is tried.
const MAX_HOSTS: usize = 2;

/// The most schemas on its route at which one target is tried.
const MAX_PARTS: usize = 2;

/// The most targets of a part in each round.
const ROUNDS: [(usize, BranchEffort); 2] =
    [(usize::MAX, BranchEffort::None), (1, BranchEffort::Separate)];

/// How many plain instances in a row may hit nothing new before no more are tried.
const PLAIN_WITHOUT_HIT: u64 = 24;

/// How many parts of one plain instance may fail to fit into a candidate.
const MAX_FAILED_GRAFTS: usize = 3;

/// How many units in a row may hit nothing before a round ends.
const PATIENCE: usize = 128;

/// The schemas at which targets were tried in vain.
type GivenUp = BTreeMap<TargetIndex, BTreeSet<NodeId>>;

impl Planner<'_> {
    /// Replaces parts of the candidates so that they hit open targets, and returns those that are still open.
    pub(super) fn splice(&mut self, mut open: Vec<TargetIndex>) -> Vec<TargetIndex> {
        let mut hosts = Hosts::of(self.input.observer, &self.candidates);
        for (max_targets, branches) in ROUNDS {
            self.edit(&open, &mut hosts);
            open.retain(|target| !self.unit_generator.is_hit(*target));
            self.splice_round(&mut open, max_targets, branches, &mut hosts);
        }
        open
    }

    /// Takes from the first plain instances what hits something new, until too many in a row do not: what a draw hits
    /// by chance need not be planned for.
    pub(super) fn add_plain(&mut self, open: &mut Vec<TargetIndex>) {
        if !open.is_empty() {
            let mut hosts = Hosts::of(self.input.observer, &self.candidates);
            self.graft_plain(&mut hosts);
            open.retain(|target| !self.unit_generator.is_hit(*target));
        }
    }

    fn graft_plain(&mut self, hosts: &mut Hosts<'_>) {
        let mut without_hit = 0;
        for index in 0..self.input.units as u64 {
            if without_hit >= PLAIN_WITHOUT_HIT || self.candidates.len() >= self.most_candidates() {
                return;
            }
            let plain = self.unit_generator.plain(index);
            without_hit = if plain.is_some() { 0 } else { without_hit + 1 };
            let Some(mut plain) = plain else { continue };
            self.graft(&plain, hosts);
            plain.adopted.retain(|target| !self.unit_generator.is_hit(*target));
            if !plain.adopted.is_empty() {
                hosts.add_new(&plain);
                if let Some(hits) = &plain.all_hits {
                    self.unit_generator.record(hits);
                }
                self.candidates.push(plain);
            }
        }
    }

    /// Puts parts of a plain instance into the candidates, so that they hit what it hits.
    fn graft(&mut self, plain: &Candidate, hosts: &mut Hosts<'_>) {
        let has_part = |target: &TargetIndex| {
            let route = self.routes.route(*target);
            route.is_ok_and(|route| hosts.parts_on(route).next().is_some())
        };
        if !plain.adopted.iter().any(has_part) {
            return;
        }
        let instance = plain.generated.instance();
        let places = self.input.observer.places(instance);
        let mut failures = 0;
        for target in &plain.adopted {
            if self.unit_generator.is_hit(*target) {
                continue;
            }
            let Ok(route) = self.routes.route(*target) else { return };
            let is_donor = |part: &NodeId| places.contains_key(part);
            let Some(part) = hosts.parts_on(route).find(is_donor) else { return };
            let Some(donor) = places[&part].first() else { return };
            let Some(value) = donor.path.resolve(instance.value()) else { return };
            let is_grafted = hosts.places(part, 1, |_| true).iter().any(|(number, path)| {
                let host = Host::new(self.candidates[*number].generated.instance(), path);
                let whole = host.map(|host| host.with(value.clone()));
                let request = (*target, path.clone());
                let grafted = whole.and_then(|it| self.unit_generator.check(it, request));
                grafted.is_some_and(|candidate| self.keep(candidate, (*number, path), hosts))
            });
            failures += usize::from(!is_grafted);
            if failures > MAX_FAILED_GRAFTS {
                return;
            }
        }
    }

    /// Tries the values that follow from the goals of open targets.
    fn edit(&mut self, open: &[TargetIndex], hosts: &mut Hosts<'_>) {
        for target in open {
            let Ok(route) = self.routes.route(*target) else { continue };
            let last = route.steps.iter().rfind(|(step, _)| step.leads_to_child());
            let Some((_, part)) = last else { continue };
            let (part, goal) = (*part, route.goal.clone());
            for (number, path) in hosts.places(part, MAX_HOSTS, |_| true) {
                if self.unit_generator.is_hit(*target) || !self.unit_generator.has_work_left() {
                    break;
                }
                let instance = self.candidates[number].generated.instance();
                let Some(host) = Host::new(instance, &path) else { continue };
                let Some(value) = edited(host.part(), &goal) else { continue };
                let request = (*target, path.clone());
                let Some(candidate) = self.unit_generator.check(host.with(value), request) else {
                    continue;
                };
                self.tried.insert(*target);
                self.keep(candidate, (number, &path), hosts);
            }
        }
    }

    /// Draws parts of at most `max_targets` targets until each open target was in one.
    fn splice_round(
        &mut self,
        open: &mut Vec<TargetIndex>,
        max_targets: usize,
        branches: BranchEffort,
        hosts: &mut Hosts<'_>,
    ) {
        let (mut given_up, mut width, mut without_hit) = (GivenUp::new(), 1, 0);
        while without_hit < PATIENCE && self.unit_generator.has_work_left() {
            open.retain(|target| !self.unit_generator.is_hit(*target));
            let mut units = self.pack_parts(open, max_targets, width, hosts, &given_up);
            units.truncate(BATCH);
            let CheckedUnits { drafts, infeasible, unanalysed, .. } =
                self.check_units(units, OtherBranches::Ignored);
            if drafts.is_empty() && infeasible.is_empty() && unanalysed.is_empty() {
                return;
            }
            let failed = infeasible.into_iter().map(|(target, _)| target).chain(unanalysed);
            for target in failed {
                let part = self.part_of(target, hosts, &given_up);
                given_up.entry(target).or_default().extend(part);
            }
            for draft in drafts {
                without_hit += 1;
                if self.splice_unit(&draft, branches, hosts) {
                    without_hit = 0;
                }
                for target in draft.unit.targets {
                    if !self.unit_generator.is_hit(target) {
                        given_up.entry(target).or_default().extend(draft.unit.part);
                    }
                }
            }
            width = (width * 2).min(BATCH);
        }
    }

    /// Draws one part, in one candidate after the other until it hits a target. Returns whether it does.
    fn splice_unit(
        &mut self,
        draft: &UnitDraft,
        branches: BranchEffort,
        hosts: &mut Hosts<'_>,
    ) -> bool {
        let Some(part) = draft.unit.part else { return false };
        let is_open = |planner: &Self| {
            draft.unit.targets.iter().any(|it| !planner.unit_generator.is_hit(*it))
        };
        if !is_open(self) {
            return true;
        }
        self.tried.extend(&draft.unit.targets);
        for (number, path) in hosts.places(part, MAX_HOSTS, |place| !place.is_shared) {
            let instance = self.candidates[number].generated.instance();
            let Some(host) = Host::new(instance, &path) else { continue };
            let Some(candidate) = self.unit_generator.generate_part(draft, host, branches) else {
                continue;
            };
            if self.keep(candidate, (number, &path), hosts) {
                return true;
            }
        }
        false
    }

    fn keep(
        &mut self,
        candidate: Candidate,
        place: (usize, &Pointer),
        hosts: &mut Hosts<'_>,
    ) -> bool {
        let hits = candidate.all_hits.clone();
        let most = self.most_candidates();
        let is_kept = hosts.keep(&mut self.candidates, candidate, place, most);
        if let Some(hits) = hits.filter(|_| is_kept) {
            self.unit_generator.record(&hits);
        }
        is_kept
    }

    /// Packs open targets into units of the parts that their routes lead to, at most `width` for each schema.
    fn pack_parts(
        &self,
        open: &[TargetIndex],
        max_targets: usize,
        width: usize,
        hosts: &Hosts<'_>,
        given_up: &GivenUp,
    ) -> Vec<PackedUnit> {
        let mut units: BTreeMap<NodeId, Vec<PackedUnit>> = BTreeMap::new();
        for target in open {
            let Ok(route) = self.routes.route(*target) else { continue };
            let Some(part) = self.part_of(*target, hosts, given_up) else { continue };
            let units = units.entry(part).or_default();
            let has_room = |unit: &PackedUnit| unit.targets.len() < max_targets;
            if units.iter_mut().any(|unit| has_room(unit) && unit.try_add(*target, route)) {
                continue;
            }
            if units.len() < width {
                let mut unit = PackedUnit::of_part(part);
                if unit.try_add(*target, route) {
                    units.push(unit);
                }
            }
        }
        units.into_values().flatten().collect()
    }

    /// The schema at which a target is tried next, if there is one.
    fn part_of(
        &self,
        target: TargetIndex,
        hosts: &Hosts<'_>,
        given_up: &GivenUp,
    ) -> Option<NodeId> {
        let route = self.routes.route(target).ok()?;
        let tried = given_up.get(&target);
        if tried.is_some_and(|tried| tried.len() >= MAX_PARTS) {
            return None;
        }
        hosts.parts_on(route).find(|part| tried.is_none_or(|tried| !tried.contains(part)))
    }
}

/// The longest string and the largest array that are made from others.
const MAX_SIZE: usize = 200_000;

/// `part` changed so that it meets `goal`, if that takes no other values than those it has.
pub(super) fn edited(part: &Value, goal: &Goal) -> Option<Value> {
    match (goal, part) {
        (Goal::Equals(value), _) => Some(value.clone()),
        (Goal::LacksProperty(name), Value::Object(members)) => {
            let mut members = members.clone();
            members.remove(name)?;
            Some(Value::Object(members))
        }
        (Goal::Length(length), Value::String(text)) => {
            let length = usize::try_from(*length).ok().filter(|length| *length <= MAX_SIZE)?;
            let last = text.chars().last().unwrap_or('a');
            let endless = text.chars().chain(std::iter::repeat(last));
            Some(Value::String(endless.take(length).collect()))
        }
        (Goal::Size(size), Value::Array(items)) => {
            let size = usize::try_from(*size).ok().filter(|size| *size <= MAX_SIZE)?;
            let mut items = items.clone();
            let last = items.last().cloned().filter(|_| items.len() < size);
            items.resize(size, last.unwrap_or_default());
            Some(Value::Array(items))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Goal, edited};

    #[test]
    fn a_value_that_follows_from_the_goal_needs_no_question() {
        let check = |part: Value, goal: Goal, expected: Option<Value>| {
            assert_eq!(edited(&part, &goal), expected, "{part} for {goal:?}");
        };
        check(json!("a"), Goal::Equals(json!(1)), Some(json!(1)));
        check(json!({ "a": 1, "b": 2 }), Goal::LacksProperty("a".into()), Some(json!({ "b": 2 })));
        check(json!({ "b": 2 }), Goal::LacksProperty("a".into()), None);
        check(json!("ab"), Goal::Length(4), Some(json!("abbb")));
        check(json!("ab"), Goal::Length(1), Some(json!("a")));
        check(json!([1, 2]), Goal::Size(3), Some(json!([1, 2, 2])));
        check(json!([1, 2]), Goal::Size(0), Some(json!([])));
        check(json!(1), Goal::Length(1), None);
        check(json!({}), Goal::HasProperty("a".into()), None);
    }
}
