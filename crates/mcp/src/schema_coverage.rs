//! Which parts of the tools' schemas the calls exercise. A tool is an operation: what it is called with is its request,
//! and what it answers with success its response.

use std::collections::BTreeMap;

use foolproof_contract::{Document, Pointer, fingerprint_of_parts};
use foolproof_coverage::{
    Dimensions, OperationIndex, OperationsInfo, OperationsMeasurement, OperationsScope, Report,
    Settings, Side,
};
use serde_json::Value;

use crate::tool::Tool;

/// What the calls have exercised so far.
#[derive(Debug)]
pub(crate) struct SchemaCoverage {
    measurement: OperationsMeasurement,
    /// The operation of each tool; none if the tool is not called.
    operations: Vec<Option<OperationIndex>>,
    calls: u64,
    /// What the schemas of all tools are recognised by, also of those that are not called.
    fingerprint: String,
    notes: Vec<String>,
}

/// The sides of a tool, with the members that have their schemas.
const SIDES: [(Side, &str); 2] = [(Side::Request, "inputSchema"), (Side::Response, "outputSchema")];

/// A call, and what was answered to it.
#[derive(Clone, Debug)]
pub(crate) struct ObservedCall {
    pub(crate) tool: usize,
    pub(crate) arguments: Value,
    pub(crate) answer: ObservedAnswer,
}

#[derive(Clone, Debug)]
pub(crate) enum ObservedAnswer {
    /// A result without `isError`, with its structured content.
    Success(Option<Value>),
    /// Anything else.
    Other,
}

impl SchemaCoverage {
    /// Of those `tools` that are selected.
    pub(crate) fn new(tools: &[Tool], is_selected: &[bool]) -> Self {
        let settings = Settings { dimensions: Dimensions::all(), ..Settings::measure(0) };
        let mut coverage = Self {
            measurement: OperationsMeasurement::new(settings),
            operations: Vec::new(),
            calls: 0,
            fingerprint: fingerprint(tools),
            notes: Vec::new(),
        };
        for (tool, is_selected) in tools.iter().zip(is_selected) {
            let operation = is_selected.then(|| coverage.add(tool));
            coverage.operations.push(operation);
        }
        coverage
    }

    fn add(&mut self, tool: &Tool) -> OperationIndex {
        let location = format!("#{}", Pointer::root().key("tools").key(tool.name()));
        let operation = self.measurement.add_operation(tool.name(), &location);
        for (side, name) in SIDES {
            let Some(schema) = schema(tool, name) else { continue };
            let location = format!("{location}/{name}");
            let added = Document::from_value(schema.clone()).and_then(|document| {
                self.measurement.add_schema(operation, side, &location, &document)
            });
            if let Err(error) = added {
                self.notes.push(format!("`{location}` has no targets: {error}"));
            }
        }
        operation
    }

    pub(crate) fn observe(&mut self, call: &ObservedCall) {
        let Some(operation) = self.operations[call.tool] else { return };
        let index = self.calls;
        self.calls += 1;
        self.measurement.observe(operation, Side::Request, index, Some(&call.arguments));
        if let ObservedAnswer::Success(content) = &call.answer {
            self.measurement.observe(operation, Side::Response, index, content.as_ref());
        }
    }

    /// How many targets of the tool's schemas no call has hit.
    pub(crate) fn left(&self, tool: usize) -> usize {
        let sides = [Side::Request, Side::Response];
        self.operations[tool].map_or(0, |operation| {
            sides.into_iter().map(|side| self.measurement.left(operation, side)).sum()
        })
    }

    /// How many targets these arguments would hit that no call has hit.
    pub(crate) fn gain(&self, tool: usize, arguments: &Value) -> usize {
        self.operations[tool]
            .map_or(0, |operation| self.measurement.gain(operation, Side::Request, arguments))
    }

    /// How much of the tool's schemas was covered, from 0 to 1; `None` if the tool is not called.
    pub(crate) fn share(&self, tool: usize) -> Option<f64> {
        self.operations[tool].map(|operation| self.measurement.coverage(operation))
    }

    pub(crate) fn report(&self, seed: u64, most_calls: u64, is_guided: bool) -> Report {
        let is_all = self.operations.iter().all(Option::is_some);
        let info = OperationsInfo {
            seed,
            most_calls,
            calls: self.calls,
            is_guided,
            scope: if is_all { OperationsScope::All } else { OperationsScope::Selected },
            fingerprint: Some(&self.fingerprint),
            notes: &self.notes,
        };
        self.measurement.finish(&info, None)
    }
}

fn schema<'t>(tool: &'t Tool, name: &str) -> Option<&'t Value> {
    tool.raw().get(name).filter(|schema| !schema.is_null())
}

/// The fingerprint of the schemas of all tools. It does not depend on the order in which a server lists them.
fn fingerprint(tools: &[Tool]) -> String {
    let mut parts = BTreeMap::new();
    for tool in tools {
        let location = Pointer::root().key(tool.name());
        parts.insert(location.to_string(), String::new());
        for (_, name) in SIDES {
            let Some(schema) = schema(tool, name) else { continue };
            // A schema that cannot be read is recognised by its text.
            let part = Document::from_value(schema.clone())
                .map_or_else(|_| schema.to_string(), |document| document.fingerprint());
            parts.insert(location.key(name).to_string(), part);
        }
    }
    fingerprint_of_parts(&parts)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_fingerprint_is_that_of_the_schemas_of_all_tools() {
        let tool = |name: &str, minimum: u64, title: &str| {
            let count = json!({ "type": "integer", "minimum": minimum, "title": title });
            let input = json!({ "type": "object", "properties": { "count": count } });
            Tool::new(name, json!({ "name": name, "inputSchema": input }))
        };
        let all = |tools: &[Tool]| SchemaCoverage::new(tools, &vec![true; tools.len()]);
        let fingerprint = |coverage: SchemaCoverage| {
            coverage.report(0, 0, false).run.contract_fingerprint.unwrap()
        };
        let tools = [tool("buy", 1, "How many"), tool("sell", 2, "How many")];
        let expected = fingerprint(all(&tools));
        let reordered = [tool("sell", 2, "Number"), tool("buy", 1, "Number")];
        assert_eq!(fingerprint(all(&reordered)), expected);
        assert_eq!(fingerprint(SchemaCoverage::new(&tools, &[true, false])), expected);
        let others = [
            vec![tool("buy", 2, "How many"), tool("sell", 1, "How many")],
            vec![tool("buy", 1, "How many"), tool("lend", 2, "How many")],
            vec![tool("buy", 1, "How many")],
        ];
        for other in others {
            assert_ne!(fingerprint(all(&other)), expected);
        }
    }
}
