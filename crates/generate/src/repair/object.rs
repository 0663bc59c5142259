//! Objects: more members, fewer, other names.

use foolproof_contract::{Pointer, Violation};
use serde_json::{Map, Value};

use super::{
    answers,
    contract::Contract,
    known::{Demands, Known},
    text,
    variants::unused,
};
use crate::Source;

/// The most members that are added at once.
const MOST: usize = 1_000;

/// The object with `name`, by what is known of that place.
pub(super) fn with_member(
    place: &Pointer,
    members: &Map<String, Value>,
    name: &str,
    known: &Known,
    source: &mut impl Source,
) -> Vec<Value> {
    let demands = known.at(&place.key(name));
    let values = answers::answers(None, &demands, source);
    values.into_iter().map(|value| with(members, name, value)).collect()
}

fn with(members: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut more = members.clone();
    more.insert(name.to_owned(), value);
    Value::Object(more)
}

/// The object without `names`.
pub(super) fn without(members: &Map<String, Value>, names: &[&str]) -> Value {
    let kept = members.iter().filter(|(name, _)| !names.contains(&name.as_str()));
    Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The object with `name` replaced by names that are in order.
pub(super) fn renamed(
    members: &Map<String, Value>,
    name: &str,
    demands: &Demands<'_>,
    source: &mut impl Source,
) -> Vec<Value> {
    let asked = demands.of_name(name);
    let listed = asked.values().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let mut names: Vec<String> = listed.collect();
    if names.is_empty() {
        names = text::answers(name, &asked, source);
    }
    names.retain(|new| !members.contains_key(new));
    let mut others = members.clone();
    let Some(value) = others.remove(name) else {
        return Vec::new();
    };
    names.iter().map(|new| with(&others, new, value.clone())).collect()
}

/// Objects with at least `least` members: under declared names, under patterns, under any.
pub(super) fn grown(
    violation: &Violation,
    members: &Map<String, Value>,
    least: usize,
    hints: (&Known, Option<&Contract>),
    source: &mut impl Source,
) -> Vec<Value> {
    let missing = least.saturating_sub(members.len());
    if missing == 0 || missing > MOST {
        return Vec::new();
    }
    let (known, contract) = hints;
    let demands = known.at(violation.instance());
    let refused: Vec<&str> = ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .flat_map(|keyword| demands.names(keyword))
        .collect();
    let mut names: Vec<String> = Vec::new();
    let hinted = contract.map(|it| it.names(violation, missing, source)).unwrap_or_default();
    let shaped = shaped_names(&demands, missing, source);
    for name in hinted.into_iter().chain(shaped) {
        if !members.contains_key(&name) && !names.contains(&name) && !refused.contains(&&*name) {
            names.push(name);
        }
    }
    while names.len() < missing {
        names.push(unused(|name| {
            members.contains_key(name)
                || names.iter().any(|taken| taken == name)
                || refused.contains(&name)
        }));
    }
    // One name may be out of place among the hinted: every window of them is tried, as far as it
    // goes.
    let offers = names.windows(missing).take(8);
    offers.map(|names| filled(violation.instance(), members, names, known, source)).collect()
}

fn filled(
    place: &Pointer,
    members: &Map<String, Value>,
    names: &[String],
    known: &Known,
    source: &mut impl Source,
) -> Value {
    let mut more = members.clone();
    for name in names {
        let answer = answers::answers(None, &known.at(&place.key(name)), source).into_iter().next();
        more.insert(name.clone(), answer.unwrap_or(Value::Null));
    }
    Value::Object(more)
}

/// Names that meet what is known of names.
fn shaped_names(demands: &Demands<'_>, count: usize, source: &mut impl Source) -> Vec<String> {
    let asked = demands.of_names();
    if asked.is_empty() {
        return Vec::new();
    }
    if let Some(values) = asked.values() {
        return values.into_iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let starts = ('a'..='z').take(count.saturating_add(2)).map(String::from);
    starts.flat_map(|start| text::answers(&start, &asked, source)).collect()
}

/// Objects with at most `most` of these members, without those that are known to be required.
pub(super) fn cut(members: &Map<String, Value>, most: usize, demands: &Demands<'_>) -> Vec<Value> {
    let surplus = members.len().saturating_sub(most);
    let required = demands.names("required");
    let names: Vec<&str> =
        members.keys().map(String::as_str).filter(|name| !required.contains(name)).collect();
    if surplus == 0 || names.len() < surplus {
        return Vec::new();
    }
    let offers = names.windows(surplus).rev().take(16);
    offers.map(|names| without(members, names)).collect()
}
