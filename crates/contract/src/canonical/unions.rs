//! Wide unions, with their branches as definitions.
//!
//! The library compares the branches of a union pair by pair, and each pair property by property:
//! it needs minutes for a union of some hundred objects. It compares branches that are references
//! only where it has to. So the branches of a wide union become definitions, each together with the
//! keywords beside the union, since `S ∧ (A ∨ B) = (S ∧ A) ∨ (S ∧ B)`; the same holds for `oneOf`.
//! The rewrite is exact.

use serde_json::{Map, Value, json};

use super::rewrite::{Relocation, SchemaScope, for_each_schema, mentions};
use crate::{Draft, Pointer, asserts_nothing, uri};

/// Unions of fewer structured branches are left to the library, which simplifies them.
const WIDE: usize = 32;

/// The definition that holds the keywords beside a union.
const REST: &str = "beside the union";

/// Makes definitions of the branches of every wide union in `schema`.
///
/// `unevaluated*` depends on which subschemas evaluate a value, so documents that use it are left
/// alone; so is a schema with a part that a reference points to, since the reference would dangle.
pub(super) fn hoist_branches(schema: &mut Value, draft: Draft) -> Vec<Relocation> {
    let mut moved = Vec::new();
    let unevaluated = ["unevaluatedProperties", "unevaluatedItems", "$dynamicRef", "$recursiveRef"];
    if mentions(schema, &unevaluated) {
        return moved;
    }
    let targets = targets(schema);
    for_each_schema(schema, draft, |members, scope| {
        let Some(keyword) = wide_union(members) else { return };
        if !is_hoisted(members, keyword) && !is_referred_into(members, &scope.at, &targets) {
            hoist(members, keyword, scope, &mut moved);
        }
    });
    moved
}

/// The keyword of a union of `members` whose branches become definitions, if no reference leads into it.
pub(super) fn wide_union(members: &Map<String, Value>) -> Option<&'static str> {
    // Beside a reference, older drafts see nothing else.
    if members.contains_key("$ref") {
        return None;
    }
    ["anyOf", "oneOf"].into_iter().find(|keyword| {
        let branches = members.get(*keyword).and_then(Value::as_array);
        branches.is_some_and(|branches| {
            branches.len() >= WIDE
                && branches.iter().filter(|branch| is_structured(branch)).count() >= WIDE
        })
    })
}

/// Whether the branches are definitions already, with nothing beside them that they would need.
fn is_hoisted(members: &Map<String, Value>, keyword: &str) -> bool {
    let is_reference = |branch: &Value| {
        branch.as_object().is_some_and(|members| members.len() == 1 && members.contains_key("$ref"))
    };
    let branches = members.get(keyword).and_then(Value::as_array);
    members.keys().all(|name| name == keyword || asserts_nothing(name))
        && branches.is_some_and(|branches| branches.iter().all(is_reference))
}

/// Whether a branch constrains members, items or subschemas; the library merges constants and types
/// better where they are.
fn is_structured(branch: &Value) -> bool {
    const STRUCTURE: [&str; 9] = [
        "properties",
        "patternProperties",
        "required",
        "items",
        "prefixItems",
        "allOf",
        "anyOf",
        "oneOf",
        "$ref",
    ];
    let identified = mentions(branch, &["$id", "$anchor", "$dynamicAnchor"]);
    !identified && STRUCTURE.iter().any(|keyword| branch.get(keyword).is_some())
}

/// Whether a reference leads to a part of the schema at `at` that would move.
fn is_referred_into(members: &Map<String, Value>, at: &Pointer, targets: &[Pointer]) -> bool {
    let moving = members.keys().filter(|keyword| !asserts_nothing(keyword));
    let parts: Vec<Pointer> = moving.map(|keyword| at.key(keyword)).collect();
    targets.iter().any(|target| parts.iter().any(|part| target.is_within(part)))
}

fn hoist(
    members: &mut Map<String, Value>,
    keyword: &str,
    scope: &SchemaScope,
    moved: &mut Vec<Relocation>,
) {
    let Some(Value::Array(branches)) = members.remove(keyword) else { return };
    let definitions_at = scope.at.key("definitions");
    let mut rest = Map::new();
    for name in members.keys().cloned().collect::<Vec<_>>() {
        if !asserts_nothing(&name)
            && let Some(value) = members.remove(&name)
        {
            moved.push(Relocation {
                now: definitions_at.key(REST).key(&name),
                written: scope.at.key(&name),
            });
            rest.insert(name, value);
        }
    }
    let beside =
        (!rest.is_empty()).then(|| json!({ "$ref": scope.reference(&definitions_at.key(REST)) }));
    let mut cases = Map::new();
    let mut references = Vec::new();
    for (index, branch) in branches.into_iter().enumerate() {
        let name = format!("branch {index} of {keyword}");
        let now = definitions_at.key(&name).key("allOf").index(usize::from(beside.is_some()));
        moved.push(Relocation { now, written: scope.at.key(keyword).index(index) });
        references.push(json!({ "$ref": scope.reference(&definitions_at.key(&name)) }));
        let parts: Vec<Value> = beside.iter().cloned().chain([branch]).collect();
        cases.insert(name, json!({ "allOf": parts }));
    }
    if !rest.is_empty() {
        cases.insert(REST.to_owned(), Value::Object(rest));
    }
    members.insert(keyword.to_owned(), Value::Array(references));
    if let Value::Object(definitions) = members.entry("definitions").or_insert_with(|| json!({})) {
        definitions.extend(cases);
    }
}

/// The targets of the references of a document, of those that are JSON Pointers.
fn targets(schema: &Value) -> Vec<Pointer> {
    let mut found = Vec::new();
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                if let Some(Value::String(reference)) = members.get("$ref")
                    && let Some((_, fragment)) = reference.split_once('#')
                    && let Ok(pointer) = uri::decode(fragment).parse()
                {
                    found.push(pointer);
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::canonical::rewrite::{to_now, to_written};

    fn wide(keyword: &str) -> Value {
        let branches: Vec<Value> = (0..40)
            .map(|index| {
                json!({ "properties": { "kind": { "const": index }, "v": { "minimum": index } },
                        "required": ["kind"] })
            })
            .collect();
        json!({ "type": "object", "properties": { "v": { "type": "integer" } }, keyword: branches,
                "definitions": { "own": true } })
    }

    #[test]
    fn the_rewritten_schema_accepts_the_same_instances() {
        for keyword in ["anyOf", "oneOf"] {
            let schema = wide(keyword);
            let mut rewritten = schema.clone();
            let moved = hoist_branches(&mut rewritten, Draft::Draft7);
            let before = jsonschema::draft7::new(&schema).unwrap();
            let after = jsonschema::draft7::new(&rewritten).unwrap();
            let mut accepted = 0;
            for kind in -1..41 {
                for value in [json!(-1), json!(5), json!(39), json!("x"), json!(5.5)] {
                    let instance = json!({ "kind": kind, "v": value });
                    assert_eq!(before.is_valid(&instance), after.is_valid(&instance), "{instance}");
                    accepted += usize::from(before.is_valid(&instance));
                }
            }
            assert!(accepted > 40, "only {accepted} instances were accepted at all");
            for Relocation { now, written } in &moved {
                assert_eq!(now.resolve(&rewritten), written.resolve(&schema), "{now}");
                assert_eq!((&to_now(&moved, written), &to_written(&moved, now)), (now, written));
            }
        }
    }

    #[test]
    fn nested_unions_are_found_at_their_new_pointers() {
        let mut schema = wide("anyOf");
        schema["properties"]["inner"] = wide("oneOf");
        let mut rewritten = schema.clone();
        let moved = hoist_branches(&mut rewritten, Draft::Draft7);
        let written: Pointer = "/properties/inner/oneOf/7/required".parse().unwrap();
        let now = to_now(&moved, &written);
        assert_eq!(now.resolve(&rewritten), Some(&json!(["kind"])));
        assert_eq!(to_written(&moved, &now), written);
    }

    #[test]
    fn a_second_rewrite_changes_nothing() {
        for keyword in ["anyOf", "oneOf"] {
            let mut schema = wide(keyword);
            hoist_branches(&mut schema, Draft::Draft7);
            let mut again = schema.clone();
            assert_eq!(hoist_branches(&mut again, Draft::Draft7), []);
            assert_eq!(schema, again);
        }
    }

    #[test]
    fn a_part_that_a_reference_points_to_stays() {
        let mut schema = wide("anyOf");
        schema["definitions"]["own"] = json!({ "$ref": "#/properties/v" });
        let mut same = schema.clone();
        assert_eq!(hoist_branches(&mut same, Draft::Draft7), []);
        assert_eq!(schema, same);
    }

    #[test]
    fn lists_of_constants_stay() {
        let constants: Vec<Value> =
            (0..99).map(|index| json!({ "const": index, "title": "x" })).collect();
        let mut schema = json!({ "anyOf": constants });
        assert_eq!(hoist_branches(&mut schema, Draft::Draft7), []);
    }
}
