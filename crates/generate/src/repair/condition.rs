//! `if`: where what `then` or `else` asks for cannot be had, the other outcome of the condition may do.

use std::borrow::Cow;

use foolproof_contract::{Oracle, Pointer, Violation};
use serde_json::Value;

use super::{edit::Edit, search::Search, variants::smallest};
use crate::Source;

/// Keywords that lead from a value to a part of it: by their own name, and by that of the schema below them.
const BY_KEYWORD: [&str; 6] = [
    "additionalProperties",
    "unevaluatedProperties",
    "additionalItems",
    "unevaluatedItems",
    "contains",
    "items",
];
const BY_MEMBER: [&str; 3] = ["properties", "patternProperties", "prefixItems"];

/// Oracles of schemas inside the contract that one search compiles.
const ORACLES: usize = 8;

/// How often values of one schema are searched for: each search takes hundreds of checks.
const SEARCHES: usize = 2;

/// A schema inside the contract, and values of it.
pub(super) struct SatisfiedSchema {
    schema: Pointer,
    searches: usize,
    values: Vec<Value>,
}

impl<S: Source> Search<'_, S> {
    /// Edits after which the condition that `violation` is behind has the other outcome.
    pub(super) fn condition_edits(&mut self, root: &Value, violation: &Violation) -> Vec<Edit> {
        let Some((condition, outcome, levels)) = condition(violation.schema()) else {
            return Vec::new();
        };
        let path = (0..levels).try_fold(violation.instance().clone(), |path, _| path.parent());
        let Some((path, current)) = path.and_then(|it| Some((it.clone(), it.resolve(root)?)))
        else {
            return Vec::new();
        };
        let values = match outcome {
            Outcome::Else => self.satisfying(&condition, Some(current)),
            Outcome::Then => self.refuting(&condition, current),
        };
        values.into_iter().map(|value| Edit::set(path.clone(), value)).collect()
    }

    /// Values that satisfy the schema at `schema`, one like `current` first; after a few searches, those that are known.
    pub(super) fn satisfying(&mut self, schema: &Pointer, current: Option<&Value>) -> Vec<Value> {
        let place = self.satisfied.iter().position(|known| &known.schema == schema);
        let place = place.unwrap_or_else(|| {
            let schema = schema.clone();
            self.satisfied.push(SatisfiedSchema { schema, searches: 0, values: Vec::new() });
            self.satisfied.len() - 1
        });
        if self.satisfied[place].searches < SEARCHES {
            self.satisfied[place].searches += 1;
            let mut found = self.search_satisfying(schema, current);
            let known = std::mem::take(&mut self.satisfied[place].values);
            found.extend(
                known.into_iter().filter(|value| !found.contains(value)).collect::<Vec<_>>(),
            );
            self.satisfied[place].values = found;
        }
        self.satisfied[place].values.clone()
    }

    fn search_satisfying(&mut self, schema: &Pointer, current: Option<&Value>) -> Vec<Value> {
        let Some(oracle) = self.oracle_at(schema) else { return Vec::new() };
        let mut found: Vec<Value> = Vec::new();
        if self.may_nest() {
            for start in [current.cloned().unwrap_or_default(), Value::Null] {
                found.push(self.item(start, &oracle));
            }
        }
        found.extend(smallest());
        found.extend(self.contract.map(|it| it.literals_at(schema)).unwrap_or_default());
        found.retain(|value| oracle.is_valid(value));
        found.dedup();
        found
    }

    /// The oracle of the schema at `pointer` of the contract.
    pub(super) fn oracle_at(&mut self, pointer: &Pointer) -> Option<Oracle> {
        let known = self.inner_oracles.iter().find(|(at, _)| at == pointer);
        if let Some((_, oracle)) = known {
            return oracle.clone();
        }
        if self.inner_oracles.len() >= ORACLES {
            return None;
        }
        let oracle = self.contract.and_then(|contract| contract.oracle_at(pointer));
        self.inner_oracles.push((pointer.clone(), oracle.clone()));
        oracle
    }
}

/// Which outcome of a condition asks for something.
#[derive(Clone, Copy)]
enum Outcome {
    Then,
    Else,
}

/// The innermost condition that a keyword is behind, its outcome, and how many levels above the value of the keyword it
/// is asked.
fn condition(keyword: &Pointer) -> Option<(Pointer, Outcome, usize)> {
    let segments: Vec<String> = keyword.segments().map(Cow::into_owned).collect();
    let mut schema = keyword.clone();
    for place in (0..segments.len()).rev() {
        schema = schema.parent()?;
        let outcome = match segments[place].as_str() {
            "then" => Outcome::Then,
            "else" => Outcome::Else,
            _ => continue,
        };
        return Some((schema.key("if"), outcome, levels(&segments[place + 1..])));
    }
    None
}

/// How many levels `segments` lead down in the value. The last one is the violated keyword itself.
fn levels(segments: &[String]) -> usize {
    let mut levels = 0;
    let mut rest = segments.iter().map(String::as_str).peekable();
    while let Some(segment) = rest.next() {
        if BY_MEMBER.contains(&segment) {
            levels += usize::from(rest.next().is_some());
        } else if BY_KEYWORD.contains(&segment) && rest.peek().is_some() {
            levels += 1;
            rest.next_if(|next| next.bytes().all(|byte| byte.is_ascii_digit()));
        }
    }
    levels
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_level_of_a_condition_is_counted_from_the_keyword() {
        let found = |pointer: &str| {
            let (at, _, levels) = condition(&pointer.parse().expect("it is a pointer"))?;
            Some((at.to_string(), levels))
        };
        let at = |pointer: &str, levels| Some((pointer.to_owned(), levels));
        assert_eq!(found("/else"), at("/if", 0));
        assert_eq!(found("/allOf/0/then/required"), at("/allOf/0/if", 0));
        assert_eq!(found("/then/properties/a/items/type"), at("/if", 2));
        assert_eq!(found("/then/anyOf/1/items/0/type"), at("/if", 1));
        assert_eq!(found("/if/then/else/items"), at("/if/then/if", 0));
        assert_eq!(found("/properties/a/type"), None);
    }
}
