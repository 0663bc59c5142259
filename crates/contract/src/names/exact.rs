//! Whether one given name is admissible, answered by the validator itself.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::Validator;

use super::rules::is_never;
use crate::{Canonical, JsonView, ObjectShape, Pattern, json_view::Views, stack};

/// The rules of one object, to be asked about one name at a time.
#[derive(Debug)]
pub(super) struct Exact {
    names: Option<Validator<Views>>,
    /// The declared names, and whether their own schema bars them.
    declared: BTreeMap<String, Rule>,
    /// The patterns of values, and whether their schema bars what matches.
    patterns: Vec<(String, Rule)>,
    additional: Rule,
    /// One validator for every pattern that is asked about.
    matchers: BTreeMap<String, Pattern>,
    /// Whether the validator refused a rule; then no name is admitted and nothing is proven.
    refused: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    Open,
    Barred,
}

impl Rule {
    fn of(schema: &Canonical) -> Self {
        if is_never(schema) { Self::Barred } else { Self::Open }
    }
}

impl Exact {
    /// The rules of `shape`; `patterns` are to be asked about too.
    pub(super) fn of(shape: &ObjectShape, patterns: &BTreeSet<String>) -> Self {
        let names = shape.property_names.as_ref().map(validator);
        let asked: BTreeSet<&String> =
            patterns.iter().chain(shape.pattern_properties.keys()).collect();
        let matchers: BTreeMap<String, Pattern> = asked
            .iter()
            .filter_map(|pattern| Some(((*pattern).clone(), Pattern::new(pattern)?)))
            .collect();
        let rules = |schemas: &BTreeMap<String, Canonical>| -> Vec<(String, Rule)> {
            schemas.iter().map(|(key, schema)| (key.clone(), Rule::of(schema))).collect()
        };
        Self {
            refused: matchers.len() < asked.len() || names.as_ref().is_some_and(Option::is_none),
            names: names.flatten(),
            declared: rules(&shape.properties).into_iter().collect(),
            patterns: rules(&shape.pattern_properties),
            additional: shape.additional_properties.as_ref().map_or(Rule::Open, Rule::of),
            matchers,
        }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused
    }

    pub(super) fn limits_names(&self) -> bool {
        self.names.is_some() || self.additional == Rule::Barred
    }

    pub(super) fn admits(&self, name: &str) -> bool {
        let is_valid = |names: &Validator<Views>| names.is_valid(JsonView::from(name));
        let by_names = || self.names.as_ref().is_none_or(is_valid);
        !self.refused && self.admits_a_value(name) && by_names()
    }

    /// Whether some value may stand under `name`.
    fn admits_a_value(&self, name: &str) -> bool {
        let declared = self.declared.get(name).copied();
        let matched = self.patterns.iter().filter(|(pattern, _)| self.matches(pattern, name));
        let mut rules = declared.into_iter().chain(matched.map(|(_, rule)| *rule)).peekable();
        if rules.peek().is_none() {
            return self.additional == Rule::Open;
        }
        rules.all(|rule| rule == Rule::Open)
    }

    /// Whether `name` matches `pattern`, which is one of those asked about.
    pub(super) fn matches(&self, pattern: &str, name: &str) -> bool {
        self.matchers.get(pattern).is_some_and(|matcher| matcher.matches(name))
    }

    /// The patterns of values that `name` matches.
    pub(super) fn matched(&self, name: &str) -> impl Iterator<Item = &str> {
        let patterns = self.patterns.iter().map(|(pattern, _)| pattern.as_str());
        patterns.filter(move |pattern| self.matches(pattern, name))
    }
}

fn validator(names: &Canonical) -> Option<Validator<Views>> {
    let options = jsonschema::options_for::<Views>()
        .with_draft(names.draft().to_referencing())
        // Where formats only describe, the canonical form has none.
        .should_validate_formats(true)
        .offline();
    stack::with_large_stack(|| options.build(&names.to_schema()).ok())
}
