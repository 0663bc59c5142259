//! Which types the values of a schema may have, and those of their items and members.
//!
//! The answer is an upper bound: what is not understood admits every type. It follows `$ref`, `allOf`,
//! `anyOf`, `oneOf`, `type`, `enum` and `const`. A text is parsed by it, and the wire rules exclude what
//! would be parsed as something else.

use std::{
    cell::Cell,
    collections::{BTreeMap, BTreeSet},
    ops::BitOr as _,
};

use serde_json::{Map, Value};

use super::{
    Api,
    resolve::{Located, Resolver},
};
use crate::{Draft, JsonType, Location, TypeSet};

/// References and branches that are followed for one question; beyond, every type is admitted.
const MAX_STEPS: usize = 20_000;
/// How deep branches and references may nest.
const MAX_DEPTH: usize = 64;

/// The types of the values of one schema.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ValueTypes {
    /// The types of the values themselves.
    pub own: TypeSet,
    /// The types of the items of arrays.
    pub items: TypeSet,
    /// The types of the members that the schema names.
    pub members: BTreeMap<String, TypeSet>,
    /// The types of all other members.
    pub other_members: TypeSet,
}

/// The types of the members of a form.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FieldTypes {
    /// The types of the form itself; it arrives only as an object.
    pub own: TypeSet,
    /// The members that the schema names.
    pub fields: BTreeMap<String, ValueTypes>,
    /// All other members.
    pub others: ValueTypes,
    /// The members that are files, or arrays of files.
    pub files: BTreeSet<String>,
}

impl ValueTypes {
    /// The values that have one of `types` and, if they are arrays or objects, any content.
    #[must_use]
    pub fn of(types: TypeSet) -> Self {
        let (items, other_members) = (TypeSet::ALL, TypeSet::ALL);
        Self { own: types, items, members: BTreeMap::new(), other_members }
    }

    /// The types of the member `name`.
    #[must_use]
    pub fn member(&self, name: &str) -> TypeSet {
        self.members.get(name).copied().unwrap_or(self.other_members)
    }
}

impl FieldTypes {
    /// The types of the member `name`.
    #[must_use]
    pub fn field(&self, name: &str) -> &ValueTypes {
        self.fields.get(name).unwrap_or(&self.others)
    }
}

impl Api {
    /// The types of the values of a parameter with the schema at `schema`; without one, strings.
    ///
    /// ```
    /// use foolproof_contract::{Document, TypeSet, openapi::Api};
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({
    ///     "openapi": "3.1.0", "info": {}, "paths": { "/": { "get": { "parameters": [{
    ///         "name": "ids", "in": "query",
    ///         "schema": { "type": "array", "items": { "enum": [1, "x"] } }
    ///     }] } } }
    /// }))?;
    /// let api = Api::of(&document)?;
    /// let types = api.value_types(api.operations()[0].parameters[0].schema.as_ref());
    /// assert_eq!(types.own, TypeSet::ARRAY);
    /// assert_eq!(types.items, TypeSet::INTEGER | TypeSet::STRING);
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn value_types(&self, schema: Option<&Location>) -> ValueTypes {
        let resolver = self.resolver();
        crate::with_large_stack(|| of_value(&resolver, self.document().draft(), schema))
    }

    /// The types of the members of a form with the schema at `schema`; without one, any.
    #[must_use]
    pub fn field_types(&self, schema: Option<&Location>) -> FieldTypes {
        let resolver = self.resolver();
        crate::with_large_stack(|| of_form(&resolver, self.document().draft(), schema))
    }
}

pub(super) fn of_value(
    resolver: &Resolver<'_>,
    draft: Draft,
    schema: Option<&Location>,
) -> ValueTypes {
    match schema.and_then(|schema| resolver.at(schema)) {
        Some(schema) => Inference::new(resolver, draft).value(&schema, &[]),
        None => ValueTypes::of(TypeSet::STRING),
    }
}

pub(super) fn of_form(
    resolver: &Resolver<'_>,
    draft: Draft,
    schema: Option<&Location>,
) -> FieldTypes {
    let Some(schema) = schema.and_then(|schema| resolver.at(schema)) else {
        let others = ValueTypes::of(TypeSet::ALL);
        let (own, fields, files) = (TypeSet::ALL, BTreeMap::new(), BTreeSet::new());
        return FieldTypes { own, fields, others, files };
    };
    let inference = Inference::new(resolver, draft);
    let names = inference.names_at(&schema, &[]);
    let field = |name: &String| (name.clone(), inference.value(&schema, &[Step::Member(name)]));
    let is_file = |name: &&String| {
        let member = Step::Member(name);
        inference.is_file(&schema, &[member]) || inference.is_file(&schema, &[member, Step::Item])
    };
    FieldTypes {
        files: names.iter().filter(is_file).cloned().collect(),
        own: inference.types_at(&schema, &[]),
        fields: names.iter().map(field).collect(),
        others: inference.value(&schema, &[Step::OtherMember]),
    }
}

/// From a value to a part of it.
#[derive(Clone, Copy)]
enum Step<'n> {
    Item,
    Member(&'n str),
    /// A member that no `properties` names.
    OtherMember,
}

struct Inference<'r, 'd> {
    resolver: &'r Resolver<'d>,
    draft: Draft,
    steps: Cell<usize>,
}

impl<'r, 'd> Inference<'r, 'd> {
    fn new(resolver: &'r Resolver<'d>, draft: Draft) -> Self {
        Self { resolver, draft, steps: Cell::new(0) }
    }

    /// What is known of the values at `path` below the values of `schema`.
    fn value(&self, schema: &Located<'d>, path: &[Step<'_>]) -> ValueTypes {
        let below = |step| self.types_at(schema, &[path, &[step]].concat());
        let names = self.names_at(schema, path);
        ValueTypes {
            own: self.types_at(schema, path),
            items: below(Step::Item),
            members: names.iter().map(|name| (name.clone(), below(Step::Member(name)))).collect(),
            other_members: below(Step::OtherMember),
        }
    }

    fn types_at(&self, schema: &Located<'d>, path: &[Step<'_>]) -> TypeSet {
        self.steps.set(0);
        self.types(schema, path, 0)
    }

    fn types(&self, schema: &Located<'d>, path: &[Step<'_>], depth: usize) -> TypeSet {
        self.steps.set(self.steps.get() + 1);
        if depth > MAX_DEPTH || self.steps.get() > MAX_STEPS {
            return TypeSet::ALL;
        }
        let members = match schema.value {
            Value::Bool(false) => return TypeSet::NONE,
            Value::Object(members) => members,
            Value::Null
            | Value::Bool(true)
            | Value::Number(_)
            | Value::String(_)
            | Value::Array(_) => return TypeSet::ALL,
        };
        let referred = self.referred(schema).map(|target| self.types(&target, path, depth + 1));
        if let (Some(types), true) = (referred, self.draft.ref_hides_siblings()) {
            return types;
        }
        let mut types = self.own_types(schema, members, path, depth);
        types = types & referred.unwrap_or(TypeSet::ALL);
        for keyword in ["allOf", "anyOf", "oneOf"] {
            let Some(branches) = schema.get(keyword).filter(|it| it.value.is_array()) else {
                continue;
            };
            let branches = branches.items().map(|branch| self.types(&branch, path, depth + 1));
            types = types
                & match keyword {
                    "allOf" => branches.fold(TypeSet::ALL, |all, branch| all & branch),
                    _ => branches.fold(TypeSet::NONE, TypeSet::bitor),
                };
        }
        types
    }

    /// What the keywords of one schema say, apart from those that apply other schemas in place.
    fn own_types(
        &self,
        schema: &Located<'d>,
        members: &Map<String, Value>,
        path: &[Step<'_>],
        depth: usize,
    ) -> TypeSet {
        let mut own = TypeSet::declared(members);
        // Versions that do not know the keyword ignore it; this is an upper bound.
        let is_nullable = ["nullable", "x-nullable"]
            .iter()
            .any(|keyword| members.get(*keyword) == Some(&Value::Bool(true)));
        if is_nullable {
            own = own | TypeSet::from_iter([JsonType::Null]);
        }
        if let Some(Value::Array(values)) = members.get("enum") {
            own = own & TypeSet::of_all(values);
        }
        if let Some(value) = members.get("const").filter(|_| self.draft > Draft::Draft4) {
            own = own & TypeSet::of(value);
        }
        let Some((step, rest)) = path.split_first() else { return own };
        let container = match step {
            Step::Item => JsonType::Array,
            Step::Member(_) | Step::OtherMember => JsonType::Object,
        };
        if !own.contains(container) {
            return TypeSet::NONE;
        }
        let schemas = match step {
            Step::Item => item_schemas(schema),
            Step::Member(name) => member_schemas(schema, Some(name)),
            Step::OtherMember => member_schemas(schema, None),
        };
        match schemas {
            None => TypeSet::ALL,
            Some(schemas) => schemas.iter().map(|it| self.types(it, rest, depth + 1)).collect(),
        }
    }

    /// The names under `properties` of the values at `path`.
    fn names_at(&self, schema: &Located<'d>, path: &[Step<'_>]) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        self.visit(schema, path, |schema| {
            let properties = schema.get("properties");
            names.extend(properties.iter().flat_map(Located::members).map(|it| it.0.clone()));
        });
        names
    }

    /// Whether a schema of the values at `path` says that they are bytes of a file.
    fn is_file(&self, schema: &Located<'d>, path: &[Step<'_>]) -> bool {
        let mut is_file = false;
        self.visit(schema, path, |schema| {
            is_file |= schema.text("format") == Some("binary")
                || schema.text("contentMediaType").is_some_and(|name| !name.starts_with("text/"));
        });
        is_file
    }

    /// Visits every schema that may apply to the values at `path` below the values of `schema`.
    fn visit(&self, schema: &Located<'d>, path: &[Step<'_>], mut visit: impl FnMut(&Located<'d>)) {
        let mut steps = 0;
        let mut pending = vec![(schema.clone(), path, 0)];
        while let Some((schema, path, depth)) = pending.pop() {
            steps += 1;
            if depth > MAX_DEPTH || steps > MAX_STEPS {
                continue;
            }
            let target = self.referred(&schema);
            let is_hidden = target.is_some() && self.draft.ref_hides_siblings();
            pending.extend(target.map(|target| (target, path, depth + 1)));
            if is_hidden {
                continue;
            }
            for keyword in ["allOf", "anyOf", "oneOf"] {
                let branches = schema.get(keyword);
                let branches = branches.iter().flat_map(Located::items);
                pending.extend(branches.map(|branch| (branch, path, depth + 1)));
            }
            let Some((step, rest)) = path.split_first() else {
                visit(&schema);
                continue;
            };
            let below = match step {
                Step::Item => item_schemas(&schema),
                Step::Member(name) => member_schemas(&schema, Some(name)),
                Step::OtherMember => member_schemas(&schema, None),
            };
            pending.extend(below.into_iter().flatten().map(|it| (it, rest, depth + 1)));
        }
    }

    fn referred(&self, schema: &Located<'d>) -> Option<Located<'d>> {
        let target = self.resolver.schema_reference(schema, schema.text("$ref")?).ok()?;
        self.resolver.at(&target)
    }
}

/// The schemas of which each item satisfies one; nothing if items may be anything.
fn item_schemas<'d>(schema: &Located<'d>) -> Option<Vec<Located<'d>>> {
    let positional = schema
        .get("prefixItems")
        .or_else(|| schema.get("items").filter(|items| items.value.is_array()));
    let rest = schema.get("items").filter(|items| !items.value.is_array());
    match positional {
        None => Some(vec![rest?]),
        Some(positional) => {
            let rest = rest.or_else(|| schema.get("additionalItems"))?;
            Some(positional.items().chain([rest]).collect())
        }
    }
}

/// The schemas of which a member satisfies one; nothing if it may be anything.
fn member_schemas<'d>(schema: &Located<'d>, name: Option<&str>) -> Option<Vec<Located<'d>>> {
    let properties = schema.get("properties");
    if let Some(property) = name.and_then(|name| properties.as_ref()?.get(name)) {
        return Some(vec![property]);
    }
    // Which pattern a name matches is not computed: it may be any of them or none.
    let patterns = schema.get("patternProperties");
    let patterns: Vec<_> = patterns.iter().flat_map(Located::members).map(|it| it.1).collect();
    let rest = schema.get("additionalProperties")?;
    Some(patterns.into_iter().chain([rest]).collect())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Document;

    fn types(schema: &Value) -> ValueTypes {
        let document = Document::from_value(json!({
            "openapi": "3.1.0", "info": {},
            "paths": { "/": { "get": { "parameters": [
                { "name": "p", "in": "query", "schema": schema }
            ] } } },
            "components": { "schemas": {
                "Loop": { "$ref": "#/components/schemas/Loop" },
                "Tree": { "type": "object", "properties": { "child": { "$ref": "#/components/schemas/Tree" } } },
                "Number": { "type": "number" }
            } }
        }));
        let api = Api::of(&document.unwrap()).unwrap();
        api.value_types(api.operations()[0].parameters[0].schema.as_ref())
    }

    #[test]
    fn branches_are_joined_and_parts_are_intersected() {
        let integers = json!({ "type": "array", "items": { "type": "integer" } });
        let mixed = types(&json!({ "anyOf": [{ "type": "string" }, integers] }));
        assert_eq!(mixed.own, TypeSet::STRING | TypeSet::ARRAY);
        assert_eq!(mixed.items, TypeSet::INTEGER);
        let both = json!({ "allOf": [{ "type": ["string", "integer"] }, { "enum": ["a", "b"] }] });
        assert_eq!(types(&both).own, TypeSet::STRING);
        let referred = types(&json!({ "$ref": "#/components/schemas/Number", "multipleOf": 1 }));
        assert_eq!(referred.own, TypeSet::NUMBER);
    }

    #[test]
    fn members_have_types_of_their_own() {
        let object = types(&json!({
            "type": "object", "properties": { "a": { "type": "integer" } },
            "additionalProperties": { "type": "string" }
        }));
        assert_eq!((object.member("a"), object.member("b")), (TypeSet::INTEGER, TypeSet::STRING));
    }

    #[test]
    fn references_that_go_round_end() {
        assert_eq!(types(&json!({ "$ref": "#/components/schemas/Loop" })).own, TypeSet::ALL);
        let tree = types(&json!({ "$ref": "#/components/schemas/Tree" }));
        assert_eq!(tree.member("child"), TypeSet::OBJECT);
    }
}
