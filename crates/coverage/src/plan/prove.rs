//! Proofs that no value can hit a target.
//!
//! Whether a target is unreachable is a fact about the contract: it depends on no seed, number of instances,
//! profile, or hit. So each proof is about one target alone, in a question that the contract alone determines:
//!
//! 1. The demand from the anchor of the target's route to the target is empty.
//! 2. The demand from every schema that uses the anchor, through it to the target, is empty.
//! 3. The demand of 1 is empty without the values of the other branches of `oneOf`, for targets behind such a branch.
//! 4. Everything that leads to the target is unreachable.
//!
//! A target that some value hits needs no proof, since no sound proof of the contrary exists. So it is enough to
//! ask about what a run missed, and a few values that are drawn first spare most of the questions: neither
//! changes a status. Of a contract with very many or very large questions, only some are asked, again as the contract
//! alone determines.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use foolproof_contract::{Canonical, Canonicalizer, NoForm, NodeId};
use foolproof_generate::{Generator, Seed};
use serde_json::Value;

use super::{
    cut_off::cut_off,
    demand::{Demands, OtherBranches},
    planner::BATCH,
    route::{Route, RouteStep},
    routes::{EdgeKey, Routes, through_uses},
};
use crate::{
    Dimension, Dimensions, HitTracker, Hits, Observer, Status, TargetIndex, TargetKind, Universe,
    Unreachable,
    universe::{OperationSide, has_dynamic_references, incoming_edges, is_standard},
};

mod conflicts;
mod efforts;

use efforts::efforts;

/// The size of all questions about one contract together, in bytes of the demands. The targets with the smallest
/// questions are asked about first.
const EFFORT: usize = 24_000_000;

/// The same for questions about every use of an anchor.
const EFFORT_THROUGH_USES: usize = EFFORT / 12;

/// With fewer missed targets than this, questions cost less than drawing values.
const MIN_FOR_DRAWS: usize = 8;

/// The most values that are drawn before questions are asked, and the most of them in a row that hit nothing.
const DRAWS: u64 = 256;
const DRAWS_WITHOUT_HIT: u64 = 48;

/// What was proven of the targets that a run missed.
#[derive(Debug, Default)]
pub(crate) struct Proofs {
    /// The targets that no value can hit, and why.
    pub(crate) unreachable: BTreeMap<TargetIndex, Unreachable>,
    /// How many targets were asked about.
    pub(crate) asked: u64,
    /// How many got no answer because of a limit of time; they stay active.
    pub(crate) late: usize,
}

impl Proofs {
    /// The note on questions that got no answer in time, if there are any.
    pub(crate) fn late_note(late: usize) -> Option<String> {
        (late > 0).then(|| {
            let noun = if late == 1 { "target" } else { "targets" };
            format!(
                "whether {late} missed {noun} can be hit was not decided within the limit of time: counted as active"
            )
        })
    }
}

/// What proofs are about.
#[derive(Clone, Copy)]
pub(crate) struct ProofInput<'a> {
    /// The observer of the run, with the targets of its dimensions.
    pub(crate) observer: &'a Observer,
    /// The side of an operation that the contract is, if it is one.
    pub(crate) side: Option<OperationSide<'a>>,
    /// Draws values that spare questions, if there is one.
    pub(crate) generator: Option<&'a Generator>,
}

/// Proves which of the `missed` targets no value can hit.
pub(crate) fn prove(
    input: ProofInput<'_>,
    forms: &mut Canonicalizer,
    missed: &[TargetIndex],
) -> Proofs {
    let universe = input.observer.universe();
    let is_open = |target: &&TargetIndex| universe[**target].status() == Status::Active;
    let mut missed: Vec<TargetIndex> = missed.iter().filter(is_open).copied().collect();
    missed.sort_unstable();
    if missed.is_empty() {
        return Proofs::default();
    }
    let is_whole = Dimensions::default().iter().all(|it| universe.dimensions().contains(it))
        && (input.side.is_none() || universe.dimensions().contains(Dimension::Operations));
    if is_whole {
        return prove_all(input.observer, input.generator, forms, missed);
    }
    // Proofs depend on targets of other dimensions than those of the run: what is behind an unreachable branch is
    // unreachable, whether or not branches are observed.
    let document = input.observer.document();
    let whole = Universe::whole(document, forms, input.side);
    let to_run: BTreeMap<&str, TargetIndex> =
        missed.iter().map(|target| (universe[*target].id(), *target)).collect();
    let in_whole = whole.indices().filter(|target| to_run.contains_key(whole[*target].id()));
    let in_whole: Vec<TargetIndex> = in_whole.collect();
    let whole = Arc::new(whole);
    let observer = Observer::new(&whole, document, input.observer.formats());
    let proofs = prove_all(&observer, input.generator, forms, in_whole);
    let to_run = |(target, why)| Some((*to_run.get(whole[target].id())?, why));
    let unreachable = proofs.unreachable.into_iter().filter_map(to_run).collect();
    Proofs { unreachable, ..proofs }
}

/// The same for an observer whose targets are those of all dimensions.
fn prove_all(
    observer: &Observer,
    generator: Option<&Generator>,
    forms: &mut Canonicalizer,
    mut missed: Vec<TargetIndex>,
) -> Proofs {
    if let Some(generator) = generator {
        drop_hit(&mut missed, observer, generator);
    }
    if missed.is_empty() {
        return Proofs::default();
    }
    let routes = Routes::of(observer.universe(), observer.document(), forms);
    let universe = observer.universe();
    let mut prover = Prover {
        observer,
        forms,
        demands: Demands::of(observer),
        effort: efforts(observer, &routes),
        routes,
        proofs: Proofs::default(),
        is_unreachable: Hits::none(universe.targets().len()),
        is_late: Hits::none(universe.targets().len()),
        has_form: BTreeMap::new(),
        by_demand: Vec::new(),
    };
    prover.run(&missed);
    prover.find_conflicts();
    let is_undecided = |target: &&TargetIndex| {
        prover.is_late.contains(**target) && !prover.is_unreachable.contains(**target)
    };
    let late = missed.iter().filter(is_undecided).count();
    Proofs { late, ..prover.proofs }
}

/// Drops the targets that a few values hit.
fn drop_hit(missed: &mut Vec<TargetIndex>, observer: &Observer, generator: &Generator) {
    let mut tracker = HitTracker::new(observer);
    let mut without_hit = 0;
    for index in 0..DRAWS {
        if missed.len() < MIN_FOR_DRAWS || without_hit >= DRAWS_WITHOUT_HIT {
            return;
        }
        let Ok(generated) = generator.generate(Seed::from_number(0), index) else { return };
        let is_fresh = !tracker.observe(generated.instance()).is_empty();
        without_hit = if is_fresh { 0 } else { without_hit + 1 };
        if is_fresh {
            missed.retain(|target| !tracker.hits().contains(*target));
        }
    }
}

struct Prover<'a> {
    observer: &'a Observer,
    forms: &'a Canonicalizer,
    demands: Demands<'a>,
    routes: Routes,
    /// For each target the effort of the questions about it and all targets with smaller ones.
    effort: Vec<usize>,
    proofs: Proofs,
    is_unreachable: Hits,
    /// The targets about which a question got no answer in time.
    is_late: Hits,
    /// Whether the question about a branch without the other branches has a form.
    has_form: BTreeMap<TargetIndex, bool>,
    /// The targets whose demand is empty, in the order of the proofs.
    by_demand: Vec<TargetIndex>,
}

impl Prover<'_> {
    /// Branches and properties come first: if one of them is unreachable, so is what is behind it, and needs no
    /// question of its own.
    fn run(&mut self, missed: &[TargetIndex]) {
        let universe = self.observer.universe();
        let (ways, rest): (Vec<TargetIndex>, Vec<TargetIndex>) =
            missed.iter().partition(|target| leads_on(universe[**target].kind()));
        for targets in [&ways, &rest] {
            self.prove_empty(targets);
            self.mark_cut_off(missed);
        }
        let uses = incoming_edges(universe.graph());
        for targets in [&ways, &rest] {
            self.prove_empty_through_uses(targets, &uses);
            self.mark_cut_off(missed);
        }
        if !self.is_exact() {
            return;
        }
        for targets in [&ways, &rest] {
            self.prove_covered(targets);
            self.mark_cut_off(missed);
        }
    }

    /// Proofs by an empty demand.
    fn prove_empty(&mut self, targets: &[TargetIndex]) {
        let asked = self.to_ask(targets, EFFORT);
        self.proofs.asked += asked.len() as u64;
        for batch in asked.chunks(BATCH) {
            let answers = self.ask(batch, OtherBranches::Ignored);
            for (target, form) in batch.iter().zip(answers) {
                if form.is_some_and(|form| form.is_proven_empty()) {
                    let anchor = self.anchor(*target);
                    let why = Unreachable::by_demand(&self.observer.universe()[*target], anchor);
                    self.add(*target, why);
                    self.by_demand.push(*target);
                }
            }
        }
    }

    /// Proofs by empty demands from every use of the anchor: what applies around a shared schema may exclude what the
    /// schema itself admits.
    fn prove_empty_through_uses(&mut self, targets: &[TargetIndex], uses: &[Vec<EdgeKey>]) {
        let graph = self.observer.universe().graph();
        let routes_of = |target: TargetIndex| {
            let routes = through_uses(&self.routes, target, graph, uses)?;
            (!routes.is_empty()).then_some((target, routes))
        };
        let to_ask = self.to_ask(targets, EFFORT_THROUGH_USES);
        let asked: Vec<(TargetIndex, Vec<(NodeId, Route)>)> =
            to_ask.into_iter().filter_map(routes_of).collect();
        self.proofs.asked += asked.len() as u64;
        for batch in asked.chunks(BATCH) {
            for number in self.empty_along_all(batch) {
                let (target, routes) = &batch[number];
                let uses = routes.iter().map(|(from, _)| graph[*from].location().to_string());
                let uses = uses.collect::<Vec<_>>();
                let why = Unreachable::by_uses(&self.observer.universe()[*target], &uses);
                self.add(*target, why);
            }
        }
    }

    /// The numbers of those whose demands along all of their routes are empty. The first routes of all are one question,
    /// then the second ones of those that are left: each question reads the document again, which takes longer than
    /// most of its answers.
    fn empty_along_all(&mut self, batch: &[(TargetIndex, Vec<(NodeId, Route)>)]) -> Vec<usize> {
        let mut empty: Vec<usize> = (0..batch.len()).collect();
        for place in 0.. {
            let next: Vec<usize> =
                empty.iter().copied().filter(|number| batch[*number].1.len() > place).collect();
            if next.is_empty() {
                break;
            }
            let demand = |number: &usize| {
                let (from, route) = &batch[*number].1[place];
                self.demands.along(*from, route, OtherBranches::Ignored)
            };
            let demands: Vec<Value> = next.iter().map(demand).collect();
            for (number, answer) in next.iter().zip(self.forms.forms_of(&demands)) {
                if answer == Err(NoForm::OutOfTime) {
                    self.is_late.insert(batch[*number].0);
                }
                if !answer.is_ok_and(|form| form.is_proven_empty()) {
                    empty.retain(|it| it != number);
                }
            }
        }
        empty
    }

    /// Proofs that every value behind a branch of `oneOf` satisfies another branch too. The complement of a branch
    /// may have no form, which takes the algebra longest to find out. So branches come first, and what is behind one
    /// whose question has no form is not asked about.
    fn prove_covered(&mut self, targets: &[TargetIndex]) {
        let mut asked = self.to_ask(targets, EFFORT);
        asked.retain(|target| self.last_branch(*target).is_some());
        let unknown = asked.iter().filter_map(|target| self.last_branch(*target));
        let unknown: BTreeSet<TargetIndex> =
            unknown.filter(|branch| !self.has_form.contains_key(branch)).collect();
        let unknown: Vec<TargetIndex> = unknown.into_iter().collect();
        for batch in unknown.chunks(BATCH) {
            let answers = self.ask(batch, OtherBranches::Excluded);
            for (branch, form) in batch.iter().zip(answers) {
                self.has_form.insert(*branch, form.is_some());
                let is_missed = asked.binary_search(branch).is_ok();
                self.conclude_covered(*branch, form.filter(|_| is_missed));
            }
        }
        let has_form = |target: &TargetIndex| {
            let branch = self.last_branch(*target);
            branch.is_some_and(|it| it != *target && self.has_form.get(&it) == Some(&true))
        };
        let behind: Vec<TargetIndex> = asked.iter().copied().filter(has_form).collect();
        for batch in behind.chunks(BATCH) {
            let answers = self.ask(batch, OtherBranches::Excluded);
            for (target, form) in batch.iter().zip(answers) {
                self.conclude_covered(*target, form);
            }
        }
    }

    fn conclude_covered(&mut self, target: TargetIndex, form: Option<Canonical>) {
        if form.is_some_and(|form| form.is_proven_empty()) {
            let why = Unreachable::by_other_branches(&self.observer.universe()[target]);
            self.add(target, why);
        }
    }

    /// Whether a demand that excludes branches may be asked about. The form of a relaxed schema is wider than the
    /// schema, so its complement would be too narrow.
    fn is_exact(&self) -> bool {
        let document = self.observer.document();
        self.forms.relaxed().is_empty()
            && is_standard(document)
            && !has_dynamic_references(document)
    }

    /// Those of `targets` that are not proven yet, and that may be asked about with so much effort.
    fn to_ask(&self, targets: &[TargetIndex], effort: usize) -> Vec<TargetIndex> {
        let is_open = |target: &&TargetIndex| {
            self.effort[target.index()] <= effort && !self.is_unreachable.contains(**target)
        };
        targets.iter().filter(is_open).copied().collect()
    }

    /// The forms of the questions about `targets`; nothing where there is no answer. Those that are late are recorded.
    fn ask(&mut self, targets: &[TargetIndex], others: OtherBranches) -> Vec<Option<Canonical>> {
        let demand =
            |target: &TargetIndex| self.demands.after_anchor(&self.routes, *target, others);
        let demands: Vec<Value> = targets.iter().map(demand).collect();
        let answers = self.forms.forms_of(&demands);
        for (target, answer) in targets.iter().zip(&answers) {
            if answer == &Err(NoForm::OutOfTime) {
                self.is_late.insert(*target);
            }
        }
        answers.into_iter().map(Result::ok).collect()
    }

    /// Marks the missed targets that can be reached only through targets that are unreachable.
    fn mark_cut_off(&mut self, missed: &[TargetIndex]) {
        let found = cut_off(self.observer.universe(), &self.is_unreachable);
        for (target, through) in found {
            if missed.binary_search(&target).is_ok() && !self.is_unreachable.contains(target) {
                let why = Unreachable::behind(&self.observer.universe()[through]);
                self.add(target, why);
            }
        }
    }

    fn add(&mut self, target: TargetIndex, why: Unreachable) {
        self.is_unreachable.insert(target);
        self.proofs.unreachable.insert(target, why);
    }

    /// The location that the proof for `target` starts from.
    fn anchor(&self, target: TargetIndex) -> String {
        let graph = self.observer.universe().graph();
        let anchor = self.routes.after_anchor(target).map_or(graph.root(), |(anchor, _)| anchor);
        graph[anchor].location().to_string()
    }

    /// The target of the last branch of `oneOf` on the part of the route to a target to which there is no
    /// alternative, if there is one.
    fn last_branch(&self, target: TargetIndex) -> Option<TargetIndex> {
        let (anchor, route) = self.routes.after_anchor(target)?;
        let (mut from, mut last) = (anchor, None);
        for (step, id) in &route.steps {
            if let RouteStep::Branch { keyword: "oneOf", edge } = step {
                let edges = &self.observer.universe().node_targets(from).edges;
                last = edges.get(*edge).and_then(|targets| targets.taken);
            }
            from = *id;
        }
        last
    }
}

/// Whether values pass targets of this kind on their way to others.
fn leads_on(kind: &TargetKind) -> bool {
    matches!(
        kind,
        TargetKind::PropertyPresent
            | TargetKind::OneOfBranch
            | TargetKind::AnyOfBranch
            | TargetKind::ConditionalPath
    )
}
