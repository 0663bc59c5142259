//! Changes of JSON values: what stands somewhere is deleted, moved, swapped, repeated, replaced by something awkward, or by
//! what stands below the same key elsewhere.

use foolproof_generate::Source;
use serde_json::{Value, json};

use super::{
    Mutation,
    words::{NUMBERS, STRINGS},
};

impl Mutation<'_> {
    pub(super) fn change_json(&mut self, document: &mut Value) {
        let at = self.place_in(document);
        match self.source.below(12) {
            0 => remove(document, &at),
            1 => self.swap(document, &at),
            2 => {
                let from = self.place_in(document);
                let value = value_at(document, &from);
                replace(document, &at, value);
            }
            3 => {
                let value = self.scalar();
                replace(document, &at, value);
            }
            4 => {
                let value = value_at(document, &at);
                let value = self.tweaked(value);
                replace(document, &at, value);
            }
            5 | 6 => self.splice_below_same_key(document, &at),
            7..=9 => self.add_foreign_member(document, &at),
            10 => self.rename(document, &at),
            _ => {
                let value = value_at(document, &at);
                let value = match self.source.below(3) {
                    0 => json!([value]),
                    1 => json!([value.clone(), value]),
                    _ => json!({ "a": value }),
                };
                replace(document, &at, value);
            }
        }
    }

    fn place_in(&mut self, document: &Value) -> String {
        let places = places(document);
        self.source.pick(&places).clone()
    }

    /// A seed that is JSON, or `null`.
    fn other(&mut self) -> Value {
        serde_json::from_slice(self.seed()).unwrap_or_default()
    }

    fn scalar(&mut self) -> Value {
        match self.source.below(8) {
            0 => Value::Null,
            1 => Value::Bool(self.source.chance(1, 2)),
            2..=4 => self.number(),
            5 => json!([]),
            6 => json!({}),
            _ => json!(self.source.pick(&STRINGS)),
        }
    }

    fn number(&mut self) -> Value {
        let text: &&str = self.source.pick(&NUMBERS);
        serde_json::from_str(text).unwrap_or_default()
    }

    /// A value that is nearly the same.
    fn tweaked(&mut self, value: Value) -> Value {
        match value {
            Value::Null => json!(false),
            Value::Bool(value) => json!(!value),
            Value::Number(number) => match (number.as_i64(), self.source.below(4)) {
                (Some(number), 0) => json!(number.wrapping_add(1)),
                (Some(number), 1) => json!(number.wrapping_sub(1)),
                (Some(number), 2) => json!(number.wrapping_neg()),
                _ => self.number(),
            },
            Value::String(text) => {
                let keep = self.source.index(text.chars().count() + 1);
                let start: String = text.chars().take(keep).collect();
                match self.source.below(4) {
                    0 => json!(start),
                    1 => json!(text.repeat(2)),
                    2 => json!(format!("{text}{}", self.source.pick(&STRINGS))),
                    _ => json!(format!("{start}{}", self.source.pick(&STRINGS))),
                }
            }
            Value::Array(mut items) => {
                if !items.is_empty() {
                    let again = self.source.pick(&items).clone();
                    items.insert(self.source.index(items.len() + 1), again);
                }
                Value::Array(items)
            }
            Value::Object(members) => Value::Array(members.into_iter().map(|it| it.1).collect()),
        }
    }

    fn swap(&mut self, document: &mut Value, at: &str) {
        let with = self.place_in(document);
        let (one, other) = (value_at(document, at), value_at(document, &with));
        replace(document, at, other);
        replace(document, &with, one);
    }

    /// Replaces a value by one that stands below the same key elsewhere, or by any if none does.
    fn splice_below_same_key(&mut self, document: &mut Value, at: &str) {
        let other = self.other();
        let key = at.rsplit('/').next().unwrap_or_default();
        let all = places(&other);
        let alike: Vec<String> =
            all.iter().filter(|place| place.rsplit('/').next() == Some(key)).cloned().collect();
        let from = self.source.pick(if alike.is_empty() { &all[..] } else { &alike }).clone();
        replace(document, at, value_at(&other, &from));
    }

    /// Adds a member of some object elsewhere to the object at `at`, or to the one around it.
    fn add_foreign_member(&mut self, document: &mut Value, at: &str) {
        let other = if self.source.chance(1, 3) { document.clone() } else { self.other() };
        let objects: Vec<String> =
            places(&other).into_iter().filter(|it| value_at(&other, it).is_object()).collect();
        if objects.is_empty() {
            return;
        }
        let from: &String = self.source.pick(&objects);
        let Value::Object(members) = value_at(&other, from) else { return };
        let members: Vec<(String, Value)> = members.into_iter().collect();
        if members.is_empty() {
            return;
        }
        let (key, value) = self.source.pick(&members).clone();
        let around = at.rfind('/').map_or("", |end| &at[..end]);
        for place in [at, around] {
            if let Some(Value::Object(members)) = document.pointer_mut(place) {
                members.insert(key, value);
                return;
            }
        }
    }

    /// Gives a member another name.
    fn rename(&mut self, document: &mut Value, at: &str) {
        let new = if self.source.chance(1, 2) {
            (*self.source.pick(&STRINGS)).to_owned()
        } else {
            let other = self.other();
            let place = self.place_in(&other);
            unescaped(place.rsplit('/').next().unwrap_or_default())
        };
        let (around, key) = at.rsplit_once('/').unwrap_or(("", ""));
        let Some(Value::Object(members)) = document.pointer_mut(around) else { return };
        if let Some(value) = members.remove(&unescaped(key)) {
            members.insert(new, value);
        }
    }
}

/// The pointers of all values in `document`, its own first.
fn places(document: &Value) -> Vec<String> {
    let mut found = vec![String::new()];
    let mut next = 0;
    while let Some(at) = found.get(next).cloned() {
        next += 1;
        match document.pointer(&at) {
            Some(Value::Object(members)) => found.extend(
                members
                    .keys()
                    .map(|key| format!("{at}/{}", key.replace('~', "~0").replace('/', "~1"))),
            ),
            Some(Value::Array(items)) => {
                found.extend((0..items.len()).map(|index| format!("{at}/{index}")));
            }
            Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
        }
    }
    found
}

fn unescaped(segment: &str) -> String {
    segment.replace("~1", "/").replace("~0", "~")
}

fn value_at(document: &Value, pointer: &str) -> Value {
    document.pointer(pointer).cloned().unwrap_or_default()
}

fn replace(document: &mut Value, pointer: &str, new: Value) {
    if let Some(value) = document.pointer_mut(pointer) {
        *value = new;
    }
}

fn remove(document: &mut Value, pointer: &str) {
    let (around, key) = pointer.rsplit_once('/').unwrap_or(("", ""));
    match document.pointer_mut(around) {
        Some(Value::Object(members)) => drop(members.remove(&unescaped(key))),
        Some(Value::Array(items)) => {
            if let Some(index) = key.parse().ok().filter(|index: &usize| *index < items.len()) {
                items.remove(index);
            }
        }
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) | None => {}
    }
}

#[cfg(test)]
mod tests {
    use foolproof_generate::Seed;

    use super::*;

    #[test]
    fn every_place_of_a_document_is_listed() {
        let document = json!({ "a/b": [1, { "~": null }] });
        assert_eq!(places(&document), ["", "/a~1b", "/a~1b/0", "/a~1b/1", "/a~1b/1/~0"]);
    }

    #[test]
    fn members_of_other_seeds_get_into_a_document() {
        let corpus = [b"{\"minimum\":3}".to_vec(), b"{\"items\":{}}".to_vec()];
        let mixed = (0..500).filter(|index| {
            let source = Seed::from_number(1).child("test", *index).random();
            let input = Mutation { source, corpus: &corpus }.input();
            let text = String::from_utf8_lossy(&input).into_owned();
            text.contains("minimum") && text.contains("items")
        });
        assert!(mixed.count() > 50);
    }
}
