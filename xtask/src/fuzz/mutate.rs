//! Mutants: contracts with a few changes, a pure function of seed, number and corpus.
//!
//! Most changes are to the structure: schemas and keywords are inserted, deleted, moved and taken
//! from other contracts, values of keywords are replaced by valid and by invalid ones, references lead
//! to any location. Some mutants are changed byte by byte instead.

use foolproof_generate::{Random, Seed, Source};
use serde_json::{Map, Value, json};

use super::places;

/// The largest mutant, in bytes.
const LARGEST: usize = 200_000;

/// One in so many mutants is changed byte by byte.
const RAW: u64 = 12;

const DRAFTS: [&str; 5] = [
    "http://json-schema.org/draft-04/schema#",
    "http://json-schema.org/draft-06/schema#",
    "http://json-schema.org/draft-07/schema#",
    "https://json-schema.org/draft/2019-09/schema",
    "https://json-schema.org/draft/2020-12/schema",
];

/// The text of mutant `index` of `contracts`.
pub(super) fn mutant(seed: u64, index: u64, contracts: &[Value]) -> Vec<u8> {
    let source = Seed::from_number(seed).child("mutant", index).random();
    let mut mutation = Mutation { source, contracts };
    let mut document = mutation.contract().clone();
    for _ in 0..mutation.source.between(1, 6) {
        mutation.change(&mut document);
    }
    mutation.mend_references(&mut document);
    let mut text = document.to_string().into_bytes();
    if text.len() > LARGEST {
        text = mutation.small_contract().to_string().into_bytes();
    }
    if mutation.source.chance(1, RAW) {
        for _ in 0..mutation.source.between(1, 4) {
            mutation.change_bytes(&mut text);
        }
    }
    text
}

struct Mutation<'c> {
    source: Random,
    contracts: &'c [Value],
}

impl Mutation<'_> {
    fn contract(&mut self) -> &Value {
        self.source.pick(self.contracts)
    }

    /// A contract of one schema, for what has grown too large.
    fn small_contract(&mut self) -> Value {
        let schema = self.foreign_schema();
        if schema.to_string().len() > LARGEST { json!({}) } else { schema }
    }

    fn change(&mut self, document: &mut Value) {
        match self.source.below(16) {
            0 => self.delete(document),
            1 => self.move_schema(document),
            2 | 3 => self.splice_schema(document),
            4 | 5 => self.splice_keyword(document),
            6 => self.change_value(document),
            7..=9 => self.add_reference(document),
            10 | 11 => self.wrap(document),
            12..=14 => self.add_keyword(document),
            _ => self.set_draft(document),
        }
    }

    /// The pointer of a schema in `document`; sometimes of any value.
    fn schema_in(&mut self, document: &Value) -> String {
        let places = if self.source.chance(1, 16) {
            places::values(document)
        } else {
            places::schemas(document)
        };
        self.source.pick(&places).clone()
    }

    /// A schema of another contract.
    fn foreign_schema(&mut self) -> Value {
        let contract = self.source.pick(self.contracts);
        let places = places::schemas(contract);
        let at: &String = self.source.pick(&places);
        contract.pointer(at).cloned().unwrap_or_default()
    }

    fn delete(&mut self, document: &mut Value) {
        let places = places::values(document);
        let at: &String = self.source.pick(&places);
        places::remove(document, at);
    }

    fn move_schema(&mut self, document: &mut Value) {
        let from = self.schema_in(document);
        let to = self.schema_in(document);
        let moved = document.pointer(&from).cloned().unwrap_or_default();
        if self.source.chance(1, 2) {
            places::remove(document, &from);
        }
        replace(document, &to, moved);
    }

    fn splice_schema(&mut self, document: &mut Value) {
        let at = self.schema_in(document);
        let schema = self.foreign_schema();
        replace(document, &at, schema);
    }

    fn splice_keyword(&mut self, document: &mut Value) {
        let Value::Object(members) = self.foreign_schema() else { return };
        let members: Vec<(String, Value)> = members.into_iter().collect();
        if members.is_empty() {
            return;
        }
        let (keyword, value) = self.source.pick(&members).clone();
        let at = self.schema_in(document);
        places::object_at(document, &at).insert(keyword, value);
    }

    /// Replaces a value that is no object by another of its kind or of any kind.
    fn change_value(&mut self, document: &mut Value) {
        let places = places::values(document);
        let at = self.source.pick(&places).clone();
        let Some(value) = document.pointer(&at) else { return };
        let new = match value {
            Value::Object(_) => return,
            Value::Number(_) => self.number(),
            Value::Bool(value) => Value::Bool(!value),
            Value::Null | Value::String(_) | Value::Array(_) => self.anything(),
        };
        let new = if self.source.chance(1, 6) { self.anything() } else { new };
        replace(document, &at, new);
    }

    fn number(&mut self) -> Value {
        let texts = [
            "0",
            "1",
            "2",
            "3",
            "-1",
            "-5",
            "0.5",
            "1e-7",
            "9007199254740993",
            "1e300",
            "1e-400",
            "18446744073709551616",
            "-0.0",
            "100",
            "7.0",
        ];
        let text: &&str = self.source.pick(&texts);
        serde_json::from_str(text).unwrap_or_default()
    }

    fn anything(&mut self) -> Value {
        match self.source.below(9) {
            0 => Value::Null,
            1 => Value::Bool(self.source.chance(1, 2)),
            2 => self.number(),
            3 => json!(""),
            4 => json!("a"),
            5 => json!([]),
            6 => json!({}),
            7 => json!(["a", "b"]),
            _ => self.foreign_schema(),
        }
    }

    /// A reference to a location of `document`, to the whole of it more often than to any other.
    fn reference(&mut self, document: &Value) -> Value {
        let target = match self.source.below(8) {
            0..=2 => String::new(),
            _ => self.schema_in(document),
        };
        let keyword = match self.source.below(12) {
            0 => "$dynamicRef",
            1 => "$recursiveRef",
            _ => "$ref",
        };
        json!({ keyword: fragment(&target) })
    }

    /// Leads most references that name nothing, since their schema came from elsewhere, to a schema
    /// that is there: a contract that is refused shows little.
    fn mend_references(&mut self, document: &mut Value) {
        let places = places::schemas(document);
        for at in places::values(document) {
            let Some(Value::String(reference)) = document.pointer(&at) else { continue };
            let is_reference = at.ends_with("/$ref") || at.ends_with("/$dynamicRef");
            let target = reference.strip_prefix('#');
            let is_there = target.is_some_and(|target| document.pointer(target).is_some());
            if is_reference && !is_there && self.source.chance(31, 32) {
                let target: &String = self.source.pick(&places);
                replace(document, &at, json!(fragment(target)));
            }
        }
    }

    fn add_reference(&mut self, document: &mut Value) {
        let at = self.schema_in(document);
        let reference = self.reference(document);
        if self.source.chance(1, 2) {
            replace(document, &at, reference);
        } else if let Value::Object(reference) = reference {
            places::object_at(document, &at).extend(reference);
        }
    }

    /// Puts a schema below a keyword of a new one, alone or beside another.
    fn wrap(&mut self, document: &mut Value) {
        let at = self.schema_in(document);
        let inner = document.pointer(&at).cloned().unwrap_or_default();
        let other =
            if self.source.chance(1, 2) { self.reference(document) } else { self.foreign_schema() };
        let wrapped = match self.source.below(12) {
            0 => json!({ "allOf": [inner, other] }),
            1 => json!({ "anyOf": [inner, other] }),
            2 => json!({ "oneOf": [other, inner] }),
            3 => json!({ "not": inner }),
            4 => json!({ "if": inner, "then": other, "else": { "type": "object" } }),
            5 => json!({ "type": "array", "items": inner, "minItems": 1 }),
            6 => json!({ "type": "array", "prefixItems": [other], "contains": inner }),
            7 => json!({ "type": "object", "additionalProperties": inner, "minProperties": 1 }),
            8 => json!({ "properties": { "a": inner, "b": other }, "required": ["a"] }),
            9 => json!({ "patternProperties": { "^[a-c]": inner }, "minProperties": 2 }),
            10 => json!({ "dependentSchemas": { "a": inner }, "dependencies": { "b": other } }),
            _ => json!({ "type": "object", "properties": { "a": other, "c": inner },
                         "additionalProperties": false, "minProperties": 1 }),
        };
        replace(document, &at, wrapped);
    }

    fn add_keyword(&mut self, document: &mut Value) {
        let at = self.schema_in(document);
        let (keyword, value) = self.keyword(document, &at);
        places::object_at(document, &at).insert(keyword.to_owned(), value);
    }

    /// A keyword with a value that fits it.
    fn keyword(&mut self, document: &Value, at: &str) -> (&'static str, Value) {
        let schema = self.foreign_schema();
        let small = Value::from(self.source.below(4));
        let types = ["null", "boolean", "integer", "number", "string", "array", "object"];
        let declared = document.pointer(at).and_then(|schema| schema.get("properties"));
        let declared: Vec<Value> = declared
            .and_then(Value::as_object)
            .map(|properties| properties.keys().cloned().map(Value::String).collect())
            .unwrap_or_default();
        match self.source.below(24) {
            0 => ("minProperties", small),
            1 => ("maxProperties", small),
            2 => ("minItems", small),
            3 => ("maxItems", small),
            4 => ("minLength", small),
            5 => ("maxLength", small),
            6 => ("additionalProperties", Value::Bool(false)),
            7 => ("additionalProperties", schema),
            8 => ("required", Value::Array(declared)),
            9 => ("contains", schema),
            10 => ("minContains", small),
            11 => ("maxContains", small),
            12 => ("uniqueItems", Value::Bool(true)),
            13 => ("type", json!(self.source.pick(&types))),
            14 => ("enum", json!([self.anything(), self.anything()])),
            15 => ("const", self.anything()),
            16 => ("pattern", json!(self.source.pick(&["^a+$", "[0-9]{2}", "^(a|b)*c$", "x"]))),
            17 => ("unevaluatedProperties", Value::Bool(false)),
            18 => ("unevaluatedItems", Value::Bool(false)),
            19 => ("propertyNames", schema),
            20 => ("multipleOf", self.number()),
            21 => ("minimum", self.number()),
            22 => ("not", schema),
            _ => ("items", self.reference(document)),
        }
    }

    fn set_draft(&mut self, document: &mut Value) {
        let draft = *self.source.pick(&DRAFTS);
        places::object_at(document, "").insert("$schema".to_owned(), json!(draft));
    }

    fn change_bytes(&mut self, text: &mut Vec<u8>) {
        if text.is_empty() {
            return;
        }
        let from = self.source.index(text.len());
        let length = (1 + self.source.index(40)).min(text.len() - from);
        match self.source.below(5) {
            0 => text[from] ^= 1 << self.source.below(8),
            1 => drop(text.drain(from..from + length)),
            2 => text.truncate(from),
            3 => {
                let part = text[from..from + length].repeat(1 + self.source.index(50));
                text.splice(from..from, part);
            }
            _ => {
                let other = self.contract().to_string().into_bytes();
                let start = self.source.index(other.len());
                let end = (start + 1 + self.source.index(200)).min(other.len());
                text.splice(from..from + length, other[start..end].iter().copied());
            }
        }
    }
}

/// A reference to the location at `pointer`.
fn fragment(pointer: &str) -> String {
    let mut fragment = String::from("#");
    for byte in pointer.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~!$&'()*+,;=:@".contains(&byte) {
            fragment.push(char::from(byte));
        } else {
            fragment.push_str(&format!("%{byte:02X}"));
        }
    }
    fragment
}

fn replace(document: &mut Value, pointer: &str, new: Value) {
    if let Some(value) = document.pointer_mut(pointer) {
        *value = new;
    }
    if !(document.is_object() || document.is_boolean()) {
        *document = Value::Object(Map::from_iter([("const".to_owned(), document.take())]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mutant_depends_on_seed_number_and_contracts_alone() {
        let contracts =
            [json!({ "properties": { "a": { "type": "string" } } }), json!({ "items": {} })];
        let mutants: Vec<Vec<u8>> = (0..200).map(|index| mutant(7, index, &contracts)).collect();
        let again: Vec<Vec<u8>> =
            (0..200).rev().map(|index| mutant(7, index, &contracts)).collect();
        assert!(mutants.iter().eq(again.iter().rev()));
        assert_ne!(mutants[0], mutant(8, 0, &contracts));
        let distinct: std::collections::BTreeSet<&Vec<u8>> = mutants.iter().collect();
        assert!(distinct.len() > 150, "only {} differ", distinct.len());
    }

    /// What once aborted or hung: references that stay on the value, and objects without a leaf.
    #[test]
    fn cycles_are_among_the_mutants() {
        let contracts = [json!({ "properties": { "a": { "type": "string" } } })];
        let texts: Vec<String> = (0..2_000)
            .filter_map(|index| String::from_utf8(mutant(1, index, &contracts)).ok())
            .collect();
        for part in
            [r##"Of":[{"$ref":"#"}"##, r##""additionalProperties":{"$ref":"#"}"##, "minProperties"]
        {
            assert!(texts.iter().any(|text| text.contains(part)), "no mutant has {part}");
        }
    }
}
