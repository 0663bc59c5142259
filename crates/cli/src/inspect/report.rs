//! The JSON of `foolproof inspect --json`.

use serde::Serialize;

/// The version of the format; it changes when a field changes its meaning or is removed.
pub(super) const VERSION: &str = "inspect/v1";

#[derive(Debug, Serialize)]
pub(super) struct Report {
    pub(super) version: &'static str,
    pub(super) document: String,
    pub(super) kind: String,
    pub(super) dialect: Dialect,
    /// Absent for a contract that was not read from text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
    pub(super) bytes: usize,
    /// Schema locations that a value can reach.
    pub(super) locations: usize,
    /// Absent for a schema, which has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) operations: Option<Vec<Operation>>,
    pub(super) definitions: Definitions,
    /// Whether any value satisfies the schema: `yes`, `no` or `unknown`. Absent for an API, which has
    /// many schemas.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) satisfiable: Option<&'static str>,
    /// Locations that no value satisfies, except those that are written as `false`.
    pub(super) unsatisfiable: Vec<Impossible>,
    /// Keywords that the analysis does not account for.
    pub(super) relaxed: Vec<Relaxed>,
    /// Other documents that values reach.
    pub(super) external: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Dialect {
    pub(super) draft: &'static str,
    /// `declared`, `guessed` or `chosen`.
    pub(super) origin: &'static str,
}

#[derive(Debug, Serialize)]
pub(super) struct Operation {
    pub(super) key: String,
    pub(super) pointer: String,
    pub(super) schemas: usize,
}

#[derive(Debug, Serialize)]
pub(super) struct Definitions {
    pub(super) total: usize,
    pub(super) unreached: Vec<Position>,
}

#[derive(Debug, Serialize)]
pub(super) struct Position {
    pub(super) pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) line: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(super) struct Impossible {
    #[serde(flatten)]
    pub(super) position: Position,
    pub(super) code: &'static str,
    pub(super) message: String,
    pub(super) causes: Vec<Cause>,
}

#[derive(Debug, Serialize)]
pub(super) struct Cause {
    pub(super) pointer: String,
    pub(super) keywords: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Relaxed {
    pub(super) pointer: String,
    pub(super) keyword: &'static str,
    pub(super) effect: &'static str,
    pub(super) reason: String,
}
