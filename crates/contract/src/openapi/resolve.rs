//! Follows reference objects, in the document and in the files that it refers to.

use std::sync::Arc;

use serde_json::Value;

use super::{operation::MediaKind, value_types};
use crate::{
    Document, Error, JsonType, Location, Pointer, error::Problem, metaschema::shorten, references,
    uri,
};

/// What the member names of an object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Keywords and fields of the specification.
    Keywords,
    /// Names of the user's own, such as those of properties.
    Names,
}

impl Members {
    /// What the members of the value at `key` are, or `None` where that value is data rather than a
    /// part of the contract.
    pub(crate) fn below(self, key: &str) -> Option<Self> {
        match (self, key) {
            (Self::Keywords, "example" | "examples" | "default" | "enum" | "const") => None,
            (Self::Keywords, _) if key.starts_with("x-") => None,
            (
                Self::Keywords,
                "properties" | "patternProperties" | "schemas" | "$defs" | "definitions"
                | "dependentSchemas" | "parameters" | "responses" | "requestBodies" | "headers"
                | "pathItems" | "mediaTypes" | "callbacks" | "paths" | "content",
            ) => Some(Self::Names),
            (Self::Keywords | Self::Names, _) => Some(Self::Keywords),
        }
    }
}

/// A value, and where it is.
#[derive(Clone, Debug)]
pub(super) struct Located<'d> {
    pub(super) value: &'d Value,
    pub(super) at: Location,
}

impl<'d> Located<'d> {
    /// The member `name`, if there is one.
    pub(super) fn get(&self, name: &str) -> Option<Self> {
        Some(Self { value: self.value.get(name)?, at: self.at.key(name) })
    }

    /// The members of an object; none if it is something else.
    pub(super) fn members(&self) -> impl Iterator<Item = (&'d String, Self)> + use<'_, 'd> {
        let members = self.value.as_object().into_iter().flatten();
        members.map(|(name, value)| (name, Self { value, at: self.at.key(name) }))
    }

    /// The items of an array; none if it is something else.
    pub(super) fn items(&self) -> impl Iterator<Item = Self> + use<'_, 'd> {
        let items = self.value.as_array().into_iter().flatten().enumerate();
        items.map(|(index, value)| Self { value, at: self.at.index(index) })
    }

    /// The string at `name`.
    pub(super) fn text(&self, name: &str) -> Option<&'d str> {
        self.value.get(name).and_then(Value::as_str)
    }

    /// Whether the member `name` is `true`.
    pub(super) fn is_true(&self, name: &str) -> bool {
        self.value.get(name) == Some(&Value::Bool(true))
    }
}

/// Resolves the references of an API.
#[derive(Debug)]
pub(super) struct Resolver<'d> {
    document: &'d Document,
    /// The URIs of the user's own document; the first is the base of its references.
    own: Vec<String>,
}

/// A chain of references that is longer than this is a cycle.
const MAX_CHAIN: usize = 64;

impl<'d> Resolver<'d> {
    /// Whether a body under the media type `name` may be a string that is transmitted as it is. A string is
    /// hardly ever a document in XML.
    pub(super) fn admits_text(&self, name: &str, schema: Option<&Location>) -> bool {
        MediaKind::of(name) == MediaKind::Other
            && !name.to_ascii_lowercase().contains("xml")
            && value_types::of_value(self, self.document.draft(), schema)
                .own
                .contains(JsonType::String)
    }

    pub(super) fn new(document: &'d Document) -> Self {
        let base = document.base().unwrap_or(references::DEFAULT_BASE).to_owned();
        let declared = document.value().get("$self").and_then(Value::as_str);
        let declared = declared.and_then(|uri| references::resolve(&base, uri));
        let base = references::resolve(&base, "").unwrap_or(base);
        Self { document, own: declared.into_iter().chain([base]).collect() }
    }

    /// The whole document.
    pub(super) fn root(&self) -> Located<'d> {
        Located { value: self.document.value(), at: Location::new(None, Pointer::root()) }
    }

    pub(super) fn at(&self, location: &Location) -> Option<Located<'d>> {
        Some(Located { value: self.document.at(location)?, at: location.clone() })
    }

    /// Where `reference`, which is written in the document `from`, points to; `None` if it is not a JSON
    /// Pointer into a document that is known.
    pub(super) fn target(&self, from: Option<&str>, reference: &str) -> Option<Location> {
        let base = from.unwrap_or(&self.own[0]);
        let document = references::resolve(base, reference)?;
        let fragment = reference.split_once('#').map_or("", |(_, fragment)| fragment);
        let pointer: Pointer = uri::decode(fragment).parse().ok()?;
        let resource = (!self.own.contains(&document)).then(|| Arc::from(document));
        Some(Location::new(resource, pointer))
    }

    /// Follows the reference objects that start at `start`.
    pub(super) fn follow(&self, start: Located<'d>) -> Result<Located<'d>, Error> {
        let mut here = start;
        for _ in 0..MAX_CHAIN {
            let Some(reference) = here.text("$ref") else { return Ok(here) };
            here = self.reference(&here, reference)?;
        }
        let limit = MAX_CHAIN;
        Err(self.error(Problem::ReferenceChain { limit }, &here.at))
    }

    /// What `reference`, a member of `holder`, points to.
    pub(super) fn reference(
        &self,
        holder: &Located<'d>,
        reference: &str,
    ) -> Result<Located<'d>, Error> {
        let target = self.target(holder.at.resource(), reference);
        target.as_ref().and_then(|target| self.at(target)).ok_or_else(|| {
            let problem = self.document.missing_reference("$ref", reference, target.as_ref());
            self.error(problem, &holder.at.key("$ref"))
        })
    }

    /// The location of the schema that `reference`, a member of the schema `holder`, points to. Unlike
    /// other parts of an API, a schema may have an identifier or an anchor.
    pub(super) fn schema_reference(
        &self,
        holder: &Located<'d>,
        reference: &str,
    ) -> Result<Location, Error> {
        let target = self.schema_target(&holder.at, reference);
        let found = target.clone().filter(|target| self.at(target).is_some());
        found.ok_or_else(|| {
            let problem = self.document.missing_reference("$ref", reference, target.as_ref());
            self.error(problem, &holder.at.key("$ref"))
        })
    }

    fn schema_target(&self, holder: &Location, reference: &str) -> Option<Location> {
        let (base, root) = self.base_of(holder);
        let document = references::resolve(&base, reference)?;
        let fragment = uri::decode(reference.split_once('#').map_or("", |(_, fragment)| fragment));
        let start = if document == base {
            root
        } else if self.own.contains(&document) {
            Location::new(None, Pointer::root())
        } else {
            let whole = Location::new(Some(Arc::from(document.as_str())), Pointer::root());
            // Searching for an identifier reads the whole document, and few documents have any.
            if self.at(&whole).is_some() {
                whole
            } else {
                self.identified(&document).unwrap_or(whole)
            }
        };
        match fragment.parse::<Pointer>() {
            Ok(pointer) => Some(start.join(&pointer)),
            Err(_) => self.anchor(&start, &fragment),
        }
    }

    /// The base that references at `location` resolve against, and the schema or document that has it.
    fn base_of(&self, location: &Location) -> (String, Location) {
        let document = location.resource().unwrap_or(&self.own[0]).to_owned();
        let root = Location::new(location.resource().map(Arc::from), Pointer::root());
        let Some(mut here) = self.at(&root) else { return (document, root) };
        let (mut base, mut owner) = (document, root);
        for segment in location.pointer().segments() {
            let next = match here.value {
                Value::Array(items) => segment.parse().ok().and_then(|at: usize| items.get(at)),
                Value::Object(members) => members.get(&*segment),
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
            };
            let Some(value) = next else { break };
            here = Located { value, at: here.at.key(&segment) };
            if let Some(inner) = here.text("$id").and_then(|id| references::resolve(&base, id)) {
                (base, owner) = (inner, here.at.clone());
            }
        }
        (base, owner)
    }

    /// The schema whose identifier is `uri`.
    fn identified(&self, uri: &str) -> Option<Location> {
        Self::search(&self.root(), |schema| {
            let id = schema.text("$id")?;
            let (base, _) = self.base_of(&schema.at.parent()?);
            (references::resolve(&base, id)? == uri).then(|| schema.at.clone())
        })
    }

    /// The schema below `start` whose anchor is `name`.
    fn anchor(&self, start: &Location, name: &str) -> Option<Location> {
        let start = self.at(start)?;
        Self::search(&start, |schema| {
            let is_it =
                ["$anchor", "$dynamicAnchor"].iter().any(|key| schema.text(key) == Some(name));
            is_it.then(|| schema.at.clone())
        })
    }

    /// The first object at or below `start` for which `find` has an answer.
    fn search<T>(start: &Located<'d>, find: impl Fn(&Located<'d>) -> Option<T>) -> Option<T> {
        let mut pending = vec![start.clone()];
        while let Some(here) = pending.pop() {
            if let Some(found) = find(&here) {
                return Some(found);
            }
            pending.extend(here.members().map(|(_, member)| member).chain(here.items()));
        }
        None
    }

    /// Whether any object of the documents has one of these members.
    pub(super) fn mentions(&self, names: &[&str]) -> bool {
        let has = |it: &Located<'d>| names.iter().any(|name| it.value.get(name).is_some());
        self.objects().iter().any(has)
    }

    /// Every object of the documents.
    pub(super) fn objects(&self) -> Vec<Located<'d>> {
        let others = self.document.resources().map(|(uri, value)| Located {
            value,
            at: Location::new(Some(Arc::from(uri)), Pointer::root()),
        });
        let mut pending: Vec<Located<'d>> = std::iter::once(self.root()).chain(others).collect();
        let mut found = Vec::new();
        while let Some(here) = pending.pop() {
            pending.extend(here.members().map(|(_, member)| member).chain(here.items()));
            if here.value.is_object() {
                found.push(here);
            }
        }
        found
    }

    /// `error`, which has a pointer into the document of `location`, with the position in its text.
    pub(super) fn located(&self, error: Error, location: &Location) -> Error {
        match location.resource() {
            None => self.document.locate(error),
            Some(uri) => self.document.locate_in(uri, error),
        }
    }

    /// An error at `location`.
    pub(super) fn error(&self, problem: Problem, location: &Location) -> Error {
        self.located(Error::new(problem).at(location.pointer().clone()), location)
    }

    /// An error that a part of the document does not have the form that the specification requires.
    pub(super) fn malformed(&self, message: &str, location: &Location) -> Error {
        self.error(Problem::InvalidApi { message: shorten(message) }, location)
    }
}
