//! Values near a given one, for keywords whose violations do not say what is required.

use foolproof_contract::{JsonType, TypeSet, json_equal};
use serde_json::{Number, Value, json};

/// Variants that are offered at most.
const VARIANTS: usize = 64;

/// Members of one array or object that are varied.
const MEMBERS: usize = 12;

/// The smallest value of each type, the simplest types first.
pub(super) fn smallest() -> [Value; 6] {
    [Value::Null, Value::Bool(false), Value::from(0), json!(""), json!([]), json!({})]
}

/// The smallest value of one type.
pub(super) fn smallest_of(json_type: JsonType) -> Option<Value> {
    smallest().into_iter().find(|value| is_of(value, TypeSet::only(json_type)))
}

/// Whether `value` is of one of `types` under all drafts but draft 4.
pub(super) fn is_of(value: &Value, types: TypeSet) -> bool {
    match value {
        Value::Number(number) if is_whole(number) => types.contains(JsonType::Integer),
        Value::Number(_) => types.contains(JsonType::Number),
        Value::Null | Value::Bool(_) | Value::String(_) | Value::Array(_) | Value::Object(_) => {
            types.overlaps(TypeSet::of(value))
        }
    }
}

fn is_whole(number: &Number) -> bool {
    !number.as_str().contains(['.', 'e', 'E'])
        || number.as_f64().is_some_and(|number| number.fract() == 0.0)
}

/// Values that differ from `value` in one thing, the smaller changes first; then the smallest values
/// of the other types.
pub(crate) fn variants(value: &Value) -> Vec<Value> {
    let mut found = near(value);
    found.extend(smallest());
    found.retain(|variant| variant != value);
    found.truncate(VARIANTS);
    found
}

fn near(value: &Value) -> Vec<Value> {
    match value {
        Value::Null => Vec::new(),
        Value::Bool(value) => vec![Value::Bool(!value)],
        Value::Number(number) => near_number(number),
        Value::String(text) => near_text(text),
        Value::Array(items) => near_items(items),
        Value::Object(_) => near_members(value),
    }
}

fn near_number(number: &Number) -> Vec<Value> {
    let mut found = Vec::new();
    if let Some(whole) = number.as_i128() {
        for near in [whole.checked_add(1), whole.checked_sub(1), whole.checked_neg()] {
            found.extend(near.and_then(Number::from_i128).map(Value::Number));
        }
    } else if let Some(number) = number.as_f64() {
        found.extend([number.floor(), number.ceil(), -number].map(Value::from));
    }
    found.extend([json!(1), json!(-1), json!(0.5)]);
    found
}

fn near_text(text: &str) -> Vec<Value> {
    let mut shorter: Vec<char> = text.chars().collect();
    shorter.pop();
    vec![
        format!("{text}a").into(),
        Value::from(shorter.into_iter().collect::<String>()),
        text.to_uppercase().into(),
        "a".into(),
        "0".into(),
    ]
}

fn near_items(items: &[Value]) -> Vec<Value> {
    let mut found = Vec::new();
    let last = items.len().saturating_sub(MEMBERS);
    for index in (last..items.len()).rev() {
        let mut fewer = items.to_vec();
        fewer.remove(index);
        found.push(Value::Array(fewer));
    }
    for more in items.last().cloned().into_iter().chain(smallest()) {
        found.push(Value::Array(items.iter().cloned().chain([more]).collect()));
    }
    for index in last..items.len() {
        found.extend(inside(&items[index]).into_iter().map(|variant| {
            let mut changed = items.to_vec();
            changed[index] = variant;
            Value::Array(changed)
        }));
    }
    found
}

fn near_members(value: &Value) -> Vec<Value> {
    let Value::Object(members) = value else {
        return Vec::new();
    };
    let mut found = Vec::new();
    for (name, member) in members.iter().take(MEMBERS) {
        found.extend(inside(member).into_iter().map(|variant| {
            let mut changed = members.clone();
            changed.insert(name.clone(), variant);
            Value::Object(changed)
        }));
    }
    for name in members.keys().take(MEMBERS) {
        let mut fewer = members.clone();
        fewer.remove(name);
        found.push(Value::Object(fewer));
    }
    found.extend(with_member(value, &unused(|name| members.contains_key(name))));
    found
}

/// The object with one more member, a value of each type; nothing if it has that member.
pub(super) fn with_member(value: &Value, name: &str) -> Vec<Value> {
    let Some(members) = value.as_object().filter(|members| !members.contains_key(name)) else {
        return Vec::new();
    };
    let with = |member: Value| {
        let mut more = members.clone();
        more.insert(name.to_owned(), member);
        Value::Object(more)
    };
    smallest().map(with).into()
}

/// A few variants of a part: the first of its type, and one of another type.
fn inside(part: &Value) -> Vec<Value> {
    let other = if part.is_null() { Value::from(0) } else { Value::Null };
    let scalar = match part {
        Value::Array(_) | Value::Object(_) => Vec::new(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => near(part),
    };
    scalar.into_iter().take(2).chain([other]).collect()
}

/// A short name that is not used yet.
pub(super) fn unused(is_used: impl Fn(&str) -> bool) -> String {
    let mut names = ('a'..='z').map(String::from).chain((0_u64..).map(|n| format!("a{n}")));
    names.find(|name| !is_used(name)).expect("there are more names than any object has")
}

/// Values of the type of `like` that are not among `used`.
pub(super) fn fresh(like: &Value, used: &[Value], count: usize) -> Vec<Value> {
    let nth = |n: usize| match like {
        Value::Null => [Value::Null, false.into(), true.into()].get(n).cloned(),
        Value::Bool(_) => [false, true].get(n).copied().map(Value::from),
        Value::Number(number) => match number.as_i64() {
            Some(start) => start.checked_add(i64::try_from(n).ok()?).map(Value::from),
            None => Some(Value::from(n)),
        },
        Value::String(text) if n == 0 => Some(text.clone().into()),
        Value::String(text) => Some(format!("{text}{n}").into()),
        Value::Array(items) => {
            Some(items.iter().cloned().chain((0..n).map(|_| Value::Null)).collect())
        }
        Value::Object(members) => {
            let mut more = members.clone();
            for _ in 0..n {
                more.insert(unused(|name| more.contains_key(name)), Value::Null);
            }
            Some(Value::Object(more))
        }
    };
    let is_new = |value: &Value| !used.iter().any(|other| json_equal(value, other));
    (0..=used.len() + count).map_while(nth).filter(is_new).take(count).collect()
}
