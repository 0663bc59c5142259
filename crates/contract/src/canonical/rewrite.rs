//! Exact rewrites that the library reads better than what people write.
//!
//! A rewrite gives a document that admits the same values. It may move parts of it, so where each
//! part came from is recorded, and pointers can be translated both ways. Rewrites go from the outside
//! in, so that a part which is moved is rewritten at its new place.

use serde_json::{Map, Value};

use crate::{
    Draft, Pointer,
    dialect::{Applies, applies},
    uri,
};

/// A part of the rewritten schema that is a copy of a part of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::canonical) struct Moved {
    /// Where it is now.
    pub(in crate::canonical) now: Pointer,
    /// Where the user wrote it.
    pub(in crate::canonical) written: Pointer,
}

impl Moved {
    /// `pointer` moved along, if it lies in what moved.
    fn forward(&self, pointer: &Pointer) -> Option<Pointer> {
        rebase(pointer, &self.written, &self.now)
    }

    /// `pointer` moved back, if it lies in what moved.
    fn back(&self, pointer: &Pointer) -> Option<Pointer> {
        rebase(pointer, &self.now, &self.written)
    }
}

fn rebase(pointer: &Pointer, from: &Pointer, to: &Pointer) -> Option<Pointer> {
    if !pointer.is_within(from) {
        return None;
    }
    let rest = &pointer.as_str()[from.as_str().len()..];
    Some(format!("{to}{rest}").parse().expect("both halves are pointers"))
}

/// How often a part may have been moved; it moves at most once for every schema around it.
const MOST_MOVES: usize = crate::MAX_DEPTH;

/// Where what stood at `pointer` stands after `moves`, or stands first if there are copies.
pub(in crate::canonical) fn to_now(moves: &[Moved], pointer: &Pointer) -> Pointer {
    translate(pointer, |pointer| moves.iter().find_map(|moved| moved.forward(pointer)))
}

/// Where what stands at `pointer` after `moves` stood before them.
pub(in crate::canonical) fn to_written(moves: &[Moved], pointer: &Pointer) -> Pointer {
    translate(pointer, |pointer| moves.iter().rev().find_map(|moved| moved.back(pointer)))
}

fn translate(pointer: &Pointer, step: impl Fn(&Pointer) -> Option<Pointer>) -> Pointer {
    let mut pointer = pointer.clone();
    for _ in 0..MOST_MOVES {
        match step(&pointer) {
            Some(next) => pointer = next,
            None => break,
        }
    }
    pointer
}

/// Calls `rewrite` with every schema object in `schema`, the outer ones first.
pub(in crate::canonical) fn for_each_schema(
    schema: &mut Value,
    draft: Draft,
    mut rewrite: impl FnMut(&mut Map<String, Value>, &Place),
) {
    let mut pending = vec![(schema, Place { at: Pointer::root(), resource: Pointer::root() })];
    while let Some((schema, mut place)) = pending.pop() {
        if draft.is_resource(schema) {
            place.resource = place.at.clone();
        }
        let Value::Object(members) = schema else { continue };
        rewrite(members, &place);
        push_subschemas(members, draft, &place, &mut pending);
    }
}

/// Where a schema stands, and the resource that a reference written in it starts from.
#[derive(Clone)]
pub(in crate::canonical) struct Place {
    pub(in crate::canonical) at: Pointer,
    resource: Pointer,
}

impl Place {
    fn below(&self, at: Pointer) -> Self {
        Self { at, resource: self.resource.clone() }
    }

    /// The reference that leads to `target` from here.
    pub(in crate::canonical) fn reference(&self, target: &Pointer) -> String {
        let inside = &target.as_str()[self.resource.as_str().len()..];
        format!("#{}", uri::encode(inside))
    }
}

fn push_subschemas<'a>(
    members: &'a mut Map<String, Value>,
    draft: Draft,
    place: &Place,
    pending: &mut Vec<(&'a mut Value, Place)>,
) {
    for (keyword, value) in members {
        let Some(applies) = applies(draft, keyword) else { continue };
        let at = place.at.key(keyword);
        match (applies, value) {
            (Applies::One | Applies::OneOrMany, value @ Value::Object(_)) => {
                pending.push((value, place.below(at)));
            }
            (Applies::Many | Applies::OneOrMany, Value::Array(items)) => {
                let items = items.iter_mut().enumerate();
                pending.extend(items.map(|(index, item)| (item, place.below(at.index(index)))));
            }
            (Applies::Named | Applies::NamedOrNames | Applies::Definitions, Value::Object(map)) => {
                let members = map.iter_mut();
                pending.extend(members.map(|(name, child)| (child, place.below(at.key(name)))));
            }
            _ => {}
        }
    }
}

/// Whether one of `keys` stands anywhere in `value`.
pub(in crate::canonical) fn mentions(value: &Value, keys: &[&str]) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if members.keys().any(|key| keys.contains(&key.as_str())) {
                    return true;
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    false
}
