//! Entries: one side of one operation as a document of its own, with one root.
//!
//! The root of a request is an object over its parameters and its body, which no document contains; it and
//! everything else that is added have no targets, but an optional parameter stands for its use site.
//! The root of a response is its schema. Everything below is an excerpt of the user's documents, at its own
//! pointers.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{
    Api,
    excerpt::{CopyOptions, Excerpt, added_pointer},
    operation::{Content, MediaKind, Operation, Parameter, ParameterPlace, Side},
    resolve::Located,
    select::{SelectedBody, SelectedResponse},
    wire_rules,
};
use crate::{
    Document, Error, FormatPolicy, Location, Pointer,
    document::{EntryId, Excerpted},
};

/// Whether values have properties that are not meant for their direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ReadOnlyPolicy {
    /// Requests have no read-only properties, and responses no write-only ones, as far as the document
    /// does not require them.
    #[default]
    Omit,
    /// They may have them.
    Keep,
}

/// How entries are read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryOptions {
    /// Whether formats restrict values, those of OpenAPI included.
    pub formats: FormatPolicy,
    /// Whether values have properties that are not meant for their direction.
    pub read_only: ReadOnlyPolicy,
}

/// Which of the values that a document admits are left out.
#[derive(Clone, Copy)]
pub(super) enum Narrowing {
    /// None: values are judged.
    None { side: Side },
    /// Those that a client or server would not send: values are generated.
    Generated { side: Side, omits_read_only: bool },
}

impl Narrowing {
    pub(super) fn is_on(self) -> bool {
        matches!(self, Self::Generated { .. })
    }
}

/// One side of one operation, as a document with one root.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ApiEntry {
    /// The index of the operation in [`Api::operations`].
    pub operation: usize,
    /// Which side it is.
    pub side: Side,
    /// The status of a response, as written.
    pub status: Option<String>,
    /// The media type of the body, if there is one.
    pub media_type: Option<String>,
    /// The values to generate, as a schema.
    pub document: Document,
    /// The values that the API admits, if those are more.
    pub admitted: Option<Document>,
    /// Whether its schemas have targets, and it counts as a request or response of the operation.
    pub is_observed: bool,
    /// The schemas that something in it refers to.
    pub referred: BTreeSet<Location>,
}

impl ApiEntry {
    /// The same entry, with all values that the API admits; `None` if it has them already.
    #[must_use]
    pub fn admitting_all(self) -> Option<Self> {
        let document = self.admitted?;
        Some(Self { document, admitted: None, ..self })
    }
}

impl Api {
    /// One side of the operation at `index` of [`operations`](Self::operations). `None` if it is a
    /// response and the operation has none in JSON. Fails if a part of it is missing or malformed.
    ///
    /// ```
    /// use foolproof_contract::{Document, FormatPolicy, Oracle, openapi::{Api, EntryOptions, Side}};
    /// use serde_json::json;
    ///
    /// let document = Document::from_value(json!({
    ///     "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" },
    ///     "paths": { "/pets": { "get": {
    ///         "parameters": [{ "name": "limit", "in": "query", "schema": { "type": "integer" } }],
    ///         "responses": { "200": { "description": "pets" } }
    ///     } } }
    /// }))?;
    /// let entry = Api::of(&document)?.entry(0, Side::Request, &EntryOptions::default()).unwrap()?;
    /// let oracle = Oracle::new(&entry.document, FormatPolicy::Assert)?;
    /// assert!(oracle.is_valid(&json!({ "query": { "limit": 3 } })));
    /// assert!(!oracle.is_valid(&json!({ "query": { "limit": "many" } })));
    /// # Ok::<(), foolproof_contract::Error>(())
    /// ```
    #[must_use]
    pub fn entry(
        &self,
        index: usize,
        side: Side,
        options: &EntryOptions,
    ) -> Option<Result<ApiEntry, Error>> {
        let operation = self.operations().get(index)?;
        if let Some(error) = &operation.broken {
            return Some(Err(error.clone()));
        }
        if side == Side::Response && operation.selected_response().is_none() {
            return None;
        }
        let read = || self.read_entry(index, operation, side, *options);
        Some(crate::with_large_stack(read))
    }

    /// What the API admits on one side of an operation, as a schema to judge recorded values by: nothing is
    /// left out of it. The response is the one of this `status`, as the document writes it; without one,
    /// that of [`Operation::selected_response`]. `None` if there is no response in JSON.
    #[must_use]
    pub fn admitted(
        &self,
        index: usize,
        side: Side,
        status: Option<&str>,
        formats: FormatPolicy,
    ) -> Option<Result<Document, Error>> {
        let operation = self.operations().get(index)?;
        if let Some(error) = &operation.broken {
            return Some(Err(error.clone()));
        }
        let options = EntryOptions { formats, read_only: ReadOnlyPolicy::Keep };
        let root = match (side, status) {
            (Side::Request, _) => Root::Request,
            (Side::Response, None) => Root::Response(operation.selected_response()?),
            (Side::Response, Some(status)) => Root::Response(operation.response_of(status)?),
        };
        let cut = || {
            let narrowing = Narrowing::None { side };
            Ok(self.cut(operation, EntryId::new(index, side), root, options, narrowing)?.document)
        };
        Some(crate::with_large_stack(cut))
    }

    fn read_entry(
        &self,
        index: usize,
        operation: &Operation,
        side: Side,
        options: EntryOptions,
    ) -> Result<ApiEntry, Error> {
        let omits_read_only = options.read_only == ReadOnlyPolicy::Omit;
        let id = EntryId::new(index, side);
        let generated = Narrowing::Generated { side, omits_read_only };
        let root = match (side, operation.selected_response()) {
            (Side::Response, Some(selected)) => Root::Response(selected),
            (Side::Request, _) | (Side::Response, None) => Root::Request,
        };
        let cut = self.cut(operation, id, root, options, generated)?;
        let admitted = if cut.is_narrowed {
            Some(self.cut(operation, id, root, options, Narrowing::None { side })?.document)
        } else {
            None
        };
        let (status, media_type, is_observed) = match side {
            Side::Request => {
                let body = operation.selected_body();
                let has_parts =
                    !operation.parameters.is_empty() || body.is_some_and(|body| body.is_observed);
                (None, body.map(|body| body.media_type.name.clone()), has_parts)
            }
            Side::Response => {
                let selected = operation.selected_response();
                let status = selected.map(|selected| selected.response.status.clone());
                let media_type = selected.map(|selected| selected.media_type.name.clone());
                (status, media_type, selected.is_some_and(|selected| selected.is_observed))
            }
        };
        Ok(ApiEntry {
            operation: index,
            side,
            status,
            media_type,
            document: cut.document,
            admitted,
            is_observed,
            referred: cut.referred,
        })
    }

    fn cut(
        &self,
        operation: &Operation,
        id: EntryId,
        root: Root<'_>,
        options: EntryOptions,
        narrowing: Narrowing,
    ) -> Result<CutEntry, Error> {
        let resolver = self.resolver();
        let copy = CopyOptions {
            version: self.version(),
            draft: self.document().draft(),
            formats: options.formats,
            narrowing,
            has_marked_properties: self.0.has_marked_properties,
        };
        let mut excerpt = Excerpt::new(&resolver, &self.0.discriminators, &self.0.inclusions, copy);
        excerpt.operation = Some(operation);
        let mut unobserved = BTreeSet::new();
        let root = match root {
            Root::Request => {
                let request =
                    Request { operation, excerpt: &mut excerpt, unobserved: &mut unobserved };
                let request = request.schema()?;
                excerpt.add(REQUEST, || request)
            }
            Root::Response(selected) => {
                if !selected.is_observed {
                    unobserved.insert(Pointer::root());
                }
                excerpt.content(&selected.media_type.content)?
            }
        };
        excerpt.complete()?;
        let cut = excerpt.finish();
        let mut value = cut.own;
        if let Value::Object(root) = root {
            value.extend(root);
        }
        let document = self.document().excerpt(Excerpted {
            value: Value::Object(value),
            others: cut.others,
            entry: id,
            origins: cut.origins,
            unobserved,
        })?;
        Ok(CutEntry { document, is_narrowed: cut.is_narrowed, referred: cut.referred })
    }
}

/// What the root of an entry is.
#[derive(Clone, Copy)]
enum Root<'a> {
    Request,
    Response(SelectedResponse<'a>),
}

/// The name of the schema of the whole request among what an entry adds.
const REQUEST: &str = "request";

struct CutEntry {
    document: Document,
    is_narrowed: bool,
    referred: BTreeSet<Location>,
}

impl Excerpt<'_, '_> {
    /// The schema of a body.
    fn content(&mut self, content: &Content) -> Result<Value, Error> {
        match content {
            Content::Whole(Some(schema)) | Content::Items(schema) => self.entrance(schema),
            Content::Whole(None) | Content::Form(_) => Ok(json!({})),
        }
    }

    /// The schema at `location`, or what it refers to if it consists of a reference alone. So entries of
    /// different operations that use the same schema have equal documents.
    fn entrance(&mut self, location: &Location) -> Result<Value, Error> {
        let Some(Located { value: Value::Object(members), at }) = self.resolver.at(location) else {
            return Ok(self.include(location));
        };
        let hides = self.options.draft.ref_hides_siblings();
        match members.get("$ref") {
            Some(Value::String(reference)) if hides || members.len() == 1 => {
                let holder = self.resolver.at(&at).expect("it was found");
                let target = self.resolver.schema_reference(&holder, reference)?;
                Ok(self.refer_to_schema(&holder, &target))
            }
            _ => Ok(self.include(location)),
        }
    }
}

/// The schema of the requests of an operation.
struct Request<'r, 'a, 'd> {
    operation: &'r Operation,
    excerpt: &'r mut Excerpt<'a, 'd>,
    unobserved: &'r mut BTreeSet<Pointer>,
}

impl Request<'_, '_, '_> {
    fn schema(mut self) -> Result<Value, Error> {
        let mut properties = Map::new();
        let mut required = Vec::new();
        let mut parts: BTreeMap<&str, Vec<&Parameter>> = BTreeMap::new();
        for parameter in &self.operation.parameters {
            parts.entry(part_of(parameter.place)).or_default().push(parameter);
        }
        let at = added_pointer(REQUEST).key("properties");
        for (part, parameters) in parts {
            let schema = self.object(&parameters, &at.key(part), WireContext::Parameter)?;
            properties.insert(part.to_owned(), schema);
            required.push(part);
        }
        if let (Some(body), Some(selected)) = (&self.operation.body, self.operation.selected_body())
        {
            let site = at.key("body");
            properties.insert("body".to_owned(), self.body(selected, &site)?);
            if body.is_required {
                required.push("body");
            } else if selected.is_observed {
                self.excerpt.origins.insert(site.clone(), body.site.clone());
            }
            if !selected.is_observed {
                self.unobserved.insert(site);
            }
        }
        Ok(object(&properties, &required))
    }

    /// An object with a property for each parameter.
    fn object(
        &mut self,
        parameters: &[&Parameter],
        at: &Pointer,
        context: WireContext,
    ) -> Result<Value, Error> {
        // What arrived was transmittable.
        let is_narrowing = self.excerpt.options.narrowing.is_on();
        let mut properties = Map::new();
        let mut required = Vec::new();
        for parameter in parameters {
            let schema = match &parameter.schema {
                Some(location) => self.excerpt.entrance(location)?,
                None => json!({ "type": "string" }),
            };
            let rule = match context {
                _ if !is_narrowing => None,
                WireContext::Parameter => wire_rules::parameter_rule(self.excerpt, parameter),
                WireContext::Form => wire_rules::form_field_rule(self.excerpt, parameter),
            };
            let schema = match rule {
                Some((name, rule)) => {
                    let rule = self.excerpt.add(&name, || rule);
                    json!({ "allOf": [schema, rule] })
                }
                None => schema,
            };
            properties.insert(parameter.name.clone(), schema);
            if parameter.is_required {
                required.push(parameter.name.as_str());
            } else {
                let site = at.key("properties").key(&parameter.name);
                self.excerpt.origins.insert(site, parameter.site.clone());
            }
        }
        Ok(object(&properties, &required))
    }

    fn body(&mut self, selected: SelectedBody<'_>, at: &Pointer) -> Result<Value, Error> {
        let media_type = selected.media_type;
        if let Content::Form(fields) = &media_type.content {
            let fields: Vec<&Parameter> = fields.iter().collect();
            return self.object(&fields, at, WireContext::Form);
        }
        let schema = self.excerpt.content(&media_type.content)?;
        let rule = match media_type.kind() {
            _ if !self.excerpt.options.narrowing.is_on() => None,
            MediaKind::Form | MediaKind::Multipart => {
                wire_rules::form_rule(self.excerpt, media_type)
            }
            MediaKind::Other => wire_rules::text_rule(),
            MediaKind::Json | MediaKind::JsonSequence => None,
        };
        Ok(match rule {
            Some((name, rule)) => {
                let rule = self.excerpt.add(&name, || rule);
                json!({ "allOf": [schema, rule] })
            }
            None => schema,
        })
    }
}

/// What a parameter is part of.
#[derive(Clone, Copy)]
enum WireContext {
    Parameter,
    Form,
}

/// The member of a request that holds the parameters of a place.
fn part_of(place: ParameterPlace) -> &'static str {
    match place {
        ParameterPlace::Path => "path",
        ParameterPlace::Query | ParameterPlace::QueryString => "query",
        ParameterPlace::Header => "header",
        ParameterPlace::Cookie => "cookie",
    }
}

/// An object with these properties and no others.
fn object(properties: &Map<String, Value>, required: &[&str]) -> Value {
    let mut schema = json!({
        "type": "object", "properties": properties, "additionalProperties": false
    });
    // Draft 4 does not allow an empty list.
    if !required.is_empty() {
        schema["required"] = json!(required);
    }
    schema
}
