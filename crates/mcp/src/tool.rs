//! Tools of a server: what they are called, what they accept, what they promise to answer.
//!
//! Each schema is a document of its own, so `#/$defs` is local to it, and one that cannot be used does not concern
//! the others.

use std::collections::BTreeMap;

use foolproof_contract::{Document, FormatPolicy, Oracle};
use foolproof_generate::Generator;
use serde_json::{Map, Value};

/// A tool of a server.
#[derive(Debug)]
pub struct Tool {
    name: String,
    raw: Value,
    input: Result<ToolInput, UnusableSchema>,
    output: Option<Result<Oracle, UnusableSchema>>,
}

/// What a tool accepts.
#[derive(Debug)]
pub(crate) struct ToolInput {
    pub(crate) generator: Generator,
    pub(crate) oracle: Oracle,
    /// Whether the schema declares any property.
    pub(crate) has_members: bool,
    /// The values of `default` and `examples` in the schema, by the name of the property.
    pub(crate) suggestions: BTreeMap<String, Vec<Value>>,
}

/// Why a schema of a tool cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnusableSchema {
    /// `inputSchema` or `outputSchema`.
    pub schema: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

/// What a server says of the effects of a tool. What it does not say is `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Annotations {
    /// It changes nothing.
    pub read_only: Option<bool>,
    /// It may destroy something.
    pub destructive: Option<bool>,
}

impl Annotations {
    /// Whether the tool may be destructive as the protocol reads what it says and leaves unsaid: it may be, unless it is
    /// read-only or says that it is not.
    #[must_use]
    pub fn may_be_destructive(&self) -> bool {
        self.read_only != Some(true) && self.destructive != Some(false)
    }
}

impl Tool {
    /// The tool that `raw`, an item of the answer to `tools/list`, describes.
    #[must_use]
    pub fn new(name: &str, raw: Value) -> Self {
        let input = compile_input(raw.get("inputSchema"));
        let output = raw.get("outputSchema").filter(|schema| !schema.is_null());
        let output = output.map(compile_output);
        Self { name: name.to_owned(), raw, input, output }
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its description as the server gives it.
    #[must_use]
    pub fn raw(&self) -> &Value {
        &self.raw
    }

    /// Why it cannot be called at all, if so.
    #[must_use]
    pub fn unusable(&self) -> Option<&UnusableSchema> {
        self.input.as_ref().err()
    }

    /// Why its output cannot be checked, if so.
    #[must_use]
    pub fn unusable_output(&self) -> Option<&UnusableSchema> {
        self.output.as_ref().and_then(|output| output.as_ref().err())
    }

    /// What the server says of its effects.
    #[must_use]
    pub fn annotations(&self) -> Annotations {
        let hint = |name: &str| self.raw.get("annotations")?.get(name)?.as_bool();
        Annotations { read_only: hint("readOnlyHint"), destructive: hint("destructiveHint") }
    }

    pub(crate) fn input(&self) -> Option<&ToolInput> {
        self.input.as_ref().ok()
    }

    /// The title of its output schema.
    pub(crate) fn output_title(&self) -> Option<&str> {
        self.raw.get("outputSchema")?.get("title")?.as_str()
    }

    /// The oracle of its output, if it declares one that can be used.
    pub(crate) fn output(&self) -> Option<&Oracle> {
        self.output.as_ref().and_then(|output| output.as_ref().ok())
    }
}

fn compile_input(schema: Option<&Value>) -> Result<ToolInput, UnusableSchema> {
    let unusable = |reason: String| UnusableSchema { schema: "inputSchema", reason };
    let Some(schema) = schema.filter(|schema| schema.is_object()) else {
        let found = schema.map_or("absent".to_owned(), ToString::to_string);
        return Err(unusable(format!("it is {found}, not an object")));
    };
    let document =
        Document::from_value(schema.clone()).map_err(|error| unusable(error.to_string()))?;
    let oracle = Oracle::new(&document, FormatPolicy::Assert)
        .map_err(|error| unusable(error.to_string()))?;
    let generator = Generator::new(&document, FormatPolicy::Assert)
        .map_err(|error| unusable(error.to_string()))?;
    if let Some(least) = generator.excess() {
        return Err(unusable(format!(
            "its smallest value has {least}, which is more than is sent"
        )));
    }
    if generator.plan().is_empty() {
        let why: Vec<String> = generator.diagnostics().iter().map(ToString::to_string).collect();
        return Err(unusable(format!("no value satisfies it: {}", why.join("; "))));
    }
    let mut suggestions = BTreeMap::new();
    suggest(schema, &mut suggestions);
    let has_members = !suggestions.is_empty();
    Ok(ToolInput { generator, oracle, has_members, suggestions })
}

fn compile_output(schema: &Value) -> Result<Oracle, UnusableSchema> {
    let compile = || {
        let document = Document::from_value(schema.clone())?;
        Oracle::new(&document, FormatPolicy::Assert)
    };
    compile().map_err(|error| UnusableSchema { schema: "outputSchema", reason: error.to_string() })
}

/// Collects the values of `default`, `examples` and `example` of every property in `schema`.
fn suggest(schema: &Value, suggestions: &mut BTreeMap<String, Vec<Value>>) {
    let mut pending = vec![schema];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                for (name, property) in
                    members.get("properties").and_then(Value::as_object).into_iter().flatten()
                {
                    let found = suggestions.entry(name.clone()).or_default();
                    for value in suggested(property.as_object()) {
                        if !found.contains(value) {
                            found.push(value.clone());
                        }
                    }
                }
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// The values that a schema suggests: its own, those of its items and those of its branches.
fn suggested(schema: Option<&Map<String, Value>>) -> Vec<&Value> {
    let Some(schema) = schema else { return Vec::new() };
    let mut found: Vec<&Value> = schema.get("default").into_iter().collect();
    found.extend(schema.get("example"));
    found.extend(schema.get("examples").and_then(Value::as_array).into_iter().flatten());
    let branches =
        ["anyOf", "oneOf", "allOf"].iter().filter_map(|name| schema.get(*name)?.as_array());
    for branch in branches.flatten().chain(schema.get("items")) {
        found.extend(suggested(branch.as_object()));
    }
    found
}
