//! Discriminators: which name the value of a branch carries.
//!
//! A discriminator never changes which values are valid. What is generated carries the name of the branch
//! that it is, and where a schema is meant to be extended (it has a discriminator and no `oneOf` or `anyOf`,
//! and others refer to it through `allOf`), values are drawn from those that extend it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    ApiVersion,
    excerpt::{Excerpt, added_pointer},
    resolve::{Located, Resolver},
};
use crate::{Error, Location, Pointer};

/// The schemas of an API that extend one with a discriminator.
#[derive(Debug, Default)]
pub(super) struct Discriminators {
    /// For each schema that others extend: those, in the order of their locations.
    children: BTreeMap<Location, Vec<Location>>,
}

impl Discriminators {
    /// Finds which of the defined schemas extend which others.
    pub(super) fn of(resolver: &Resolver<'_>, version: ApiVersion) -> Self {
        let root = resolver.root();
        let definitions = if version == ApiVersion::V2_0 {
            root.get("definitions")
        } else {
            root.get("components").and_then(|components| components.get("schemas"))
        };
        let mut direct: BTreeMap<Location, Vec<Location>> = BTreeMap::new();
        for (_, schema) in definitions.iter().flat_map(Located::members) {
            for part in schema.get("allOf").iter().flat_map(Located::items) {
                let Some(reference) = part.text("$ref") else { continue };
                if let Ok(parent) = resolver.schema_reference(&part, reference) {
                    direct.entry(parent).or_default().push(schema.at.clone());
                }
            }
        }
        let mut children = BTreeMap::new();
        for parent in direct.keys() {
            let mut all = BTreeSet::new();
            let mut pending = vec![parent.clone()];
            while let Some(next) = pending.pop() {
                for child in direct.get(&next).into_iter().flatten() {
                    if child != parent && all.insert(child.clone()) {
                        pending.push(child.clone());
                    }
                }
            }
            children.insert(parent.clone(), all.into_iter().collect());
        }
        Self { children }
    }
}

/// A discriminator as written.
struct Discriminator<'d> {
    property: &'d str,
    /// The names that the document maps to schemas, in their order.
    mapping: Vec<(&'d str, Location)>,
    /// The schema of values without a name, or with one that is not mapped (3.2).
    default: Option<Location>,
}

impl<'d> Excerpt<'_, 'd> {
    fn discriminator(&self, schema: &Located<'d>) -> Option<Discriminator<'d>> {
        let written = schema.get("discriminator")?;
        if let Some(property) = written.value.as_str() {
            return Some(Discriminator { property, mapping: Vec::new(), default: None });
        }
        let target = |name: &str| {
            let component = format!("#/components/schemas/{name}");
            let references = [name, component.as_str()];
            let by_name = references.into_iter().rev().filter(|_| !name.contains(['/', '#']));
            let mut tried = by_name.chain([name]);
            tried.find_map(|reference| self.resolver.schema_reference(schema, reference).ok())
        };
        let mapping = written.get("mapping");
        let mapping = mapping.iter().flat_map(Located::members).filter_map(|(name, reference)| {
            Some((name.as_str(), target(reference.value.as_str()?)?))
        });
        let default = written.text("defaultMapping").and_then(target);
        Some(Discriminator {
            property: written.text("propertyName")?,
            mapping: mapping.collect(),
            default,
        })
    }

    /// Narrows the branches of `oneOf` and `anyOf` beside a discriminator to the names that they have.
    pub(super) fn narrow_branches(
        &mut self,
        schema: &Located<'d>,
        copy: &mut Map<String, Value>,
    ) -> Result<(), Error> {
        if !self.options.narrowing.is_on() {
            return Ok(());
        }
        let Some(discriminator) = self.discriminator(schema) else { return Ok(()) };
        for keyword in ["oneOf", "anyOf"] {
            for (index, branch) in schema.get(keyword).iter().flat_map(Located::items).enumerate() {
                let Some(reference) = branch.text("$ref") else { continue };
                let target = self.resolver.schema_reference(&branch, reference)?;
                let names = self.names_of(&discriminator, &target);
                let is_default = discriminator.default.as_ref() == Some(&target);
                if let Some(named) = self.named(&target, discriminator.property, &names, is_default)
                    && let Some(branch) = copy.get_mut(keyword).and_then(|all| all.get_mut(index))
                {
                    *branch = named;
                }
            }
        }
        Ok(())
    }

    /// The names that a value of the schema at `target` may carry.
    fn names_of(&self, discriminator: &Discriminator<'d>, target: &Location) -> Vec<String> {
        let mapped = discriminator.mapping.iter().filter(|(_, schema)| schema == target);
        let mapped: Vec<String> = mapped.map(|(name, _)| (*name).to_owned()).collect();
        if mapped.is_empty() { self.implicit_name(target).into_iter().collect() } else { mapped }
    }

    /// The name of a defined schema, or the one that its author gave it for this purpose.
    fn implicit_name(&self, target: &Location) -> Option<String> {
        let schema = self.resolver.at(target)?;
        let given =
            schema.text("x-ms-discriminator-value").or(schema.text("x-discriminator-value"));
        if let Some(name) = given {
            return Some(name.to_owned());
        }
        let parent = target.pointer().parent()?;
        let is_component = matches!(parent.as_str(), "/components/schemas" | "/definitions");
        let name = target.pointer().segments().last()?.into_owned();
        is_component.then_some(name)
    }

    /// The values of the schema at `target` that carry one of `names`. Nothing if the schema does not
    /// admit them: then its author meant something else.
    fn named(
        &mut self,
        target: &Location,
        property: &str,
        names: &[String],
        is_default: bool,
    ) -> Option<Value> {
        let mut facts = PropertyFacts::default();
        self.property_facts(target, property, &mut facts, &mut BTreeSet::new());
        let names: Vec<&String> = names.iter().filter(|name| facts.admits(name)).collect();
        if names.is_empty() || !(facts.is_declared || facts.is_open()) {
            return None;
        }
        self.is_narrowed = true;
        let reference = self.refer(target);
        let mut name = json!({ "properties": { property: { "enum": names } } });
        if !is_default {
            name["required"] = json!([property]);
        }
        let key = format!("named {target} {property} {names:?}");
        Some(self.add(&key, || json!({ "allOf": [reference, name] })))
    }

    /// The union of the schemas that extend the one at `parent`, if values of it are drawn from those.
    pub(super) fn discriminated_union(&mut self, parent: &Location) -> Option<Value> {
        let schema = self.resolver.at(parent)?;
        let is_union = ["oneOf", "anyOf"].iter().any(|key| schema.value.get(key).is_some());
        let discriminator = self.discriminator(&schema).filter(|_| !is_union)?;
        if let Some(name) = self.unions.get(parent) {
            return Some(super::excerpt::added_reference(name));
        }
        let children = self.discriminators.children.get(parent).cloned().unwrap_or_default();
        let mut branches: Vec<(String, Location)> = discriminator
            .mapping
            .iter()
            .filter(|(_, target)| children.contains(target))
            .map(|(name, target)| ((*name).to_owned(), target.clone()))
            .collect();
        for child in children {
            if branches.iter().all(|(_, known)| *known != child) {
                branches.extend(self.implicit_name(&child).map(|name| (name, child)));
            }
        }
        if branches.is_empty() {
            return None;
        }
        let name = format!("union {parent}");
        self.unions.insert(parent.clone(), name.clone());
        let mut any = Vec::new();
        for (name, child) in branches {
            let is_default = discriminator.default.as_ref() == Some(&child);
            let named = self.named(&child, discriminator.property, &[name], is_default);
            any.push(named.unwrap_or_else(|| self.refer(&child)));
        }
        self.is_narrowed = true;
        let at: Pointer = added_pointer(&name);
        self.origins.insert(at.key("anyOf"), parent.key("discriminator"));
        Some(self.add(&name, || json!({ "anyOf": any })))
    }

    /// What the schema at `target` and everything that applies with it say about `property`.
    fn property_facts(
        &self,
        target: &Location,
        property: &str,
        facts: &mut PropertyFacts,
        seen: &mut BTreeSet<Location>,
    ) {
        let Some(schema) = self.resolver.at(target).filter(|_| seen.insert(target.clone())) else {
            return;
        };
        if let Some(reference) = schema.text("$ref")
            && let Ok(next) = self.resolver.schema_reference(&schema, reference)
        {
            self.property_facts(&next, property, facts, seen);
        }
        facts.is_closed |= ["additionalProperties", "unevaluatedProperties"]
            .iter()
            .any(|key| schema.value.get(key).is_some_and(|value| value != &Value::Bool(true)));
        let declared = schema.get("properties").and_then(|all| all.get(property));
        facts.is_declared |= declared.is_some();
        if let Some(declared) = declared {
            self.name_facts(&declared, facts);
        }
        for part in schema.get("allOf").iter().flat_map(Located::items) {
            self.property_facts(&part.at, property, facts, seen);
        }
    }

    /// What the schema of the property admits.
    fn name_facts(&self, declared: &Located<'d>, facts: &mut PropertyFacts) {
        let mut here = declared.clone();
        for _ in 0..32 {
            if let Some(kind) = here.value.get("type") {
                let names = kind.as_array().map_or(std::slice::from_ref(kind), Vec::as_slice);
                facts.is_no_string |= !names.iter().any(|name| name == "string");
            }
            if let Some(Value::Array(members)) = here.value.get("enum") {
                facts.restrict(members);
            }
            if let Some(member) = here.value.get("const") {
                facts.restrict(std::slice::from_ref(member));
            }
            let Some(reference) = here.text("$ref") else { return };
            let next = self.resolver.schema_reference(&here, reference).ok();
            let Some(next) = next.and_then(|next| self.resolver.at(&next)) else { return };
            here = next;
        }
    }
}

/// What a schema says about the property that carries the name.
#[derive(Default)]
struct PropertyFacts {
    is_declared: bool,
    is_closed: bool,
    is_no_string: bool,
    /// The only values it may have, if they are listed.
    members: Option<Vec<Value>>,
}

impl PropertyFacts {
    fn is_open(&self) -> bool {
        !self.is_closed
    }

    fn restrict(&mut self, members: &[Value]) {
        match &mut self.members {
            Some(known) => known.retain(|member| members.contains(member)),
            None => self.members = Some(members.to_vec()),
        }
    }

    fn admits(&self, name: &str) -> bool {
        let is_listed =
            |members: &Vec<Value>| members.iter().any(|member| member.as_str() == Some(name));
        !self.is_no_string && self.members.as_ref().is_none_or(is_listed)
    }
}
