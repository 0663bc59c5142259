//! A rule in the making: keywords that hold together, and schemas that must not hold.

use serde_json::{Map, Value, json};

use crate::{JsonType, TypeSet};

/// A schema that admits what arrives.
#[derive(Default)]
pub(super) struct Rule {
    keywords: Map<String, Value>,
    excluded: Vec<Value>,
}

impl Rule {
    /// Adds a keyword. Each is set once.
    pub(super) fn set(&mut self, keyword: &str, value: Value) {
        let earlier = self.keywords.insert(keyword.to_owned(), value);
        debug_assert!(earlier.is_none(), "`{keyword}` is set twice");
    }

    /// Adds a keyword whose value is a schema, if there is one.
    pub(super) fn set_schema(&mut self, keyword: &str, rule: Self) {
        if let Some(schema) = rule.schema() {
            self.set(keyword, schema);
        }
    }

    /// Excludes the values of a schema.
    pub(super) fn exclude(&mut self, schema: Value) {
        self.excluded.push(schema);
    }

    /// Excludes strings that a pattern matches.
    pub(super) fn exclude_strings(&mut self, pattern: &str) {
        self.exclude(json!({ "type": "string", "pattern": pattern }));
    }

    /// Restricts the types to `arriving`, if `admitted` has others.
    pub(super) fn restrict_types(&mut self, admitted: TypeSet, arriving: TypeSet) {
        if admitted & arriving == admitted {
            return;
        }
        let names: Vec<_> = arriving.iter().map(JsonType::as_str).collect();
        if names.is_empty() {
            self.exclude(json!({}));
        } else {
            self.set("type", json!(names));
        }
    }

    /// The schema, if it says anything.
    pub(super) fn schema(mut self) -> Option<Value> {
        match self.excluded.len() {
            0 => {}
            1 => {
                self.keywords.insert("not".to_owned(), self.excluded.remove(0));
            }
            _ => {
                self.keywords.insert("not".to_owned(), json!({ "anyOf": self.excluded }));
            }
        }
        (!self.keywords.is_empty()).then_some(Value::Object(self.keywords))
    }

    /// The schema with a name that no other schema has: `word` and a digest.
    pub(super) fn named(self, word: &str) -> Option<(String, Value)> {
        let schema = self.schema()?;
        let digest = digest(&schema.to_string());
        Some((format!("wire {word} {digest:016x}"), schema))
    }
}

/// FNV-1a. An entry has some dozens of rules, so 64 bits keep them apart.
fn digest(text: &str) -> u64 {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
    text.bytes().fold(0xcbf2_9ce4_8422_2325, step)
}
