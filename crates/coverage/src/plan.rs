//! Planning: which instances to ask for so that every target is hit.
//!
//! Targets are taken in the order of their priority and packed greedily into units, each a blueprint
//! of one instance. A unit is kept if its demand is not proven empty; one that is gets halved until
//! the targets that contradict each other are apart. A single target that nothing can get to from
//! the anchor of its route is out of reach.
//!
//! The instance of a unit is made along with the plan. What it misses, because the oracle had to be
//! heeded too, is packed again into smaller units, and at last alone. A unit whose targets others hit
//! already is left out. None of it depends on chance beyond the seed, or on the clock.

use std::collections::BTreeMap;

use foolproof_contract::{Canonical, Canonicalizer, Verdict};
use foolproof_generate::{Generator, Made, Seed};

use crate::{Dimension, Observer, Profile, Status, Target, TargetIndex};

mod blueprint;
mod demand;
mod maker;
mod routes;

use blueprint::Blueprint;
use demand::Others;
use maker::Maker;
use routes::{NoRoute, Routes};

/// How much the algebra may be asked for in all, counted in locations of the contract per question.
const EFFORT: usize = 500_000;

/// How many questions one counts for that the algebra has no answer to.
const FORMLESS: usize = 8;

/// How many questions are asked about one copy of the contract.
const BATCH: usize = 64;

/// How many targets share a unit, round by round: as many as fit, then few, then one. That other
/// branches do not hold costs the algebra much to say, and is needed seldom.
const ROUNDS: [(usize, Others); 3] =
    [(usize::MAX, Others::Ignored), (6, Others::Ignored), (1, Others::Excluded)];

/// What to ask for.
#[derive(Debug)]
pub struct Plan {
    units: Vec<Unit>,
    left_out: BTreeMap<TargetIndex, LeftOut>,
    unreachable: Vec<TargetIndex>,
}

/// One instance, and the targets that it was made for.
#[derive(Debug)]
pub struct Unit {
    targets: Vec<TargetIndex>,
    made: Made,
}

impl Unit {
    /// The targets that it was made for, whether or not it hits them.
    #[must_use]
    pub fn targets(&self) -> &[TargetIndex] {
        &self.targets
    }

    /// The instance.
    #[must_use]
    pub fn made(&self) -> &Made {
        &self.made
    }
}

/// What planning starts from.
#[derive(Clone, Copy, Debug)]
pub struct Basis<'a> {
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
pub enum LeftOut {
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

impl LeftOut {
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
    pub fn is_tried(self) -> bool {
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

impl Plan {
    /// Plans for the active targets of a universe.
    #[must_use]
    pub fn of(basis: &Basis<'_>, forms: &mut Canonicalizer) -> Self {
        let routes = Routes::of(basis.observer.universe(), forms);
        let mut planner = Planner {
            basis,
            forms,
            routes: &routes,
            maker: Maker::new(basis),
            effort: EFFORT,
            plan: Self { units: Vec::new(), left_out: BTreeMap::new(), unreachable: Vec::new() },
        };
        let mut open = planner.choose();
        for (most, others) in ROUNDS {
            let packed = planner.pack(&open, most);
            let (drafts, hopeless) = planner.settle(packed, others);
            planner.prove(&hopeless);
            open = planner.make(drafts);
            if planner.is_full() {
                break;
            }
        }
        let reason = if planner.is_full() { LeftOut::Cap } else { LeftOut::Missed };
        let mut plan = planner.plan;
        plan.left_out.extend(open.into_iter().map(|target| (target, reason)));
        plan
    }

    /// The instances to ask for.
    #[must_use]
    pub fn units(&self) -> &[Unit] {
        &self.units
    }

    /// Why a target has no unit, if it has none.
    #[must_use]
    pub fn left_out(&self, target: TargetIndex) -> Option<LeftOut> {
        self.left_out.get(&target).copied()
    }

    /// The targets that were proven out of reach.
    #[must_use]
    pub fn unreachable(&self) -> &[TargetIndex] {
        &self.unreachable
    }
}

/// A unit before its instance is made.
struct Draft {
    targets: Vec<TargetIndex>,
    form: Canonical,
}

struct Planner<'a> {
    basis: &'a Basis<'a>,
    forms: &'a mut Canonicalizer,
    routes: &'a Routes,
    maker: Maker<'a>,
    effort: usize,
    plan: Plan,
}

impl Planner<'_> {
    /// The targets to plan for, the most important first.
    fn choose(&mut self) -> Vec<TargetIndex> {
        let universe = self.basis.observer.universe();
        let mut chosen: Vec<TargetIndex> = (0..universe.targets().len())
            .map(TargetIndex::new)
            .filter(|index| universe[*index].status() == Status::Active)
            .collect();
        chosen.sort_by(|left, right| {
            let (one, other): (&Target, &Target) = (&universe[*left], &universe[*right]);
            let ranks = rank(one.dimension()).cmp(&rank(other.dimension()));
            ranks.then_with(|| one.place().cmp(other.place())).then(left.cmp(right))
        });
        let mut counts: BTreeMap<Dimension, usize> = BTreeMap::new();
        chosen.retain(|index| {
            let count = counts.entry(universe[*index].dimension()).or_default();
            *count += 1;
            let fits = *count <= self.basis.profile.cap(universe[*index].dimension());
            if !fits {
                self.plan.left_out.insert(*index, LeftOut::Cap);
            }
            fits
        });
        chosen
    }

    /// Makes the instances of units, those with the most targets first, and returns the targets
    /// that none of them hits.
    fn make(&mut self, mut drafts: Vec<Draft>) -> Vec<TargetIndex> {
        drafts.sort_by_key(|draft| std::cmp::Reverse(draft.targets.len()));
        for Draft { targets, form } in &drafts {
            let is_open = targets.iter().any(|target| !self.maker.is_hit(*target));
            if is_open && !self.is_full() {
                let number = self.plan.units.len();
                let made = self.maker.make(number, form, targets);
                let targets = targets.clone();
                self.plan.units.extend(made.map(|made| Unit { targets, made }));
            }
        }
        let mut missed: Vec<TargetIndex> =
            drafts.into_iter().flat_map(|draft| draft.targets).collect();
        missed.retain(|target| !self.maker.is_hit(*target));
        missed
    }

    /// Whether there is no room for another instance.
    fn is_full(&self) -> bool {
        self.plan.units.len() >= self.basis.units
    }

    /// Puts each target into the first unit that it fits.
    /// A unit takes `most` at the most.
    fn pack(&mut self, targets: &[TargetIndex], most: usize) -> Vec<Vec<TargetIndex>> {
        let Some(entry) = self.basis.observer.universe().graph().entries().first() else {
            return Vec::new();
        };
        let mut units: Vec<(Blueprint, Vec<TargetIndex>)> = Vec::new();
        for target in targets {
            let route = match self.routes.route(*target) {
                Ok(route) => route,
                Err(reason) => {
                    let reason = match reason {
                        NoRoute::TooLarge => LeftOut::TooLarge,
                        NoRoute::NoName => LeftOut::NoName,
                        NoRoute::Unreached => LeftOut::NoRoute,
                    };
                    self.plan.left_out.insert(*target, reason);
                    continue;
                }
            };
            let home = units.iter_mut().find_map(|(blueprint, targets)| {
                (targets.len() < most && blueprint.add(route)).then_some(targets)
            });
            if let Some(targets) = home {
                targets.push(*target);
            } else {
                let mut blueprint = Blueprint::new(entry.node());
                if blueprint.add(route) {
                    units.push((blueprint, vec![*target]));
                } else {
                    self.plan.left_out.insert(*target, LeftOut::Contradiction);
                }
            }
        }
        units.into_iter().map(|(_, targets)| targets).collect()
    }

    /// Asks for the form of every unit, and takes apart what is empty.
    /// The targets that are empty even alone are returned.
    fn settle(
        &mut self,
        mut units: Vec<Vec<TargetIndex>>,
        others: Others,
    ) -> (Vec<Draft>, Vec<TargetIndex>) {
        let (mut drafts, mut hopeless) = (Vec::new(), Vec::new());
        while !units.is_empty() {
            let mut again = Vec::new();
            for batch in units.chunks(BATCH) {
                if !self.spend(batch.len() * others.cost()) {
                    for target in batch.iter().flatten() {
                        self.plan.left_out.insert(*target, LeftOut::Effort);
                    }
                    continue;
                }
                let forms = self.forms(batch, others);
                // What has no form takes the algebra longest to find out about.
                let formless = forms.iter().filter(|form| form.is_none()).count();
                self.effort = self.effort.saturating_sub(self.cost(FORMLESS * formless));
                for (targets, form) in batch.iter().zip(forms) {
                    match (form.filter(|form| form.satisfiable() != Verdict::No), &targets[..]) {
                        (Some(form), _) => drafts.push(Draft { targets: targets.clone(), form }),
                        (None, [target]) => hopeless.push(*target),
                        (None, _) => {
                            let (left, right) = targets.split_at(targets.len() / 2);
                            again.extend([left.to_vec(), right.to_vec()]);
                        }
                    }
                }
            }
            units = again;
        }
        (drafts, hopeless)
    }

    /// The forms of units; where the algebra has none, those of wider demands.
    fn forms(&self, units: &[Vec<TargetIndex>], others: Others) -> Vec<Option<Canonical>> {
        let ask = |others| {
            let demand = |targets: &Vec<TargetIndex>| self.demand(targets, others);
            self.forms.forms_of(&units.iter().map(demand).collect::<Vec<_>>())
        };
        let mut forms = ask(others);
        if others == Others::Excluded && forms.iter().any(Option::is_none) {
            for (form, wider) in forms.iter_mut().zip(ask(Others::Ignored)) {
                *form = form.take().or(wider);
            }
        }
        forms
    }

    /// Whether so many questions are still to be had.
    fn spend(&mut self, questions: usize) -> bool {
        let cost = self.cost(questions);
        let is_affordable = cost <= self.effort;
        self.effort -= if is_affordable { cost } else { 0 };
        is_affordable
    }

    fn cost(&self, questions: usize) -> usize {
        self.basis.observer.universe().graph().nodes().len().max(1) * questions
    }

    /// Tells targets that are out of reach from those that were not reached along one route.
    fn prove(&mut self, hopeless: &[TargetIndex]) {
        for batch in hopeless.chunks(BATCH) {
            let is_affordable = self.spend(batch.len());
            let graph = self.basis.observer.universe().graph();
            let demand = |target: &TargetIndex| {
                let (anchor, route) = self.routes.anchored(*target)?;
                let mut blueprint = Blueprint::new(anchor);
                blueprint.add(&route);
                Some(demand::demand(
                    &blueprint,
                    Others::Ignored,
                    self.basis.observer.document(),
                    graph,
                ))
            };
            let demands: Vec<_> =
                batch.iter().map(|target| demand(target).unwrap_or_default()).collect();
            let forms = if is_affordable { self.forms.forms_of(&demands) } else { Vec::new() };
            let mut forms = forms.into_iter();
            for target in batch {
                match forms.next().flatten().map(|form| form.satisfiable()) {
                    Some(Verdict::No) => self.plan.unreachable.push(*target),
                    Some(Verdict::Yes | Verdict::Unknown) => {
                        self.plan.left_out.insert(*target, LeftOut::Contradiction);
                    }
                    None => {
                        self.plan.left_out.insert(*target, LeftOut::NoForm);
                    }
                }
            }
        }
    }

    fn demand(&self, targets: &[TargetIndex], others: Others) -> serde_json::Value {
        let graph = self.basis.observer.universe().graph();
        let mut blueprint = Blueprint::new(graph.entries()[0].node());
        for target in targets {
            if let Ok(route) = self.routes.route(*target) {
                blueprint.add(route);
            }
        }
        demand::demand(&blueprint, others, self.basis.observer.document(), graph)
    }
}

/// The order in which dimensions are planned for.
pub(crate) fn rank(dimension: Dimension) -> usize {
    match dimension {
        Dimension::Operations => 0,
        Dimension::Branches => 1,
        Dimension::Enum => 2,
        Dimension::Structure => 3,
        Dimension::Boundaries => 4,
    }
}
