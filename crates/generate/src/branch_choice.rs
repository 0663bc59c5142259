//! Parts of an instance that take one branch of `oneOf` and no other.
//!
//! A guided run plans instances that take certain branches. The form that such an instance is drawn from has
//! the branch in place of the `oneOf`, and branches that are open objects admit each other's values, so the
//! contract rejects most of what is drawn. Here each part is changed, the innermost first, until its branch is
//! the only one that admits it: a property that the others declare gets a value that they refuse. The
//! branch itself must still admit the part, and the form must still admit the whole, so whatever the
//! instance was planned for stays. Each change that is kept leaves fewer branches, so separation ends.

use std::{
    cell::OnceCell,
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering::Relaxed},
    },
};

use foolproof_contract::{
    Applicator, Canonical, Document, FormatPolicy, Graph, InPlaceApplicator, NodeId, Oracle,
    Pointer,
};
use serde_json::Value;

use crate::{
    DrawMemory, Plan, Source,
    plan::{Place, form_oracle, small_values},
};

mod declared;

use declared::declared_places;

/// The most branches of one `oneOf` that are kept apart.
const MAX_BRANCHES: usize = 64;

/// The most questions to the oracles of branches for one part.
const CHECKS: usize = 6_000;

/// How often in a row a branch cannot be kept apart until few questions are asked about it, and how many. Some
/// branch may admit all of its values.
const PATIENCE: u32 = 6;
const FEW_CHECKS: usize = 300;

/// How many more values are drawn for their parts, which may replace those of the instance; and after how many values,
/// the discarded ones included, no more are drawn.
const SAMPLES: usize = 8;
const MAX_DRAWN: usize = 20_000;

/// That a part of an instance takes one branch of `oneOf`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BranchChoice {
    /// The path of the part in the instance.
    pub path: Pointer,
    /// The schema that has the `oneOf`.
    pub schema: NodeId,
    /// The edge of that schema that leads to the branch.
    pub edge: usize,
}

/// Separates the branches of the `oneOf`s of one document. What it needs for each is compiled once, when the
/// first value needs it. Clones share that.
#[derive(Clone, Debug)]
pub struct BranchSeparator(Arc<Separator>);

#[derive(Debug)]
struct Separator {
    document: Document,
    /// What the API admits, if that is more than what is generated.
    admitted: Option<Document>,
    graph: Graph,
    formats: FormatPolicy,
    /// The branches at each schema of the graph; none where they cannot be kept apart.
    unions: Vec<OnceLock<Vec<Branch>>>,
}

/// A branch of `oneOf`.
#[derive(Debug)]
struct Branch {
    edge: usize,
    oracle: Oracle,
    /// The same branch with all values that the API admits.
    admitted: Option<Oracle>,
    /// The properties that it declares.
    places: BTreeSet<Place>,
    /// How often in a row a part of this branch could not be kept apart from others. Instances are planned one
    /// after the other, so it is the same in every run.
    failures: AtomicU32,
}

impl BranchSeparator {
    /// A separator for instances of `document`, which may be values that `admitted` has more of.
    pub(crate) fn new(
        document: &Document,
        admitted: Option<&Document>,
        graph: &Graph,
        formats: FormatPolicy,
    ) -> Self {
        let unions = graph.nodes().iter().map(|_| OnceLock::new()).collect();
        let (document, admitted) = (document.clone(), admitted.cloned());
        Self(Arc::new(Separator { document, admitted, graph: graph.clone(), formats, unions }))
    }
}

impl Branch {
    /// Whether a value that is generated may be in this branch.
    fn keeps(&self, value: &Value) -> bool {
        self.oracle.is_valid(value)
            && self.admitted.as_ref().is_none_or(|admitted| admitted.is_valid(value))
    }

    /// Records whether a part of the branch could be kept apart.
    fn record(&self, is_apart: bool) {
        let failures = if is_apart { 0 } else { self.failures.load(Relaxed).saturating_add(1) };
        self.failures.store(failures, Relaxed);
    }

    /// The most questions for one part.
    fn checks(&self) -> usize {
        if self.failures.load(Relaxed) < PATIENCE { CHECKS } else { FEW_CHECKS }
    }

    /// Whether the branch holds for `value`, so that no other one may.
    fn holds(&self, value: &Value) -> bool {
        self.admitted.as_ref().unwrap_or(&self.oracle).is_valid(value)
    }
}

impl Separator {
    fn branches(&self, schema: NodeId) -> &[Branch] {
        self.unions[schema.index()].get_or_init(|| {
            let compile = || self.compile(schema).unwrap_or_default();
            foolproof_contract::with_large_stack(compile)
        })
    }

    /// The branches; nothing if they are too many, or one of them does not compile.
    fn compile(&self, schema: NodeId) -> Option<Vec<Branch>> {
        let Self { document, admitted, graph, formats, .. } = self;
        let edges = graph[schema].edges().iter().enumerate();
        let is_branch = |applicator: &Applicator| {
            matches!(applicator, Applicator::InPlace(InPlaceApplicator::OneOf(_)))
        };
        let edges: Vec<_> = edges.filter(|(_, edge)| is_branch(edge.applicator())).collect();
        if edges.len() > MAX_BRANCHES {
            return None;
        }
        let oracles = |document| {
            let sites = edges.iter().map(|(_, edge)| edge.site());
            Oracle::all_located(document, sites, *formats).ok()
        };
        let mut admitted = match admitted {
            Some(admitted) => Some(oracles(admitted)?.into_iter()),
            None => None,
        };
        let branches = edges.iter().zip(oracles(document)?).map(|((number, edge), oracle)| {
            let admitted = admitted.as_mut().and_then(Iterator::next).transpose().ok()?;
            let places = declared_places(document, graph, edge.target());
            Some(Branch {
                edge: *number,
                oracle: oracle.ok()?,
                admitted,
                places,
                failures: AtomicU32::new(0),
            })
        });
        branches.collect()
    }
}

/// The branches that an instance takes.
#[derive(Debug)]
pub(crate) struct ChosenBranches {
    separator: BranchSeparator,
    choices: Vec<BranchChoice>,
    /// What the instance is drawn from.
    form: Canonical,
    oracle: OnceLock<Option<Oracle>>,
}

/// A part while it is separated.
struct Part<'a> {
    whole: Value,
    path: &'a Pointer,
    kept: &'a Branch,
    /// The branches that admit it, and should not.
    others: Vec<&'a Branch>,
    /// How many questions are left.
    left: usize,
}

impl ChosenBranches {
    pub(crate) fn new(
        separator: &BranchSeparator,
        choices: Vec<BranchChoice>,
        form: &Canonical,
    ) -> Self {
        let separator = separator.clone();
        Self { separator, choices, form: form.clone(), oracle: OnceLock::new() }
    }

    /// `value`, drawn from `plan`, with its parts changed as far as that makes them take one branch. What is drawn for
    /// that is counted in `memory`.
    pub(crate) fn separate<'p>(
        &self,
        mut value: Value,
        plan: &'p Plan,
        memory: &mut DrawMemory<'p>,
        source: &mut impl Source,
    ) -> Value {
        let samples = OnceCell::new();
        // Parts of parts come later in the list.
        for choice in self.choices.iter().rev() {
            let Some(mut part) = self.part(&value, choice) else { continue };
            if part.others.is_empty() {
                continue;
            }
            let samples = samples.get_or_init(|| draw_samples(plan, memory, source));
            let small = small_values(source);
            while !part.others.is_empty() && self.improve(&mut part, samples, &small) {}
            part.kept.record(part.others.is_empty());
            value = part.whole;
        }
        value
    }

    /// Whether every part of `value` takes its branch and no other.
    pub(crate) fn are_taken(&self, value: &Value) -> bool {
        let is_taken = |part: &Part<'_>| part.others.is_empty();
        self.choices.iter().all(|choice| self.part(value, choice).as_ref().is_some_and(is_taken))
    }

    /// The part of `value` that `choice` is about; nothing if there is none, or it is not in the branch.
    fn part<'a>(&'a self, value: &Value, choice: &'a BranchChoice) -> Option<Part<'a>> {
        let branches = self.separator.0.branches(choice.schema);
        let part = choice.path.resolve(value)?;
        let kept = branches.iter().find(|branch| branch.edge == choice.edge)?;
        if !kept.keeps(part) {
            return None;
        }
        let is_other = |it: &&Branch| it.edge != kept.edge && it.holds(part);
        let others = branches.iter().filter(is_other).collect();
        let (whole, path) = (value.clone(), &choice.path);
        Some(Part { whole, path, kept, others, left: kept.checks() })
    }

    /// Changes `part` so that fewer other branches admit it. Returns whether it could.
    fn improve(&self, part: &mut Part<'_>, samples: &[Value], small: &[Value]) -> bool {
        let sampled: Vec<&Value> =
            samples.iter().filter_map(|sample| part.path.resolve(sample)).collect();
        let Some(now) = part.path.resolve(&part.whole).cloned() else { return false };
        if !now.is_object() && !now.is_array() {
            return sampled.into_iter().any(|value| self.try_value(part, value.clone()));
        }
        for place in part.candidates(&now) {
            let others = sampled.iter().filter_map(|value| place.get(value));
            for offer in small.iter().chain(others) {
                let Some(trial) = place.set(now.clone(), offer.clone()) else { break };
                if self.try_value(part, trial) {
                    return true;
                }
            }
        }
        false
    }

    /// Replaces `part` by `trial` if that leaves fewer other branches and everything else as planned.
    fn try_value(&self, part: &mut Part<'_>, trial: Value) -> bool {
        let Some(left) = part.left.checked_sub(1) else { return false };
        part.left = left;
        if !part.kept.keeps(&trial) {
            return false;
        }
        part.left = left.saturating_sub(part.others.len());
        let mut others = part.others.clone();
        others.retain(|branch| branch.holds(&trial));
        if others.len() >= part.others.len() {
            return false;
        }
        let mut whole = part.whole.clone();
        let Some(place) = whole.pointer_mut(part.path.as_str()) else { return false };
        *place = trial;
        let oracle = self.oracle.get_or_init(|| form_oracle(&self.form));
        if oracle.as_ref().is_some_and(|oracle| !oracle.is_valid(&whole)) {
            return false;
        }
        (part.whole, part.others) = (whole, others);
        true
    }
}

impl Part<'_> {
    /// The properties that other branches declare: those of the part itself before those of objects in it,
    /// those that its own branch does not declare before the rest, and of them those that most others declare,
    /// so that few are changed.
    fn candidates(&self, now: &Value) -> Vec<Place> {
        let mut counts: BTreeMap<&Place, usize> = BTreeMap::new();
        for place in self.others.iter().flat_map(|branch| &branch.places) {
            *counts.entry(place).or_default() += 1;
        }
        let mut found: Vec<&Place> = counts.keys().copied().collect();
        found.sort_by_cached_key(|place| {
            let (is_own, depth) = (self.kept.places.contains(*place), place.depth());
            (depth > 0, is_own, depth, place.get(now).is_some(), Reverse(counts[place]))
        });
        found.into_iter().cloned().collect()
    }
}

/// More values of `plan`.
fn draw_samples<'p>(
    plan: &'p Plan,
    memory: &mut DrawMemory<'p>,
    source: &mut impl Source,
) -> Vec<Value> {
    let most = memory.drawn() + MAX_DRAWN;
    let mut samples = Vec::new();
    for _ in 0..SAMPLES {
        if memory.drawn() > most {
            break;
        }
        memory.clear();
        let drawn = plan.draw_in(memory, source);
        samples.extend(drawn.map(|value| memory.to_value(value)));
    }
    samples
}
