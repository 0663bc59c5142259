//! The search: which violation to put right, which change to try, which one stays.
//!
//! A change is tried on a copy. It stays if it strictly lowers the measure; if it does not, but the new
//! violations it caused can be put right (a missing object is added, and now lacks members of its
//! own), the whole of it stays, if that lowers the measure. How deep such chains go is the effort: small
//! efforts are spent first, and a change beyond what the violation names is the last resort.
//!
//! Towards a branch of `anyOf` or `oneOf` the same search runs with the branch chosen: its violations
//! are the open ones, until the real measure is lower.

use std::cmp::Reverse;

use foolproof_contract::{Operands, Oracle, Pointer, Rejected, Violation};
use serde_json::Value;

use super::{
    contract::Contract,
    edit::Edit,
    edits,
    known::Known,
    measure::{Choice, Measure, cost, open, size},
    propose::Reach,
};
use crate::Source;

/// Rounds of trials and of learning from them, for one violation.
const ROUNDS: usize = 6;

/// Branches of one violation that are tried, and choices inside choices.
const BRANCHES: usize = 8;
const CHOICES: usize = 4;

/// What is tried, in this order; after every success from the start again.
const EFFORTS: [Effort; 7] = [
    Effort { reach: Reach::Fitting, depth: 0 },
    Effort { reach: Reach::Fitting, depth: 1 },
    Effort { reach: Reach::Fitting, depth: 2 },
    Effort { reach: Reach::Fitting, depth: 3 },
    Effort { reach: Reach::Around, depth: 0 },
    Effort { reach: Reach::Around, depth: 1 },
    Effort { reach: Reach::Around, depth: 2 },
];

/// The share of the checks that one effort may take, so that the later ones have some.
const SHARE: usize = 5;

/// The size of a report that counts as another check: unions of hundreds of branches answer with all
/// that is wrong under each.
const REPORT: usize = 128;

#[derive(Clone, Copy, Debug)]
struct Effort {
    reach: Reach,
    /// How many changes may follow from one before it has to pay.
    depth: usize,
}

/// A change that stayed: which places, and the keyword it was for.
#[derive(Clone, Debug)]
pub(super) struct AppliedEdit {
    pub(super) places: Vec<Pointer>,
    pub(super) keyword: String,
}

/// A value, what is wrong with it, and how it came about.
#[derive(Clone, Debug)]
struct State {
    value: Value,
    violations: Vec<Violation>,
    steps: Vec<AppliedEdit>,
}

/// What a search is after: the violations at or below a place that were not there before, under the
/// chosen branches.
#[derive(Clone, Debug)]
struct Aim {
    scope: Pointer,
    choices: Vec<Choice>,
    settled: Vec<Violation>,
}

impl Aim {
    fn open<'v>(&self, state: &'v State) -> Vec<&'v Violation> {
        open(&state.violations, &self.choices)
    }

    fn measure(&self, state: &State) -> Measure {
        Measure::of(&self.open(state))
    }

    /// What to put right: what is missing first, since adding it throws nothing away and may settle the
    /// conditions that hang on it; then the inmost first, since whoever starts outside may throw away
    /// what a small change inside would have kept.
    fn targets<'v>(&self, state: &'v State) -> Vec<&'v Violation> {
        let mut targets = self.open(state);
        targets.retain(|it| it.instance().is_within(&self.scope) && !self.settled.contains(it));
        let is_missing = |it: &Violation| {
            ["required", "dependentRequired", "dependencies"].contains(&it.keyword())
        };
        targets.sort_by_key(|it| Reverse((is_missing(it), it.instance().segments().count())));
        targets
    }

    /// Whether `after` is better than `before`, and not for another reason than `target`.
    fn pays(&self, before: &State, after: &State, target: &Violation) -> bool {
        self.measure(after) < self.measure(before) && !self.open(after).contains(&target)
    }
}

/// The state of one repair.
pub(super) struct Search<'a, S> {
    oracle: &'a Oracle,
    pub(super) contract: Option<&'a Contract>,
    pub(super) source: &'a mut S,
    /// Oracles of contained schemas, by their place.
    pub(super) contained: Vec<(Pointer, Option<Oracle>)>,
    /// How many searches this one is inside of.
    pub(super) level: usize,
    /// Questions to the oracle that are left.
    pub(super) left: usize,
    /// Where the present effort has to stop.
    floor: usize,
}

impl<'a, S: Source> Search<'a, S> {
    pub(super) fn new(
        oracle: &'a Oracle,
        contract: Option<&'a Contract>,
        source: &'a mut S,
        checks: usize,
    ) -> Self {
        Self { oracle, contract, source, contained: Vec::new(), level: 0, left: checks, floor: 0 }
    }

    /// The best value that was reached, and the changes that led there.
    pub(super) fn run(&mut self, rejected: Rejected) -> (Value, Vec<AppliedEdit>) {
        let violations = rejected.violations().to_vec();
        let mut state = State { value: rejected.into_value(), violations, steps: Vec::new() };
        let aim = Aim { scope: Pointer::root(), choices: Vec::new(), settled: Vec::new() };
        let share = self.left / SHARE;
        let mut efforts = EFFORTS.iter();
        while let Some(effort) = efforts.next().filter(|_| !state.violations.is_empty()) {
            let before = aim.measure(&state);
            self.floor = self.left.saturating_sub(share.max(1));
            state = self.improve(state, &aim, *effort);
            if aim.measure(&state) < before {
                efforts = EFFORTS.iter();
            }
        }
        (state.value, state.steps)
    }

    /// Puts targets right one after the other, until none is left or none gives way.
    fn improve(&mut self, mut state: State, aim: &Aim, effort: Effort) -> State {
        loop {
            let targets: Vec<Violation> = aim.targets(&state).into_iter().cloned().collect();
            let better = targets.iter().find_map(|it| self.mend(&state, it, aim, effort));
            match better {
                Some(better) => state = better,
                None => return state,
            }
        }
    }

    /// A better state in which something was done about `target`.
    fn mend(
        &mut self,
        state: &State,
        target: &Violation,
        aim: &Aim,
        effort: Effort,
    ) -> Option<State> {
        if self.is_spent() {
            return None;
        }
        if let Some(better) = self.mend_by_branch(state, target, aim, effort) {
            return Some(better);
        }
        let mut known = Known::default();
        known.learn(&aim.open(state));
        let mut tried: Vec<Edit> = Vec::new();
        for _ in 0..ROUNDS {
            let mut edits = self.proposals(&state.value, target, &known, effort.reach);
            edits.retain(|edit| !tried.contains(edit));
            if edits.is_empty() || self.is_spent() {
                break;
            }
            for edit in edits {
                if let Some(trial) = self.attempt(state, &edit, target) {
                    known.learn(&aim.open(&trial));
                    if let Some(better) = self.judge(state, trial, target, aim, effort) {
                        return Some(better);
                    }
                }
                tried.push(edit);
            }
        }
        let omission = Self::omission(&state.value, target)?;
        let trial = self.attempt(state, &omission, target)?;
        self.judge(state, trial, target, aim, effort)
    }

    /// The trial, if it is better than `state` as it is or after what follows from it.
    fn judge(
        &mut self,
        state: &State,
        trial: State,
        target: &Violation,
        aim: &Aim,
        effort: Effort,
    ) -> Option<State> {
        if aim.pays(state, &trial, target) {
            return Some(trial);
        }
        let depth = effort.depth.checked_sub(1)?;
        let inner = Aim {
            scope: target.instance().clone(),
            choices: aim.choices.clone(),
            settled: aim.open(state).into_iter().cloned().collect(),
        };
        let trial = self.improve(trial, &inner, Effort { depth, ..effort });
        aim.pays(state, &trial, target).then_some(trial)
    }

    /// A better state on the way to one of the branches of `target`, the nearest first.
    fn mend_by_branch(
        &mut self,
        state: &State,
        target: &Violation,
        aim: &Aim,
        effort: Effort,
    ) -> Option<State> {
        let Operands::Branches(branches) = target.operands() else {
            return None;
        };
        if aim.choices.len() >= CHOICES || branches.iter().any(Vec::is_empty) {
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
            let mut inner = Aim { scope: target.instance().clone(), ..aim.clone() };
            inner.settled.extend(aim.open(state).into_iter().filter(|it| *it != target).cloned());
            inner.choices.push(choice);
            let trial = self.improve(state.clone(), &inner, effort);
            aim.pays(state, &trial, target).then_some(trial)
        })
    }

    /// Whether the present effort has used up its checks.
    fn is_spent(&self) -> bool {
        self.left <= self.floor
    }

    /// The state after `edit`; nothing if it changes nothing, or the checks are used up.
    fn attempt(&mut self, state: &State, edit: &Edit, target: &Violation) -> Option<State> {
        if self.is_spent() {
            return None;
        }
        let value = edit.apply(&state.value)?;
        let violations = self.oracle.violations(&value);
        self.left = self.left.saturating_sub(1 + size(&violations) / REPORT);
        let mut steps = state.steps.clone();
        let keyword = target.keyword().to_owned();
        steps.push(AppliedEdit {
            places: edits::places(&edit.place, &state.value, &value),
            keyword,
        });
        Some(State { value, violations, steps })
    }
}
