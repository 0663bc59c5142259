//! Values on the bounds of numbers, lengths and sizes.
//!
//! What hits a bound, and whether anything can, follows from the effective domain of its location ([`Domain`]). An
//! inclusive bound is hit by the bound itself, and is unreachable if another constraint of the domain excludes that
//! value. An exclusive bound is hit by its representative: the value at that end of the domain by the rule of the
//! generator, as given by
//! [`Numbers::minimum_representative`](foolproof_generate::Numbers::minimum_representative).

use std::ops::RangeInclusive;

use foolproof_contract::{
    Applicator, DiagnosticCode, FormatPolicy, ItemApplicator, JsonKind, JsonView, Node, NodeId,
    NumberShape, TypeSet, count, format_lengths,
};
use foolproof_generate::Numbers;
use serde_json::{Map, Number, Value};

use super::{
    Build, TargetIndex,
    domain::{Domain, DomainSchema, Rule},
    members::Listed,
};
use crate::{Params, Target, TargetKind, Unreachable};

/// A bound at one node, and its target.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    pub(crate) measured: Measured,
    pub(crate) target: TargetIndex,
}

/// What is compared, and with which number.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Measured {
    /// The value itself.
    Number(Value),
    /// The number of characters of a string.
    Length(u64),
    /// The number of items.
    Items(u64),
}

impl Bound {
    /// Whether `value` is on the bound.
    pub(crate) fn is_hit_by(&self, value: JsonView<'_>) -> bool {
        self.measured.is(value)
    }
}

impl Measured {
    fn is(&self, value: JsonView<'_>) -> bool {
        match (self, value.kind()) {
            (Self::Number(bound), JsonKind::Number(_)) => value.equals(JsonView::from(bound)),
            (Self::Length(length), JsonKind::String(text)) => {
                // A string has at most as many characters as bytes.
                text.len() as u64 >= *length && text.chars().count() as u64 == *length
            }
            (Self::Items(size), JsonKind::Array(items)) => items.len() as u64 == *size,
            (Self::Number(_) | Self::Length(_) | Self::Items(_), _) => false,
        }
    }

    fn types(&self) -> TypeSet {
        match self {
            Self::Number(_) => TypeSet::NUMBER,
            Self::Length(_) => TypeSet::STRING,
            Self::Items(_) => TypeSet::ARRAY,
        }
    }
}

/// The targets of the bounds at `id`. If `enum` or `const` lists the values (`listed`), a bound is
/// unreachable unless one of them is on it. A bound without effect, because of the schema's own
/// `type`, is no target.
pub(super) fn of(
    build: &mut Build<'_>,
    id: NodeId,
    node: &Node,
    schema: &Map<String, Value>,
    listed: Option<&[Listed<'_>]>,
) -> Vec<Bound> {
    let own = TypeSet::declared(schema);
    if !KEYWORDS.iter().any(|keyword| schema.contains_key(*keyword)) {
        return Vec::new();
    }
    let domain = Domain::at(build, id);
    let mut candidates = Vec::new();
    if own.overlaps(TypeSet::NUMBER) {
        candidates.extend(numeric(schema, &domain));
    }
    for size in SIZES.iter().filter(|size| own.overlaps(size.types)) {
        candidates.extend(size.ends(build, schema, &domain));
    }
    let mut found = Vec::new();
    for candidate in candidates {
        let why = why_not(build, id, node, &candidate, listed, &domain);
        let Candidate { kind, keyword, bound, value, measured, .. } = candidate;
        let params = Params::Bound { keyword, bound, value };
        let target = build.add(Target::new(kind, node.location(), params), why);
        found.extend(target.map(|target| Bound { measured, target }));
    }
    found
}

/// The keywords that set bounds.
const KEYWORDS: [&str; 8] = [
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
];

/// A bound that may become a target.
struct Candidate {
    kind: TargetKind,
    keyword: &'static str,
    bound: Number,
    value: Number,
    measured: Measured,
    /// Why other constraints of the domain exclude it, if they do.
    excluded: Option<Unreachable>,
}

/// Why no value is on the bound `candidate`; nothing if one may be.
fn why_not(
    build: &Build<'_>,
    id: NodeId,
    node: &Node,
    candidate: &Candidate,
    listed: Option<&[Listed<'_>]>,
    domain: &Domain<'_>,
) -> Option<Unreachable> {
    let (measured, location) = (&candidate.measured, node.location());
    let own = location.key(candidate.keyword).to_string();
    let because = |reason: String, code, other: String| {
        Some(Unreachable::new(reason, code).at([own.clone(), other]))
    };
    if let Some(why) = build.why_not_at(id) {
        return Some(why);
    }
    if !build.reach.at(id).overlaps(measured.types()) {
        let reason = format!("no value of the type that it bounds reaches `{location}`");
        return because(reason, DiagnosticCode::TypeOrEnum, own.clone());
    }
    if let Some(why) = &candidate.excluded {
        return Some(why.clone());
    }
    let is_listed =
        |(value, why): &Listed<'_>| why.is_none() && measured.is(JsonView::from(*value));
    if listed.is_some_and(|listed| !listed.iter().any(is_listed)) {
        let reason = format!("no value that `{location}` lists is on the bound");
        return because(reason, DiagnosticCode::TypeOrEnum, location.to_string());
    }
    let mut lists = domain.other_lists();
    let (keyword, _) =
        lists.find(|(_, members)| !members.iter().any(|it| measured.is(it.into())))?;
    let reason = format!("no value that `{keyword}` lists is on the bound");
    because(reason, DiagnosticCode::TypeOrEnum, keyword)
}

/// The lengths of the strings that have the format of a schema.
fn lengths(build: &Build<'_>, schema: &DomainSchema<'_>) -> RangeInclusive<u64> {
    match schema.text.get("format") {
        Some(Value::String(format)) if build.forms.formats() == FormatPolicy::Assert => {
            format_lengths(schema.draft, format)
        }
        _ => 0..=u64::MAX,
    }
}

/// The most items of an array: the first index at which no value is admitted.
fn longest(build: &Build<'_>, id: NodeId) -> u64 {
    let node = &build.graph[id];
    let ends = node.edges().iter().filter_map(|edge| match edge.applicator() {
        Applicator::Item(ItemApplicator::Prefix(at) | ItemApplicator::Rest { from: at }) => {
            (!build.leads(id, node, edge)).then_some(*at as u64)
        }
        Applicator::Member(_)
        | Applicator::PropertyNames
        | Applicator::Item(ItemApplicator::Unevaluated | ItemApplicator::Contains)
        | Applicator::InPlace(_)
        | Applicator::Not => None,
    });
    ends.min().unwrap_or(u64::MAX)
}

/// The two keywords that bound a size.
struct Size {
    types: TypeSet,
    low: (&'static str, TargetKind),
    high: (&'static str, TargetKind),
    measured: fn(u64) -> Measured,
}

const SIZES: [Size; 2] = [
    Size {
        types: TypeSet::STRING,
        low: ("minLength", TargetKind::StringMinLengthHit),
        high: ("maxLength", TargetKind::StringMaxLengthHit),
        measured: Measured::Length,
    },
    Size {
        types: TypeSet::ARRAY,
        low: ("minItems", TargetKind::ArrayMinItemsHit),
        high: ("maxItems", TargetKind::ArrayMaxItemsHit),
        measured: Measured::Items,
    },
];

impl Size {
    /// The two ends; `excluded` if another constraint of the domain does not admit that size.
    fn ends(
        &self,
        build: &Build<'_>,
        schema: &Map<String, Value>,
        domain: &Domain<'_>,
    ) -> Vec<Candidate> {
        let candidate = |(keyword, kind): (&'static str, TargetKind)| {
            let bound = schema.get(keyword).and_then(whole)?;
            let excluded = self.excluding(build, domain, bound).map(|(reason, other)| {
                let code = if self.types == TypeSet::ARRAY {
                    DiagnosticCode::ArrayBounds
                } else {
                    DiagnosticCode::StringConstraints
                };
                let own = domain.schemas.first().map(|own| own.location.key(keyword).to_string());
                Unreachable::new(reason, code).at(own.into_iter().chain([other]))
            });
            let measured = (self.measured)(bound);
            Some(Candidate {
                kind,
                keyword,
                bound: bound.into(),
                value: bound.into(),
                measured,
                excluded,
            })
        };
        [self.low.clone(), self.high.clone()].into_iter().filter_map(candidate).collect()
    }

    /// The constraint of the domain that does not admit the size `bound`, if there is one.
    fn excluding(
        &self,
        build: &Build<'_>,
        domain: &Domain<'_>,
        bound: u64,
    ) -> Option<(String, String)> {
        let whole_rules =
            |keyword| domain.rules(keyword).filter_map(|rule| Some((rule, count(rule.number)?)));
        let mut below = whole_rules(self.low.0).filter(|(_, least)| bound < *least);
        let mut above = whole_rules(self.high.0).filter(|(_, most)| bound > *most);
        if let Some((rule, _)) = below.next().or_else(|| above.next()) {
            return Some((format!("`{}` excludes it", rule.pointer()), rule.pointer()));
        }
        for schema in &domain.schemas {
            let is_array = self.types == TypeSet::ARRAY;
            let possible =
                if is_array { 0..=longest(build, schema.id) } else { lengths(build, schema) };
            if !possible.contains(&bound) {
                let keyword = if is_array { "items" } else { "format" };
                let place = schema.location.key(keyword).to_string();
                let what = if is_array { "array" } else { "string of the format" };
                return Some((
                    format!("no {what} at `{}` is so long or so short", schema.location),
                    place,
                ));
            }
        }
        None
    }
}

/// A count that a keyword holds, in any notation.
pub(super) fn whole(value: &Value) -> Option<u64> {
    value.as_number().and_then(count)
}

/// One end of the numbers that a schema's own keywords admit.
#[derive(Clone, Copy)]
struct End<'s> {
    keyword: &'static str,
    bound: &'s Number,
    is_exclusive: bool,
}

/// The numeric bounds. With an inclusive and an exclusive one at the same end, the one that decides
/// is the target.
fn numeric(schema: &Map<String, Value>, domain: &Domain<'_>) -> Vec<Candidate> {
    let low = end(schema, "minimum", "exclusiveMinimum", |closed, open| NumberShape {
        minimum: Some(open.clone()),
        exclusive_minimum: true,
        maximum: Some(closed.clone()),
        ..NumberShape::default()
    });
    let high = end(schema, "maximum", "exclusiveMaximum", |closed, open| NumberShape {
        minimum: Some(closed.clone()),
        maximum: Some(open.clone()),
        exclusive_maximum: true,
        ..NumberShape::default()
    });
    let numbers = NumericDomain::of(domain);
    let low = low.and_then(|end| numbers.candidate(TargetKind::NumericMinHit, end));
    let high = high.and_then(|end| numbers.candidate(TargetKind::NumericMaxHit, end));
    low.into_iter().chain(high).collect()
}

/// The bound at one end. `between` gives the numbers from the exclusive bound to the inclusive one:
/// if there are any, the inclusive bound decides.
fn end<'s>(
    schema: &'s Map<String, Value>,
    inclusive: &'static str,
    exclusive: &'static str,
    between: impl Fn(&Number, &Number) -> NumberShape,
) -> Option<End<'s>> {
    let closed = schema.get(inclusive).and_then(Value::as_number).map(|bound| End {
        keyword: inclusive,
        bound,
        // Before draft 6 the keyword is a flag beside the bound.
        is_exclusive: schema.get(exclusive) == Some(&Value::Bool(true)),
    });
    let open = schema.get(exclusive).and_then(Value::as_number).map(|bound| End {
        keyword: exclusive,
        bound,
        is_exclusive: true,
    });
    match (closed, open) {
        (Some(closed), Some(open)) => {
            let between = Numbers::compile(&between(closed.bound, open.bound));
            let decides = between.minimum_representative().is_some();
            Some(if decides { closed } else { open })
        }
        (closed, open) => closed.or(open),
    }
}

/// The numbers of a domain.
struct NumericDomain<'a> {
    location: Option<String>,
    rules: Vec<Rule<'a>>,
    /// Where only integers are admitted, if they are.
    integers: Option<String>,
}

impl<'a> NumericDomain<'a> {
    fn of(domain: &Domain<'a>) -> Self {
        const RULES: [&str; 5] =
            ["minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum", "multipleOf"];
        let rules = RULES.into_iter().flat_map(|keyword| domain.rules(keyword)).collect();
        let is_whole = |schema: &&DomainSchema<'_>| {
            TypeSet::declared(schema.text) & TypeSet::NUMBER == TypeSet::INTEGER
        };
        let integers = domain.schemas.iter().find(is_whole);
        Self {
            location: domain.schemas.first().map(|own| own.location.to_string()),
            rules,
            integers: integers.map(|schema| schema.location.key("type").to_string()),
        }
    }

    fn candidate(&self, kind: TargetKind, end: End<'_>) -> Option<Candidate> {
        let End { keyword, bound, is_exclusive } = end;
        // Numbers that are too long to calculate with prove nothing.
        let is_proof = self.rules.iter().all(|rule| is_short(rule.number));
        let (value, excluded) = if is_exclusive {
            let numbers = Numbers::compile(&shape_of(self.rules.iter(), self.integers.is_some()));
            let value = if kind == TargetKind::NumericMinHit {
                numbers.minimum_representative()
            } else {
                numbers.maximum_representative()
            };
            match value {
                Some(value) => (value.clone(), None),
                None if is_proof => (bound.clone(), Some(self.empty(keyword))),
                // No number is known that would hit the target.
                None => return None,
            }
        } else {
            (bound.clone(), self.excluding(keyword, bound).filter(|_| is_proof))
        };
        let measured = Measured::Number(Value::Number(value.clone()));
        Some(Candidate { kind, keyword, bound: bound.clone(), value, measured, excluded })
    }

    /// Why the number `bound` is not in the domain, if it is not.
    fn excluding(&self, keyword: &'static str, bound: &Number) -> Option<Unreachable> {
        let admits = |rules: &[&Rule<'_>], is_whole: bool| {
            Numbers::compile(&shape_of(rules.iter().copied(), is_whole)).admits(bound)
        };
        let own = || self.location.as_ref().map(|location| format!("{location}/{keyword}"));
        let why = |reason: String, other: String| {
            let why = Unreachable::new(reason, DiagnosticCode::NumericBounds);
            why.at(own().into_iter().chain([other]))
        };
        if let Some(rule) = self.rules.iter().find(|rule| !admits(&[rule], false)) {
            return Some(why(format!("`{}` excludes it", rule.pointer()), rule.pointer()));
        }
        let integers = self.integers.as_ref().filter(|_| !admits(&[], true))?;
        Some(why(format!("`{integers}` excludes it"), integers.clone()))
    }

    fn empty(&self, keyword: &'static str) -> Unreachable {
        let pointers = self.rules.iter().map(Rule::pointer).chain(self.integers.clone());
        let own = self.location.as_ref().map(|location| format!("{location}/{keyword}"));
        let reason = "no number satisfies all that applies here";
        Unreachable::new(reason, DiagnosticCode::NumericBounds).at(pointers.chain(own))
    }
}

/// The numbers that satisfy `rules`.
fn shape_of<'r>(rules: impl Iterator<Item = &'r Rule<'r>>, is_whole: bool) -> NumberShape {
    let mut shape = NumberShape::default();
    for rule in rules {
        // The set of one bound alone: a bound that it does not admit is less strict.
        let admits = |alone: &NumberShape, other: &Option<Number>| {
            other.as_ref().is_some_and(|other| Numbers::compile(alone).admits(other))
        };
        match rule.keyword {
            "multipleOf" => shape.multiple_of.push(rule.number.clone()),
            "minimum" | "exclusiveMinimum" => {
                let alone = NumberShape {
                    minimum: Some(rule.number.clone()),
                    exclusive_minimum: rule.is_exclusive,
                    ..NumberShape::default()
                };
                if !admits(&alone, &shape.minimum) {
                    shape.minimum = alone.minimum;
                    shape.exclusive_minimum = alone.exclusive_minimum;
                }
            }
            _ => {
                let alone = NumberShape {
                    maximum: Some(rule.number.clone()),
                    exclusive_maximum: rule.is_exclusive,
                    ..NumberShape::default()
                };
                if !admits(&alone, &shape.maximum) {
                    shape.maximum = alone.maximum;
                    shape.exclusive_maximum = alone.exclusive_maximum;
                }
            }
        }
    }
    // Integers are the multiples of one.
    shape.multiple_of.extend(is_whole.then(|| Number::from(1)));
    shape
}

/// Whether a number is certainly not too long to calculate with: the limit is ten thousand digits.
fn is_short(number: &Number) -> bool {
    let text = number.as_str();
    let exponent =
        text.split(['e', 'E']).nth(1).map(|digits| digits.trim_start_matches(['+', '-']));
    text.len() < 1000 && exponent.is_none_or(|digits| digits.len() <= 3)
}
