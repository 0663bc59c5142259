//! Some values of a node in a fixed order, each once.
//!
//! An array of distinct items that holds most values of a small set draws what it has already again and again. Among
//! `most` different values at least one is missing in any array of fewer items, so a list of that many always has an
//! item to add. What a list leaves out, because it is not known how to go through all of a set, is only not offered.

use std::collections::BTreeMap;

use foolproof_contract::{JsonType, json_equal};
use serde_json::{Map, Value, json};

use super::{Node, NodeId, Plan};

/// How many alternatives inside one another are followed.
const LEVELS: usize = 6;

/// The types of values about which nothing is said.
const SCALARS: [JsonType; 4] =
    [JsonType::Null, JsonType::Boolean, JsonType::Integer, JsonType::String];

/// How many values of a wider set are listed for each one that is wanted of a filtered set.
const FILTERED: usize = 4;

impl Plan {
    /// At most `most` values of `node`, or of any value without a node.
    pub(crate) fn listed(&self, node: Option<NodeId>, most: usize) -> Vec<Value> {
        let mut list = DistinctValues::default();
        match node {
            Some(node) => self.list(node, most, LEVELS, &mut list),
            None => each_type(&SCALARS, most, &mut list),
        }
        list.values
    }

    fn list(&self, node: NodeId, most: usize, levels: usize, list: &mut DistinctValues) {
        match &*self.nodes[node.index()] {
            Node::Never | Node::Array(_) | Node::Object(_) => {}
            Node::Types(types) => each_type(types, most, list),
            Node::Values(values) => list.extend(values.iter().cloned(), most),
            Node::String(strings) => {
                list.extend(strings.listed(most).into_iter().map(Value::String), most);
            }
            Node::Integer(integers) => {
                list.extend(integers.listed(most).map(Value::Number), most);
            }
            Node::Number(numbers) => list.extend(numbers.listed(most).map(Value::Number), most),
            Node::Union(options) => {
                if let Some(levels) = levels.checked_sub(1) {
                    for option in options {
                        self.list(*option, most, levels, list);
                    }
                }
            }
            Node::Filtered { bases, filter } => {
                let Some(levels) = levels.checked_sub(1) else { return };
                let mut wider = DistinctValues::default();
                let wanted = most.saturating_mul(FILTERED);
                for base in bases {
                    self.list(*base, wanted, levels, &mut wider);
                }
                list.extend(wider.values.into_iter().filter(|value| filter.admits(value)), most);
            }
        }
    }
}

/// Values of the types, one of each in turn.
fn each_type(types: &[JsonType], most: usize, list: &mut DistinctValues) {
    let turns = (0..most).flat_map(|turn| types.iter().map(move |kind| (turn, *kind)));
    let values = turns.filter_map(|(turn, kind)| nth_of_type(kind, turn));
    // Types with few values must not end the list.
    list.extend(values.take(most.saturating_add(types.len() * 2)), most);
}

fn nth_of_type(kind: JsonType, turn: usize) -> Option<Value> {
    match kind {
        JsonType::Null => (turn == 0).then_some(Value::Null),
        JsonType::Boolean => [false, true].get(turn).copied().map(Value::Bool),
        JsonType::Integer => Some(Value::from(turn)),
        // Apart from the integers.
        JsonType::Number => format!("{turn}.5").parse().ok().map(Value::Number),
        JsonType::String => Some(Value::from(format!("item{turn}"))),
        JsonType::Array => Some(json!([turn])),
        JsonType::Object => Some(Value::Object(Map::from_iter([("item".into(), json!(turn))]))),
    }
}

/// Values without repetition, in the order in which they were added.
#[derive(Default)]
struct DistinctValues {
    values: Vec<Value>,
    /// The indices of values, by what equal values have in common.
    by_key: BTreeMap<String, Vec<usize>>,
}

impl DistinctValues {
    fn extend(&mut self, values: impl Iterator<Item = Value>, most: usize) {
        for value in values {
            if self.values.len() >= most {
                return;
            }
            let known = self.by_key.entry(key(&value)).or_default();
            if !known.iter().any(|index| json_equal(&self.values[*index], &value)) {
                known.push(self.values.len());
                self.values.push(value);
            }
        }
    }
}

/// What equal values have in common; different values rarely have it.
fn key(value: &Value) -> String {
    match value {
        // Equal numbers have the same nearest `f64`.
        Value::Number(number) => number.as_f64().map_or_else(String::new, |it| it.to_string()),
        Value::String(text) => format!("\"{text}"),
        Value::Array(items) => format!("[{}", items.len()),
        Value::Object(members) => format!("{{{}", members.len()),
        Value::Null | Value::Bool(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Generator;

    fn listed(schema: Value, most: usize) -> Vec<Value> {
        let generator = Generator::of(schema).expect("the schema is valid");
        let plan = generator.plan();
        plan.listed(Some(plan.root), most)
    }

    #[test]
    fn small_sets_are_listed_completely() {
        assert_eq!(listed(json!({ "enum": [3, "a", null] }), 9).len(), 3);
        assert_eq!(listed(json!({ "type": "string", "pattern": "^[ab]{8}$" }), 999).len(), 256);
        let even = json!({ "type": "integer", "minimum": -4, "maximum": 6, "multipleOf": 2 });
        assert_eq!(listed(even, 99).len(), 6);
        let both = json!({ "anyOf": [{ "type": "boolean" }, { "enum": [true, "x"] }] });
        assert_eq!(listed(both, 99).len(), 3);
    }

    #[test]
    fn large_sets_are_listed_as_far_as_wanted() {
        for schema in [
            json!({}),
            json!({ "type": "string" }),
            json!({ "type": "string", "format": "date" }),
            json!({ "type": "string", "pattern": "^[a-z]+$", "minLength": 3 }),
            json!({ "type": "number", "minimum": 0, "maximum": 1 }),
            json!({ "type": ["null", "boolean", "integer"] }),
        ] {
            assert_eq!(listed(schema.clone(), 500).len(), 500, "{schema}");
        }
    }
}
