//! A document as it is sent to AJV.
//!
//! A JSON Schema is sent as written, except that the URI of its dialect is spelled as AJV knows it. Of
//! an entry of an API only the schemas are sent that a value can reach: AJV searches for identifiers
//! everywhere, and would read a parameter named `id` as one.

use serde_json::{Map, Value, json};

use crate::{Document, Draft, FormatPolicy, Pointer, openapi::Members, pointer::push_segment, uri};

/// Everything the process needs to know about the schema at `pointer`.
pub(super) fn setup(
    document: &Document,
    pointer: &Pointer,
    formats: FormatPolicy,
) -> Map<String, Value> {
    let is_excerpt = document.is_excerpt();
    let (schema, entrance) = if is_excerpt {
        (bundle(document.value(), pointer), None)
    } else {
        let entrance = (!pointer.is_root()).then(|| uri::encode(pointer.as_str()));
        (with_dialect(document), entrance)
    };
    // A whole schema needs no base URI; a part of one is compiled through a reference.
    let base = match (document.base(), &entrance) {
        (None, None) => None,
        (base, _) => Some(base.unwrap_or("json-schema:///")),
    };
    let resources: Vec<_> = document.resources().collect();
    let members = [
        ("draft", document.draft().name().into()),
        ("formats", (formats == FormatPolicy::Assert).into()),
        ("schema", schema),
        ("bundled", is_excerpt.into()),
        ("base", base.into()),
        ("entrance", entrance.into()),
        ("resources", json!(resources)),
    ];
    members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
}

/// The schema as written, with the URI of its dialect in the one spelling that AJV knows.
fn with_dialect(document: &Document) -> Value {
    let mut schema = document.original().clone();
    if let Value::Object(members) = &mut schema {
        let declared = members.get("$schema").and_then(Value::as_str).unwrap_or_default();
        let declared = declared.trim_end_matches('#');
        let is_provided = document.resources().any(|(uri, _)| uri == declared);
        if !is_provided || Draft::from_uri(declared).is_some() {
            members.insert("$schema".to_owned(), document.draft().uri().into());
        }
    }
    schema
}

/// A schema that is the one at `entrance`, with everything it refers to under `definitions`, by
/// pointer into the document.
fn bundle(document: &Value, entrance: &Pointer) -> Value {
    let mut definitions = Map::new();
    let mut wanted = vec![entrance.clone()];
    while let Some(pointer) = wanted.pop() {
        if definitions.contains_key(pointer.as_str()) {
            continue;
        }
        // A dangling reference stays dangling, and AJV reports it.
        let Some(schema) = pointer.resolve(document) else {
            continue;
        };
        let mut schema = schema.clone();
        if let (true, Value::Object(members)) = (pointer.is_root(), &mut schema) {
            // The root of an excerpt is a reference; the rest of it is no schema.
            members.retain(|key, _| key == "$ref");
        }
        redirect(&mut schema, &mut wanted);
        definitions.insert(pointer.as_str().to_owned(), schema);
    }
    json!({ "$ref": definition(entrance), "definitions": definitions })
}

/// The reference into the bundle for the schema at `pointer` of the document.
fn definition(pointer: &Pointer) -> String {
    let mut text = "/definitions".to_owned();
    push_segment(&mut text, pointer.as_str());
    format!("#{}", uri::encode(&text))
}

/// Redirects the references in `schema` from its document into the bundle, and adds their targets to
/// `wanted`. Removes members that are no keywords of JSON Schema; `nullable` has been rewritten as
/// `type` already.
fn redirect(schema: &mut Value, wanted: &mut Vec<Pointer>) {
    let mut pending = vec![(schema, Members::Keywords)];
    while let Some((value, meaning)) = pending.pop() {
        match value {
            Value::Object(members) => {
                if meaning == Members::Keywords {
                    members.retain(|key, _| {
                        !matches!(key.as_str(), "example" | "examples" | "nullable")
                            && !key.starts_with("x-")
                    });
                    if let Some(Value::String(reference)) = members.get_mut("$ref")
                        && let Some(fragment) = reference.strip_prefix('#')
                        && let Ok(pointer) = uri::decode(fragment).parse()
                    {
                        *reference = definition(&pointer);
                        wanted.push(pointer);
                    }
                }
                let children = members.iter_mut();
                pending
                    .extend(children.filter_map(|(key, child)| Some((child, meaning.below(key)?))));
            }
            Value::Array(items) => {
                pending.extend(items.iter_mut().map(|item| (item, Members::Keywords)));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}
