//! What a document refers to, before anything is compiled.
//!
//! [`complete`] finds every reference, reads the files that may be read, and rejects the others with
//! the pointer of the reference. Whether a reference resolves inside a document is decided later, by
//! the graph, and only for what a value can reach.

use std::{
    collections::{BTreeMap, BTreeSet},
    iter,
    rc::Rc,
    sync::Arc,
};

use referencing::{SPECIFICATIONS, Uri};
use serde_json::{Map, Value};

use crate::{
    ContractKind, Draft, Error, Pointer,
    dialect::{Applies, applies},
    document::Resource,
    error::Problem,
    files::{FilesOfContract, NotLoaded},
    metaschema::shorten,
    openapi::Members,
    text::{self, Syntax},
    uri,
};

/// The keywords that refer to another schema, in the order they are checked.
pub(crate) const REFERENCE_KEYWORDS: [&str; 3] = ["$ref", "$dynamicRef", "$recursiveRef"];

/// The other documents that `root` refers to, directly or not: those of `offered` that it needs, and
/// files as far as `files` allows.
pub(crate) fn complete(
    kind: ContractKind,
    root: &Resource,
    base: Option<&str>,
    draft: Draft,
    files: Option<&FilesOfContract<'_>>,
    mut offered: BTreeMap<String, Resource>,
) -> Result<Completed, Error> {
    let mut unavailable = BTreeMap::new();
    let mut others: BTreeMap<String, Resource> = BTreeMap::new();
    let mut known = BTreeSet::new();
    let base = base.unwrap_or(DEFAULT_BASE);
    let found = scan(&root.value, kind, draft, base, &mut known);
    if let Some(start) = long_chain(&found) {
        let problem = Problem::ReferenceChain { limit: MAX_CHAIN };
        return Err(root.locate(Error::new(problem).at(start.at.clone())));
    }
    let mut wanted: Vec<(Option<String>, Reference)> =
        found.into_iter().rev().map(|reference| (None, reference)).collect();
    while let Some((from, reference)) = wanted.pop() {
        let uri = &reference.document;
        if known.contains(uri) || others.contains_key(uri) || SPECIFICATIONS.contains_resource(uri)
        {
            continue;
        }
        let loaded = match remove_offered(&mut offered, uri) {
            Some(resource) => Ok(resource),
            None => load(uri, kind, draft, files),
        };
        let loaded = match (loaded, kind) {
            (Ok(loaded), _) => loaded,
            // It takes out the operations that need it, and no others.
            (Err(error), ContractKind::OpenApi(_)) => {
                unavailable.insert(uri.clone(), error.into());
                continue;
            }
            (Err(error), ContractKind::Schema) => {
                let source = from.as_ref().and_then(|uri| others.get(uri)).unwrap_or(root);
                return Err(error.into_error(source, &reference));
            }
        };
        let found = scan(&loaded.value, kind, draft, uri, &mut known);
        wanted.extend(found.into_iter().map(|reference| (Some(uri.clone()), reference)));
        others.insert(uri.clone(), loaded);
    }
    Ok(Completed { others, unavailable })
}

/// The documents that a contract refers to.
pub(crate) struct Completed {
    pub(crate) others: BTreeMap<String, Resource>,
    /// Of an API: those that could not be read.
    pub(crate) unavailable: BTreeMap<String, Unavailable>,
}

/// A document that could not be read, and why if files may be read at all.
#[derive(Debug)]
pub(crate) struct Unavailable {
    pub(crate) reason: Option<String>,
}

impl From<LoadError> for Unavailable {
    fn from(error: LoadError) -> Self {
        let reason = match error {
            LoadError::NotAllowed(reason) => reason,
            LoadError::Invalid(error) => Some(error.to_string()),
        };
        Self { reason }
    }
}

/// The offered document of this URI; URIs that differ in an empty fragment are the same.
fn remove_offered(offered: &mut BTreeMap<String, Resource>, uri: &str) -> Option<Resource> {
    let key = offered.keys().find(|key| key.trim_end_matches('#') == uri)?.clone();
    offered.remove(&key)
}

/// Why the document of a reference was not loaded.
enum LoadError {
    /// Files were not allowed, or this one was not; with the reason in the second case.
    NotAllowed(Option<String>),
    /// The file exists, but is not a valid document.
    Invalid(Error),
}

impl LoadError {
    fn into_error(self, source: &Resource, reference: &Reference) -> Error {
        match self {
            Self::Invalid(error) => error,
            Self::NotAllowed(reason) => {
                let problem = Problem::ExternalReference {
                    keyword: reference.keyword,
                    reference: shorten(&reference.text),
                    reason,
                };
                source.locate(Error::new(problem).at(reference.at.clone()))
            }
        }
    }
}

fn load(
    uri: &str,
    kind: ContractKind,
    draft: Draft,
    files: Option<&FilesOfContract<'_>>,
) -> Result<Resource, LoadError> {
    let files = files.ok_or(LoadError::NotAllowed(None))?;
    let (path, bytes) = files.load(uri).map_err(|error| match error {
        NotLoaded::Refused(reason) => LoadError::NotAllowed(Some(reason)),
        NotLoaded::TooLarge(problem) => LoadError::Invalid(Error::new(problem)),
    })?;
    let name = path.display().to_string();
    let content =
        text::decode(bytes).map_err(|error| LoadError::Invalid(error.in_document(&name)))?;
    let mut loaded =
        Resource::from_text(&name, content, Syntax::of_path(&path)).map_err(LoadError::Invalid)?;
    if kind == ContractKind::Schema {
        normalize(Arc::make_mut(&mut loaded.value), draft);
    }
    Ok(loaded)
}

/// One reference as found: where, which keyword, and the document it refers to.
struct Reference {
    at: Pointer,
    keyword: &'static str,
    text: String,
    document: String,
}

/// The base URI of a document that has none of its own.
pub(crate) const DEFAULT_BASE: &str = "json-schema:///";

/// The longest chain of references to references inside a document. The libraries we use need time
/// quadratic in its length; no real document is known to have a chain of ten.
const MAX_CHAIN: usize = 256;

/// A reference that starts a chain of more than [`MAX_CHAIN`].
fn long_chain(references: &[Reference]) -> Option<&Reference> {
    let holders: Vec<String> = references
        .iter()
        .map(|reference| reference.at.parent().unwrap_or_else(Pointer::root).to_string())
        .collect();
    let by_holder: BTreeMap<&str, usize> =
        holders.iter().enumerate().map(|(index, holder)| (holder.as_str(), index)).collect();
    let next: Vec<Option<usize>> = references
        .iter()
        .map(|reference| by_holder.get(reference.text.strip_prefix('#')?).copied())
        .collect();
    let is_long = |start: usize| {
        let chain: Vec<usize> =
            iter::successors(Some(start), |at| next[*at]).take(MAX_CHAIN + 1).collect();
        // A cycle is reported by the graph.
        chain.len() > MAX_CHAIN && chain.iter().collect::<BTreeSet<_>>().len() == chain.len()
    };
    references.iter().enumerate().find(|(start, _)| is_long(*start)).map(|(_, start)| start)
}

fn own_id(value: &Value, draft: Draft) -> Option<&str> {
    if draft.is_resource(value) { value.get(draft.id_keyword())?.as_str() } else { None }
}

/// `reference` resolved against `base`, without its fragment.
pub(crate) fn resolve(base: &str, reference: &str) -> Option<String> {
    let base = Uri::parse(base).ok()?;
    let mut target = referencing::uri::resolve_against(&base, reference).ok()?;
    target.set_fragment(None);
    Some(target.as_str().to_owned())
}

/// Every reference in `value`, and in `known` the URIs its resources have.
fn scan(
    value: &Value,
    kind: ContractKind,
    draft: Draft,
    base: &str,
    known: &mut BTreeSet<String>,
) -> Vec<Reference> {
    let mut found = Vec::new();
    let base: Rc<str> = resolve(base, "").unwrap_or_else(|| base.to_owned()).into();
    known.insert(base.to_string());
    let mut pending = vec![(value, Pointer::root(), base, Members::Keywords)];
    while let Some((value, at, mut base, meaning)) = pending.pop() {
        let Value::Object(members) = value else {
            if let (Value::Array(items), ContractKind::OpenApi(_)) = (value, kind) {
                for (index, item) in items.iter().enumerate() {
                    pending.push((item, at.index(index), Rc::clone(&base), Members::Keywords));
                }
            }
            continue;
        };
        if let Some(inner) = own_id(value, draft).and_then(|id| resolve(&base, id)) {
            base = inner.as_str().into();
            known.insert(inner);
        }
        if let Some(Value::String(dialect)) = members.get("$schema")
            && meaning == Members::Keywords
            && Draft::from_uri(dialect).is_none()
            && let Some(document) = resolve(&base, dialect)
        {
            found.push(Reference {
                at: at.key("$schema"),
                keyword: "$schema",
                text: dialect.clone(),
                document,
            });
        }
        for keyword in REFERENCE_KEYWORDS {
            if meaning == Members::Keywords
                && let Some(Value::String(text)) = members.get(keyword)
                && let Some(document) = resolve(&base, text)
            {
                found.push(Reference {
                    at: at.key(keyword),
                    keyword,
                    text: text.clone(),
                    document,
                });
            }
        }
        match kind {
            ContractKind::Schema => {
                for_each_subschema(members, draft, |keyword, inner, child| {
                    let at = match inner {
                        Inner::Itself => at.key(keyword),
                        Inner::Member(name) => at.key(keyword).key(name),
                        Inner::Item(index) => at.key(keyword).index(index),
                    };
                    pending.push((child, at, Rc::clone(&base), Members::Keywords));
                });
            }
            // An OpenAPI document refers to parameters, responses and path items too. What is not
            // part of the contract (examples, extensions) may hold anything.
            ContractKind::OpenApi(_) => {
                for (key, child) in members {
                    if let Some(meaning) = meaning.below(key) {
                        pending.push((child, at.key(key), Rc::clone(&base), meaning));
                    }
                }
            }
        }
    }
    // The search is depth first from the last member; errors name the first reference in document
    // order.
    found.reverse();
    found
}

/// Where a subschema is inside the value of a keyword.
#[derive(Clone, Copy)]
pub(crate) enum Inner<'a> {
    Itself,
    Member(&'a str),
    Item(usize),
}

/// Calls `each` with every schema directly below `members`, reachable or only defined.
pub(crate) fn for_each_subschema<'a>(
    members: &'a Map<String, Value>,
    draft: Draft,
    mut each: impl FnMut(&'a str, Inner<'a>, &'a Value),
) {
    for (keyword, value) in members {
        let Some(applies) = applies(draft, keyword) else { continue };
        match (applies, value) {
            (Applies::One | Applies::OneOrMany, Value::Object(_) | Value::Bool(_)) => {
                each(keyword, Inner::Itself, value);
            }
            (Applies::Many | Applies::OneOrMany, Value::Array(items)) => {
                for (index, item) in items.iter().enumerate() {
                    each(keyword, Inner::Item(index), item);
                }
            }
            (Applies::Named | Applies::NamedOrNames | Applies::Definitions, Value::Object(map)) => {
                for (name, child) in map {
                    if child.is_object() || child.is_boolean() {
                        each(keyword, Inner::Member(name), child);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Rewrites a document into the form that every validator reads alike.
///
/// `$schema` inside a resource rather than at its root is removed. The drafts forbid it there or leave
/// it without meaning (2020-12 Core §8.1.1: it belongs into the root of a resource), and AJV ignores
/// it; a validator that lets it switch the dialect for a part of a resource would disagree with both.
///
/// A reference whose fragment needs percent-encoding is encoded.
pub(crate) fn normalize(value: &mut Value, draft: Draft) {
    let mut pending = vec![(value, true)];
    while let Some((value, is_root)) = pending.pop() {
        if !is_root
            && !draft.is_resource(value)
            && let Some(members) = value.as_object_mut()
        {
            members.remove("$schema");
        }
        let Value::Object(members) = value else { continue };
        if let Some(Value::String(reference)) = members.get_mut("$ref")
            && let Some(repaired) = uri::repair_reference(reference)
        {
            *reference = repaired;
        }
        for (keyword, value) in members.iter_mut() {
            let Some(applies) = applies(draft, keyword) else { continue };
            match (applies, value) {
                (Applies::One | Applies::OneOrMany, value @ Value::Object(_)) => {
                    pending.push((value, false));
                }
                (Applies::Many | Applies::OneOrMany, Value::Array(items)) => {
                    pending.extend(items.iter_mut().map(|item| (item, false)));
                }
                (
                    Applies::Named | Applies::NamedOrNames | Applies::Definitions,
                    Value::Object(map),
                ) => {
                    pending.extend(map.values_mut().map(|child| (child, false)));
                }
                _ => {}
            }
        }
    }
}

/// Whether [`normalize`] would leave `value` as it is. Nearly every document is normal, and a large one need not be
/// copied to find that out.
pub(crate) fn is_normal(value: &Value, draft: Draft) -> bool {
    let mut pending = vec![value];
    let mut is_root = true;
    while let Some(value) = pending.pop() {
        let is_inner = !std::mem::take(&mut is_root);
        let Value::Object(members) = value else { continue };
        if is_inner && members.contains_key("$schema") && !draft.is_resource(value) {
            return false;
        }
        if let Some(Value::String(reference)) = members.get("$ref")
            && uri::repair_reference(reference).is_some()
        {
            return false;
        }
        for_each_subschema(members, draft, |_, _, child| pending.push(child));
    }
    true
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_normal_is_left_as_it_is() {
        let draft = Draft::Draft7;
        let identified = json!({ "$id": "http://a.test/b", "$schema": "http://json-schema.org/draft-07/schema#" });
        let normal = [
            json!({ "$schema": "http://json-schema.org/draft-07/schema#", "items": { "$ref": "#/definitions/a" } }),
            json!({ "properties": { "$schema": true }, "enum": [{ "$schema": "x" }], "items": identified }),
        ];
        let others = [
            json!({ "items": [{ "not": { "$schema": "http://json-schema.org/draft-07/schema#" } }] }),
            json!({ "properties": { "a": { "$ref": "#/definitions/a b" } } }),
        ];
        for (schema, expected) in
            normal.iter().map(|it| (it, true)).chain(others.iter().map(|it| (it, false)))
        {
            let mut rewritten = schema.clone();
            normalize(&mut rewritten, draft);
            assert_eq!(&rewritten == schema, expected, "{schema}");
            assert_eq!(is_normal(schema, draft), expected, "{schema}");
        }
    }
}
