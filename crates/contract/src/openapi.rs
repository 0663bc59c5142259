//! OpenAPI documents of versions 2.0, 3.0, 3.1 and 3.2 through one thin typed view.
//!
//! An [`Api`] lists the operations of a document with their parameters, bodies and responses. Nothing is
//! converted from one version to another: a [`Location`] in the view is a place in the user's own
//! document, or in a file that it refers to. What is missing or malformed breaks the operations that
//! need it and no others ([`Operation::broken`]).
//!
//! Values enter an API in many places. Each of them is an [`ApiEntry`]: one side of one operation, as a
//! document of its own with one root, which is what the rest of foolproof works with.

use std::{fmt, sync::Arc};

use serde_json::Value;

use crate::{ContractKind, Document, Error, Location, Pointer, error::Problem};

mod discriminator;
mod entry;
mod excerpt;
mod formats;
mod name_claims;
mod operation;
mod path_template;
mod read;
mod read_only;
mod resolve;
mod rewrite;
mod select;
mod value_types;
mod version_2;
mod wire_format;
mod wire_rules;

use discriminator::Discriminators;
pub use entry::{ApiEntry, EntryOptions, ReadOnlyPolicy};
pub(crate) use excerpt::ADDED;
pub use name_claims::{NameClaims, deep_member};
pub use operation::{
    Body, Content, Header, MediaKind, MediaType, Operation, Parameter, ParameterEncoding,
    ParameterPlace, PropertyEncoding, Response, Side, Style, StyleEncoding,
};
pub use path_template::{PathTemplate, TemplatePiece};
use read_only::Inclusions;
pub(crate) use resolve::Members;
use resolve::Resolver;
pub use select::{SelectedBody, SelectedResponse};
pub use value_types::{FieldTypes, ValueTypes};
pub use wire_format::{Charset, FieldKind, Frame, Layout, WireFormat};

/// A version of OpenAPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum ApiVersion {
    /// Swagger 2.0.
    V2_0,
    /// OpenAPI 3.0.
    V3_0,
    /// OpenAPI 3.1.
    V3_1,
    /// OpenAPI 3.2.
    V3_2,
}

impl fmt::Display for ApiVersion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::V2_0 => "Swagger 2.0",
            Self::V3_0 => "OpenAPI 3.0",
            Self::V3_1 => "OpenAPI 3.1",
            Self::V3_2 => "OpenAPI 3.2",
        })
    }
}

/// The view of an OpenAPI document. Clones share it.
///
/// ```
/// use foolproof_contract::{Document, openapi::Api};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": { "title": "Pets", "version": "1" },
///     "paths": { "/pets/{id}": {
///         "parameters": [{ "name": "id", "in": "path", "required": true, "schema": { "type": "integer" } }],
///         "get": { "responses": { "200": { "description": "a pet" } } }
///     } }
/// }))?;
/// let api = Api::of(&document)?;
/// let operation = &api.operations()[0];
/// assert_eq!(operation.key, "GET /pets/{id}");
/// let id = &operation.parameters[0];
/// assert_eq!(id.schema.as_ref().unwrap().to_string(), "#/paths/~1pets~1{id}/parameters/0/schema");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Api(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    document: Document,
    version: ApiVersion,
    operations: Vec<Operation>,
    webhooks: Vec<String>,
    security_schemes: Vec<SecurityScheme>,
    notes: Vec<String>,
    discriminators: Discriminators,
    inclusions: Inclusions,
    /// Whether any property is read-only or write-only.
    has_marked_properties: bool,
}

/// How clients authenticate.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SecurityScheme {
    /// Its name in the document.
    pub name: String,
    /// `apiKey`, `http`, `oauth2`, …
    pub kind: String,
}

impl Api {
    /// The view of `document`, which must be an OpenAPI document.
    pub fn of(document: &Document) -> Result<Self, Error> {
        let ContractKind::OpenApi(version) = document.kind() else {
            let problem =
                Problem::UnsupportedVersion { what: "a JSON Schema as an API".to_owned() };
            return Err(Error::new(problem).at(Pointer::root()).in_document(document.name()));
        };
        let read = crate::with_large_stack(|| read::read(document, version));
        let read::Read { operations, webhooks, security_schemes, notes } = read;
        let resolver = Resolver::new(document);
        let discriminators = Discriminators::of(&resolver, version);
        let has_marked_properties = resolver.mentions(&["readOnly", "writeOnly"]);
        // In older versions it does not matter whether something is required.
        let needs_inclusions = has_marked_properties && version >= ApiVersion::V3_1;
        let inclusions = needs_inclusions.then(|| Inclusions::of(&resolver, document.draft()));
        Ok(Self(Arc::new(Inner {
            document: document.clone(),
            discriminators,
            inclusions: inclusions.unwrap_or_default(),
            has_marked_properties,
            version,
            operations,
            webhooks,
            security_schemes,
            notes,
        })))
    }

    /// The document.
    #[must_use]
    pub fn document(&self) -> &Document {
        &self.0.document
    }

    /// The version of OpenAPI that it is written in.
    #[must_use]
    pub fn version(&self) -> ApiVersion {
        self.0.version
    }

    /// The operations, in the order of paths and methods. Their keys differ.
    #[must_use]
    pub fn operations(&self) -> &[Operation] {
        &self.0.operations
    }

    /// The requests that the API sends by itself; they are out of scope.
    #[must_use]
    pub fn webhooks(&self) -> &[String] {
        &self.0.webhooks
    }

    /// How clients authenticate.
    #[must_use]
    pub fn security_schemes(&self) -> &[SecurityScheme] {
        &self.0.security_schemes
    }

    /// What is odd about the document as a whole, such as an `operationId` that two operations have.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.0.notes
    }

    /// The value at `location`, in the document or in one that it refers to.
    #[must_use]
    pub fn at(&self, location: &Location) -> Option<&Value> {
        self.0.document.at(location)
    }

    fn resolver(&self) -> Resolver<'_> {
        Resolver::new(&self.0.document)
    }
}
