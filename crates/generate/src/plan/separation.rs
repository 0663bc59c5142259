//! Separation: a value of one branch of `oneOf`, changed until it satisfies no other branch.
//!
//! Branches that are open objects without required properties admit each other's values, so draws of one of
//! them are rejected again and again. Such a value is changed in the properties that other branches declare:
//! one of them gets a value that they refuse and the branch of the value does not. The oracles of the
//! branches decide what they admit; each change that is kept leaves fewer branches, so separation ends.

use std::cmp::Reverse;

use foolproof_contract::{Canonical, Document, FormatPolicy, Oracle, ReadOptions, Shape};
use serde_json::{Map, Value, json};

use crate::{Source, words::WORDS};

/// The most branches that are kept apart.
const MAX_BRANCHES: usize = 64;

/// The most properties of one branch that are tried, and how many forms are searched for them.
const MAX_NAMES: usize = 256;
const MAX_FORMS: usize = 64;

/// The most questions to the oracles of branches for one value.
const CHECKS: usize = 4_000;

/// The branches of one `oneOf`.
#[derive(Debug)]
pub(crate) struct Separation {
    branches: Vec<Branch>,
}

#[derive(Debug)]
struct Branch {
    oracle: Oracle,
    /// The properties that it declares or requires.
    names: Vec<String>,
}

/// A value while it is separated.
struct State {
    members: Map<String, Value>,
    /// The branches that it should not satisfy, and does.
    others: Vec<usize>,
}

impl Separation {
    /// The branches of `form`; nothing if it is no `oneOf`, or if a branch has no oracle.
    pub(crate) fn of(form: &Canonical) -> Option<Self> {
        let Shape::OneOf(forms) = form.shape() else { return None };
        if forms.len() > MAX_BRANCHES {
            return None;
        }
        let branch = |form: &Canonical| Some(Branch { oracle: oracle(form)?, names: names(form) });
        Some(Self { branches: forms.iter().map(branch).collect::<Option<_>>()? })
    }

    /// An object like `value` that satisfies one branch only: `preferred`, if `value` satisfies it.
    pub(crate) fn separate(
        &self,
        value: Value,
        preferred: usize,
        source: &mut impl Source,
    ) -> Option<Value> {
        let held: Vec<usize> =
            (0..self.branches.len()).filter(|it| self.branches[*it].oracle.is_valid(&value)).collect();
        let Value::Object(members) = value else { return None };
        if held.is_empty() {
            return None;
        }
        let kept = if held.contains(&preferred) { preferred } else { *source.pick(&held) };
        let others = held.into_iter().filter(|branch| *branch != kept).collect();
        let (mut state, mut left) = (State { members, others }, CHECKS);
        while !state.others.is_empty() {
            state = self.better(&state, kept, &mut left, source)?;
        }
        Some(Value::Object(state.members))
    }

    /// A state with fewer other branches, by a change of one property.
    fn better(
        &self,
        state: &State,
        kept: usize,
        left: &mut usize,
        source: &mut impl Source,
    ) -> Option<State> {
        let values = offers(source);
        for name in self.candidates(state, kept) {
            for value in &values {
                *left = left.checked_sub(1 + state.others.len())?;
                let mut members = state.members.clone();
                members.insert(name.to_owned(), value.clone());
                let trial = Value::Object(members);
                if !self.branches[kept].oracle.is_valid(&trial) {
                    continue;
                }
                let still_held = |branch: &&usize| self.branches[**branch].oracle.is_valid(&trial);
                let others: Vec<usize> = state.others.iter().filter(still_held).copied().collect();
                if others.len() < state.others.len()
                    && let Value::Object(members) = trial
                {
                    return Some(State { members, others });
                }
            }
        }
        None
    }

    /// The properties that other branches declare: first those that the kept branch does not, and of them
    /// first those that most others declare, so that few are changed.
    fn candidates(&self, state: &State, kept: usize) -> Vec<&str> {
        let declares = |branch: usize, name: &str| {
            self.branches[branch].names.iter().any(|declared| declared == name)
        };
        let mut found: Vec<&str> = Vec::new();
        for name in state.others.iter().flat_map(|branch| &self.branches[*branch].names) {
            if !found.contains(&name.as_str()) {
                found.push(name);
            }
        }
        found.sort_by_cached_key(|name| {
            let count = state.others.iter().filter(|branch| declares(**branch, name)).count();
            (declares(kept, name), state.members.contains_key(*name), Reverse(count))
        });
        found
    }
}

/// One small value of each type, in an order that the source chooses.
fn offers(source: &mut impl Source) -> Vec<Value> {
    let mut offers = vec![
        Value::from(source.below(100)),
        Value::from(source.chance(1, 2)),
        Value::from(*source.pick(WORDS)),
        json!([]),
        json!({}),
        Value::Null,
    ];
    let first = source.index(3);
    offers[..3].rotate_left(first);
    offers
}

/// The oracle of `form`; nothing if it cannot be compiled.
pub(super) fn oracle(form: &Canonical) -> Option<Oracle> {
    let options = ReadOptions::default().draft(form.draft());
    let document = Document::from_value_with(form.to_schema(), &options).ok()?;
    Oracle::new(&document, FormatPolicy::Assert).ok()
}

/// The properties that `form` declares or requires of its own value.
fn names(form: &Canonical) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut pending = vec![form.clone()];
    for _ in 0..MAX_FORMS {
        let Some(form) = pending.pop() else { break };
        let shape = form.shape();
        if let Shape::Object(object) = shape {
            let all = object.properties.keys().chain(&object.required);
            let new: Vec<String> = all.filter(|name| !found.contains(*name)).cloned().collect();
            found.extend(new);
        } else if let Shape::AllOf(parts) | Shape::AnyOf(parts) | Shape::OneOf(parts) = shape {
            pending.extend(parts);
        } else if let Shape::Reference(key) = shape {
            pending.extend(form.definition(&key));
        }
    }
    found.truncate(MAX_NAMES);
    found
}
