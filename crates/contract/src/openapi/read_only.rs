//! What `readOnly` and `writeOnly` mean in each direction.
//!
//! In 2.0 and 3.0 a read-only property is no part of requests, and `required` does not ask for it there; a
//! write-only one is no part of responses. In 3.1 and 3.2 both are annotations: what is required stays, what
//! is optional is left out of the direction that it is not meant for.
//!
//! A property and the list that requires it may stand in different parts of an `allOf`, so the rules of a
//! schema are collected from everything that applies to the same value.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{ApiVersion, entry::Narrowing, excerpt::Excerpt, operation::Side, resolve::Located};
use crate::Location;

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
        let mut found = Properties { marker, marked: BTreeSet::new(), required: BTreeSet::new() };
        found.collect(self, schema, &mut BTreeSet::new());
        let Properties { marked, required, .. } = found;
        let is_annotation = self.options.version >= ApiVersion::V3_1;
        let mut rules = around.clone();
        if !is_annotation {
            rules.not_required.extend(marked.iter().cloned());
        }
        if let Narrowing::Generated { omits_read_only: true, .. } = self.options.narrowing {
            let is_forbidden = |name: &&String| !is_annotation || !required.contains(*name);
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

    /// Removes what is not required in this direction.
    pub(super) fn narrow_required(&mut self, rules: &PropertyRules, copy: &mut Map<String, Value>) {
        let Some(Value::Array(required)) = copy.get_mut("required") else { return };
        required.retain(|name| name.as_str().is_none_or(|name| !rules.not_required.contains(name)));
        // Draft 4 does not allow an empty list.
        if required.is_empty() {
            copy.remove("required");
        }
    }
}

/// The properties of everything that applies to one value.
struct Properties {
    marker: &'static str,
    marked: BTreeSet<String>,
    required: BTreeSet<String>,
}

impl Properties {
    fn collect<'d>(
        &mut self,
        excerpt: &Excerpt<'_, 'd>,
        schema: &Located<'d>,
        seen: &mut BTreeSet<Location>,
    ) {
        if !seen.insert(schema.at.clone()) {
            return;
        }
        if let Some(reference) = schema.text("$ref") {
            if let Ok(target) = excerpt.resolver.schema_reference(schema, reference)
                && let Some(target) = excerpt.resolver.at(&target)
            {
                self.collect(excerpt, &target, seen);
            }
            if excerpt.options.draft.ref_hides_siblings() {
                return;
            }
        }
        for (name, property) in schema.get("properties").iter().flat_map(Located::members) {
            if self.is_marked(excerpt, &property) {
                self.marked.insert(name.clone());
            }
        }
        for name in schema.get("required").iter().flat_map(Located::items) {
            self.required.extend(name.value.as_str().map(str::to_owned));
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            for branch in schema.get(keyword).iter().flat_map(Located::items) {
                self.collect(excerpt, &branch, seen);
            }
        }
        for keyword in ["if", "then", "else"] {
            if let Some(branch) = schema.get(keyword) {
                self.collect(excerpt, &branch, seen);
            }
        }
    }

    /// Whether a property is marked, by itself or by what it refers to.
    fn is_marked<'d>(&self, excerpt: &Excerpt<'_, 'd>, property: &Located<'d>) -> bool {
        let mut here = property.clone();
        for _ in 0..32 {
            let Some(reference) = here.text("$ref") else { return here.is_true(self.marker) };
            if here.is_true(self.marker) && !excerpt.options.draft.ref_hides_siblings() {
                return true;
            }
            let target = excerpt.resolver.schema_reference(&here, reference);
            let Some(target) = target.ok().and_then(|target| excerpt.resolver.at(&target)) else {
                return false;
            };
            here = target;
        }
        false
    }
}
