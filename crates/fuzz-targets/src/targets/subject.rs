//! A schema with values that may or may not satisfy it, as an input has them.

use foolproof_contract::{Document, FormatPolicy, Oracle};
use serde_json::{Value, json};

/// The longest schema, in bytes. What is asked of schemas takes longer than what is asked of texts.
const MAX_SCHEMA: usize = 1_500;

/// The most values.
const MOST_VALUES: usize = 64;

/// A schema and values.
pub(super) struct Subject {
    pub(super) document: Document,
    pub(super) oracle: Oracle,
    pub(super) values: Vec<Value>,
}

impl Subject {
    /// What an input is about: the member `schema` of an object, with the items of the member `instances`; or a schema alone. The
    /// literals of the schema and some fixed values are added. `None` if the schema cannot be used.
    pub(super) fn of(data: &[u8]) -> Option<Self> {
        let input: Value = serde_json::from_slice(data).ok()?;
        let schema = input.get("schema").unwrap_or(&input).clone();
        if schema.to_string().len() > MAX_SCHEMA || requires_twice(&schema) {
            return None;
        }
        let mut values: Vec<Value> =
            input.get("instances").and_then(Value::as_array).cloned().unwrap_or_default();
        literals(&schema, &mut values);
        values.truncate(MOST_VALUES);
        values.extend(fixed());
        let document = Document::from_value(schema).ok()?;
        let oracle = Oracle::new(&document, FormatPolicy::Assert).ok()?;
        Some(Self { document, oracle, values })
    }

    /// The values that satisfy the schema.
    pub(super) fn accepted(&self) -> impl Iterator<Item = &Value> {
        self.values.iter().filter(|value| self.oracle.is_valid(*value))
    }
}

/// Whether a name is required twice. A meta-schema does not refuse that where it knows no schema, and what it means to a validator
/// is then its own affair.
fn requires_twice(schema: &Value) -> bool {
    match schema {
        Value::Object(members) => {
            let names = members.get("required").and_then(Value::as_array);
            names.is_some_and(|names| (1..names.len()).any(|it| names[..it].contains(&names[it])))
                || members.values().any(requires_twice)
        }
        Value::Array(items) => items.iter().any(requires_twice),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// The values that a schema mentions.
fn literals(schema: &Value, found: &mut Vec<Value>) {
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                for (keyword, value) in members {
                    match (keyword.as_str(), value) {
                        ("const" | "default" | "minimum" | "maximum", value) => {
                            found.push(value.clone());
                        }
                        ("enum" | "examples", Value::Array(values)) => {
                            found.extend(values.iter().cloned());
                        }
                        _ => pending.push(value),
                    }
                }
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn fixed() -> [Value; 24] {
    [
        json!(null),
        json!(true),
        json!(false),
        json!(0),
        json!(1),
        json!(-1),
        json!(2),
        json!(1.5),
        json!(1e300),
        json!(""),
        json!("a"),
        json!("ab"),
        json!("2020-01-01"),
        json!("é\n"),
        json!([]),
        json!([1]),
        json!(["a", "a"]),
        json!([[], {}]),
        json!({}),
        json!({ "a": 1 }),
        json!({ "a": "b", "b": [] }),
        json!({ "a": { "a": {} } }),
        json!({ "c": null }),
        json!([1, "a", null]),
    ]
}
