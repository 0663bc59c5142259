//! Values on the bounds of numbers, lengths and sizes.
//!
//! Which number represents a numeric bound is decided by the rule of the generator: the bound itself
//! if the schema's own keywords admit it, otherwise the nearest value, as given by
//! [`Numbers::minimum_representative`](foolproof_generate::Numbers::minimum_representative).

use std::ops::RangeInclusive;

use foolproof_contract::{
    Applicator, FormatPolicy, ItemApplicator, Node, NodeId, NumberShape, TypeSet, count,
    format_lengths, json_equal,
};
use foolproof_generate::Numbers;
use serde_json::{Map, Number, Value};

use super::{Build, TargetIndex, members::Listed};
use crate::{Params, Target, TargetKind};

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
    pub(crate) fn is_hit_by(&self, value: &Value) -> bool {
        self.measured.is(value)
    }
}

impl Measured {
    fn is(&self, value: &Value) -> bool {
        match (self, value) {
            (Self::Number(bound), Value::Number(_)) => json_equal(bound, value),
            (Self::Length(length), Value::String(text)) => {
                // A string has at most as many characters as bytes.
                text.len() as u64 >= *length && text.chars().count() as u64 == *length
            }
            (Self::Items(size), Value::Array(items)) => items.len() as u64 == *size,
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
    let mut candidates = Vec::new();
    if own.overlaps(TypeSet::NUMBER) {
        candidates.extend(numeric(schema));
    }
    for size in SIZES.iter().filter(|size| own.overlaps(size.types)) {
        let possible = if size.types == TypeSet::ARRAY {
            0..=longest(build, id, node)
        } else {
            lengths(build, node, schema)
        };
        candidates.extend(size.ends(schema, &possible));
    }
    let here = build.reach.at(id);
    let mut found = Vec::new();
    for Candidate { kind, keyword, bound, value, measured, is_sound } in candidates {
        let is_listed = |(value, is_admitted): &Listed<'_>| *is_admitted && measured.is(value);
        let possible = is_sound
            && here.overlaps(measured.types())
            && listed.is_none_or(|listed| listed.iter().any(is_listed));
        let params = Params::Bound { keyword, bound, value };
        let target = build.add(Target::new(kind, node.location(), params), possible);
        found.extend(target.map(|target| Bound { measured, target }));
    }
    found
}

/// A bound that may become a target.
struct Candidate {
    kind: TargetKind,
    keyword: &'static str,
    bound: Number,
    value: Number,
    measured: Measured,
    /// Whether the other bounds and the format admit it.
    is_sound: bool,
}

/// The lengths of the strings that have the format of the schema.
fn lengths(build: &Build<'_>, node: &Node, schema: &Map<String, Value>) -> RangeInclusive<u64> {
    match schema.get("format") {
        Some(Value::String(format)) if build.forms.formats() == FormatPolicy::Assert => {
            format_lengths(node.draft(), format)
        }
        _ => 0..=u64::MAX,
    }
}

/// The most items of an array: the first index at which no value is admitted.
fn longest(build: &Build<'_>, id: NodeId, node: &Node) -> u64 {
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
    /// The two ends; one that is not among the `possible` sizes is unreachable.
    fn ends(&self, schema: &Map<String, Value>, possible: &RangeInclusive<u64>) -> Vec<Candidate> {
        let count = |keyword: &str| schema.get(keyword).and_then(whole);
        let (least, most) = (count(self.low.0), count(self.high.0));
        let is_ordered = least.unwrap_or(0) <= most.unwrap_or(u64::MAX);
        let candidate = |(keyword, kind): (&'static str, TargetKind), bound: u64| Candidate {
            kind,
            keyword,
            bound: bound.into(),
            value: bound.into(),
            measured: (self.measured)(bound),
            is_sound: is_ordered && possible.contains(&bound),
        };
        let low = least.map(|bound| candidate(self.low.clone(), bound));
        low.into_iter().chain(most.map(|bound| candidate(self.high.clone(), bound))).collect()
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
fn numeric(schema: &Map<String, Value>) -> Vec<Candidate> {
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
    let multiple_of = schema.get("multipleOf").and_then(Value::as_number);
    let (least, greatest) = representatives(schema, low, high, multiple_of);
    let ends =
        [(TargetKind::NumericMinHit, low, least), (TargetKind::NumericMaxHit, high, greatest)];
    let numbers = [low.map(|end| end.bound), high.map(|end| end.bound), multiple_of];
    let is_proof = numbers.into_iter().flatten().all(is_short);
    let candidate = |(kind, end, value): (_, Option<End<'_>>, Option<Number>)| {
        let End { keyword, bound, is_exclusive } = end?;
        // That there is no representative proves nothing if the numbers are too long to calculate
        // with. The bound itself may still be admitted, unless it is exclusive: then no number is
        // known that would hit the target.
        if value.is_none() && !is_proof && is_exclusive {
            return None;
        }
        let is_sound = value.is_some() || !is_proof;
        let value = value.unwrap_or_else(|| bound.clone());
        let measured = Measured::Number(Value::Number(value.clone()));
        Some(Candidate { kind, keyword, bound: bound.clone(), value, measured, is_sound })
    };
    ends.into_iter().filter_map(candidate).collect()
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

/// The numbers that represent the two ends.
fn representatives(
    schema: &Map<String, Value>,
    low: Option<End<'_>>,
    high: Option<End<'_>>,
    multiple_of: Option<&Number>,
) -> (Option<Number>, Option<Number>) {
    let mut divisors: Vec<Number> = multiple_of.into_iter().cloned().collect();
    // Integers are the multiples of one.
    let is_whole = TypeSet::declared(schema) & TypeSet::NUMBER == TypeSet::INTEGER;
    divisors.extend(is_whole.then(|| Number::from(1)));
    let numbers = Numbers::compile(&NumberShape {
        minimum: low.map(|end| end.bound.clone()),
        exclusive_minimum: low.is_some_and(|end| end.is_exclusive),
        maximum: high.map(|end| end.bound.clone()),
        exclusive_maximum: high.is_some_and(|end| end.is_exclusive),
        multiple_of: divisors,
        ..NumberShape::default()
    });
    (numbers.minimum_representative().cloned(), numbers.maximum_representative().cloned())
}

/// Whether a number is certainly not too long to calculate with: the limit is ten thousand digits.
fn is_short(number: &Number) -> bool {
    let text = number.as_str();
    let exponent =
        text.split(['e', 'E']).nth(1).map(|digits| digits.trim_start_matches(['+', '-']));
    text.len() < 1000 && exponent.is_none_or(|digits| digits.len() <= 3)
}
