//! Whether a form has finite values at all.
//!
//! An object that must hold a member of its own kind has no finite value, and JSON has no other. The
//! answer is a least fixed point over the forms inside a form: one has a finite value if enough of its
//! parts have one. Every rule is true whenever a finite value exists, so what the fixed point leaves
//! out is proven to have none: the least value of those left out would have parts that are in.
//!
//! What the rules do not look at (a negation, the rules an object must break, distinct items, the
//! overlap of the branches of `oneOf`) counts as satisfiable.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Number, Value};

use super::{ArrayShape, Canonical, ObjectShape, Shape};
use crate::{JsonType, Pattern, stack};

/// The number of forms after which the question is left open.
const MOST_FORMS: usize = 200_000;

/// Whether `form` is proven to have no finite value.
pub(super) fn is_endless(form: &Canonical) -> bool {
    // The library compares and copies forms by recursion.
    stack::with_large_stack(|| {
        let mut reader = Reader::default();
        let root = reader.number(form);
        let mut rules: Vec<Rule> = Vec::new();
        while let Some(form) = reader.unread.get(rules.len()).cloned() {
            if rules.len() >= MOST_FORMS {
                return false;
            }
            rules.push(reader.read(&form));
        }
        !has_finite(&rules)[root]
    })
}

/// When a form has a finite value, in terms of other forms by their numbers.
enum Rule {
    Always,
    Never,
    Form(usize),
    All(Vec<Rule>),
    Any(Vec<Rule>),
    /// So many of these hold.
    AtLeast(usize, Vec<Rule>),
}

impl Rule {
    fn holds(&self, known: &[bool]) -> bool {
        match self {
            Self::Always => true,
            Self::Never => false,
            Self::Form(form) => known[*form],
            Self::All(rules) => rules.iter().all(|rule| rule.holds(known)),
            Self::Any(rules) => rules.iter().any(|rule| rule.holds(known)),
            Self::AtLeast(count, rules) => {
                rules.iter().filter(|rule| rule.holds(known)).take(*count).count() == *count
            }
        }
    }

    fn forms(&self, found: &mut BTreeSet<usize>) {
        match self {
            Self::Always | Self::Never => {}
            Self::Form(form) => {
                found.insert(*form);
            }
            Self::All(rules) | Self::Any(rules) | Self::AtLeast(_, rules) => {
                for rule in rules {
                    rule.forms(found);
                }
            }
        }
    }
}

/// For each form whether its rule holds, given those that hold.
fn has_finite(rules: &[Rule]) -> Vec<bool> {
    let mut users: Vec<Vec<usize>> = vec![Vec::new(); rules.len()];
    for (form, rule) in rules.iter().enumerate() {
        let mut used = BTreeSet::new();
        rule.forms(&mut used);
        for used in used {
            users[used].push(form);
        }
    }
    let mut known = vec![false; rules.len()];
    let mut pending: Vec<usize> = (0..rules.len()).collect();
    while let Some(form) = pending.pop() {
        if !known[form] && rules[form].holds(&known) {
            known[form] = true;
            pending.extend(users[form].iter().filter(|user| !known[**user]));
        }
    }
    known
}

#[derive(Default)]
struct Reader {
    numbers: BTreeMap<Canonical, usize>,
    /// Every form that has a number, by number.
    unread: Vec<Canonical>,
}

impl Reader {
    fn number(&mut self, form: &Canonical) -> usize {
        if let Some(number) = self.numbers.get(form) {
            return *number;
        }
        let number = self.unread.len();
        self.numbers.insert(form.clone(), number);
        self.unread.push(form.clone());
        number
    }

    fn form(&mut self, form: &Canonical) -> Rule {
        Rule::Form(self.number(form))
    }

    fn forms(&mut self, forms: &[Canonical]) -> Vec<Rule> {
        forms.iter().map(|form| self.form(form)).collect()
    }

    fn read(&mut self, form: &Canonical) -> Rule {
        match form.shape() {
            Shape::Never => Rule::Never,
            Shape::Any
            | Shape::Types(_)
            | Shape::String(_)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Const(_)
            | Shape::Enum(_)
            | Shape::Not(_) => Rule::Always,
            Shape::Typed(_, body) => self.form(&body),
            Shape::AllOf(parts) => Rule::All(self.forms(&parts)),
            Shape::AnyOf(parts) | Shape::OneOf(parts) => Rule::Any(self.forms(&parts)),
            Shape::Reference(key) => match form.definition(&key) {
                Some(target) => self.form(&target),
                None => Rule::Always,
            },
            Shape::Array(array) => self.array(&array),
            Shape::Object(object) => self.object(&object),
        }
    }

    fn array(&mut self, shape: &ArrayShape) -> Rule {
        let contained =
            shape.contains.iter().map(|contains| contains.min.as_ref().map_or(1, count));
        // What is contained may stand in the prefix, where it must belong to both sets.
        let min = contained.chain(shape.min_items.as_ref().map(count)).max().unwrap_or(0);
        let mut needed: Vec<Rule> =
            shape.prefix.iter().take(min).map(|item| self.form(item)).collect();
        if let Some(items) = shape.items.as_ref().filter(|_| min > shape.prefix.len()) {
            needed.push(self.form(items));
        }
        for contains in &shape.contains {
            if contains.min.as_ref().map_or(1, count) > 0 {
                needed.push(self.form(&contains.schema));
            }
        }
        Rule::All(needed)
    }

    fn object(&mut self, shape: &ObjectShape) -> Rule {
        let min = shape.min_properties.as_ref().map_or(0, count);
        if min == 0 && shape.required.is_empty() {
            return Rule::Always;
        }
        let Some(members) = Members::of(shape) else { return Rule::Always };
        let mut needed: Vec<Rule> =
            shape.required.iter().map(|name| self.member(&members, name)).collect();
        if min > shape.required.len() {
            needed.push(self.more_members(&members, min - shape.required.len()));
        }
        Rule::All(needed)
    }

    /// That a value may stand under `name`.
    fn member(&mut self, members: &Members<'_>, name: &str) -> Rule {
        let mut parts = Vec::new();
        parts.extend(members.shape.properties.get(name).map(|form| self.form(form)));
        for (pattern, form) in &members.patterns {
            if pattern.matches(name) {
                parts.push(self.form(form));
            }
        }
        if parts.is_empty() { self.additional(members.shape) } else { Rule::All(parts) }
    }

    fn additional(&mut self, shape: &ObjectShape) -> Rule {
        shape.additional_properties.as_ref().map_or(Rule::Always, |form| self.form(form))
    }

    /// That `count` members besides the required ones may be there.
    fn more_members(&mut self, members: &Members<'_>, count: usize) -> Rule {
        let shape = members.shape;
        let mut names: BTreeSet<String> = shape.properties.keys().cloned().collect();
        // Any number of members may come from one of these.
        let mut sources: Vec<Rule> = Vec::new();
        if let Some(admitted) = shape.property_names.as_ref().and_then(names_of) {
            names.retain(|name| admitted.listed.contains(name) || !admitted.is_list());
            names.extend(admitted.listed);
            for pattern in &admitted.patterns {
                match shape.pattern_properties.get(pattern) {
                    Some(form) => sources.push(self.form(form)),
                    None => return Rule::Always,
                }
            }
        } else {
            sources.extend(shape.pattern_properties.values().map(|form| self.form(form)));
            sources.push(self.additional(shape));
        }
        for name in &shape.required {
            names.remove(name);
        }
        let named: Vec<Rule> = names.iter().map(|name| self.member(members, name)).collect();
        sources.push(Rule::AtLeast(count, named));
        Rule::Any(sources)
    }
}

/// An object with its patterns ready to be matched.
struct Members<'s> {
    shape: &'s ObjectShape,
    patterns: Vec<(Pattern, &'s Canonical)>,
}

impl<'s> Members<'s> {
    /// `None` where a pattern cannot be matched.
    fn of(shape: &'s ObjectShape) -> Option<Self> {
        let patterns = shape.pattern_properties.iter();
        let patterns = patterns.map(|(pattern, form)| Some((Pattern::new(pattern)?, form)));
        Some(Self { shape, patterns: patterns.collect::<Option<_>>()? })
    }
}

/// The names that a closed object admits: these, and those that match one of the patterns.
#[derive(Default)]
struct Admitted {
    listed: BTreeSet<String>,
    patterns: Vec<String>,
}

impl Admitted {
    fn is_list(&self) -> bool {
        self.patterns.is_empty()
    }
}

/// The names in `form`, or more; `None` where it is not written as names and patterns.
fn names_of(form: &Canonical) -> Option<Admitted> {
    let mut admitted = Admitted::default();
    let mut pending = vec![form.clone()];
    while let Some(form) = pending.pop() {
        match form.shape() {
            Shape::Never => {}
            Shape::Const(Value::String(name)) => {
                admitted.listed.insert(name);
            }
            Shape::Enum(values) => {
                let names = values.iter().filter_map(Value::as_str).map(str::to_owned);
                admitted.listed.extend(names);
            }
            Shape::String(strings) => admitted.patterns.push(strings.patterns.first()?.clone()),
            Shape::AnyOf(parts) | Shape::OneOf(parts) => pending.extend(parts),
            Shape::Typed(JsonType::String, body) => pending.push(*body),
            Shape::Const(_)
            | Shape::Any
            | Shape::Types(_)
            | Shape::Typed(..)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Array(_)
            | Shape::Object(_)
            | Shape::Not(_)
            | Shape::AllOf(_)
            | Shape::Reference(_) => return None,
        }
    }
    Some(admitted)
}

fn count(number: &Number) -> usize {
    number.as_u64().and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX)
}
