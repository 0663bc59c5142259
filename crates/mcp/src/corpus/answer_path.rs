//! Places in answers, which can be found again in another answer to the same call.
//!
//! A server may use identifiers as keys, which differ in every session. So a step into an object keeps the rank of
//! its key among the sorted keys: where the key itself is absent, the key of the same rank is meant.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::mining::{inner_json, tokens};

/// A place in an answer.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct AnswerPath {
    /// What of the answer it is in.
    pub root: AnswerRoot,
    /// The way from there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment>,
    /// What of the value that is there.
    #[serde(default, skip_serializing_if = "Part::is_value")]
    pub part: Part,
}

/// What of an answer is mined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum AnswerRoot {
    /// The `structuredContent`.
    Structured,
    /// The text of the content block with this index.
    Text(usize),
}

/// A step into a value.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Segment {
    /// To the item with this index.
    Item(usize),
    /// To the member with this key.
    Member {
        /// The key.
        key: String,
        /// Its rank among the sorted keys.
        rank: usize,
    },
    /// Into the JSON that a string contains.
    Json,
}

/// What of a value is meant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Part {
    /// The value.
    #[default]
    Value,
    /// The key that leads to it.
    Key,
    /// The token with this index in its text.
    Token(usize),
}

impl Part {
    fn is_value(&self) -> bool {
        *self == Self::Value
    }
}

impl AnswerPath {
    /// What `result`, another answer to the same call, has at this place.
    #[must_use]
    pub fn resolve(&self, result: &Value) -> Option<Value> {
        let mut value = match self.root {
            AnswerRoot::Structured => result.get("structuredContent")?.clone(),
            AnswerRoot::Text(index) => result.get("content")?.get(index)?.get("text")?.clone(),
        };
        let mut key = None;
        for segment in &self.segments {
            value = match segment {
                Segment::Item(index) => value.get(*index)?.clone(),
                Segment::Member { key: wanted, rank } => {
                    let (found, member) = member(value.as_object()?, wanted, *rank)?;
                    key = Some(found.to_owned());
                    member.clone()
                }
                Segment::Json => inner_json(value.as_str()?)?,
            };
        }
        match self.part {
            Part::Value => Some(value),
            Part::Key => key.map(Value::String),
            Part::Token(index) => tokens(value.as_str()?).nth(index),
        }
    }

    /// Whether what is there was called `property`, or the end of it, as `id` is the end of `taskId`.
    pub(crate) fn is_called(&self, property: &str) -> bool {
        let name = |text: &str| -> String {
            text.chars().filter(|it| it.is_alphanumeric()).flat_map(char::to_lowercase).collect()
        };
        let mut keys = self.segments.iter().rev().filter_map(|segment| match segment {
            Segment::Member { key, .. } => Some(name(key)),
            Segment::Item(_) | Segment::Json => None,
        });
        self.part == Part::Value
            && keys.next().is_some_and(|key| key.len() > 1 && name(property).ends_with(&key))
    }
}

/// The member with this key, or with the same rank among the sorted keys.
fn member<'a>(
    members: &'a Map<String, Value>,
    key: &str,
    rank: usize,
) -> Option<(&'a str, &'a Value)> {
    if let Some((key, value)) = members.get_key_value(key) {
        return Some((key, value));
    }
    let mut keys: Vec<&String> = members.keys().collect();
    keys.sort();
    let key = keys.get(rank)?;
    Some((key, members.get(*key)?))
}

impl fmt::Display for AnswerPath {
    /// As reports write it after the number of the call: `.tasks[0].id`.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let AnswerRoot::Text(index) = self.root {
            write!(formatter, ".text[{index}]")?;
        }
        for segment in &self.segments {
            match segment {
                Segment::Item(index) => write!(formatter, "[{index}]")?,
                Segment::Member { key, .. } if is_plain(key) => write!(formatter, ".{key}")?,
                Segment::Member { key, .. } => write!(formatter, "[{}]", Value::from(&**key))?,
                Segment::Json => formatter.write_str("|json")?,
            }
        }
        match self.part {
            Part::Value => Ok(()),
            Part::Key => formatter.write_str("~key"),
            Part::Token(index) => write!(formatter, "~{index}"),
        }
    }
}

fn is_plain(key: &str) -> bool {
    !key.is_empty() && key.chars().all(|char| char.is_alphanumeric() || char == '_')
}
