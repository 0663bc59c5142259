//! What `readOnly` and `writeOnly` mean in each direction.
//!
//! In 2.0 and 3.0 a read-only property is no part of requests, and `required` does not ask for it there; a
//! write-only one is no part of responses. In 3.1 and 3.2 both are annotations: what is required stays, what
//! is optional is left out of the direction that it is not meant for.
//!
//! A property and the list that requires it may stand in different parts of an `allOf`, so the rules of a
//! schema are collected from everything that applies to the same value.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::{
    ApiVersion,
    entry::Narrowing,
    excerpt::Excerpt,
    operation::Side,
    resolve::{Located, Resolver},
};
use crate::{Draft, Location};

/// What becomes of the properties of a schema in one direction.
#[derive(Clone, Default)]
pub(super) struct PropertyRules {
    /// Properties that are left out.
    forbidden: BTreeSet<String>,
    /// Properties that nothing requires.
    not_required: BTreeSet<String>,
}

impl PropertyRules {
    /// Whether the property `name` is left out.
    pub(super) fn forbids(&self, name: &str) -> bool {
        self.forbidden.contains(name)
    }

    /// Removes what is not required in this direction.
    pub(super) fn narrow_required(&self, copy: &mut Map<String, Value>) {
        let Some(Value::Array(required)) = copy.get_mut("required") else { return };
        required.retain(|name| name.as_str().is_none_or(|name| !self.not_required.contains(name)));
        // Draft 4 does not allow an empty list.
        if required.is_empty() {
            copy.remove("required");
        }
    }
}

impl<'d> Excerpt<'_, 'd> {
    /// The rules for the properties of `schema`; `around` are those of the schema that it is a part of.
    pub(super) fn property_rules(
        &self,
        schema: &Located<'d>,
        around: &PropertyRules,
    ) -> PropertyRules {
        let marker = self.marker().filter(|_| self.options.has_marked_properties);
        let Some(marker) = marker else { return PropertyRules::default() };
        let mut found = Properties { marker, ..Properties::default() };
        found.collect(self.resolver, self.options.draft, schema);
        let Properties { marked, required, .. } = found;
        let is_annotation = self.options.version >= ApiVersion::V3_1;
        let mut rules = around.clone();
        if !is_annotation {
            rules.not_required.extend(marked.iter().cloned());
        }
        if let Narrowing::Generated { omits_read_only: true, .. } = self.options.narrowing {
            let elsewhere = self.inclusions.required_at(&schema.at);
            let is_required = |name: &String| {
                required.contains(name) || elsewhere.is_some_and(|names| names.contains(name))
            };
            let is_forbidden = |name: &&String| !is_annotation || !is_required(name);
            rules.forbidden.extend(marked.iter().filter(is_forbidden).cloned());
        }
        rules
    }

    /// The keyword that says that a property is not meant for this direction, if any property may have it.
    fn marker(&self) -> Option<&'static str> {
        match self.options.narrowing {
            Narrowing::None { side } | Narrowing::Generated { side, .. } => match side {
                Side::Request => Some("readOnly"),
                Side::Response if self.options.version == ApiVersion::V2_0 => None,
                Side::Response => Some("writeOnly"),
            },
        }
    }
}

/// Which names the schemas require that include another one on the same value.
#[derive(Debug, Default)]
pub(super) struct Inclusions {
    required: BTreeMap<Location, BTreeSet<String>>,
}

impl Inclusions {
    /// Collects them from every schema that requires something and refers to others.
    pub(super) fn of(resolver: &Resolver<'_>, draft: Draft) -> Self {
        let mut inclusions = Self::default();
        for schema in resolver.objects() {
            let includes = ["$ref", "allOf", "anyOf", "oneOf", "if", "then", "else"];
            if schema.get("required").is_none_or(|names| !names.value.is_array())
                || !includes.iter().any(|keyword| schema.value.get(keyword).is_some())
            {
                continue;
            }
            let mut found = Properties::default();
            found.collect(resolver, draft, &schema);
            for location in found.seen {
                inclusions.required.entry(location).or_default().extend(found.required.clone());
            }
        }
        inclusions
    }

    fn required_at(&self, location: &Location) -> Option<&BTreeSet<String>> {
        self.required.get(location)
    }
}

/// The properties of everything that applies to one value.
#[derive(Default)]
struct Properties {
    marker: &'static str,
    marked: BTreeSet<String>,
    required: BTreeSet<String>,
    /// The schemas that apply to the value.
    seen: BTreeSet<Location>,
}

impl Properties {
    fn collect<'d>(&mut self, resolver: &Resolver<'d>, draft: Draft, schema: &Located<'d>) {
        if !self.seen.insert(schema.at.clone()) {
            return;
        }
        if let Some(reference) = schema.text("$ref") {
            if let Ok(target) = resolver.schema_reference(schema, reference)
                && let Some(target) = resolver.at(&target)
            {
                self.collect(resolver, draft, &target);
            }
            if draft.ref_hides_siblings() {
                return;
            }
        }
        for (name, property) in schema.get("properties").iter().flat_map(Located::members) {
            if self.is_marked(resolver, draft, &property) {
                self.marked.insert(name.clone());
            }
        }
        for name in schema.get("required").iter().flat_map(Located::items) {
            self.required.extend(name.value.as_str().map(str::to_owned));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema.get(keyword).iter().flat_map(Located::items) {
                self.collect(resolver, draft, &branch);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(branch) = schema.get(keyword) {
                self.collect(resolver, draft, &branch);
            }
        }
    }

    /// Whether a property is marked, by itself or by what it refers to.
    fn is_marked<'d>(&self, resolver: &Resolver<'d>, draft: Draft, property: &Located<'d>) -> bool {
        let mut here = property.clone();
        for _ in 0..32 {
            let Some(reference) = here.text("$ref") else { return here.is_true(self.marker) };
            if here.is_true(self.marker) && !draft.ref_hides_siblings() {
                return true;
            }
            let target = resolver.schema_reference(&here, reference);
            let Some(target) = target.ok().and_then(|target| resolver.at(&target)) else {
                return false;
            };
            here = target;
        }
        false
    }
}
