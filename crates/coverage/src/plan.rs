//! Planning: which instances to generate so that every target is hit.
//!
//! Targets are packed greedily, in the order of their priority, into units. A unit is the blueprint
//! of one instance. If the demand of a unit is proven empty, the targets that contradict the rest of
//! the unit are removed from it. Targets whose route turns out to contradict itself are tried along other routes. Which
//! targets are unreachable is decided apart from that, by proofs (`prove`).
//!
//! The instance of a unit is generated during planning, and later units are for the targets that no
//! earlier instance hits. Parts of these instances are then replaced so that they hit what they miss
//! (`splice`); targets that are missed even so are packed again, into smaller units, and at last into
//! units of one target. In the end, redundant units are dropped, and plain instances that hit more are
//! adopted. The plan depends on the seed and on no other randomness. The work is bounded by counts of steps; only the algebra has a deadline too.

use std::collections::BTreeMap;

use foolproof_contract::{Canonicalizer, Pointer};
use foolproof_generate::{Generated, Generator, Meter, PhaseMetrics, Seed};

use crate::{
    Hint, Hits, Observer, Profile, TargetIndex, TargetSet, Unreachable,
    entry_set::{EntryIndex, EntrySet},
};

mod blueprint;
mod blueprint_node;
mod cut_off;
mod demand;
mod entries;
mod hint_outcome;
mod hosts;
mod names;
mod packed_unit;
mod planner;
mod prove;
mod route;
mod routes;
mod scope;
mod sketch;
mod splice;
mod unit_check;
mod unit_generator;
mod value_condition;
mod wide;

use entries::EntryCandidate;
pub(crate) use entries::{EntryInput, PlanBuilder};
pub use hint_outcome::HintOutcome;
pub(crate) use planner::BATCH;
pub(crate) use prove::{ProofInput, Proofs, prove};
pub use scope::UnitScope;

/// The instances that a guided run generates first, and why it has none for some targets.
#[derive(Debug)]
pub struct TestPlan {
    units: Vec<TestUnit>,
    unplanned: BTreeMap<TargetIndex, Unplanned>,
    unreachable: BTreeMap<TargetIndex, Unreachable>,
    /// How many proofs got no answer in time.
    pub(crate) late: usize,
    metrics: PhaseMetrics,
}

/// One instance, and the targets that it was generated for.
#[derive(Debug)]
pub struct TestUnit {
    id: String,
    entry: EntryIndex,
    scope: UnitScope,
    seed: Seed,
    targets: Vec<TargetIndex>,
    hints: Vec<AppliedHint>,
    hits: Option<Hits>,
    generated: Generated,
}

/// A hint, and the path in the instance that it was applied at.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AppliedHint {
    /// The hint.
    pub hint: Hint,
    /// The path in the instance.
    pub instance: Pointer,
}

impl TestUnit {
    fn new(number: usize, candidate: EntryCandidate, set: &TargetSet) -> Self {
        let EntryCandidate { entry, requests, adopted, seed, all_hits, generated, .. } = candidate;
        let applied = |(target, path): &(TargetIndex, Pointer)| {
            let hint = Hint::of(&set[*target])?;
            Some(AppliedHint { hint, instance: path.clone() })
        };
        let mut hints: Vec<AppliedHint> = requests.iter().filter_map(applied).collect();
        hints.sort_by(|left, right| left.hint.by_precedence(&right.hint));
        let targets: Vec<TargetIndex> =
            requests.into_iter().map(|(target, _)| target).chain(adopted).collect();
        let id = format!("unit:{number}");
        let scope = UnitScope::of(&targets, set);
        Self { id, entry, scope, seed, targets, hints, hits: all_hits, generated }
    }

    /// The most instances that it stands for: a unit is planned as one instance.
    #[must_use]
    pub fn count(&self) -> u64 {
        1
    }

    /// The part of the contract that it is about.
    #[must_use]
    pub fn scope(&self) -> &UnitScope {
        &self.scope
    }

    /// Its name, which contains its position in the plan.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The seed that the instance was drawn from.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// The hints that were applied to it, by precedence. The instance need not satisfy all of them:
    /// see [`targets`](Self::targets) and what an [`Observer`] reports.
    #[must_use]
    pub fn hints(&self) -> &[AppliedHint] {
        &self.hints
    }

    /// The targets that it was generated for, whether or not it hits them.
    #[must_use]
    pub fn targets(&self) -> &[TargetIndex] {
        &self.targets
    }

    /// The instance.
    #[must_use]
    pub fn generated(&self) -> &Generated {
        &self.generated
    }

    /// The key of the operation that the instance is of, if the contract is an API.
    #[must_use]
    pub fn operation(&self) -> Option<&str> {
        self.scope.operation_key()
    }

    /// The entry that the instance is of.
    pub(crate) fn entry(&self) -> EntryIndex {
        self.entry
    }

    /// Every target of its entry that the instance hits, if planning had to observe all of them.
    pub(crate) fn hits(&self) -> Option<&Hits> {
        self.hits.as_ref()
    }
}

/// The input of planning.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// Decides which targets an instance hits; it has the targets and the contract.
    pub observer: &'a Observer,
    /// The generator of the whole contract.
    pub generator: &'a Generator,
    /// The seed of the run.
    pub seed: Seed,
    /// The most instances.
    pub units: usize,
    /// Limits the number of targets of each dimension.
    pub profile: Profile,
}

/// Why no unit of a plan hits a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Unplanned {
    /// A value that hits it would be too large.
    TooLarge,
    /// No property name was found that hits it, or that the route to it needs.
    NoName,
    /// No route to it was found.
    NoRoute,
    /// The routes that were tried contradict themselves.
    Contradiction,
    /// The algebra has no form for the route to it.
    NoForm,
    /// The effort that the profile allows for planning was used up.
    Effort,
    /// The same in the largest profile, or the values that planning may draw in any profile were used up.
    MostEffort,
    /// The profile limits the targets of its dimension.
    ProfileCap,
    /// The plan has the most instances allowed.
    Instances,
    /// An instance was generated for it, and repair had to undo it.
    Repaired,
    /// Instances were generated for it, and no valid one hits it.
    Missed,
}

impl Unplanned {
    /// What is left for lack of effort in `profile`. A larger one allows more questions, but not more values.
    fn for_lack_of_effort(profile: Profile, has_values_left: bool) -> Self {
        let is_largest = Profile::ALL.last() == Some(&profile);
        if is_largest || !has_values_left { Self::MostEffort } else { Self::Effort }
    }

    /// Whether the reason is a limit of planning.
    #[must_use]
    pub fn is_cap(self) -> bool {
        match self {
            Self::TooLarge
            | Self::Effort
            | Self::MostEffort
            | Self::ProfileCap
            | Self::Instances => true,
            Self::NoName
            | Self::NoRoute
            | Self::Contradiction
            | Self::NoForm
            | Self::Repaired
            | Self::Missed => false,
        }
    }

    /// Whether an instance was generated for the target.
    #[must_use]
    pub fn is_attempted(self) -> bool {
        matches!(self, Self::Repaired | Self::Missed)
    }

    /// Whether the target was not even chosen to be planned for. It may be hit by chance nevertheless.
    fn is_limit_of_choice(self) -> bool {
        self == Self::ProfileCap
    }

    /// Whether another route to the target may have more success.
    fn may_have_other_route(self) -> bool {
        matches!(self, Self::NoName | Self::Contradiction | Self::NoForm)
    }

    /// The reason in words, as reports give it.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::TooLarge => "a value that hits it would be too large",
            Self::NoName => "no property name was found for the route to it",
            Self::NoRoute => "no route to it was found",
            Self::Contradiction => "the routes that were tried contradict themselves",
            Self::NoForm => "the route to it is too complex to analyse",
            Self::Effort => {
                "planning reached its limit of effort before this target: a larger `--coverage-profile` allows more"
            }
            Self::MostEffort => "planning reached its largest limit of effort before this target",
            Self::ProfileCap => {
                "the profile limits how many targets of its dimension are planned: a larger `--coverage-profile` allows more"
            }
            Self::Instances => {
                "the instances that `--n` allows were used up: a larger `--n` allows more"
            }
            Self::Repaired => "an instance was generated for it, and repair had to undo it",
            Self::Missed => "instances were generated for it, but no valid one hits it",
        }
    }
}

impl TestPlan {
    /// Plans for the active targets of a universe.
    #[must_use]
    pub fn of(input: &PlanInput<'_>, forms: &mut Canonicalizer) -> Self {
        let PlanInput { observer, generator, seed, units, profile } = *input;
        let entries = EntrySet::single(observer.clone());
        let entry = EntryIndex(0);
        let mut builder = PlanBuilder::new(units, profile);
        let side = None;
        let input = EntryInput { entry, observer: entries.entry(entry), generator, seed, side };
        builder.add(&input, forms, entries.targets(), &mut Meter::counting());
        builder.finish(&entries, &[(generator, seed)])
    }

    /// Records the key of the operation of each unit.
    pub(crate) fn set_operations(&mut self, key: impl Fn(EntryIndex) -> String) {
        for unit in &mut self.units {
            unit.scope.set_operation(key(unit.entry));
        }
    }

    /// The units, in the order of the run.
    #[must_use]
    pub fn units(&self) -> &[TestUnit] {
        &self.units
    }

    /// Why no unit hits a target, if none does.
    #[must_use]
    pub fn unplanned(&self, target: TargetIndex) -> Option<Unplanned> {
        self.unplanned.get(&target).copied()
    }

    /// What the instances made in planning cost, in operations: the time of planning is one phase. They
    /// are more than the units, since not each of them is kept.
    #[must_use]
    pub fn metrics(&self) -> &PhaseMetrics {
        &self.metrics
    }

    /// The targets that planning proved unreachable, and why.
    #[must_use]
    pub fn unreachable(&self) -> &BTreeMap<TargetIndex, Unreachable> {
        &self.unreachable
    }
}

#[cfg(test)]
mod tests {
    use super::Unplanned;
    use crate::Profile;

    #[test]
    fn a_larger_profile_is_named_only_where_there_is_one_that_allows_more() {
        let check = |profile, has_values_left, expected: bool| {
            let reason = Unplanned::for_lack_of_effort(profile, has_values_left).reason();
            assert_eq!(reason.contains("larger `--coverage-profile`"), expected, "{profile}");
        };
        check(Profile::Quick, true, true);
        check(Profile::Balanced, true, true);
        check(Profile::Balanced, false, false);
        check(Profile::Thorough, true, false);
    }
}
