//! Exact rewrites into schemas that the library canonicalises better than those people write.
//!
//! The rewritten document admits the same values. A rewrite may move parts, so the origin of each
//! part is recorded, and pointers can be translated both ways. Outer schemas are rewritten first, so
//! that a part which is moved is rewritten at its new pointer.

use serde_json::{Map, Value};

use super::{conditionals, required_branches, unions};
use crate::{
    Draft, Pointer,
    dialect::{Applies, applies},
    uri,
};

/// A part of the rewritten schema that is a copy of a part of the user's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::canonical) struct Relocation {
    /// Where it is now.
    pub(in crate::canonical) now: Pointer,
    /// Where the user wrote it.
    pub(in crate::canonical) written: Pointer,
}

impl Relocation {
    /// The new pointer for `pointer`, if it is inside the part that moved.
    fn forward(&self, pointer: &Pointer) -> Option<Pointer> {
        rebase(pointer, &self.written, &self.now)
    }

    /// The user's pointer for `pointer`, if it is inside the part that moved.
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
const MAX_MOVES: usize = crate::MAX_DEPTH;

/// The pointer after `moves` of what was at `pointer` before; of the first copy if there are several.
pub(in crate::canonical) fn to_now(moves: &[Relocation], pointer: &Pointer) -> Pointer {
    translate(pointer, |pointer| moves.iter().find_map(|moved| moved.forward(pointer)))
}

/// The pointer before `moves` of what is at `pointer` after them.
pub(in crate::canonical) fn to_written(moves: &[Relocation], pointer: &Pointer) -> Pointer {
    translate(pointer, |pointer| moves.iter().rev().find_map(|moved| moved.back(pointer)))
}

fn translate(pointer: &Pointer, step: impl Fn(&Pointer) -> Option<Pointer>) -> Pointer {
    let mut pointer = pointer.clone();
    for _ in 0..MAX_MOVES {
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
    mut rewrite: impl FnMut(&mut Map<String, Value>, &SchemaScope),
) {
    let mut pending =
        vec![(schema, SchemaScope { at: Pointer::root(), resource: Pointer::root() })];
    while let Some((schema, mut scope)) = pending.pop() {
        if draft.is_resource(schema) {
            scope.resource = scope.at.clone();
        }
        let Value::Object(members) = schema else { continue };
        rewrite(members, &scope);
        push_subschemas(members, draft, &scope, &mut pending);
    }
}

/// The pointer of a schema, and the resource that its references resolve against.
#[derive(Clone)]
pub(in crate::canonical) struct SchemaScope {
    pub(in crate::canonical) at: Pointer,
    resource: Pointer,
}

impl SchemaScope {
    fn below(&self, at: Pointer) -> Self {
        Self { at, resource: self.resource.clone() }
    }

    /// A reference from this schema to `target`.
    pub(in crate::canonical) fn reference(&self, target: &Pointer) -> String {
        let inside = &target.as_str()[self.resource.as_str().len()..];
        format!("#{}", uri::encode(inside))
    }
}

fn push_subschemas<'a>(
    members: &'a mut Map<String, Value>,
    draft: Draft,
    scope: &SchemaScope,
    pending: &mut Vec<(&'a mut Value, SchemaScope)>,
) {
    for (keyword, value) in members {
        let Some(applies) = applies(draft, keyword) else { continue };
        let at = scope.at.key(keyword);
        match (applies, value) {
            (Applies::One | Applies::OneOrMany, value @ Value::Object(_)) => {
                pending.push((value, scope.below(at)));
            }
            (Applies::Many | Applies::OneOrMany, Value::Array(items)) => {
                let items = items.iter_mut().enumerate();
                pending.extend(items.map(|(index, item)| (item, scope.below(at.index(index)))));
            }
            (Applies::Named | Applies::NamedOrNames | Applies::Definitions, Value::Object(map)) => {
                let members = map.iter_mut();
                pending.extend(members.map(|(name, child)| (child, scope.below(at.key(name)))));
            }
            _ => {}
        }
    }
}

/// Whether some exact rewrite may change something in `document`. To find out by rewriting takes a copy, and a large
/// document should not have one for nothing.
pub(in crate::canonical) fn may_apply(document: &Value) -> bool {
    let mut pending = vec![document];
    while let Some(value) = pending.pop() {
        match value {
            // An object that is no schema but looks like one costs a copy.
            Value::Object(members) => {
                if required_branches::is_contradictory(members)
                    || unions::wide_union(members).is_some()
                    || conditionals::may_have_long_row(members)
                {
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

/// Whether one of `keys` occurs anywhere in `value`.
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
