//! Conditions of the graph that say "this property has that value", as rows of variants have them.
//!
//! `allOf: [{if: {kind is "a"}, then: A}, {if: {kind is "b"}, then: B}, …]` says much about a value at
//! once. A planner that knows the kind can leave out the rest of the row, which spares the algebra 2ⁿ
//! combinations, and does not ask for two kinds of one value.

use foolproof_contract::{Applicator, Document, Graph, NodeId, ValueCondition};
use serde_json::Value;

/// The condition of the `if` at `node`, if it is of that form. Values whose equality is a matter of
/// notation are left alone.
pub(super) fn value_condition<'d>(
    document: &'d Document,
    graph: &Graph,
    node: NodeId,
) -> Option<ValueCondition<'d>> {
    let edge = graph[node].edges().iter().find(|edge| edge.applicator() == &Applicator::IF)?;
    let condition = ValueCondition::of(document.at(graph[edge.target()].location())?)?;
    let is_plain = |value: &Value| value.is_string() || value.is_boolean() || value.is_null();
    let is_usable = !condition.values.is_empty() && condition.values.iter().all(is_plain);
    is_usable.then_some(condition)
}
