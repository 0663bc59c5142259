//! Graphs of contracts.
//!
//! - A contract is refused with a place that is in its text, or has a graph.
//! - Every location of a graph is in the contract, every edge leads to a node, and every node is reached.
//! - Reading twice gives the same.

use foolproof_contract::{
    ContractKind, Document, Error, FormatPolicy, Graph, Location, Position,
    openapi::{Api, Side},
    with_large_stack,
};

use crate::Reached;

/// The most operations of an API whose graphs are built.
const MOST_OPERATIONS: usize = 8;

/// Checks the laws of graphs.
pub fn graph(data: &[u8]) -> Reached {
    let Ok(text) = std::str::from_utf8(data) else { return Reached::Refused };
    // Positions are those in the text without it.
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    with_large_stack(|| check(text))
}

fn check(text: &str) -> Reached {
    let document = match Document::from_text("contract", text) {
        Ok(document) => document,
        Err(error) => {
            check_error(&error, text);
            let again = Document::from_text("contract", text).err();
            assert_eq!(Some(error), again, "reading twice");
            return Reached::Refused;
        }
    };
    if document.kind() == ContractKind::Schema {
        return check_graph(&document, text);
    }
    let api = match Api::of(&document) {
        Ok(api) => api,
        Err(error) => {
            check_error(&error, text);
            return Reached::Refused;
        }
    };
    let mut reached = Reached::Refused;
    for index in 0..api.operations().len().min(MOST_OPERATIONS) {
        for side in [Side::Request, Side::Response] {
            match api.admitted(index, side, None, FormatPolicy::Assert) {
                Some(Ok(entry)) => {
                    check_graph(&entry, text);
                    reached = Reached::Checked;
                }
                Some(Err(error)) => check_error(&error, text),
                None => {}
            }
        }
    }
    reached
}

fn check_graph(document: &Document, text: &str) -> Reached {
    let graph = Graph::of(document);
    assert_eq!(graph, Graph::of(document), "building twice");
    let graph = match graph {
        Ok(graph) => graph,
        Err(error) => {
            check_error(&error, text);
            return Reached::Refused;
        }
    };
    let nodes = graph.nodes();
    let mut is_reached = vec![false; nodes.len()];
    let mut pending = vec![graph.root()];
    while let Some(node) = pending.pop() {
        if std::mem::replace(&mut is_reached[node.index()], true) {
            continue;
        }
        let location = graph[node].location();
        assert!(is_known(document, location), "{location} is not in the contract");
        for edge in graph[node].edges() {
            assert!(is_known(document, edge.site()), "{} is not in the contract", edge.site());
            pending.push(edge.target());
        }
    }
    assert!(is_reached.iter().all(|it| *it), "a node is not reached");
    for location in graph.unreached_definitions().iter().chain(graph.self_references()) {
        assert!(document.at(location).is_some(), "{location} is not in the contract");
    }
    Reached::Checked
}

/// Whether `location` is in the contract, or in a meta-schema: those are known without being part of any contract.
fn is_known(document: &Document, location: &Location) -> bool {
    let is_meta_schema = |uri: &str| {
        uri.strip_prefix("http://").or(uri.strip_prefix("https://")).is_some_and(|rest| {
            rest.starts_with("json-schema.org/draft") || rest.starts_with("spec.openapis.org/")
        })
    };
    document.at(location).is_some() || location.resource().is_some_and(is_meta_schema)
}

/// What an error says of the place is true.
fn check_error(error: &Error, text: &str) {
    let from = error.code().split("::").next();
    assert_eq!(from, Some("contract"), "the code of {error}");
    if let Some(position) = error.position() {
        assert!(position.offset() <= text.len(), "{error} is behind the text");
        assert_eq!(position, Position::of(text, position.offset()), "{error}");
    }
    // One line that a terminal shows as it is meant is made of it elsewhere; here it only must not be endless.
    assert!(error.to_string().len() <= 64 * 1024, "an error of {} bytes", error.to_string().len());
}
