//! Rows of conditionals on one property, written as the union they are.
//!
//! Real schemas describe variants as `allOf: [{if: {kind is "a"}, then: A}, {if: {kind is "b"},
//! then: B}, …]`. Read one by one, n conditionals have 2ⁿ combinations, and the library gives up at
//! about ten. But the conditions exclude each other, so the row means one union of n + 3 cases: the
//! value is no object, the property is absent, it has one of the listed values, or another one.
//! The rewrite is exact. Entries keep their places in `allOf` (they become `true`), so pointers to
//! everything else stay what they are; where the copies came from is recorded. The cases become
//! definitions: the library compares inlined branches of a union pair by pair, and referenced ones
//! only where it has to.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::rewrite::{Relocation, SchemaScope, for_each_schema, mentions};
use crate::{
    Draft, Pointer,
    value_condition::{ValueCondition, has_only},
};

/// Rows up to this length are left to the library, which handles them well and keeps more of their
/// structure.
const SHORT_ROW: usize = 4;

/// The number of subschemas that the cases of one row may repeat. A row of n plain conditionals
/// needs 3n; one whose conditionals have an `else` each needs n² and soon costs more than it saves.
const MAX_COPIES: usize = 20_000;

/// Rewrites every long row of conditionals in `schema`.
///
/// `unevaluatedProperties` depends on which subschemas looked at a property, and the cases look at
/// the discriminating one more often than the row does; such documents are left alone.
pub(super) fn split_rows(schema: &mut Value, draft: Draft) -> Vec<Relocation> {
    let mut moved = Vec::new();
    if draft < Draft::Draft7 || mentions(schema, &["unevaluatedProperties"]) {
        return moved;
    }
    for_each_schema(schema, draft, |members, place| split_rows_of(members, place, &mut moved));
    moved
}

/// Whether the `allOf` of `members` has as many conditionals as a long row.
pub(super) fn may_have_long_row(members: &Map<String, Value>) -> bool {
    let Some(Value::Array(entries)) = members.get("allOf") else { return false };
    entries.iter().filter(|entry| entry.get("if").is_some()).count() > SHORT_ROW
}

/// What the schema around a row says anyway: cases that it rules out need not be written, and they
/// are the ones in which every conditional of the row holds at once.
struct Known {
    object: bool,
    required: Vec<String>,
}

impl Known {
    fn of(members: &Map<String, Value>) -> Self {
        let names = members.get("required").and_then(Value::as_array).into_iter().flatten();
        Self {
            object: members.get("type").is_some_and(|name| name == "object"),
            required: names.filter_map(Value::as_str).map(str::to_owned).collect(),
        }
    }
}

/// One `if` of the form "this property is one of these values".
struct Conditional {
    /// Its index in `allOf`.
    index: usize,
    values: Vec<Scalar>,
    /// Whether the condition fails where the property is absent.
    required: bool,
    /// Whether the condition fails on what is no object.
    object_only: bool,
    then: Option<Value>,
    otherwise: Option<Value>,
}

/// A value whose equality is beyond doubt. Numbers are equal across notations (`1`, `1.0`, `1e0`),
/// so only plain integers are taken.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Scalar {
    Null,
    Bool(bool),
    Integer(i64),
    Text(String),
}

impl Scalar {
    fn of(value: &Value) -> Option<Self> {
        match value {
            Value::Null => Some(Self::Null),
            Value::Bool(value) => Some(Self::Bool(*value)),
            Value::String(text) => Some(Self::Text(text.clone())),
            Value::Number(number) => number.as_i64().map(Self::Integer),
            Value::Array(_) | Value::Object(_) => None,
        }
    }

    fn to_value(&self) -> Value {
        match self {
            Self::Null => Value::Null,
            Self::Bool(value) => Value::Bool(*value),
            Self::Integer(value) => Value::from(*value),
            Self::Text(text) => Value::String(text.clone()),
        }
    }
}

/// Replaces the long rows in the `allOf` of `members`.
fn split_rows_of(
    members: &mut Map<String, Value>,
    place: &SchemaScope,
    moved: &mut Vec<Relocation>,
) {
    let Some(Value::Array(entries)) = members.get("allOf") else { return };
    let mut rows: BTreeMap<String, Vec<Conditional>> = BTreeMap::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some((property, conditional)) = conditional(index, entry) {
            rows.entry(property).or_default().push(conditional);
        }
    }
    let known = Known::of(members);
    for (property, row) in rows {
        let plain = row.iter().filter(|conditional| conditional.otherwise.is_none()).count();
        let copies = 3 * plain + (row.len() - plain) * row.len();
        if row.len() > SHORT_ROW && copies <= MAX_COPIES {
            split_row(members, &property, &row, &known, place, moved);
        }
    }
}

fn split_row(
    members: &mut Map<String, Value>,
    property: &str,
    row: &[Conditional],
    known: &Known,
    place: &SchemaScope,
    moved: &mut Vec<Relocation>,
) {
    let mut cases = cases(property, row);
    if known.required.iter().any(|name| name == property) {
        cases.remove(ABSENT);
    }
    if known.object {
        cases.remove(NO_OBJECT);
    }
    let definitions = members.entry("definitions").or_insert_with(|| json!({}));
    let Value::Object(definitions) = definitions else { return };
    let mut branches = Vec::new();
    for (number, case) in cases.into_iter().enumerate() {
        let name = format!("case {number} of {property}");
        let now = place.at.key("definitions").key(&name);
        branches.push(json!({ "$ref": place.reference(&now) }));
        let schema = case.into_schema(row, &place.at.key("allOf"), &now, moved);
        definitions.insert(name, schema);
    }
    let Some(Value::Array(entries)) = members.get_mut("allOf") else { return };
    for conditional in row {
        entries[conditional.index] = Value::Bool(true);
    }
    entries.push(json!({ "anyOf": branches }));
}

/// One way a value can stand to a row: what tells it, and which conditions then hold.
struct Case {
    guard: Value,
    holds: Vec<bool>,
}

impl Case {
    fn into_schema(
        self,
        row: &[Conditional],
        at: &Pointer,
        now: &Pointer,
        moved: &mut Vec<Relocation>,
    ) -> Value {
        let mut parts = vec![self.guard];
        for (conditional, holds) in row.iter().zip(self.holds) {
            let (keyword, consequence) =
                if holds { ("then", &conditional.then) } else { ("else", &conditional.otherwise) };
            if let Some(consequence) = consequence {
                moved.push(Relocation {
                    now: now.key("allOf").index(parts.len()),
                    written: at.index(conditional.index).key(keyword),
                });
                parts.push(consequence.clone());
            }
        }
        json!({ "allOf": parts })
    }
}

/// The places of the first two cases.
const NO_OBJECT: usize = 0;
const ABSENT: usize = 1;

fn cases(property: &str, row: &[Conditional]) -> Vec<Case> {
    let mut cases = vec![
        Case {
            guard: json!({ "type": ["null", "boolean", "number", "string", "array"] }),
            holds: row.iter().map(|conditional| !conditional.object_only).collect(),
        },
        Case {
            guard: json!({ "type": "object", "properties": { property: false } }),
            holds: row.iter().map(|conditional| !conditional.required).collect(),
        },
    ];
    // Values that make the same conditions hold belong to one case.
    let mut by_outcome: BTreeMap<Vec<bool>, Vec<Scalar>> = BTreeMap::new();
    let mut listed: Vec<Scalar> =
        row.iter().flat_map(|conditional| conditional.values.iter().cloned()).collect();
    listed.sort();
    listed.dedup();
    for value in &listed {
        let holds = row.iter().map(|conditional| conditional.values.contains(value)).collect();
        by_outcome.entry(holds).or_default().push(value.clone());
    }
    let present = |schema: Value| json!({ "type": "object", "required": [property], "properties": { property: schema } });
    let to_values = |values: &[Scalar]| values.iter().map(Scalar::to_value).collect::<Vec<_>>();
    for (holds, values) in &by_outcome {
        let guard = present(json!({ "enum": to_values(values) }));
        cases.push(Case { guard, holds: holds.clone() });
    }
    cases.push(Case {
        guard: present(json!({ "not": { "enum": to_values(&listed) } })),
        holds: vec![false; row.len()],
    });
    cases
}

/// The conditional that `entry` consists of, and the property it looks at.
fn conditional(index: usize, entry: &Value) -> Option<(String, Conditional)> {
    let members = entry.as_object()?;
    // A copy of an identifier would name two locations.
    if !has_only(members, &["if", "then", "else"])
        || mentions(entry, &["$id", "$anchor", "$dynamicAnchor", "$recursiveAnchor"])
    {
        return None;
    }
    let condition = ValueCondition::of(members.get("if")?).filter(|it| it.is_exact)?;
    let consequence = |keyword: &str| members.get(keyword).cloned();
    let conditional = Conditional {
        index,
        values: condition.values.iter().map(Scalar::of).collect::<Option<_>>()?,
        required: condition.requires_property,
        object_only: condition.requires_object,
        then: consequence("then"),
        otherwise: consequence("else"),
    };
    Some((condition.property.to_owned(), conditional))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(conditions: &[&Value]) -> Value {
        let entries: Vec<Value> = conditions
            .iter()
            .enumerate()
            .map(|(index, condition)| {
                json!({ "if": condition, "then": { "required": [format!("then{index}")] },
                        "else": { "maxProperties": 9 - index } })
            })
            .collect();
        json!({ "allOf": entries })
    }

    /// The rewrite must accept exactly what the row accepts, on every way to stand to it.
    #[test]
    fn the_union_accepts_what_the_row_accepts() {
        let is = |value: Value| json!({ "properties": { "kind": { "const": value } } });
        let first = is(json!("a"));
        let overlapping =
            json!({ "properties": { "kind": { "enum": ["b", "a"] } }, "required": ["kind"] });
        let on_objects = json!({ "properties": { "kind": { "const": null } }, "type": "object" });
        let on_numbers = is(json!(1));
        let strict = json!({ "type": "object", "required": ["kind"], "properties": { "kind": { "enum": ["d"] } } });
        let plain = row(&[&first, &overlapping, &on_objects, &on_numbers, &strict]);
        for known in [json!({}), json!({ "type": "object" }), json!({ "required": ["kind"] })] {
            let mut schema = plain.clone();
            schema.as_object_mut().unwrap().extend(known.as_object().unwrap().clone());
            check_equivalent(&schema);
        }
    }

    fn check_equivalent(schema: &Value) {
        let mut rewritten = schema.clone();
        let moved = split_rows(&mut rewritten, Draft::Draft202012);
        assert_ne!(*schema, rewritten);
        for Relocation { now, written } in &moved {
            assert_eq!(now.resolve(&rewritten), written.resolve(schema), "{now} from {written}");
        }

        let before = jsonschema::validator_for(schema).unwrap();
        let after = jsonschema::validator_for(&rewritten).unwrap();
        let mut accepted = 0;
        let kinds = [
            json!("a"),
            json!("b"),
            json!(null),
            json!(true),
            json!("d"),
            json!("z"),
            json!(1),
            json!(2),
        ];
        for subset in 0..32_u32 {
            let mut members = Map::new();
            for index in (0..5).filter(|index| subset & (1 << index) != 0) {
                members.insert(format!("then{index}"), json!(0));
            }
            let mut instances = vec![Value::Object(members.clone()), json!(7), json!("a")];
            for kind in &kinds {
                let mut members = members.clone();
                members.insert("kind".to_owned(), kind.clone());
                instances.push(Value::Object(members));
            }
            for instance in instances {
                assert_eq!(before.is_valid(&instance), after.is_valid(&instance), "{instance}");
                accepted += usize::from(before.is_valid(&instance));
            }
        }
        assert!(accepted > 20, "only {accepted} instances were accepted at all");
    }

    #[test]
    fn entries_that_are_no_conditionals_keep_their_place() {
        let mut entries: Vec<Value> = (0..6)
            .map(|index| json!({ "if": { "properties": { "k": { "const": index.to_string() } } }, "then": false }))
            .collect();
        entries.insert(2, json!({ "minProperties": 1 }));
        let mut schema = json!({ "allOf": entries });
        split_rows(&mut schema, Draft::Draft7);
        assert_eq!(schema["allOf"][2], json!({ "minProperties": 1 }));
        assert_eq!(schema["allOf"][3], json!(true));
        assert_eq!(schema["allOf"].as_array().unwrap().len(), 8);
    }

    #[test]
    fn conditions_on_fractions_and_short_rows_are_left_alone() {
        let numbers: Vec<Value> = (0..9)
            .map(|index| f64::from(index) + 0.5)
            .map(|value| json!({ "if": { "properties": { "k": { "const": value } } }, "then": false }))
            .collect();
        let schema = json!({ "allOf": numbers, "anyOf": [row(&[&json!({ "properties": { "k": { "const": "a" } } })])] });
        let mut same = schema.clone();
        assert_eq!(split_rows(&mut same, Draft::Draft7), []);
        assert_eq!(schema, same);
    }
}
