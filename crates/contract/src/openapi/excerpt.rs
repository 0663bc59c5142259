//! The parts of an API's documents that one entry needs, each at its own pointer.
//!
//! An excerpt starts from a few schemas and grows by what they refer to. The copies stand where the
//! originals stand, so every pointer into the excerpt is a pointer into the user's document. What an
//! entry adds stands under one member that no document has ([`ADDED`]).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    ApiVersion,
    discriminator::Discriminators,
    entry::Narrowing,
    operation::Operation,
    read_only::Inclusions,
    resolve::{Located, Resolver},
};
use crate::{Draft, Error, FormatPolicy, Location, Pointer, metaschema, uri};

/// The member of an entry's document that holds what is not the user's.
pub(crate) const ADDED: &str = "foolproof:entry";

/// How schemas are copied.
#[derive(Clone, Copy)]
pub(super) struct CopyOptions {
    pub(super) version: ApiVersion,
    pub(super) draft: Draft,
    pub(super) formats: FormatPolicy,
    pub(super) narrowing: Narrowing,
    /// Whether any property of the API is read-only or write-only.
    pub(super) has_marked_properties: bool,
}

pub(super) struct Excerpt<'a, 'd> {
    pub(super) resolver: &'a Resolver<'d>,
    pub(super) discriminators: &'a Discriminators,
    pub(super) inclusions: &'a Inclusions,
    pub(super) options: CopyOptions,
    /// The operation whose requests are described, which the wire rules look at.
    pub(super) operation: Option<&'a Operation>,
    /// The copies, by where the original stands.
    copies: BTreeMap<Location, Value>,
    pending: Vec<Location>,
    seen: BTreeSet<Location>,
    /// What the entry adds, by name.
    added: BTreeMap<String, Value>,
    /// The unions of discriminators that are being added, by the location of the parent.
    pub(super) unions: BTreeMap<Location, String>,
    /// Where in the user's document what was added stands for something.
    pub(super) origins: BTreeMap<Pointer, Location>,
    /// Whether values are left out that the document admits.
    pub(super) is_narrowed: bool,
    /// The locations that schemas of this excerpt refer to.
    referred: BTreeSet<Location>,
}

/// A finished excerpt.
pub(super) struct Cut {
    /// The part of the user's own document.
    pub(super) own: Map<String, Value>,
    /// The parts of the files that it refers to.
    pub(super) others: BTreeMap<String, Value>,
    pub(super) origins: BTreeMap<Pointer, Location>,
    pub(super) is_narrowed: bool,
    pub(super) referred: BTreeSet<Location>,
}

impl<'a, 'd> Excerpt<'a, 'd> {
    pub(super) fn new(
        resolver: &'a Resolver<'d>,
        discriminators: &'a Discriminators,
        inclusions: &'a Inclusions,
        options: CopyOptions,
    ) -> Self {
        Self {
            resolver,
            discriminators,
            inclusions,
            options,
            operation: None,
            copies: BTreeMap::new(),
            pending: Vec::new(),
            seen: BTreeSet::new(),
            added: BTreeMap::new(),
            unions: BTreeMap::new(),
            origins: BTreeMap::new(),
            is_narrowed: false,
            referred: BTreeSet::new(),
        }
    }

    /// A schema that is the one at `location`, which becomes part of the excerpt.
    pub(super) fn include(&mut self, location: &Location) -> Value {
        if self.seen.insert(location.clone()) {
            self.pending.push(location.clone());
        }
        let resource = location.resource().unwrap_or_default();
        json!({ "$ref": format!("{resource}#{}", uri::encode(location.pointer().as_str())) })
    }

    /// The same for a schema that another one refers to.
    pub(super) fn refer(&mut self, location: &Location) -> Value {
        self.referred.insert(location.clone());
        self.include(location)
    }

    /// A reference to the schema that the entry adds under `name`; `schema` computes it, once.
    pub(super) fn add(&mut self, name: &str, schema: impl FnOnce() -> Value) -> Value {
        if !self.added.contains_key(name) {
            self.added.insert(name.to_owned(), schema());
        }
        added_reference(name)
    }

    /// Copies everything that is still wanted.
    pub(super) fn complete(&mut self) -> Result<(), Error> {
        while let Some(location) = self.pending.pop() {
            let found = self.resolver.at(&location).expect("only what exists is included");
            let copy = self.copy(&found)?;
            metaschema::check(self.options.draft, &copy, location.pointer())
                .map_err(|error| self.resolver.located(error, &location))?;
            self.copies.insert(location, copy);
        }
        Ok(())
    }

    pub(super) fn finish(self) -> Cut {
        let mut own = Value::Null;
        let mut others: BTreeMap<String, Value> = BTreeMap::new();
        // Outer schemas come first: an inner one is part of them already.
        for (location, copy) in self.copies {
            let document = match location.resource() {
                None => &mut own,
                Some(uri) => others.entry(uri.to_owned()).or_insert(Value::Null),
            };
            put(
                document,
                location.pointer(),
                copy,
                self.resolver
                    .at(&Location::new(location.resource().map(Into::into), Pointer::root()))
                    .as_ref(),
            );
        }
        let mut own = match own {
            Value::Object(members) => members,
            // Nothing of it is needed.
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => Map::new(),
        };
        if !self.added.is_empty() {
            own.insert(ADDED.to_owned(), Value::Object(self.added.into_iter().collect()));
        }
        let (origins, is_narrowed, referred) = (self.origins, self.is_narrowed, self.referred);
        Cut { own, others, origins, is_narrowed, referred }
    }
}

/// A reference to what an entry adds under `name`.
pub(super) fn added_reference(name: &str) -> Value {
    json!({ "$ref": format!("#{}", uri::encode(added_pointer(name).as_str())) })
}

/// The pointer to what an entry adds under `name`.
pub(super) fn added_pointer(name: &str) -> Pointer {
    Pointer::root().key(ADDED).key(name)
}

/// Puts `copy` at `pointer` of `document`, with the objects and arrays around it as in `original`.
fn put(document: &mut Value, pointer: &Pointer, copy: Value, original: Option<&Located<'_>>) {
    let (mut here, mut written) = (document, original.map(|original| original.value));
    for segment in pointer.segments() {
        let is_array = written.is_some_and(Value::is_array);
        written = match written {
            Some(Value::Array(items)) => segment.parse::<usize>().ok().and_then(|at| items.get(at)),
            Some(Value::Object(members)) => members.get(&*segment),
            _ => None,
        };
        if is_array {
            if !here.is_array() {
                *here = Value::Array(Vec::new());
            }
            let Value::Array(items) = here else { return };
            let Ok(index) = segment.parse::<usize>() else { return };
            while items.len() <= index {
                items.push(Value::Null);
            }
            here = &mut items[index];
        } else {
            if !here.is_object() {
                *here = Value::Object(Map::new());
            }
            let Value::Object(members) = here else { return };
            here = members.entry(segment.into_owned()).or_insert(Value::Null);
        }
    }
    // A place that an outer copy has filled already is left as it is.
    if here.is_null() {
        *here = copy;
    }
}
