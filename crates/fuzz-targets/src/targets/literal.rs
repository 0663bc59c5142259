//! A reading of schemas that shares nothing with the validator: the keywords that need no reference, pattern, format or
//! annotation, taken literally.
//!
//! It answers [`Verdict::Unknown`] wherever something else may decide, so whatever else it answers is certain.

use foolproof_contract::{Document, Draft, Verdict};
use serde_json::{Map, Number, Value};

/// Keywords that say nothing about values.
const SILENT: [&str; 10] = [
    "$comment",
    "$defs",
    "definitions",
    "title",
    "description",
    "default",
    "examples",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Whether `value` satisfies the schema `document`.
pub(super) fn satisfies(document: &Document, value: &Value) -> Verdict {
    let mut schema = document.value().clone();
    if let Value::Object(members) = &mut schema {
        members.remove("$schema");
    }
    Literal { draft: document.draft() }.satisfies(&schema, value)
}

struct Literal {
    draft: Draft,
}

impl Literal {
    fn satisfies(&self, schema: &Value, value: &Value) -> Verdict {
        match schema {
            Value::Bool(admits) => known(*admits),
            // The keywords of draft 4 differ; a `$ref` may be all that counts; another resource may be of another draft.
            Value::Object(members)
                if self.draft != Draft::Draft4
                    && !["$id", "$ref", "$schema"].iter().any(|it| members.contains_key(*it)) =>
            {
                all(members.iter().map(|(keyword, it)| self.holds(members, keyword, it, value)))
            }
            Value::Null
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_)
            | Value::Object(_) => Verdict::Unknown,
        }
    }

    /// Whether `value` satisfies the keyword of a schema with these members.
    fn holds(
        &self,
        members: &Map<String, Value>,
        keyword: &str,
        argument: &Value,
        value: &Value,
    ) -> Verdict {
        let branches = |value: &Value| -> Vec<Verdict> {
            let branches = argument.as_array().into_iter().flatten();
            branches.map(|branch| self.satisfies(branch, value)).collect()
        };
        match (keyword, value) {
            (keyword, _) if SILENT.contains(&keyword) => Verdict::Yes,
            ("type", _) => is_of_type(argument, value),
            ("const", _) => is_equal(argument, value),
            ("enum", _) => {
                any(argument.as_array().into_iter().flatten().map(|it| is_equal(it, value)))
            }
            ("allOf", _) => all(branches(value)),
            ("anyOf", _) => any(branches(value)),
            ("oneOf", _) => exactly_one(&branches(value)),
            ("not", _) => not(self.satisfies(argument, value)),
            ("minimum", Value::Number(number)) => not(is_less(number, argument)),
            ("exclusiveMaximum", Value::Number(number)) => is_less(number, argument),
            ("maximum", Value::Number(number)) => not(is_greater(number, argument)),
            ("exclusiveMinimum", Value::Number(number)) => is_greater(number, argument),
            ("minLength", Value::String(text)) => at_least(text.chars().count(), argument),
            ("maxLength", Value::String(text)) => at_most(text.chars().count(), argument),
            ("minItems", Value::Array(items)) => at_least(items.len(), argument),
            ("maxItems", Value::Array(items)) => at_most(items.len(), argument),
            ("minProperties", Value::Object(values)) => at_least(values.len(), argument),
            ("maxProperties", Value::Object(values)) => at_most(values.len(), argument),
            ("required", Value::Object(values)) => {
                let names = argument.as_array().into_iter().flatten().filter_map(Value::as_str);
                all(names.map(|name| known(values.contains_key(name))))
            }
            ("properties", Value::Object(values)) => {
                let schemas = argument.as_object().into_iter().flatten();
                all(schemas.filter_map(|(name, schema)| {
                    values.get(name).map(|value| self.satisfies(schema, value))
                }))
            }
            ("additionalProperties", Value::Object(values))
                if !members.contains_key("patternProperties") =>
            {
                let declared = members.get("properties").and_then(Value::as_object);
                let is_declared = |name: &String| declared.is_some_and(|it| it.contains_key(name));
                let rest = values.iter().filter(|(name, _)| !is_declared(name));
                all(rest.map(|(_, value)| self.satisfies(argument, value)))
            }
            ("items", Value::Array(items))
                if !argument.is_array() && !members.contains_key("prefixItems") =>
            {
                all(items.iter().map(|item| self.satisfies(argument, item)))
            }
            (
                "minimum"
                | "maximum"
                | "exclusiveMinimum"
                | "exclusiveMaximum"
                | "multipleOf"
                | "minLength"
                | "maxLength"
                | "pattern"
                | "minItems"
                | "maxItems"
                | "uniqueItems"
                | "contains"
                | "items"
                | "minProperties"
                | "maxProperties"
                | "required"
                | "properties"
                | "additionalProperties"
                | "patternProperties"
                | "propertyNames",
                Value::Null | Value::Bool(_),
            ) => Verdict::Yes,
            _ => Verdict::Unknown,
        }
    }
}

fn known(holds: bool) -> Verdict {
    if holds { Verdict::Yes } else { Verdict::No }
}

fn not(verdict: Verdict) -> Verdict {
    match verdict {
        Verdict::Yes => Verdict::No,
        Verdict::No => Verdict::Yes,
        Verdict::Unknown => Verdict::Unknown,
    }
}

fn all(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    verdicts.into_iter().fold(Verdict::Yes, |so_far, next| match (so_far, next) {
        (Verdict::No, _) | (_, Verdict::No) => Verdict::No,
        (Verdict::Yes, Verdict::Yes) => Verdict::Yes,
        (Verdict::Unknown, _) | (_, Verdict::Unknown) => Verdict::Unknown,
    })
}

fn any(verdicts: impl IntoIterator<Item = Verdict>) -> Verdict {
    not(all(verdicts.into_iter().map(not)))
}

fn exactly_one(verdicts: &[Verdict]) -> Verdict {
    let count = |wanted: Verdict| verdicts.iter().filter(|it| **it == wanted).count();
    match (count(Verdict::Yes), count(Verdict::Unknown)) {
        (2.., _) => Verdict::No,
        (_, 1..) => Verdict::Unknown,
        (yes, 0) => known(yes == 1),
    }
}

fn is_of_type(types: &Value, value: &Value) -> Verdict {
    let is_of = |name: &str| match (name, value) {
        ("null", Value::Null)
        | ("boolean", Value::Bool(_))
        | ("number", Value::Number(_))
        | ("string", Value::String(_))
        | ("array", Value::Array(_))
        | ("object", Value::Object(_)) => Verdict::Yes,
        ("integer", Value::Number(number)) => match (number.as_i64(), number.as_f64()) {
            (Some(_), _) => Verdict::Yes,
            (None, Some(number)) if number.abs() < 1e9 && number.fract().abs() > 1e-6 => {
                Verdict::No
            }
            _ => Verdict::Unknown,
        },
        _ => Verdict::No,
    };
    match types {
        Value::String(name) => is_of(name),
        Value::Array(names) => any(names.iter().filter_map(Value::as_str).map(is_of)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => Verdict::Unknown,
    }
}

fn is_equal(left: &Value, right: &Value) -> Verdict {
    match (left, right) {
        (Value::Number(number), Value::Number(_)) => {
            all([not(is_less(number, right)), not(is_greater(number, right))])
        }
        (Value::Array(left), Value::Array(right)) if left.len() == right.len() => {
            all(left.iter().zip(right).map(|(left, right)| is_equal(left, right)))
        }
        (Value::Object(left), Value::Object(right)) if left.len() == right.len() => {
            all(left.iter().map(|(name, left)| {
                right.get(name).map_or(Verdict::No, |right| is_equal(left, right))
            }))
        }
        (Value::Number(_) | Value::Array(_) | Value::Object(_), _) => Verdict::No,
        (Value::Null | Value::Bool(_) | Value::String(_), _) => known(left == right),
    }
}

fn is_less(number: &Number, limit: &Value) -> Verdict {
    compare(number, limit, |left, right| left < right, |left, right| left < right)
}

fn is_greater(number: &Number, limit: &Value) -> Verdict {
    compare(number, limit, |left, right| left > right, |left, right| left > right)
}

/// Integers are compared exactly; other numbers only where they are far apart.
fn compare(
    number: &Number,
    limit: &Value,
    integers: fn(i64, i64) -> bool,
    floats: fn(f64, f64) -> bool,
) -> Verdict {
    if let (Some(left), Some(right)) = (number.as_i64(), limit.as_i64()) {
        return known(integers(left, right));
    }
    match (number.as_f64(), limit.as_f64()) {
        (Some(left), Some(right))
            if (left - right).abs() > 1e-9 * (left.abs() + right.abs()) + 1e-9 =>
        {
            known(floats(left, right))
        }
        _ => Verdict::Unknown,
    }
}

fn at_least(count: usize, limit: &Value) -> Verdict {
    limit.as_u64().map_or(Verdict::Unknown, |limit| known(count as u64 >= limit))
}

fn at_most(count: usize, limit: &Value) -> Verdict {
    limit.as_u64().map_or(Verdict::Unknown, |limit| known(count as u64 <= limit))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_what_is_certain_is_answered() {
        let document = |schema: Value| Document::from_value(schema).unwrap();
        let order = document(json!({
            "type": "object", "required": ["n"], "additionalProperties": false,
            "properties": { "n": { "type": "integer", "minimum": 1 }, "p": { "pattern": "^a" } }
        }));
        assert_eq!(satisfies(&order, &json!({ "n": 1 })), Verdict::Yes);
        assert_eq!(satisfies(&order, &json!({ "n": 1, "p": "b" })), Verdict::Unknown);
        assert_eq!(satisfies(&order, &json!({ "n": 0, "p": "b" })), Verdict::No);
        assert_eq!(satisfies(&order, &json!({ "n": 1, "q": 1 })), Verdict::No);
        let referring = document(json!({ "$defs": { "a": true }, "$ref": "#/$defs/a" }));
        assert_eq!(satisfies(&referring, &json!(1)), Verdict::Unknown);
    }
}
