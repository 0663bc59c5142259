//! The search: which violation to repair, which edit to try, which one to keep.
//!
//! An edit is tried on a copy. It is kept if it strictly lowers the measure. If it does not, but the
//! new violations it caused can be repaired (a missing object is added, and now lacks members of its
//! own), all these edits are kept together, if that lowers the measure. The effort limits the length of
//! such chains: small efforts are tried first, and edits beyond the violating value are the last resort.
//!
//! To repair towards a branch of `anyOf` or `oneOf`, the same search runs with that branch chosen: the
//! violations of the branch are the open ones, until the measure without the choice is lower.

use std::cmp::Reverse;

use foolproof_contract::{Operands, Oracle, Pointer, Rejected, Violation};
use serde_json::{Map, Value};

use super::{
    condition::SatisfiedSchema,
    contract::Contract,
    edit::Edit,
    edits,
    measure::{Choice, Measure, cost, open, size},
    observed::ObservedViolations,
    propose::EditScope,
};
use crate::{Source, ValueSize};

/// Rounds of trials for one violation; each uses the violations observed in those before.
const ROUNDS: usize = 6;

/// Branches that are tried for one violation, and nested choices of branches.
const BRANCHES: usize = 8;
const CHOICES: usize = 4;

/// The efforts in the order in which they are tried. After every success the search starts again with
/// the first.
const EFFORTS: [Effort; 7] = [
    Effort { scope: EditScope::Targeted, depth: 0 },
    Effort { scope: EditScope::Targeted, depth: 1 },
    Effort { scope: EditScope::Targeted, depth: 2 },
    Effort { scope: EditScope::Targeted, depth: 3 },
    Effort { scope: EditScope::Surrounding, depth: 0 },
    Effort { scope: EditScope::Surrounding, depth: 1 },
    Effort { scope: EditScope::Surrounding, depth: 2 },
];

/// The most members in a row that are added because each requires the next.
const COMPLETIONS: usize = 200;

/// The most values that edits may add to a value: a list of lists that must be long grows by the product of their lengths.
pub(super) const GROWTH: u64 = 50_000;

/// One effort may use one part in this many of the checks, so that later efforts have some left.
const SHARE: usize = 5;

/// This many violations in one result count as another check: the result for a union of hundreds of
/// branches has the violations of each.
const VIOLATIONS_PER_CHECK: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Effort {
    scope: EditScope,
    /// How many further edits may follow one before the measure must be lower.
    depth: usize,
}

/// An edit that was kept: the instance paths it changed, and the keyword it was for.
#[derive(Clone, Debug)]
pub(super) struct AppliedEdit {
    pub(super) paths: Vec<Pointer>,
    pub(super) keyword: String,
}

/// A value, its violations, and the edits that led to it.
#[derive(Clone, Debug)]
struct State {
    value: Value,
    violations: Vec<Violation>,
    steps: Vec<AppliedEdit>,
}

/// Whether a member is missing.
fn is_missing(violation: &Violation) -> bool {
    ["required", "dependentRequired", "dependencies"].contains(&violation.keyword())
}

fn missing_names(violation: &Violation) -> &[String] {
    if let Operands::Names(names) = violation.operands() { names } else { &[] }
}

/// The violations that a search is to repair: those at or below an instance path that were not there
/// before, under the chosen branches.
#[derive(Clone, Debug)]
struct Goal {
    within: Pointer,
    choices: Vec<Choice>,
    /// Violations that are not to be repaired by this search.
    existing: Vec<Violation>,
}

impl Goal {
    fn open<'v>(&self, state: &'v State) -> Vec<&'v Violation> {
        open(&state.violations, &self.choices)
    }

    fn measure(&self, state: &State) -> Measure {
        Measure::of(&self.open(state))
    }

    /// The violations to repair: missing members first, since adding them removes nothing and may
    /// satisfy conditions that depend on them; then the innermost first, since an edit further out may
    /// remove what a small edit inside would have kept.
    fn targets<'v>(&self, state: &'v State) -> Vec<&'v Violation> {
        let mut targets = self.open(state);
        targets.retain(|it| it.instance().is_within(&self.within) && !self.existing.contains(it));
        targets.sort_by_key(|it| Reverse((is_missing(it), it.instance().segments().count())));
        targets
    }

    /// Whether `after` measures less than `before`, and `target` is repaired in it.
    fn is_progress(&self, before: &State, after: &State, target: &Violation) -> bool {
        self.measure(after) < self.measure(before) && !self.open(after).contains(&target)
    }
}

/// The state of one repair.
pub(super) struct Search<'a, S> {
    oracle: &'a Oracle,
    pub(super) contract: Option<&'a Contract>,
    pub(super) source: &'a mut S,
    /// Oracles of schemas inside the contract, by pointer.
    pub(super) inner_oracles: Vec<(Pointer, Option<Oracle>)>,
    /// Schemas inside the contract, and values that satisfy them.
    pub(super) satisfied: Vec<SatisfiedSchema>,
    /// The number of searches that this one is nested in.
    pub(super) level: usize,
    /// Checks by the oracle that are left.
    pub(super) left: usize,
    /// The most values that an edited value may have.
    most: u64,
    /// The present effort stops when this many checks are left.
    floor: usize,
}

impl<'a, S: Source> Search<'a, S> {
    pub(super) fn new(
        oracle: &'a Oracle,
        contract: Option<&'a Contract>,
        source: &'a mut S,
        checks: usize,
    ) -> Self {
        Self {
            oracle,
            contract,
            source,
            inner_oracles: Vec::new(),
            satisfied: Vec::new(),
            level: 0,
            left: checks,
            most: GROWTH,
            floor: 0,
        }
    }

    /// The best value that was found, and the edits that led to it.
    pub(super) fn run(&mut self, rejected: Rejected) -> (Value, Vec<AppliedEdit>) {
        let violations = rejected.violations().to_vec();
        self.most = ValueSize::of(rejected.value()).values.saturating_add(GROWTH);
        let mut state = State { value: rejected.into_value(), violations, steps: Vec::new() };
        let goal = Goal { within: Pointer::root(), choices: Vec::new(), existing: Vec::new() };
        let share = self.left / SHARE;
        let mut efforts = EFFORTS.iter();
        while let Some(effort) = efforts.next().filter(|_| !state.violations.is_empty()) {
            let before = goal.measure(&state);
            self.floor = self.left.saturating_sub(share.max(1));
            state = self.improve(state, &goal, *effort);
            if goal.measure(&state) < before {
                efforts = EFFORTS.iter();
            }
        }
        (state.value, state.steps)
    }

    /// Repairs targets one after the other, until none is left or none can be repaired.
    fn improve(&mut self, mut state: State, goal: &Goal, effort: Effort) -> State {
        loop {
            let targets: Vec<Violation> = goal.targets(&state).into_iter().cloned().collect();
            let better =
                targets.iter().find_map(|it| self.repair_violation(&state, it, goal, effort));
            match better {
                Some(better) => state = better,
                None => return state,
            }
        }
    }

    /// A better state in which `target` is repaired.
    fn repair_violation(
        &mut self,
        state: &State,
        target: &Violation,
        goal: &Goal,
        effort: Effort,
    ) -> Option<State> {
        if self.is_spent() {
            return None;
        }
        if let Some(better) = self.repair_by_branch(state, target, goal, effort) {
            return Some(better);
        }
        let mut observed = ObservedViolations::default();
        observed.add(&goal.open(state));
        let mut tried: Vec<Edit> = Vec::new();
        for _ in 0..ROUNDS {
            let mut edits = self.proposals(&state.value, target, &observed, effort.scope);
            edits.retain(|edit| !tried.contains(edit));
            if edits.is_empty() || self.is_spent() {
                break;
            }
            for edit in edits {
                if let Some(trial) = self.attempt(state, &edit, target) {
                    observed.add(&goal.open(&trial));
                    if let Some(better) = self.improved_trial(state, trial, target, goal, effort) {
                        return Some(better);
                    }
                }
                tried.push(edit);
            }
        }
        let omission = Self::omission(&state.value, target)?;
        let trial = self.attempt(state, &omission, target)?;
        self.improved_trial(state, trial, target, goal, effort)
    }

    /// The trial, if it is better than `state`, directly or after edits that follow from it.
    fn improved_trial(
        &mut self,
        state: &State,
        trial: State,
        target: &Violation,
        goal: &Goal,
        effort: Effort,
    ) -> Option<State> {
        if goal.is_progress(state, &trial, target) {
            return Some(trial);
        }
        let trial = self.completed(state, trial, target, goal);
        if goal.is_progress(state, &trial, target) {
            return Some(trial);
        }
        let depth = effort.depth.checked_sub(1)?;
        let inner = Goal {
            within: target.instance().clone(),
            choices: goal.choices.clone(),
            existing: goal.open(state).into_iter().cloned().collect(),
        };
        let trial = self.improve(trial, &inner, Effort { depth, ..effort });
        goal.is_progress(state, &trial, target).then_some(trial)
    }

    /// The trial with the members that its object lacks because of those that were added for `target`: where one requires
    /// the next in a long chain, only the whole chain lowers the measure.
    fn completed(
        &mut self,
        state: &State,
        mut trial: State,
        target: &Violation,
        goal: &Goal,
    ) -> State {
        if !is_missing(target) {
            return trial;
        }
        let before: Vec<Violation> = goal.open(state).into_iter().cloned().collect();
        for _ in 0..COMPLETIONS {
            let open = goal.open(&trial);
            let new = open.into_iter().filter(|it| {
                is_missing(it) && it.instance() == target.instance() && !before.contains(it)
            });
            let new: Vec<&Violation> = new.collect();
            let members = target.instance().resolve(&trial.value).and_then(Value::as_object);
            let Some(members) = members.filter(|_| !new.is_empty()) else { break };
            let missing = new.iter().flat_map(|it| missing_names(it));
            let names = match self.contract {
                Some(contract) => contract.required_with(new[0], missing),
                None => missing.map(String::as_str).collect(),
            };
            let lacking = names.into_iter().filter(|name| !members.contains_key(*name));
            let more = lacking.map(|name| (name.to_owned(), Value::Null));
            let more: Map<String, Value> = members.clone().into_iter().chain(more).collect();
            let edit = Edit::set(target.instance().clone(), Value::Object(more));
            let Some(next) = self.attempt(&trial, &edit, target) else { break };
            trial = next;
        }
        trial
    }

    /// A better state by edits towards one of the branches of `target`, the nearest first.
    fn repair_by_branch(
        &mut self,
        state: &State,
        target: &Violation,
        goal: &Goal,
        effort: Effort,
    ) -> Option<State> {
        let Operands::Branches(branches) = target.operands() else {
            return None;
        };
        if goal.choices.len() >= CHOICES || branches.iter().any(Vec::is_empty) {
            return None;
        }
        let mut order: Vec<usize> = (0..branches.len()).collect();
        order.sort_by_key(|branch| cost(&branches[*branch]));
        order.into_iter().take(BRANCHES).find_map(|branch| {
            let choice = Choice {
                instance: target.instance().clone(),
                schema: target.schema().clone(),
                branch,
            };
            let mut inner = Goal { within: target.instance().clone(), ..goal.clone() };
            inner.existing.extend(goal.open(state).into_iter().filter(|it| *it != target).cloned());
            inner.choices.push(choice);
            let trial = self.improve(state.clone(), &inner, effort);
            goal.is_progress(state, &trial, target).then_some(trial)
        })
    }

    /// Whether the present effort has used up its checks.
    fn is_spent(&self) -> bool {
        self.left <= self.floor
    }

    /// The state after `edit`; `None` if it changes nothing, or the checks are used up.
    fn attempt(&mut self, state: &State, edit: &Edit, target: &Violation) -> Option<State> {
        if self.is_spent() {
            return None;
        }
        let value = edit.apply(&state.value)?;
        if ValueSize::of(&value).values > self.most {
            return None;
        }
        let violations = self.oracle.violations(&value);
        self.left = self.left.saturating_sub(1 + size(&violations) / VIOLATIONS_PER_CHECK);
        let mut steps = state.steps.clone();
        let keyword = target.keyword().to_owned();
        steps.push(AppliedEdit {
            paths: edits::changed_paths(&edit.path, &state.value, &value),
            keyword,
        });
        Some(State { value, violations, steps })
    }
}
