//! The members of enumerations.

use foolproof_contract::{
    Document, Draft, FormatPolicy, Node, NodeId, Oracle, ReadOptions, TypeSet, json_equal,
};
use serde_json::{Map, Value};

use super::{Build, TargetIndex, presence::both_readings};
use crate::{Params, Target, TargetKind};

/// The most members of one enumeration that are targets; of a longer one it is a choice, spread
/// evenly from the first to the last.
const MOST: usize = 256;

/// The members to look for at one place.
#[derive(Clone, Debug)]
pub(crate) struct Members(Vec<(Value, TargetIndex)>);

impl Members {
    /// The targets that `value` hits.
    pub(crate) fn hit_by(&self, value: &Value) -> impl Iterator<Item = TargetIndex> {
        let hits = move |(member, _): &&(Value, TargetIndex)| match (member, value) {
            (Value::String(member), Value::String(value)) => member == value,
            (Value::String(_), _) | (_, Value::String(_)) => false,
            (member, value) => json_equal(member, value),
        };
        self.0.iter().filter(hits).map(|(_, target)| *target)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Value, TargetIndex)> {
        self.0.iter()
    }

    pub(crate) fn targets(&self) -> impl Iterator<Item = TargetIndex> {
        self.0.iter().map(|(_, target)| *target)
    }
}

/// A value that `enum` or `const` lists, and whether nothing speaks against it.
pub(super) type Listed<'s> = (&'s Value, bool);

/// What `enum` lists, or else `const`; nothing if neither restricts the schema.
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
    let admitted = |value: &Value| here.overlaps(TypeSet::of(value)) && !is_refused(value);
    Some(values.into_iter().map(|value| (value, admitted(value))).collect())
}

/// The targets of `enum`; `listed` is what it lists.
pub(super) fn of(
    build: &mut Build<'_>,
    node: &Node,
    schema: &Map<String, Value>,
    listed: Option<&[Listed<'_>]>,
) -> Option<Members> {
    let listed = listed.filter(|_| schema.get("enum").is_some_and(Value::is_array))?;
    let chosen = chosen(listed.len());
    let is_sample = chosen.len() < listed.len();
    let mut found = Vec::new();
    for index in chosen {
        let (value, is_admitted) = listed[index];
        let params = Params::Member { index, value: value.clone() };
        let mut target = Target::new(TargetKind::EnumValueHit, node.location(), params);
        if is_sample {
            target = target.sampled_from(listed.len());
        }
        found.extend(build.add(target, is_admitted).map(|target| (value.clone(), target)));
    }
    build.sampled += usize::from(is_sample && !found.is_empty());
    Some(Members(found))
}

/// The indices that are targets.
fn chosen(members: usize) -> Vec<usize> {
    if members <= MOST {
        return (0..members).collect();
    }
    (0..MOST).map(|number| number * (members - 1) / (MOST - 1)).collect()
}

/// Whether `value` holds a number that is not written as an integer. In draft 4, `1.0` is no integer
/// and yet equal to one, so it says nothing about what values that equal it may do.
fn has_fractions(value: &Value) -> bool {
    match value {
        Value::Number(_) => !(value.is_i64() || value.is_u64()),
        Value::Array(items) => items.iter().any(has_fractions),
        Value::Object(members) => members.values().any(has_fractions),
        Value::Null | Value::Bool(_) | Value::String(_) => false,
    }
}

/// What decides about single values here: a value that all of them refuse cannot stand here.
fn oracles(build: &Build<'_>, node: &Node, schema: &Map<String, Value>) -> Vec<Oracle> {
    // Entered in place, a dynamic reference may lead elsewhere than it does on the way here.
    if node.edges().iter().any(|edge| edge.applicator().is_in_place()) && !build.is_dynamic {
        return both_readings(build, node.location());
    }
    own_rules(schema, node.draft()).into_iter().collect()
}

/// What the schema says about values by itself, without a look at other schemas: wider than the
/// schema, whatever is thought of formats. Under `type` alone, types have told already.
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
