//! The members of enumerations.

use foolproof_contract::{
    DiagnosticCode, Document, Draft, FormatPolicy, JsonView, Node, NodeId, Oracle, ReadOptions,
    TypeSet,
};
use serde_json::{Map, Value};

use super::{Build, TargetIndex, presence::for_both_policies};
use crate::{Hits, Params, Target, TargetKind, Unreachable};

/// The most members of one enumeration that are targets. Of a longer one they are a sample, spread
/// evenly from the first to the last.
const MAX_MEMBERS: usize = 256;

/// The members of the enumeration at one node, each with its target.
#[derive(Clone, Debug)]
pub(crate) struct Members(Vec<(Value, TargetIndex)>);

impl Members {
    /// Those targets that are not in `known` and that `value` hits.
    pub(crate) fn hit_by(
        &self,
        value: JsonView<'_>,
        known: &Hits,
    ) -> impl Iterator<Item = TargetIndex> {
        let hits = move |(member, _): &&(Value, TargetIndex)| value.equals(JsonView::from(member));
        // To compare values costs more than to find out that a target was hit.
        let open = self.0.iter().filter(|(_, target)| !known.contains(*target));
        open.filter(hits).map(|(_, target)| *target)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Value, TargetIndex)> {
        self.0.iter()
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = TargetIndex> {
        self.0.iter().map(|(_, target)| *target)
    }
}

/// A value that `enum` or `const` lists, and why it is not valid at that location, if that is known.
pub(super) type Listed<'s> = (&'s Value, Option<Unreachable>);

/// The values that `enum` lists, or else `const`; nothing if the schema has neither.
pub(super) fn listed<'s>(
    build: &Build<'_>,
    id: NodeId,
    node: &Node,
    schema: &'s Map<String, Value>,
) -> Option<Vec<Listed<'s>>> {
    let single = || schema.get("const").filter(|_| node.draft() >= Draft::Draft6);
    let values: Vec<&Value> = match schema.get("enum").and_then(Value::as_array) {
        Some(members) => members.iter().collect(),
        None => vec![single()?],
    };
    let here = build.reach.at(id);
    let oracles = oracles(build, node, schema);
    let is_refused = |value: &Value| {
        !oracles.is_empty()
            && oracles.iter().all(|oracle| !oracle.is_valid(value))
            && !(node.draft() == Draft::Draft4 && has_fractions(value))
    };
    let location = node.location();
    let refused = |reason: String| {
        let why = Unreachable::new(reason, DiagnosticCode::TypeOrEnum);
        Some(why.at([location.to_string()]))
    };
    let why_not = |value: &Value| {
        if let Some(why) = build.why_not_at(id) {
            Some(why)
        } else if !here.overlaps(TypeSet::of(value)) {
            refused(format!("no value of its type reaches `{location}`"))
        } else if is_refused(value) {
            refused(format!("the other keywords at `{location}` do not admit it"))
        } else {
            None
        }
    };
    Some(values.into_iter().map(|value| (value, why_not(value))).collect())
}

/// The targets of `enum`; `listed` is what it lists.
pub(super) fn of(
    build: &mut Build<'_>,
    node: &Node,
    schema: &Map<String, Value>,
    listed: Option<&[Listed<'_>]>,
) -> Option<Members> {
    let listed = listed.filter(|_| schema.get("enum").is_some_and(Value::is_array))?;
    let indices = sample(listed.len());
    let is_sample = indices.len() < listed.len();
    let mut found = Vec::new();
    for index in indices {
        let (value, why) = &listed[index];
        let params = Params::Member { index, value: (*value).clone() };
        let mut target = Target::new(TargetKind::EnumValueHit, node.location(), params);
        if is_sample {
            target = target.sampled_from(listed.len());
        }
        found.extend(build.add(target, why.clone()).map(|target| ((*value).clone(), target)));
    }
    build.sampled += usize::from(is_sample && !found.is_empty());
    Some(Members(found))
}

/// The indices of the members that are targets.
fn sample(members: usize) -> Vec<usize> {
    if members <= MAX_MEMBERS {
        return (0..members).collect();
    }
    (0..MAX_MEMBERS).map(|number| number * (members - 1) / (MAX_MEMBERS - 1)).collect()
}

/// Whether `value` contains a number that is not written as an integer. In draft 4, `1.0` is not an
/// integer but equals one. So if `1.0` is refused, an equal value may still be valid.
fn has_fractions(value: &Value) -> bool {
    match value {
        Value::Number(_) => !(value.is_i64() || value.is_u64()),
        Value::Array(items) => items.iter().any(has_fractions),
        Value::Object(members) => members.values().any(has_fractions),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// Oracles for single values at `node`: a value that all of them refuse cannot occur there.
fn oracles(build: &Build<'_>, node: &Node, schema: &Map<String, Value>) -> Vec<Oracle> {
    // An oracle that starts at this location may resolve a dynamic reference differently.
    if node.edges().iter().any(|edge| edge.applicator().is_in_place()) && !build.is_dynamic {
        return for_both_policies(build, node.location());
    }
    own_rules(schema, node.draft()).into_iter().collect()
}

/// An oracle for the schema's own keywords, without subschemas and formats: it accepts at least what
/// the schema accepts. Nothing if there is only `type`, which is checked elsewhere.
fn own_rules(schema: &Map<String, Value>, draft: Draft) -> Option<Oracle> {
    const OWN: [&str; 15] = [
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "exclusiveMaximum",
        "multipleOf",
        "minLength",
        "maxLength",
        "pattern",
        "const",
        "minItems",
        "maxItems",
        "uniqueItems",
        "required",
        "minProperties",
        "maxProperties",
    ];
    let is_own = |keyword: &str| OWN.contains(&keyword);
    if !schema.keys().any(|keyword| is_own(keyword)) {
        return None;
    }
    let own = schema.iter().filter(|(keyword, _)| is_own(keyword) || *keyword == "type");
    let own: Map<String, Value> =
        own.map(|(keyword, value)| (keyword.clone(), value.clone())).collect();
    let options = ReadOptions::default().draft(draft);
    let document = Document::from_value_with(Value::Object(own), &options).ok()?;
    Oracle::new(&document, FormatPolicy::Annotate).ok()
}
