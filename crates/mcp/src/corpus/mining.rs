//! Mining: every string, number and key of an answer, in a fixed order.
//!
//! It is iterative, so that an answer may nest as deep as it can be read.

use serde_json::Value;

use super::{AnswerPath, AnswerRoot, Part, Segment};

/// A structured string longer than this is text: its tokens are mined too, if text is.
const LONG: usize = 40;

/// The most values that are mined from one answer's text.
const MOST_TOKENS: usize = 2_000;

/// A string or number with its place in the answer.
#[derive(Clone, Debug, PartialEq)]
pub struct MinedValue {
    /// The string or number.
    pub value: Value,
    /// Its place.
    pub path: AnswerPath,
}

/// The values of an answer, in order.
#[derive(Debug)]
pub struct Mining {
    /// What is still to be looked at; the next comes last.
    pending: Vec<Pending>,
    root: AnswerRoot,
    /// Whether the text of strings is mined too.
    mines_text: bool,
}

#[derive(Debug)]
enum Pending {
    Value(Value, Vec<Segment>),
    Mined(Value, Vec<Segment>, Part),
}

impl Mining {
    /// The values of `structuredContent`. With `mines_text` also the JSON or the tokens of its long strings.
    #[must_use]
    pub fn structured(structured: &Value, mines_text: bool) -> Self {
        let pending = vec![Pending::Value(structured.clone(), Vec::new())];
        Self { pending, root: AnswerRoot::Structured, mines_text }
    }

    /// The values of the text content of `result`, an answer: JSON where it is JSON, else its tokens.
    pub fn text(result: &Value) -> impl Iterator<Item = MinedValue> {
        let blocks = result.get("content").and_then(Value::as_array).into_iter().flatten();
        let texts = blocks.enumerate().filter_map(|(index, block)| {
            let text = block.get("text").and_then(Value::as_str)?;
            Some((index, text.to_owned()))
        });
        texts.flat_map(|(index, text)| {
            let pending = text_pending(&text, Vec::new());
            Self { pending, root: AnswerRoot::Text(index), mines_text: true }
        })
    }

    fn mined(&self, value: Value, segments: Vec<Segment>, part: Part) -> MinedValue {
        MinedValue { value, path: AnswerPath { root: self.root, segments, part } }
    }
}

impl Iterator for Mining {
    type Item = MinedValue;

    fn next(&mut self) -> Option<MinedValue> {
        loop {
            match self.pending.pop()? {
                Pending::Mined(value, segments, part) => {
                    return Some(self.mined(value, segments, part));
                }
                Pending::Value(value, segments) => match value {
                    Value::Null | Value::Bool(_) => {}
                    Value::Number(_) => return Some(self.mined(value, segments, Part::Value)),
                    Value::String(ref text) => {
                        if self.mines_text && text.len() > LONG {
                            self.pending.extend(text_pending(text, segments.clone()));
                        }
                        return Some(self.mined(value, segments, Part::Value));
                    }
                    Value::Array(items) => {
                        for (index, item) in items.into_iter().enumerate().rev() {
                            let mut segments = segments.clone();
                            segments.push(Segment::Item(index));
                            self.pending.push(Pending::Value(item, segments));
                        }
                    }
                    Value::Object(members) => {
                        let mut members: Vec<(String, Value)> = members.into_iter().collect();
                        members.sort_by(|(one, _), (other, _)| one.cmp(other));
                        for (rank, (key, member)) in members.into_iter().enumerate().rev() {
                            let mut inside = segments.clone();
                            inside.push(Segment::Member { key: key.clone(), rank });
                            self.pending.push(Pending::Value(member, inside.clone()));
                            self.pending.push(Pending::Mined(
                                Value::String(key),
                                inside,
                                Part::Key,
                            ));
                        }
                    }
                },
            }
        }
    }
}

/// What is to be mined from a text at `segments`.
fn text_pending(text: &str, segments: Vec<Segment>) -> Vec<Pending> {
    if let Some(json) = inner_json(text) {
        let mut inside = segments;
        inside.push(Segment::Json);
        return vec![Pending::Value(json, inside)];
    }
    let mut pending: Vec<Pending> = tokens(text)
        .take(MOST_TOKENS)
        .enumerate()
        .map(|(index, token)| Pending::Mined(token, segments.clone(), Part::Token(index)))
        .collect();
    pending.reverse();
    pending
}

/// The object or array that `text` is as JSON.
pub(super) fn inner_json(text: &str) -> Option<Value> {
    let is_structure = text.trim_start().starts_with(['{', '[']);
    is_structure.then(|| serde_json::from_str(text).ok()).flatten()
}

/// The tokens of `text`: words with the signs that names, paths, addresses and dates contain. One that is a number is
/// a number.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Value> {
    let is_inside = |char: char| char.is_alphanumeric() || "_-./:@#+".contains(char);
    let words = text.split(move |char| !is_inside(char));
    let words = words.map(|word| word.trim_matches(['.', ':', '-', '#', '+']));
    words.filter(|word| !word.is_empty()).map(|word| match serde_json::from_str(word) {
        Ok(Value::Number(number)) => Value::Number(number),
        Ok(_) | Err(_) => Value::String(word.to_owned()),
    })
}
