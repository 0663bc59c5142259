//! Copies schemas of an API as JSON Schema: what OpenAPI says with keywords of its own is said with those
//! of the draft.
//!
//! References point into the excerpt. `nullable` widens `type`. Numeric formats become ranges, as one more
//! part of `allOf`. What read-only and write-only mean in a direction is in
//! [`read_only`](super::read_only), what a discriminator means in [`discriminator`](super::discriminator).

use serde_json::{Map, Value, json};

use super::{
    ApiVersion, excerpt::Excerpt, formats, read_only::PropertyRules, resolve::Located, version_2,
};
use crate::{
    Error, FormatPolicy, Location,
    dialect::{Applies, applies},
    error::Problem,
};

/// Keywords that identify a schema. References to it were resolved.
const IDENTIFIERS: [&str; 6] =
    ["$id", "$schema", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"];

/// Keywords of OpenAPI that say nothing about values, or that were rewritten.
const OWN_KEYWORDS: [&str; 6] =
    ["discriminator", "xml", "externalDocs", "example", "nullable", "x-nullable"];

impl<'d> Excerpt<'_, 'd> {
    /// A copy of the schema at a location that a value enters or another schema refers to.
    pub(super) fn copy(&mut self, schema: &Located<'d>) -> Result<Value, Error> {
        let is_parameter = self.options.version == ApiVersion::V2_0
            && schema.text("in").is_some()
            && schema.text("name").is_some();
        let mut copied = self.schema(schema, &PropertyRules::default())?;
        if let (true, Value::Object(members)) = (is_parameter, &mut copied) {
            members.retain(|key, _| !version_2::PARAMETER_FIELDS.contains(&key.as_str()));
        }
        Ok(copied)
    }

    fn schema(&mut self, schema: &Located<'d>, around: &PropertyRules) -> Result<Value, Error> {
        let Value::Object(members) = schema.value else { return Ok(schema.value.clone()) };
        if members.contains_key("$dynamicRef") || members.contains_key("$recursiveRef") {
            let message = "dynamic references in an OpenAPI document are not supported".to_owned();
            return Err(self.resolver.error(Problem::NotCompilable { message }, &schema.at));
        }
        let mut copy = Map::new();
        if let Some(Value::String(reference)) = members.get("$ref") {
            let target = self.resolver.schema_reference(schema, reference)?;
            let Value::Object(reference) = self.refer_to_schema(schema, &target) else {
                unreachable!("a reference is an object")
            };
            copy = reference;
            if self.options.draft.ref_hides_siblings() {
                return Ok(Value::Object(copy));
            }
        }
        let rules = self.property_rules(schema, around);
        for (keyword, value) in members {
            let is_silent = keyword == "$ref"
                || IDENTIFIERS.contains(&keyword.as_str())
                || OWN_KEYWORDS.contains(&keyword.as_str())
                || keyword.starts_with("x-")
                || (keyword == "id" && value.is_string());
            if is_silent {
                continue;
            }
            let inner = Located { value, at: schema.at.key(keyword) };
            let copied = match applies(self.options.draft, keyword) {
                None => value.clone(),
                // What is only defined is copied where something refers to it.
                Some(Applies::Definitions) => continue,
                Some(Applies::Named) if keyword == "properties" => {
                    self.properties(&inner, &rules)?
                }
                Some(_) => self.subschemas(&inner, keyword, &rules)?,
            };
            copy.insert(keyword.clone(), copied);
        }
        self.widen_type(members, &mut copy);
        rules.narrow_required(&mut copy);
        self.restrict_formats(&mut copy);
        self.narrow_branches(schema, &mut copy)?;
        Ok(Value::Object(copy))
    }

    /// The schemas below a keyword. Only those that apply to the same value know its rules.
    fn subschemas(
        &mut self,
        inner: &Located<'d>,
        keyword: &str,
        rules: &PropertyRules,
    ) -> Result<Value, Error> {
        let own = PropertyRules::default();
        let is_in_place = matches!(keyword, "allOf" | "anyOf" | "oneOf" | "if" | "then" | "else");
        let rules = if is_in_place { rules } else { &own };
        Ok(match inner.value {
            Value::Array(_) if keyword != "dependencies" => {
                let items: Vec<Located<'d>> = inner.items().collect();
                let items = items.iter().map(|item| self.schema(item, rules));
                Value::Array(items.collect::<Result<_, _>>()?)
            }
            Value::Object(_) if is_map(keyword) => {
                let members: Vec<(&String, Located<'d>)> = inner.members().collect();
                let mut copied = Map::new();
                for (name, member) in members {
                    let is_list = member.value.is_array();
                    let copy =
                        if is_list { member.value.clone() } else { self.schema(&member, rules)? };
                    copied.insert(name.clone(), copy);
                }
                Value::Object(copied)
            }
            Value::Object(_) | Value::Bool(_) => self.schema(inner, rules)?,
            Value::Null | Value::Number(_) | Value::String(_) | Value::Array(_) => {
                inner.value.clone()
            }
        })
    }

    fn properties(&mut self, inner: &Located<'d>, rules: &PropertyRules) -> Result<Value, Error> {
        let mut copied = Map::new();
        for (name, property) in inner.members().collect::<Vec<_>>() {
            let copy = if rules.forbids(name) {
                self.is_narrowed = true;
                json!({ "not": {} })
            } else {
                self.schema(&property, &PropertyRules::default())?
            };
            copied.insert(name.clone(), copy);
        }
        Ok(Value::Object(copied))
    }

    /// OpenAPI 3.0.3 §4.7.24.1: `nullable` widens the `type` beside it; alone it has no effect.
    fn widen_type(&self, written: &Map<String, Value>, copy: &mut Map<String, Value>) {
        let keyword = match self.options.version {
            ApiVersion::V2_0 => "x-nullable",
            ApiVersion::V3_0 => "nullable",
            ApiVersion::V3_1 | ApiVersion::V3_2 => return,
        };
        if written.get(keyword) == Some(&Value::Bool(true))
            && let Some(Value::String(name)) = copy.get("type")
        {
            let widened = json!([name, "null"]);
            copy.insert("type".to_owned(), widened);
        }
    }

    /// The formats of OpenAPI that restrict numbers and strings, as one more part of `allOf`.
    fn restrict_formats(&mut self, copy: &mut Map<String, Value>) {
        if self.options.formats == FormatPolicy::Annotate {
            return;
        }
        let Some(Value::String(format)) = copy.get("format") else { return };
        let restriction = formats::restriction(format, copy.get("type"), self.options.draft);
        let Some(restriction) = restriction else { return };
        let kind = if restriction.get("multipleOf").is_some() { " of numbers" } else { "" };
        let name = format!("format {format}{kind}");
        let reference = self.add(&name, || restriction);
        require(copy, reference);
    }

    /// What a schema that refers to the one at `target` refers to in the excerpt.
    pub(super) fn refer_to_schema(&mut self, holder: &Located<'d>, target: &Location) -> Value {
        if self.options.narrowing.is_on()
            && !is_part_of_all(&holder.at)
            && let Some(union) = self.discriminated_union(target)
        {
            return union;
        }
        self.refer(target)
    }
}

/// Adds one more schema to `allOf`.
pub(super) fn require(copy: &mut Map<String, Value>, schema: Value) {
    match copy.entry("allOf").or_insert_with(|| Value::Array(Vec::new())) {
        Value::Array(all) => all.push(schema),
        // The keyword is malformed, which the check against the meta-schema reports.
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {}
    }
}

/// Whether the value of `keyword` maps names to schemas.
fn is_map(keyword: &str) -> bool {
    matches!(keyword, "patternProperties" | "dependentSchemas" | "dependencies" | "properties")
}

/// Whether the schema at `location` is an item of `allOf`.
fn is_part_of_all(location: &Location) -> bool {
    let parent = location.pointer().parent();
    parent.is_some_and(|parent| parent.segments().last().is_some_and(|last| last == "allOf"))
}
