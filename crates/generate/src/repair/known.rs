//! What is known about the places of a value: every violation that was seen there, of the value as it
//! stands and of the trials that were refused.
//!
//! A trial that fails still teaches: `null` for a missing property says which type is wanted, an empty
//! string says how long it should be. What is asked of a scalar is then met all at once.

use foolproof_contract::{Operands, Pointer, TypeSet, Violation, count, json_equal};
use serde_json::{Number, Value};

/// Violations seen so far, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct Known(Vec<Violation>);

impl Known {
    /// Adds what is new.
    pub(super) fn learn(&mut self, violations: &[&Violation]) {
        for violation in violations {
            if !self.0.contains(violation) {
                self.0.push((*violation).clone());
            }
        }
    }

    /// What was seen at `place`.
    pub(super) fn at<'k>(&'k self, place: &Pointer) -> Demands<'k> {
        Demands(self.0.iter().filter(|violation| violation.instance() == place).collect())
    }
}

/// What is asked of one place.
#[derive(Clone, Debug, Default)]
pub(super) struct Demands<'k>(Vec<&'k Violation>);

impl<'k> Demands<'k> {
    /// What is asked of the name `name` of a property, as a string.
    pub(super) fn of_name(&self, name: &str) -> Demands<'k> {
        let of_names = self.wrong_names();
        Demands(of_names.filter(|(other, _)| *other == name).map(|(_, wrong)| wrong).collect())
    }

    /// What is asked of the names of properties in general.
    pub(super) fn of_names(&self) -> Demands<'k> {
        Demands(self.wrong_names().map(|(_, wrong)| wrong).collect())
    }

    fn wrong_names(&self) -> impl Iterator<Item = (&'k str, &'k Violation)> {
        self.0.iter().filter_map(|violation| {
            let Operands::Name { name, wrong } = violation.operands() else { return None };
            Some((name.as_str(), &**wrong))
        })
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The limits that `keyword` sets.
    pub(super) fn limits(&self, keyword: &str) -> impl Iterator<Item = &'k Number> {
        self.of(keyword).filter_map(|operands| {
            if let Operands::Limit(Value::Number(limit)) = operands { Some(limit) } else { None }
        })
    }

    /// The limits that `keyword` sets, as counts.
    pub(super) fn counts(&self, keyword: &str) -> impl Iterator<Item = usize> {
        self.limits(keyword).filter_map(|limit| usize::try_from(count(limit)?).ok())
    }

    /// The texts that `keyword` names.
    pub(super) fn texts(&self, keyword: &str) -> Vec<String> {
        let text = |operands: &Operands| {
            if let Operands::Text(text) = operands { Some(text.clone()) } else { None }
        };
        self.of(keyword).filter_map(text).collect()
    }

    /// The names that `keyword` names.
    pub(super) fn names(&self, keyword: &str) -> Vec<&'k str> {
        let names = |operands: &'k Operands| {
            if let Operands::Names(names) = operands { names.as_slice() } else { &[] }
        };
        self.of(keyword).flat_map(names).map(String::as_str).collect()
    }

    /// The types that all of it admits; nothing if none is asked for.
    pub(super) fn types(&self) -> Option<TypeSet> {
        let asked = self.of("type").filter_map(|operands| {
            if let Operands::Types(types) = operands { Some(*types) } else { None }
        });
        asked.reduce(|met, types| met & types)
    }

    /// The values that all of it admits; nothing if none is asked for.
    pub(super) fn values(&self) -> Option<Vec<&'k Value>> {
        let listed = ["const", "enum"].into_iter().flat_map(|keyword| self.of(keyword));
        let mut lists = listed.filter_map(|operands| {
            if let Operands::Values(values) = operands { Some(values) } else { None }
        });
        let first: Vec<&Value> = lists.next()?.iter().collect();
        Some(lists.fold(first, |mut met, values| {
            met.retain(|value| values.iter().any(|other| json_equal(value, other)));
            met
        }))
    }

    /// For each violation of `anyOf` or `oneOf`, its branches' own demands on this place.
    pub(super) fn branches(&self) -> Vec<Demands<'k>> {
        let mut found = Vec::new();
        for violation in &self.0 {
            if let Operands::Branches(branches) = violation.operands() {
                let here = |branch: &'k Vec<Violation>| {
                    let own = branch.iter().filter(|it| it.instance() == violation.instance());
                    Demands(own.collect())
                };
                found.extend(branches.iter().map(here).filter(|branch| !branch.is_empty()));
            }
        }
        found
    }

    fn of(&self, keyword: &str) -> impl Iterator<Item = &'k Operands> {
        self.0.iter().filter(move |it| it.keyword() == keyword).map(|it| it.operands())
    }
}
