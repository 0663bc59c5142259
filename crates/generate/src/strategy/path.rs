//! Paths inside a value: the parts at which shrinking is tried, and values with a part replaced.
//!
//! Nothing here recurses over the value, so nesting costs no stack.

use serde_json::Value;

/// Work on values nested deeper than this needs a large stack.
const DEEP: usize = 64;

/// One step from a value into a part of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PathSegment {
    /// Into the member of this name.
    Member(String),
    /// Into the item at this index.
    Item(usize),
}

/// The part of `value` at `path`.
pub(super) fn part<'v>(value: &'v Value, path: &[PathSegment]) -> Option<&'v Value> {
    path.iter().try_fold(value, |value, step| match step {
        PathSegment::Member(name) => value.as_object()?.get(name),
        PathSegment::Item(index) => value.as_array()?.get(*index),
    })
}

/// `value` with `part` at `path`; unchanged if the path does not exist.
pub(super) fn with_part(value: &Value, path: &[PathSegment], part: Value) -> Value {
    if path.is_empty() {
        return part;
    }
    let mut whole = value.clone();
    let target = path.iter().try_fold(&mut whole, |value, step| match step {
        PathSegment::Member(name) => value.as_object_mut()?.get_mut(name),
        PathSegment::Item(index) => value.as_array_mut()?.get_mut(*index),
    });
    if let Some(target) = target {
        *target = part;
    }
    whole
}

/// Moves `path` to the next part of `value`, a whole before its parts; `false` after the last.
pub(super) fn advance(value: &Value, path: &mut Vec<PathSegment>) -> bool {
    if let Some(first) = part(value, path).and_then(first_step) {
        path.push(first);
        return true;
    }
    while let Some(last) = path.pop() {
        if let Some(next) = part(value, path).and_then(|whole| step_after(whole, &last)) {
            path.push(next);
            return true;
        }
    }
    false
}

fn first_step(whole: &Value) -> Option<PathSegment> {
    match whole {
        Value::Array(items) => (!items.is_empty()).then_some(PathSegment::Item(0)),
        Value::Object(members) => members.keys().next().cloned().map(PathSegment::Member),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
    }
}

fn step_after(whole: &Value, step: &PathSegment) -> Option<PathSegment> {
    match (whole, step) {
        (Value::Array(items), PathSegment::Item(index)) => {
            (index + 1 < items.len()).then_some(PathSegment::Item(index + 1))
        }
        // By position, not by comparison: a build may keep members in the order they were written.
        (Value::Object(members), PathSegment::Member(name)) => {
            members.keys().skip_while(|key| *key != name).nth(1).cloned().map(PathSegment::Member)
        }
        _ => None,
    }
}

/// The parts of `value`, itself first, each with its depth.
pub(super) fn parts(value: &Value) -> impl Iterator<Item = (usize, &Value)> {
    let mut open = vec![(0, value)];
    std::iter::from_fn(move || {
        let (depth, value) = open.pop()?;
        match value {
            Value::Array(items) => open.extend(items.iter().rev().map(|item| (depth + 1, item))),
            Value::Object(members) => {
                let start = open.len();
                open.extend(members.values().map(|member| (depth + 1, member)));
                open[start..].reverse();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
        Some((depth, value))
    })
}

/// How many values `value` consists of, itself included.
pub(super) fn count(value: &Value) -> usize {
    parts(value).count()
}

/// Whether work that recurses over `value` needs a large stack.
pub(super) fn is_deep(value: &Value) -> bool {
    parts(value).any(|(depth, _)| depth > DEEP)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_walk_visits_every_part_once_and_wholes_first() {
        let value = json!({ "a": [1, { "b": 2 }, []], "c": { "d": {} } });
        let mut path = Vec::new();
        let mut visited = vec![part(&value, &path).unwrap()];
        while advance(&value, &mut path) {
            visited.push(part(&value, &path).unwrap());
        }
        assert_eq!(visited, parts(&value).map(|(_, part)| part).collect::<Vec<_>>());
        assert_eq!((visited.len(), count(&value)), (8, 8));
        assert!(path.is_empty());
    }

    #[test]
    fn a_part_is_replaced() {
        let value = json!({ "a": [1, { "b": 2 }] });
        let path = [
            PathSegment::Member("a".into()),
            PathSegment::Item(1),
            PathSegment::Member("b".into()),
        ];
        assert_eq!(part(&value, &path), Some(&json!(2)));
        assert_eq!(with_part(&value, &path, json!("x")), json!({ "a": [1, { "b": "x" }] }));
        assert_eq!(with_part(&value, &[PathSegment::Item(0)], json!(0)), value);
        assert_eq!(with_part(&value, &[], json!(0)), json!(0));
    }
}
