//! Conditions of the form "this property has that value", as rows of variants have them.
//!
//! `allOf: [{if: {kind is "a"}, then: A}, {if: {kind is "b"}, then: B}, …]` says much about a value at
//! once. Who knows which kind it is can leave out the rest of the row, which spares the algebra 2ⁿ
//! combinations, and does not ask for two kinds at one place.

use foolproof_contract::{Applicator, Document, Graph, NodeId};
use serde_json::{Map, Value};

/// What a condition asks for: that a property has one of these values.
pub(super) struct ValueCondition<'d> {
    pub(super) name: &'d str,
    pub(super) values: &'d [Value],
    /// Whether the condition also asks for an object, and for the property to be there.
    pub(super) is_required: bool,
}

/// The condition of the `if` at `node`, if it is of that form.
pub(super) fn value_condition<'d>(
    document: &'d Document,
    graph: &Graph,
    node: NodeId,
) -> Option<ValueCondition<'d>> {
    let edge = graph[node].edges().iter().find(|edge| edge.applicator() == &Applicator::IF)?;
    let condition = document.at(graph[edge.target()].location())?.as_object()?;
    let says = |keyword: &str| {
        !["properties", "required", "type", "title", "description", "$comment"].contains(&keyword)
    };
    if condition.keys().any(|keyword| says(keyword)) {
        return None;
    }
    let mut properties = condition.get("properties")?.as_object()?.iter();
    let (name, asked) = properties.next().filter(|_| properties.len() == 0)?;
    let required = condition.get("required").and_then(Value::as_array);
    let is_other = |it: &Value| it.as_str() != Some(name);
    if required.is_some_and(|required| required.iter().any(is_other)) {
        return None;
    }
    // What is no object meets `properties` and `required` alike.
    let is_object = condition.get("type").is_some_and(|kind| kind == "object");
    let is_required = is_object && required.is_some_and(|required| !required.is_empty());
    Some(ValueCondition { name, values: values(asked.as_object()?)?, is_required })
}

/// The values that a schema of nothing but values admits. Those whose equality is a matter of
/// notation are left alone.
fn values(schema: &Map<String, Value>) -> Option<&[Value]> {
    let values = match (schema.get("const"), schema.get("enum")) {
        (Some(value), None) => std::slice::from_ref(value),
        (None, Some(Value::Array(values))) => values,
        _ => return None,
    };
    let is_plain = |value: &Value| value.is_string() || value.is_boolean() || value.is_null();
    (!values.is_empty() && values.iter().all(is_plain)).then_some(values)
}
