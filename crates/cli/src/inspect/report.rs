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
    pub(super) definitions: Definitions,
    /// Whether any value satisfies the schema: `yes`, `no` or `unknown`.
    pub(super) satisfiable: &'static str,
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

/// What an OpenAPI document contains.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ApiReport {
    pub(super) version: &'static str,
    pub(super) document: String,
    pub(super) kind: String,
    pub(super) dialect: Dialect,
    /// Absent for a contract that was not read from text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) format: Option<String>,
    pub(super) bytes: usize,
    pub(super) operations: Vec<Operation>,
    /// Requests that the API sends by itself, which are out of scope.
    pub(super) webhooks: Vec<String>,
    pub(super) security_schemes: Vec<SecurityScheme>,
    /// Schemas that operations may refer to.
    pub(super) definitions: Definitions,
    /// Locations that no value satisfies, except those that are written as `false`.
    pub(super) unsatisfiable: Vec<Impossible>,
    /// What else is odd.
    pub(super) notes: Vec<String>,
}

/// One operation of an API.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Operation {
    pub(super) key: String,
    pub(super) method: String,
    pub(super) path: String,
    #[serde(flatten)]
    pub(super) position: Position,
    pub(super) parameters: Vec<Parameter>,
    /// The media types of the body; the first is the one that is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) body: Option<Body>,
    pub(super) responses: Vec<Response>,
    /// The names of callbacks, which are out of scope.
    pub(super) callbacks: Vec<String>,
    /// Why the operation is left out, if it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) skipped: Option<String>,
}

#[derive(Debug, Serialize)]
pub(super) struct Parameter {
    pub(super) name: String,
    pub(super) r#in: &'static str,
    pub(super) required: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Body {
    pub(super) required: bool,
    pub(super) media_types: Vec<String>,
    /// The one that is generated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) generated: Option<String>,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Response {
    pub(super) status: String,
    pub(super) media_types: Vec<String>,
    /// Whether it is the one that is generated.
    pub(super) generated: bool,
}

#[derive(Debug, Serialize)]
pub(super) struct SecurityScheme {
    pub(super) name: String,
    pub(super) r#type: String,
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
