//! Planning: which instances to ask for so that every target is hit.
//!
//! Targets are taken in the order of their priority and packed greedily into units, each a blueprint
//! of one instance. A unit whose demand is proven empty gives up what contradicts the rest of it. A
//! single target that nothing can get to from the anchor of its route is out of reach.
//!
//! The instance of a unit is made along with the plan, and later units ask only for what no earlier
//! one hits. What a unit misses, because the oracle had to be heeded too, is packed again into smaller
//! units, and at last alone. In the end units that others make superfluous are dropped, and plain
//! instances that hit something new are taken over. None of it depends on chance beyond the seed, and
//! the work is bounded by counts of steps; only the algebra has a deadline besides.

use std::collections::BTreeMap;

use foolproof_contract::{Canonicalizer, Pointer};
use foolproof_generate::{Generated, Generator, Seed};

use crate::{Hint, Hits, Observer, Profile, TargetIndex, Universe};

mod blueprint;
mod demand;
mod finish;
mod hint_outcome;
mod maker;
mod names;
mod place;
mod planner;
mod route;
mod routes;
mod settle;
mod value_condition;

pub use hint_outcome::HintOutcome;
use maker::Candidate;
use planner::Planner;
use routes::Routes;

/// What to ask for.
#[derive(Debug)]
pub struct TestPlan {
    units: Vec<TestUnit>,
    unplanned: BTreeMap<TargetIndex, Unplanned>,
    unreachable: Vec<TargetIndex>,
}

/// One instance, and what it was made for.
#[derive(Debug)]
pub struct TestUnit {
    id: String,
    seed: Seed,
    targets: Vec<TargetIndex>,
    hints: Vec<AppliedHint>,
    hits: Option<Hits>,
    generated: Generated,
}

/// A hint, and where it was applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AppliedHint {
    /// What was asked for.
    pub hint: Hint,
    /// Where in the instance.
    pub instance: Pointer,
}

impl TestUnit {
    fn new(number: usize, candidate: Candidate, universe: &Universe) -> Self {
        let Candidate { asked, adopted, seed, all_hits, generated, .. } = candidate;
        let applied = |(target, place): &(TargetIndex, Pointer)| {
            let hint = Hint::of(&universe[*target])?;
            Some(AppliedHint { hint, instance: place.clone() })
        };
        let mut hints: Vec<AppliedHint> = asked.iter().filter_map(applied).collect();
        hints.sort_by(|left, right| left.hint.by_precedence(&right.hint));
        let targets = asked.into_iter().map(|(target, _)| target).chain(adopted).collect();
        Self { id: format!("unit:{number}"), seed, targets, hints, hits: all_hits, generated }
    }

    /// Its name: its place in the plan.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What the instance was drawn from.
    #[must_use]
    pub fn seed(&self) -> Seed {
        self.seed
    }

    /// What was asked of it in the vocabulary of the requirements, by precedence. The trace of what
    /// was applied where; whether it is satisfied, the instance tells.
    #[must_use]
    pub fn hints(&self) -> &[AppliedHint] {
        &self.hints
    }

    /// The targets that it was made for, whether or not it hits them.
    #[must_use]
    pub fn targets(&self) -> &[TargetIndex] {
        &self.targets
    }

    /// The instance.
    #[must_use]
    pub fn generated(&self) -> &Generated {
        &self.generated
    }

    /// Every target that the instance hits, if planning had to observe all of them.
    pub(crate) fn hits(&self) -> Option<&Hits> {
        self.hits.as_ref()
    }
}

/// What planning starts from.
#[derive(Clone, Copy, Debug)]
pub struct PlanInput<'a> {
    /// Says what instances hit; with the targets and the contract.
    pub observer: &'a Observer,
    /// The generator of the whole contract.
    pub generator: &'a Generator,
    /// The seed of the run.
    pub seed: Seed,
    /// The most instances.
    pub units: usize,
    /// Caps the targets of each dimension.
    pub profile: Profile,
}

/// Why no unit is made for a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplanned {
    /// The value would be too large to be of use.
    TooLarge,
    /// No name was found for a property on the way to it, or it is a name itself.
    NoName,
    /// The way to it was not found.
    NoRoute,
    /// What leads to it contradicts itself along the way that was tried.
    Contradiction,
    /// The algebra has no form for what leads to it.
    NoForm,
    /// The effort that planning may take was used up.
    Effort,
    /// A limit of the profile, or no room for another instance.
    Cap,
    /// It was asked for, and repair had to undo it.
    Repaired,
    /// It was asked for, and no valid instance came of it.
    Missed,
}

impl Unplanned {
    /// Whether it is a limit of ours that stood in the way.
    #[must_use]
    pub fn is_cap(self) -> bool {
        match self {
            Self::TooLarge | Self::Effort | Self::Cap => true,
            Self::NoName
            | Self::NoRoute
            | Self::Contradiction
            | Self::NoForm
            | Self::Repaired
            | Self::Missed => false,
        }
    }

    /// Whether an instance was made for it.
    #[must_use]
    pub fn is_attempted(self) -> bool {
        matches!(self, Self::Repaired | Self::Missed)
    }

    /// The same in words.
    #[must_use]
    pub fn reason(self) -> &'static str {
        match self {
            Self::TooLarge => "a value that hits it would be too large",
            Self::NoName => "no property name was found that leads to it",
            Self::NoRoute => "no way to it was found",
            Self::Contradiction => "the way to it that was tried contradicts itself",
            Self::NoForm => "what leads to it is too complicated to analyse",
            Self::Effort => "planning reached its limit of effort before it",
            Self::Cap => "a cap of the profile, or the number of instances, left it out",
            Self::Repaired => "an instance was made for it, and repair had to undo it",
            Self::Missed => "instances were made for it, and none that is valid hits it",
        }
    }
}

impl TestPlan {
    /// Plans for the active targets of a universe.
    #[must_use]
    pub fn of(input: &PlanInput<'_>, forms: &mut Canonicalizer) -> Self {
        let observer = input.observer;
        let routes = Routes::of(observer.universe(), observer.document(), forms);
        let mut planner = Planner::new(input, forms, &routes);
        let open = planner.run();
        planner.finish(&open)
    }

    /// The instances to ask for.
    #[must_use]
    pub fn units(&self) -> &[TestUnit] {
        &self.units
    }

    /// Why a target has no unit, if it has none.
    #[must_use]
    pub fn unplanned(&self, target: TargetIndex) -> Option<Unplanned> {
        self.unplanned.get(&target).copied()
    }

    /// The targets that were proven out of reach.
    #[must_use]
    pub fn unreachable(&self) -> &[TargetIndex] {
        &self.unreachable
    }
}
