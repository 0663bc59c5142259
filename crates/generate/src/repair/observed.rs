//! The violations observed at the paths of a value, of the present value and of the rejected trials,
//! and the requirements that follow from them.
//!
//! A rejected trial still gives information: the violations of `null` for a missing property say which
//! type is required, those of an empty string how long it must be. All requirements of a scalar are then
//! satisfied at once.

use foolproof_contract::{Operands, Pointer, TypeSet, Violation, count, json_equal};
use serde_json::{Number, Value};

/// The violations observed so far, each once.
#[derive(Clone, Debug, Default)]
pub(super) struct ObservedViolations(Vec<Violation>);

impl ObservedViolations {
    /// Adds the violations that are new.
    pub(super) fn add(&mut self, violations: &[&Violation]) {
        for violation in violations {
            if !self.0.contains(violation) {
                self.0.push((*violation).clone());
            }
        }
    }

    /// The requirements at `path`.
    pub(super) fn at<'k>(&'k self, path: &Pointer) -> Requirements<'k> {
        Requirements(self.0.iter().filter(|violation| violation.instance() == path).collect())
    }
}

/// The requirements at one instance path: the violations observed there.
#[derive(Clone, Debug, Default)]
pub(super) struct Requirements<'k>(Vec<&'k Violation>);

impl<'k> Requirements<'k> {
    /// The requirements of the property name `name`, as a string.
    pub(super) fn of_name(&self, name: &str) -> Requirements<'k> {
        let of_names = self.wrong_names();
        Requirements(of_names.filter(|(other, _)| *other == name).map(|(_, wrong)| wrong).collect())
    }

    /// The requirements of all property names.
    pub(super) fn of_names(&self) -> Requirements<'k> {
        Requirements(self.wrong_names().map(|(_, wrong)| wrong).collect())
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

    /// The types that all requirements admit; `None` without a requirement of types.
    pub(super) fn types(&self) -> Option<TypeSet> {
        let required = self.of("type").filter_map(|operands| {
            if let Operands::Types(types) = operands { Some(*types) } else { None }
        });
        required.reduce(|common, types| common & types)
    }

    /// The values that all requirements admit; `None` without a requirement of values.
    pub(super) fn values(&self) -> Option<Vec<&'k Value>> {
        let listed = ["const", "enum"].into_iter().flat_map(|keyword| self.of(keyword));
        let mut lists = listed.filter_map(|operands| {
            if let Operands::Values(values) = operands { Some(values) } else { None }
        });
        let first: Vec<&Value> = lists.next()?.iter().collect();
        Some(lists.fold(first, |mut common, values| {
            common.retain(|value| values.iter().any(|other| json_equal(value, other)));
            common
        }))
    }

    /// For each violation of `anyOf` or `oneOf`, the requirements of its branches at this path.
    pub(super) fn branches(&self) -> Vec<Requirements<'k>> {
        let mut found = Vec::new();
        for violation in &self.0 {
            if let Operands::Branches(branches) = violation.operands() {
                let here = |branch: &'k Vec<Violation>| {
                    let own = branch.iter().filter(|it| it.instance() == violation.instance());
                    Requirements(own.collect())
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
