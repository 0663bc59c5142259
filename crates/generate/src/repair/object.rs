//! Objects: more members, fewer, other names.

use foolproof_contract::{Pointer, Violation};
use serde_json::{Map, Value};

use super::{
    contract::Contract,
    observed::{ObservedViolations, Requirements},
    satisfy, text,
    variants::unused,
};
use crate::Source;

/// The most members that are added at once.
const MAX_ADDED: usize = 1_000;

/// The object with `name`, whose value satisfies the requirements observed there.
pub(super) fn with_member(
    path: &Pointer,
    members: &Map<String, Value>,
    name: &str,
    observed: &ObservedViolations,
    source: &mut impl Source,
) -> Vec<Value> {
    let requirements = observed.at(&path.key(name));
    let values = satisfy::values(None, &requirements, source);
    values.into_iter().map(|value| with(members, name, value)).collect()
}

fn with(members: &Map<String, Value>, name: &str, value: Value) -> Value {
    let mut more = members.clone();
    more.insert(name.to_owned(), value);
    Value::Object(more)
}

/// The object without `names`.
pub(crate) fn without(members: &Map<String, Value>, names: &[impl AsRef<str>]) -> Value {
    let is_kept = |name: &String| names.iter().all(|left_out| left_out.as_ref() != name);
    let kept = members.iter().filter(|(name, _)| is_kept(name));
    Value::Object(kept.map(|(name, value)| (name.clone(), value.clone())).collect())
}

/// The object with `name` replaced by names that satisfy the requirements of names.
pub(super) fn renamed(
    members: &Map<String, Value>,
    name: &str,
    requirements: &Requirements<'_>,
    source: &mut impl Source,
) -> Vec<Value> {
    let required = requirements.of_name(name);
    let listed =
        required.values().into_iter().flatten().filter_map(Value::as_str).map(str::to_owned);
    let mut names: Vec<String> = listed.collect();
    if names.is_empty() {
        names = text::satisfying(name, &required, source);
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
    hints: (&ObservedViolations, Option<&Contract>),
    source: &mut impl Source,
) -> Vec<Value> {
    let missing = least.saturating_sub(members.len());
    if missing == 0 || missing > MAX_ADDED {
        return Vec::new();
    }
    let (observed, contract) = hints;
    let requirements = observed.at(violation.instance());
    let rejected: Vec<&str> = ["additionalProperties", "unevaluatedProperties"]
        .into_iter()
        .flat_map(|keyword| requirements.names(keyword))
        .collect();
    let mut names: Vec<String> = Vec::new();
    let hinted = contract.map(|it| it.names(violation, missing, source)).unwrap_or_default();
    let shaped = shaped_names(&requirements, missing, source);
    for name in hinted.into_iter().chain(shaped) {
        if !members.contains_key(&name) && !names.contains(&name) && !rejected.contains(&&*name) {
            names.push(name);
        }
    }
    while names.len() < missing {
        names.push(unused(|name| {
            members.contains_key(name)
                || names.iter().any(|taken| taken == name)
                || rejected.contains(&name)
        }));
    }
    // One of the hinted names may be invalid, so several windows of them are tried.
    let offers = names.windows(missing).take(8);
    offers.map(|names| filled(violation.instance(), members, names, observed, source)).collect()
}

fn filled(
    path: &Pointer,
    members: &Map<String, Value>,
    names: &[String],
    observed: &ObservedViolations,
    source: &mut impl Source,
) -> Value {
    let mut more = members.clone();
    for name in names {
        let answer =
            satisfy::values(None, &observed.at(&path.key(name)), source).into_iter().next();
        more.insert(name.clone(), answer.unwrap_or(Value::Null));
    }
    Value::Object(more)
}

/// Names that satisfy the requirements observed for names.
fn shaped_names(
    requirements: &Requirements<'_>,
    count: usize,
    source: &mut impl Source,
) -> Vec<String> {
    let required = requirements.of_names();
    if required.is_empty() {
        return Vec::new();
    }
    if let Some(values) = required.values() {
        return values.into_iter().filter_map(Value::as_str).map(str::to_owned).collect();
    }
    let starts = ('a'..='z').take(count.saturating_add(2)).map(String::from);
    starts.flat_map(|start| text::satisfying(&start, &required, source)).collect()
}

/// Objects with at most `most` of these members; those that are known to be required are kept.
pub(super) fn cut(
    members: &Map<String, Value>,
    most: usize,
    requirements: &Requirements<'_>,
) -> Vec<Value> {
    let surplus = members.len().saturating_sub(most);
    let kept = requirements.names("required");
    let names: Vec<&str> =
        members.keys().map(String::as_str).filter(|name| !kept.contains(name)).collect();
    if surplus == 0 || names.len() < surplus {
        return Vec::new();
    }
    let offers = names.windows(surplus).rev().take(16);
    offers.map(|names| without(members, names)).collect()
}
