//! Values that break a schema: what `not` and the condition of a `then` ask for.
//!
//! The violation of `not` has no operands, and no keyword says what to do about it. A value breaks a schema if it breaks
//! one of its keywords, so each keyword proposes a few values that do, most of them the present one with a change. They
//! are guesses: where keywords or branches interfere, some satisfy the schema after all, and the oracle rejects them.

use std::collections::BTreeSet;

use foolproof_contract::{JsonType, Pointer, StringShape, TypeSet};
use serde_json::{Map, Number, Value, json};

use super::{
    compiled,
    object::without,
    search::Search,
    variants::{fresh, is_of, smallest, unused},
};
use crate::{Source, size::size};

/// How many schemas inside one another are broken.
const LEVELS: usize = 5;

/// The most values for one keyword, for one schema inside another, and for all of them.
const FOR_KEYWORD: usize = 12;
const FOR_PART: usize = 4;
const MOST: usize = 64;

/// The longest strings, arrays and objects that break an upper limit.
const LONGEST: usize = 1_000;

impl<S: Source> Search<'_, S> {
    /// Values that may break the schema at `schema`, in an order that the source chooses.
    pub(super) fn refuting(&mut self, schema: &Pointer, current: &Value) -> Vec<Value> {
        let mut found = self.refuting_at(schema, Some(current), LEVELS);
        found.retain(|value| value != current);
        found.truncate(MOST);
        if !found.is_empty() {
            let first = self.source.index(found.len());
            found.rotate_left(first);
        }
        found
    }

    fn refuting_at(
        &mut self,
        schema: &Pointer,
        current: Option<&Value>,
        levels: usize,
    ) -> Vec<Value> {
        let Some((levels, contract)) = levels.checked_sub(1).zip(self.contract) else {
            return Vec::new();
        };
        match contract.schema_at(schema) {
            Some(Value::Bool(false)) => vec![current.cloned().unwrap_or_default()],
            Some(Value::Object(keywords)) => {
                let mut found: Vec<Value> = Vec::new();
                for (keyword, operand) in keywords {
                    let part = Part { schema, keywords, current, levels };
                    let mut values = self.breaking(&part, keyword, operand);
                    values.truncate(FOR_KEYWORD);
                    for value in values {
                        if !found.contains(&value) {
                            found.push(value);
                        }
                    }
                }
                found
            }
            _ => Vec::new(),
        }
    }

    /// Values that break one keyword.
    fn breaking(&mut self, part: &Part<'_>, keyword: &str, operand: &Value) -> Vec<Value> {
        let schema = part.schema.key(keyword);
        match keyword {
            "$ref" => {
                let target = self.contract.and_then(|it| it.local_target(operand));
                target.map_or_else(Vec::new, |it| self.refuting_at(&it, part.current, part.levels))
            }
            "allOf" | "anyOf" | "oneOf" => {
                let branches = operand.as_array().map_or(0, Vec::len);
                let each = (0..branches).flat_map(|branch| {
                    let mut values =
                        self.refuting_at(&schema.index(branch), part.current, part.levels);
                    values.truncate(FOR_PART);
                    values
                });
                each.collect()
            }
            "then" | "else" => self.refuting_at(&schema, part.current, part.levels),
            "not" => self.satisfying(&schema, part.current),
            "properties" => part.each_member(operand, |name, current| {
                self.some_refuting(&schema.key(name), current, part.levels)
            }),
            "patternProperties" => {
                let patterns = operand.as_object().into_iter().flat_map(Map::keys);
                let mut found = Vec::new();
                for pattern in patterns {
                    let shape =
                        StringShape { patterns: vec![pattern.clone()], ..StringShape::default() };
                    let Some(name) = compiled::strings(shape).simplest() else { continue };
                    let values = self.some_refuting(&schema.key(pattern), None, part.levels);
                    found.extend(values.into_iter().map(|value| part.with_member(&name, value)));
                }
                found
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let values = self.some_refuting(&schema, None, part.levels);
                let names = part.undeclared_names();
                let with = |value: Value| {
                    names.iter().map(move |name| part.with_member(name, value.clone()))
                };
                values.into_iter().flat_map(with).collect()
            }
            "propertyNames" => {
                let names = self.some_refuting(&schema, None, part.levels);
                let names = names.iter().filter_map(Value::as_str);
                names.map(|name| part.with_member(name, Value::Null)).collect()
            }
            "dependentSchemas" | "dependencies" | "dependentRequired" => {
                part.each_member(operand, |name, _| {
                    let needed = operand.get(name).and_then(Value::as_array);
                    if needed.is_some_and(|names| !names.is_empty()) {
                        return vec![Value::Null];
                    }
                    Vec::new()
                })
            }
            "items" | "prefixItems" if operand.is_array() => {
                let count = operand.as_array().map_or(0, Vec::len);
                let each = (0..count).flat_map(|index| {
                    let values = self.some_refuting(&schema.index(index), None, part.levels);
                    values.into_iter().map(move |value| part.with_item(index, value))
                });
                each.collect()
            }
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => {
                let values = self.some_refuting(&schema, None, part.levels);
                let mut found: Vec<Value> =
                    values.into_iter().map(|value| part.with_item(part.prefix(), value)).collect();
                if keyword == "contains" {
                    found.extend([json!([])]);
                }
                found
            }
            _ => part.breaking_alone(keyword, operand),
        }
    }

    fn some_refuting(
        &mut self,
        schema: &Pointer,
        current: Option<&Value>,
        levels: usize,
    ) -> Vec<Value> {
        let mut values = self.refuting_at(schema, current, levels);
        values.truncate(FOR_PART);
        values
    }
}

/// A schema that is to be broken.
struct Part<'s> {
    schema: &'s Pointer,
    keywords: &'s Map<String, Value>,
    /// The value that should be changed, if there is one.
    current: Option<&'s Value>,
    levels: usize,
}

impl Part<'_> {
    /// For each member of `operand` the present object with the values for it.
    fn each_member(
        &self,
        operand: &Value,
        mut values: impl FnMut(&str, Option<&Value>) -> Vec<Value>,
    ) -> Vec<Value> {
        let mut found = Vec::new();
        for name in operand.as_object().into_iter().flat_map(Map::keys) {
            let current = self.current.and_then(|current| current.get(name));
            let values = values(name, current);
            found.extend(values.into_iter().map(|value| self.with_member(name, value)));
        }
        found
    }

    /// The present object, or an empty one, with a member.
    fn with_member(&self, name: &str, value: Value) -> Value {
        let mut members = self.current.and_then(Value::as_object).cloned().unwrap_or_default();
        members.insert(name.to_owned(), value);
        Value::Object(members)
    }

    /// The present array, or an empty one, with an item at `index`.
    fn with_item(&self, index: usize, value: Value) -> Value {
        let mut items = self.items();
        if items.len() <= index {
            items.resize(index + 1, Value::Null);
        }
        items[index] = value;
        Value::Array(items)
    }

    fn items(&self) -> Vec<Value> {
        self.current.and_then(Value::as_array).cloned().unwrap_or_default()
    }

    /// The number of items that have schemas of their own.
    fn prefix(&self) -> usize {
        let lists = ["prefixItems", "items"].into_iter().filter_map(|it| self.keywords.get(it));
        lists.filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0)
    }

    /// Two names that no property is declared with, of which a pattern hardly matches both.
    fn undeclared_names(&self) -> BTreeSet<String> {
        let is_declared = |name: &str| {
            self.keywords.get("properties").is_some_and(|declared| declared.get(name).is_some())
        };
        let letter = unused(is_declared);
        let word = unused(|name| is_declared(&format!("-{name}")));
        [letter, format!("-{word}")].into()
    }

    /// Values that break a keyword without schemas.
    fn breaking_alone(&self, keyword: &str, operand: &Value) -> Vec<Value> {
        let limit = operand.as_number().map(size).filter(|limit| *limit < LONGEST);
        let (above, is_positive) = (limit.map(|limit| limit + 1), limit.is_some_and(|it| it > 0));
        match keyword {
            "type" => {
                let types = type_set(operand);
                smallest().into_iter().filter(|value| !is_of(value, types)).collect()
            }
            "const" => other_than(std::slice::from_ref(operand)),
            "enum" => operand.as_array().map_or_else(Vec::new, |values| other_than(values)),
            "required" => {
                let names = operand.as_array().into_iter().flatten().filter_map(Value::as_str);
                let present = self.current.and_then(Value::as_object);
                let without = names.filter_map(|name| {
                    let members = present.filter(|members| members.contains_key(name))?;
                    Some(without(members, &[name]))
                });
                without.chain([json!({})]).collect()
            }
            "minProperties" if is_positive => vec![json!({})],
            "minItems" if is_positive => vec![json!([])],
            "minLength" if is_positive => vec![json!("")],
            "maxProperties" => above.map_or_else(Vec::new, |count| {
                let mut members =
                    self.current.and_then(Value::as_object).cloned().unwrap_or_default();
                while members.len() < count {
                    members.insert(unused(|name| members.contains_key(name)), Value::Null);
                }
                vec![Value::Object(members)]
            }),
            "maxItems" => above.map_or_else(Vec::new, |count| {
                let mut items = self.items();
                let missing = count.saturating_sub(items.len());
                let more = fresh(&json!(0), &items, missing);
                items.extend(more);
                vec![Value::Array(items)]
            }),
            "maxLength" => above.map_or_else(Vec::new, |count| vec!["a".repeat(count).into()]),
            "uniqueItems" if operand == &Value::Bool(true) => {
                let mut items = self.items();
                let last = items.last().cloned().unwrap_or_default();
                items.push(last.clone());
                vec![Value::Array(items), json!([last, last])]
            }
            "minimum" => beside(operand, -1.0),
            "maximum" => beside(operand, 1.0),
            "exclusiveMinimum" | "exclusiveMaximum" => vec![operand.clone()],
            "multipleOf" => {
                let half = operand.as_f64().and_then(|it| Number::from_f64(it / 2.0));
                half.map(Value::Number).into_iter().collect()
            }
            "pattern" | "format" => ["", "a", "0", " ", "~"].map(Value::from).into(),
            _ => Vec::new(),
        }
    }
}

fn type_set(operand: &Value) -> TypeSet {
    let names = operand.as_array().map_or(std::slice::from_ref(operand), Vec::as_slice);
    names.iter().filter_map(Value::as_str).filter_map(JsonType::named).collect()
}

/// A value like each of the first ones, and the smallest of other types, none of them among `values`.
fn other_than(values: &[Value]) -> Vec<Value> {
    let like = values.iter().take(FOR_PART).flat_map(|value| fresh(value, values, 1));
    let others = smallest().into_iter().filter(|value| !values.contains(value));
    like.chain(others).collect()
}

/// The number `step` away from `limit`.
fn beside(limit: &Value, step: f64) -> Vec<Value> {
    let beside = match limit.as_i64() {
        #[expect(clippy::cast_possible_truncation, reason = "a step is one or minus one")]
        Some(limit) => limit.checked_add(step as i64).map(Number::from),
        None => limit.as_f64().and_then(|limit| Number::from_f64(limit + step)),
    };
    beside.map(Value::Number).into_iter().collect()
}
