//! Separation: a value of one set, changed until it is in none of several others.
//!
//! Branches of `oneOf` that are open objects without required properties admit each other's values, so draws of
//! one of them are rejected again and again; the same holds for a conjunction that excludes other branches by
//! `not`. Such a value is changed in the properties that the other branches declare: one of them gets a value
//! that they refuse and its own branch does not. Where no property of the value itself does that, those of the
//! objects in it are changed: in its properties and in the items of its arrays. The oracles of the branches
//! decide what they admit; each change that is kept leaves fewer branches, so separation ends.

use std::{
    cmp::Reverse,
    collections::{BTreeMap, BTreeSet},
    sync::OnceLock,
};

use foolproof_contract::{Canonical, Document, FormatPolicy, Oracle, ReadOptions, Shape};
use serde_json::{Value, json};

use super::places::{Place, places};
use crate::{Source, words::WORDS};

/// The most branches that are kept apart.
const MAX_BRANCHES: usize = 64;

/// The most properties of one branch that are tried, and how many forms are searched for them.
const MAX_NAMES: usize = 256;
const MAX_FORMS: usize = 64;

/// The most questions to the oracles of branches for one value.
const CHECKS: usize = 4_000;

/// The sets that values are kept in, and those that they are kept out of.
#[derive(Debug)]
pub(crate) struct Separation {
    /// What every value is in: the other parts of a conjunction.
    always: Vec<Oracle>,
    /// First the branches of `oneOf`, of which a value is in one, then the sets that it must not be in.
    branches: Vec<Branch>,
    /// How many of them are branches of `oneOf`.
    choices: usize,
    /// The properties that the other parts of a conjunction declare.
    own_names: Vec<String>,
    /// The other parts of a conjunction.
    own_forms: Vec<Canonical>,
    /// What they declare inside values.
    own_places: OnceLock<BTreeSet<Place>>,
}

#[derive(Debug)]
struct Branch {
    oracle: Oracle,
    /// The properties that it declares or requires.
    names: Vec<String>,
    form: Canonical,
    /// The properties that it declares inside its values; found when the first value needs them.
    places: OnceLock<BTreeSet<Place>>,
}

impl Branch {
    fn of(form: &Canonical) -> Option<Self> {
        let (oracle, names) = (form_oracle(form)?, names(form));
        Some(Self { oracle, names, form: form.clone(), places: OnceLock::new() })
    }

    fn declares(&self, name: &str) -> bool {
        self.names.iter().any(|declared| declared == name)
    }

    fn places(&self) -> &BTreeSet<Place> {
        self.places.get_or_init(|| {
            let mut places = places(&self.form);
            places.retain(|place| !self.names.iter().any(|name| *place == Place::top(name)));
            places
        })
    }
}

/// A value while it is separated.
struct State {
    value: Value,
    /// The branches that it should not be in, and is.
    others: Vec<usize>,
    /// Whether its own properties did not help, and those of objects in it are changed.
    is_inside: bool,
}

/// The parts of a form that separation distinguishes.
#[derive(Default)]
struct Parts {
    always: Vec<Canonical>,
    choices: Vec<Canonical>,
    excluded: Vec<Canonical>,
}

impl Parts {
    /// The parts of `form`; nothing if it is neither a `oneOf` nor a conjunction with one or with a `not`.
    fn of(form: &Canonical) -> Option<Self> {
        let mut parts = Self::default();
        let shape = form.shape();
        if let Shape::OneOf(branches) = shape {
            parts.choices = branches;
        } else if let Shape::AllOf(all) = shape {
            for part in all {
                parts.add(part);
            }
        }
        let count = parts.choices.len() + parts.excluded.len();
        (1..=MAX_BRANCHES).contains(&count).then_some(parts)
    }

    /// Adds one part of a conjunction. Of several `oneOf` the others are only checked.
    fn add(&mut self, part: Canonical) {
        let shape = part.shape();
        if let (Shape::OneOf(branches), true) = (&shape, self.choices.is_empty()) {
            self.choices.clone_from(branches);
        } else if let Shape::Not(inner) = shape {
            let sets = if let Shape::AnyOf(sets) = inner.shape() { sets } else { vec![*inner] };
            self.excluded.extend(sets);
        } else {
            self.always.push(part);
        }
    }
}

impl Separation {
    /// How values of `form` are separated; nothing if it has nothing to separate from, or if a part of it
    /// has no oracle.
    pub(crate) fn of(form: &Canonical) -> Option<Self> {
        let parts = Parts::of(form)?;
        let all = parts.choices.iter().chain(&parts.excluded);
        Some(Self {
            always: parts.always.iter().map(form_oracle).collect::<Option<_>>()?,
            branches: all.map(Branch::of).collect::<Option<_>>()?,
            choices: parts.choices.len(),
            own_names: parts.always.iter().flat_map(names).collect(),
            own_forms: parts.always,
            own_places: OnceLock::new(),
        })
    }

    /// A value like `value` that is in one branch of `oneOf`, `preferred` if `value` is in that one, and in
    /// no other set.
    pub(crate) fn separate(
        &self,
        value: Value,
        preferred: usize,
        source: &mut impl Source,
    ) -> Option<Value> {
        let is_held = |branch: &usize| self.branches[*branch].oracle.is_valid(&value);
        let mut others: Vec<usize> = (0..self.branches.len()).filter(is_held).collect();
        if !value.is_object() && !value.is_array() {
            return None;
        }
        let held: Vec<usize> = others.iter().copied().filter(|it| *it < self.choices).collect();
        let kept = match held.as_slice() {
            [] if self.choices > 0 => return None,
            [] => None,
            held if held.contains(&preferred) => Some(preferred),
            held => Some(*source.pick(held)),
        };
        others.retain(|branch| Some(*branch) != kept);
        let is_inside = value.is_array();
        let (mut state, mut left) = (State { value, others, is_inside }, CHECKS);
        while !state.others.is_empty() {
            state = self.better(&state, kept, &mut left, source)?;
        }
        Some(state.value)
    }

    /// Whether `value` is where it has to stay.
    fn stays(&self, value: &Value, kept: Option<usize>) -> bool {
        let kept = kept.map(|kept| &self.branches[kept].oracle);
        self.always.iter().chain(kept).all(|oracle| oracle.is_valid(value))
    }

    /// A state with fewer other branches, by a change of one property.
    fn better(
        &self,
        state: &State,
        kept: Option<usize>,
        left: &mut usize,
        source: &mut impl Source,
    ) -> Option<State> {
        let values = small_values(source);
        let outside = if state.is_inside { Vec::new() } else { self.candidates(state, kept) };
        let outside = outside.into_iter().map(Place::top);
        if let Some(found) = self.first_better(state, kept, outside, &values, left) {
            return Some(found);
        }
        let inside = self.candidates_inside(state, kept).into_iter().cloned();
        let found = self.first_better(state, kept, inside, &values, left)?;
        Some(State { is_inside: true, ..found })
    }

    /// The first state with fewer other branches, by one of `values` at one of `places`.
    fn first_better(
        &self,
        state: &State,
        kept: Option<usize>,
        places: impl Iterator<Item = Place>,
        values: &[Value],
        left: &mut usize,
    ) -> Option<State> {
        for place in places {
            for value in values {
                *left = left.checked_sub(1 + self.always.len() + state.others.len())?;
                let Some(trial) = place.set(state.value.clone(), value.clone()) else { break };
                if !self.stays(&trial, kept) {
                    continue;
                }
                let still_held = |branch: &&usize| self.branches[**branch].oracle.is_valid(&trial);
                let others: Vec<usize> = state.others.iter().filter(still_held).copied().collect();
                if others.len() < state.others.len() {
                    return Some(State { value: trial, others, is_inside: state.is_inside });
                }
            }
        }
        None
    }

    /// The properties that other branches declare: first those that the value's own branch does not, and of
    /// them first those that most others declare, so that few are changed.
    fn candidates(&self, state: &State, kept: Option<usize>) -> Vec<&str> {
        let is_own = |name: &str| {
            kept.is_some_and(|kept| self.branches[kept].declares(name))
                || self.own_names.iter().any(|declared| declared == name)
        };
        let mut found: Vec<&str> = Vec::new();
        for name in state.others.iter().flat_map(|branch| &self.branches[*branch].names) {
            if !found.contains(&name.as_str()) {
                found.push(name);
            }
        }
        found.sort_by_cached_key(|name| {
            let others = state.others.iter().map(|branch| &self.branches[*branch]);
            let count = others.filter(|branch| branch.declares(name)).count();
            (is_own(name), state.value.get(*name).is_some(), Reverse(count))
        });
        found
    }

    /// The properties that other branches declare inside their values, in a similar order: of those that are
    /// alike, first those near the value itself.
    fn candidates_inside(&self, state: &State, kept: Option<usize>) -> Vec<&Place> {
        let own = self.own_places.get_or_init(|| self.own_forms.iter().flat_map(places).collect());
        let is_own = |place: &Place| {
            kept.is_some_and(|kept| self.branches[kept].places().contains(place))
                || own.contains(place)
        };
        let mut counts: BTreeMap<&Place, usize> = BTreeMap::new();
        for place in state.others.iter().flat_map(|branch| self.branches[*branch].places()) {
            *counts.entry(place).or_default() += 1;
        }
        let mut found: Vec<&Place> = counts.keys().copied().collect();
        found.sort_by_cached_key(|place| (is_own(place), place.depth(), Reverse(counts[place])));
        found
    }
}

/// One small value of each type, in an order that the source chooses.
pub(crate) fn small_values(source: &mut impl Source) -> Vec<Value> {
    let mut values = vec![
        Value::from(source.below(100)),
        Value::from(source.chance(1, 2)),
        Value::from(*source.pick(WORDS)),
        json!([]),
        json!({}),
        Value::Null,
    ];
    let first = source.index(3);
    values[..3].rotate_left(first);
    values
}

/// The oracle of `form`; nothing if it cannot be compiled.
pub(crate) fn form_oracle(form: &Canonical) -> Option<Oracle> {
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
