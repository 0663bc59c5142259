//! Guesses from the document, for violations without operands. The oracle checks them like any other
//! candidate.

use std::{cmp::Reverse, collections::BTreeSet};

use foolproof_contract::{Document, FormatPolicy, Oracle, Pointer, StringShape, Violation};
use serde_json::{Map, Number, Value};

use super::compiled;
use crate::Source;

/// Values that are collected from one schema, and how deep it is searched.
const LITERALS: usize = 24;
const NESTING: usize = 6;

/// The document that the oracle was compiled from.
#[derive(Clone, Debug)]
pub(super) struct Contract {
    document: Document,
    formats: FormatPolicy,
}

impl Contract {
    pub(super) fn new(document: &Document, formats: FormatPolicy) -> Self {
        Self { document: document.clone(), formats }
    }

    /// The schema that has the violated keyword. For a violation in another resource this is nothing, or
    /// an unrelated schema: these are guesses.
    pub(super) fn enclosing_schema(&self, violation: &Violation) -> Option<&Map<String, Value>> {
        violation.schema().parent()?.resolve(self.document.value())?.as_object()
    }

    /// The schema at `pointer`.
    pub(super) fn schema_at(&self, pointer: &Pointer) -> Option<&Value> {
        pointer.resolve(self.document.value())
    }

    /// The oracle of the schema at `pointer`.
    pub(super) fn oracle_at(&self, pointer: &Pointer) -> Option<Oracle> {
        pointer.resolve(self.document.value())?;
        Oracle::at(&self.document, pointer, self.formats).ok()
    }

    /// Where `reference`, the value of a `$ref`, leads to, if that is a pointer into the document.
    pub(super) fn local_target(&self, reference: &Value) -> Option<Pointer> {
        let target: Pointer = reference.as_str()?.strip_prefix('#')?.parse().ok()?;
        self.schema_at(&target).map(|_| target)
    }

    /// Names that the schema around the violation declares, `count` for each pattern.
    pub(super) fn names(
        &self,
        violation: &Violation,
        count: usize,
        source: &mut impl Source,
    ) -> Vec<String> {
        let Some(schema) = self.enclosing_schema(violation) else {
            return Vec::new();
        };
        let members = |keyword: &str| schema.get(keyword).and_then(Value::as_object);
        let mut names: Vec<String> = Vec::new();
        for (name, schema) in members("properties").into_iter().flatten() {
            if schema != &Value::Bool(false) {
                names.push(name.clone());
            }
        }
        for pattern in members("patternProperties").into_iter().flatten().map(|(name, _)| name) {
            let shape = StringShape { patterns: vec![pattern.clone()], ..StringShape::default() };
            let strings = compiled::strings(shape);
            names.extend((0..=count.min(LITERALS)).filter_map(|_| strings.draw(source)));
        }
        names
    }

    /// `names`, and those that the schema around the violation requires with them, one because of another.
    pub(super) fn required_with<'c>(
        &'c self,
        violation: &Violation,
        names: impl Iterator<Item = &'c String>,
    ) -> BTreeSet<&'c str> {
        let schema = self.enclosing_schema(violation);
        let rules: Vec<&Map<String, Value>> = ["dependentRequired", "dependencies"]
            .into_iter()
            .filter_map(|keyword| schema?.get(keyword)?.as_object())
            .collect();
        let mut found = BTreeSet::new();
        let mut pending: Vec<&str> = names.map(String::as_str).collect();
        while let Some(name) = pending.pop() {
            if found.insert(name) {
                let lists = rules.iter().filter_map(|rules| rules.get(name)?.as_array());
                pending.extend(lists.flatten().filter_map(Value::as_str));
            }
        }
        found
    }

    /// Names of properties that the violated keyword's schemas declare, in their order.
    pub(super) fn declared(&self, violation: &Violation) -> Vec<&str> {
        let schemas = match violation.schema().resolve(self.document.value()) {
            Some(Value::Array(branches)) => branches.iter().collect(),
            Some(schema) => vec![schema],
            None => Vec::new(),
        };
        let names = schemas.into_iter().flat_map(|schema| {
            let properties = self.target(schema).get("properties").and_then(Value::as_object);
            properties.into_iter().flat_map(Map::keys).map(String::as_str)
        });
        let mut found: Vec<&str> = Vec::new();
        for name in names {
            if !found.contains(&name) {
                found.push(name);
            }
        }
        found.truncate(LITERALS);
        found
    }

    /// The target of a local reference, or the schema itself.
    fn target<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let local = schema.get("$ref").and_then(Value::as_str).and_then(|it| it.strip_prefix('#'));
        local.and_then(|pointer| self.document.value().pointer(pointer)).unwrap_or(schema)
    }

    /// Values that the schema at or around the violation names, and the neighbours of its limits.
    pub(super) fn literals(&self, violation: &Violation) -> Vec<Value> {
        let schema = self.schema_at(violation.schema());
        let mut found = Vec::new();
        if let Some(schema) = schema {
            collect(schema, NESTING, &mut found);
        }
        found
    }

    /// The same of the schema at `pointer`, or of that which it refers to.
    pub(super) fn literals_at(&self, pointer: &Pointer) -> Vec<Value> {
        let mut found = Vec::new();
        if let Some(schema) = self.schema_at(pointer) {
            collect(self.target(schema), NESTING, &mut found);
        }
        found
    }
}

/// The pointer of `keyword` in the schema of the violated one.
pub(super) fn sibling(violation: &Violation, keyword: &str) -> Option<Pointer> {
    Some(violation.schema().parent()?.key(keyword))
}

fn collect(schema: &Value, depth: usize, found: &mut Vec<Value>) {
    if depth == 0 || found.len() >= LITERALS {
        return;
    }
    match schema {
        Value::Object(members) => {
            let mut keywords: Vec<_> = members.iter().collect();
            // Keywords with values come before keywords with schemas.
            keywords.sort_by_key(|(name, _)| Reverse(is_literal(name)));
            for (keyword, value) in keywords {
                match (keyword.as_str(), value) {
                    ("const" | "default", value) => found.push(value.clone()),
                    ("enum" | "examples", Value::Array(values)) => {
                        found.extend(values.iter().take(LITERALS).cloned());
                    }
                    (
                        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum"
                        | "multipleOf",
                        Value::Number(limit),
                    ) => found.extend(neighbours(limit)),
                    (_, value) => collect(value, depth - 1, found),
                }
            }
        }
        Value::Array(schemas) => {
            for schema in schemas {
                collect(schema, depth - 1, found);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn is_literal(keyword: &str) -> bool {
    ["const", "default", "enum", "examples"].contains(&keyword)
}

fn neighbours(limit: &Number) -> Vec<Value> {
    let mut found = vec![Value::Number(limit.clone())];
    if let Some(whole) = limit.as_i64() {
        found.extend(
            [whole.checked_add(1), whole.checked_sub(1)].into_iter().flatten().map(Value::from),
        );
    } else if let Some(float) = limit.as_f64() {
        found.extend([float + 1.0, float - 1.0].map(Value::from));
    }
    found
}
