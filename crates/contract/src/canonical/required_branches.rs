//! Schemas whose own `required` satisfies several branches of their `oneOf`, so that no value satisfies one alone.
//!
//! `required: [a, b, c]` beside `oneOf: [{required: [a]}, {required: [b]}, {required: [c]}]` admits nothing, which the
//! library does not see from three branches on. A branch that only requires properties which the schema requires anyway
//! holds for every value of the schema, of whatever type; if two branches do, no value is left.

use serde_json::{Map, Value, json};

use super::rewrite::for_each_schema;
use crate::{Draft, Pointer, dialect::asserts_nothing};

/// Closes every such schema in `document`, and returns where they are.
pub(super) fn close(document: &mut Value, draft: Draft) -> Vec<Pointer> {
    let mut found = Vec::new();
    for_each_schema(document, draft, |schema, scope| {
        if is_contradictory(schema) {
            let also = schema.entry("allOf").or_insert_with(|| json!([]));
            if let Value::Array(parts) = also {
                parts.push(json!({ "not": {} }));
                found.push(scope.at.clone());
            }
        }
    });
    found.sort();
    found
}

/// Whether `schema` requires what several branches of its `oneOf` require.
pub(super) fn is_contradictory(schema: &Map<String, Value>) -> bool {
    let (Some(Value::Array(own)), Some(Value::Array(branches))) =
        (schema.get("required"), schema.get("oneOf"))
    else {
        return false;
    };
    // Before draft 2019-09 a reference hides what is beside it.
    if schema.contains_key("$ref") {
        return false;
    }
    branches.iter().filter(|branch| is_implied(branch, own)).count() > 1
}

/// Whether `branch` requires nothing but properties among `required`.
fn is_implied(branch: &Value, required: &[Value]) -> bool {
    let Value::Object(branch) = branch else { return branch == &Value::Bool(true) };
    branch.iter().all(|(keyword, value)| match (keyword.as_str(), value) {
        ("required", Value::Array(names)) => names.iter().all(|name| required.contains(name)),
        _ => asserts_nothing(keyword),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::close;
    use crate::Draft;

    fn closed(mut schema: Value) -> usize {
        close(&mut schema, Draft::Draft202012).len()
    }

    #[test]
    fn two_branches_that_always_hold_leave_nothing() {
        let branch = |name: &str| json!({ "required": [name], "title": name });
        let three = json!([branch("a"), branch("b"), branch("c")]);
        assert_eq!(closed(json!({ "required": ["a", "b", "c"], "oneOf": three })), 1);
        assert_eq!(closed(json!({ "required": ["a"], "oneOf": three })), 0);
        assert_eq!(
            closed(json!({ "properties": { "x": { "required": ["a", "b"], "oneOf": three } } })),
            1
        );
    }

    #[test]
    fn a_branch_that_says_more_proves_nothing() {
        let more = json!({ "required": ["a"], "properties": { "a": { "type": "string" } } });
        assert_eq!(
            closed(json!({ "required": ["a", "b"], "oneOf": [more, { "required": ["b"] }] })),
            0
        );
        assert_eq!(
            closed(
                json!({ "required": ["a", "b"], "anyOf": [{ "required": ["a"] }, { "required": ["b"] }] })
            ),
            0
        );
    }
}
