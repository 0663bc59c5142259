//! OpenAPI documents: where their schemas and operations are.
//!
//! This module finds their pointers; it does not generate requests. Version 3.0 is rewritten as
//! draft 4 in place, so that pointers into the user's document stay valid.

use std::fmt;

use serde_json::{Value, json};

use crate::{ContractKind, Pointer, uri};

/// The methods of a path item, in the order the specification lists them.
const METHODS: [&str; 8] = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

/// One operation of an OpenAPI document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operation {
    key: String,
    pointer: Pointer,
    schemas: Vec<OperationSchema>,
}

/// A schema that an operation uses, and what for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OperationSchema {
    role: Role,
    pointer: Pointer,
}

/// What an operation uses a schema for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Role {
    /// A parameter, by its location (`path`, `query`, `header`, `cookie`) and its name.
    Parameter {
        /// `path`, `query`, `header` or `cookie`.
        location: String,
        /// The parameter's name.
        name: String,
    },
    /// The request body under a media type.
    RequestBody {
        /// The media type.
        media_type: String,
    },
    /// A response body under a status and a media type.
    Response {
        /// The status code, a range such as `2XX`, or `default`.
        status: String,
        /// The media type.
        media_type: String,
    },
    /// A header of a response.
    ResponseHeader {
        /// The status code, a range such as `2XX`, or `default`.
        status: String,
        /// The header's name.
        name: String,
    },
}

impl fmt::Display for Role {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Parameter { location, name } => {
                write!(formatter, "{location} parameter `{name}`")
            }
            Self::RequestBody { media_type } => write!(formatter, "request body `{media_type}`"),
            Self::Response { status, media_type } => {
                write!(formatter, "response {status} `{media_type}`")
            }
            Self::ResponseHeader { status, name } => {
                write!(formatter, "response {status} header `{name}`")
            }
        }
    }
}

impl Operation {
    /// `operationId`, or `<METHOD> <path>` without one.
    #[must_use]
    pub fn key(&self) -> &str {
        &self.key
    }

    /// The pointer to the operation.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// The schemas it uses, in document order.
    #[must_use]
    pub fn schemas(&self) -> &[OperationSchema] {
        &self.schemas
    }
}

impl OperationSchema {
    /// What the schema is for.
    #[must_use]
    pub fn role(&self) -> &Role {
        &self.role
    }

    /// The pointer to the schema.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }
}

/// The operations under `paths`, in document order.
pub(crate) fn operations(document: &Value) -> Vec<Operation> {
    let root = Pointer::root().key("paths");
    let mut operations = Vec::new();
    for (path, item) in members(document.get("paths")) {
        let (item, at) = follow(document, item, root.key(path));
        for method in METHODS {
            let Some(operation) = item.get(method).filter(|operation| operation.is_object()) else {
                continue;
            };
            let pointer = at.key(method);
            let key = match operation.get("operationId").and_then(Value::as_str) {
                Some(id) => id.to_owned(),
                None => format!("{} {path}", method.to_uppercase()),
            };
            let mut schemas = Vec::new();
            parameters(document, item, &at, &mut schemas);
            parameters(document, operation, &pointer, &mut schemas);
            request_body(document, operation, &pointer, &mut schemas);
            responses(document, operation, &pointer, &mut schemas);
            operations.push(Operation { key, pointer, schemas });
        }
    }
    operations
}

/// The pointers to all schemas, used by an operation or only defined.
pub(crate) fn schemas(document: &Value) -> Vec<Pointer> {
    let components = Pointer::root().key("components").key("schemas");
    let mut pointers: Vec<Pointer> = members(document.pointer("/components/schemas"))
        .map(|(name, _)| components.key(name))
        .collect();
    for operation in operations(document) {
        pointers.extend(operation.schemas.into_iter().map(|schema| schema.pointer));
    }
    pointers.sort();
    pointers.dedup();
    pointers
}

fn parameters(document: &Value, holder: &Value, at: &Pointer, schemas: &mut Vec<OperationSchema>) {
    let at = at.key("parameters");
    let Some(Value::Array(parameters)) = holder.get("parameters") else { return };
    for (index, parameter) in parameters.iter().enumerate() {
        let (parameter, at) = follow(document, parameter, at.index(index));
        let text = |key: &str| parameter.get(key).and_then(Value::as_str).unwrap_or("").to_owned();
        let role = Role::Parameter { location: text("in"), name: text("name") };
        schema_of(parameter, &at, &role, schemas);
        for (media_type, content) in members(parameter.get("content")) {
            schema_of(content, &at.key("content").key(media_type), &role, schemas);
        }
    }
}

fn request_body(
    document: &Value,
    operation: &Value,
    at: &Pointer,
    schemas: &mut Vec<OperationSchema>,
) {
    let Some(body) = operation.get("requestBody") else { return };
    let (body, at) = follow(document, body, at.key("requestBody"));
    for (media_type, content) in members(body.get("content")) {
        let role = Role::RequestBody { media_type: media_type.clone() };
        schema_of(content, &at.key("content").key(media_type), &role, schemas);
    }
}

fn responses(
    document: &Value,
    operation: &Value,
    at: &Pointer,
    schemas: &mut Vec<OperationSchema>,
) {
    let at = at.key("responses");
    for (status, response) in members(operation.get("responses")) {
        let (response, at) = follow(document, response, at.key(status));
        for (media_type, content) in members(response.get("content")) {
            let role = Role::Response { status: status.clone(), media_type: media_type.clone() };
            schema_of(content, &at.key("content").key(media_type), &role, schemas);
        }
        for (name, header) in members(response.get("headers")) {
            let (header, at) = follow(document, header, at.key("headers").key(name));
            let role = Role::ResponseHeader { status: status.clone(), name: name.clone() };
            schema_of(header, &at, &role, schemas);
        }
    }
}

fn schema_of(holder: &Value, at: &Pointer, role: &Role, schemas: &mut Vec<OperationSchema>) {
    if holder.get("schema").is_some() {
        schemas.push(OperationSchema { role: role.clone(), pointer: at.key("schema") });
    }
}

fn members(value: Option<&Value>) -> impl Iterator<Item = (&String, &Value)> {
    value.and_then(Value::as_object).into_iter().flatten()
}

/// The value that a reference object refers to inside the document, with its pointer. A reference that
/// does not resolve gives the reference object itself.
fn follow<'a>(document: &'a Value, mut value: &'a Value, mut at: Pointer) -> (&'a Value, Pointer) {
    // A chain longer than this is a cycle.
    for _ in 0..32 {
        let target = value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|reference| reference.strip_prefix('#'))
            .and_then(|fragment| uri::decode(fragment).parse::<Pointer>().ok());
        match target.and_then(|target| Some((target.resolve(document)?, target))) {
            Some((found, target)) => (value, at) = (found, target),
            None => break,
        }
    }
    (value, at)
}

/// What the member names of an object are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Members {
    /// Keywords and fields of the specification.
    Keywords,
    /// Names of the user's own, such as those of properties.
    Names,
}

impl Members {
    /// What the members of the value at `key` are, or `None` where that value is data rather than a
    /// part of the contract.
    pub(crate) fn below(self, key: &str) -> Option<Self> {
        match (self, key) {
            (Self::Keywords, "example" | "examples" | "default" | "enum" | "const") => None,
            (Self::Keywords, _) if key.starts_with("x-") => None,
            (
                Self::Keywords,
                "properties" | "patternProperties" | "schemas" | "$defs" | "definitions"
                | "dependentSchemas",
            ) => Some(Self::Names),
            (Self::Keywords | Self::Names, _) => Some(Self::Keywords),
        }
    }
}

/// Rewrites the schemas of version 3.0 as draft 4, in place; returns whether anything changed.
///
/// `nullable` widens the `type` beside it (OpenAPI 3.0.3 §4.7.24.1; alone it has no effect). Everything
/// else has the form of draft 4 already: exclusive bounds are booleans, and
/// keywords beside a `$ref` are ignored.
pub(crate) fn normalize(document: &mut Value, kind: ContractKind) -> bool {
    if kind != ContractKind::OpenApi30 {
        return false;
    }
    let mut changed = false;
    let mut pending = vec![(document, Members::Keywords)];
    while let Some((value, meaning)) = pending.pop() {
        match value {
            Value::Array(items) => {
                pending.extend(items.iter_mut().map(|item| (item, Members::Keywords)));
            }
            Value::Object(members) => {
                let nullable = meaning == Members::Keywords
                    && members.get("nullable") == Some(&Value::Bool(true));
                if nullable && let Some(Value::String(name)) = members.get("type") {
                    let widened = json!([name, "null"]);
                    members.insert("type".to_owned(), widened);
                    changed = true;
                }
                pending.extend(
                    members
                        .iter_mut()
                        .filter_map(|(key, child)| Some((child, meaning.below(key)?))),
                );
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    changed
}
