//! Recorded traffic as values: which operation it belongs to, what was received and what was answered.
//!
//! Nothing is judged here. What is absent from a record is said to be absent, and what does not parse is
//! said not to; a validator decides about the rest.

use std::collections::BTreeMap;

use foolproof_contract::openapi::Api;
use serde_json::Value;

use crate::{
    Envelope, EnvelopePart, HarEntry, HarResponse, RecordedBody, RequestError, Router,
    message::{self, BodyReader, OperationReader, RequestParts},
};

/// What a record of traffic is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Traffic {
    /// It belongs to an operation.
    Matched(Exchange),
    /// No operation has this method and path, or this key.
    Unmatched {
        /// The method.
        method: String,
        /// The URL without its query, which may hold secrets; or the path of an envelope.
        path: String,
    },
}

/// A request and its response.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Exchange {
    /// The index of the operation in [`Api::operations`].
    pub operation: usize,
    /// What was received, if it was recorded.
    pub request: Option<ObservedRequest>,
    /// What was answered, if it was recorded.
    pub response: Option<ObservedResponse>,
}

/// A request that was recorded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ObservedRequest {
    /// The values: one, or one for each item if the body is a sequence.
    pub values: Vec<Value>,
    /// What is known of the body.
    pub body: BodyState,
    /// The parameters of the query that the operation does not declare; they are not part of the values.
    pub undeclared: Vec<String>,
}

/// A response that was recorded.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ObservedResponse {
    /// The status as the document writes it, such as `200`, `2XX` or `default`; nothing if it does not.
    pub documented_status: Option<String>,
    /// The status that was received; an envelope may have none.
    pub status: Option<u16>,
    /// The values: one, or one for each item if the body is a sequence.
    pub values: Vec<Value>,
    /// What is known of the body.
    pub body: BodyState,
    /// Whether it is the response that entries of the operation are about.
    pub is_selected: bool,
}

/// What is known of a body.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BodyState {
    /// There was none.
    Absent,
    /// It is part of the values.
    Read,
    /// There was one, but the record does not have it.
    NotRecorded,
    /// It has another media type than the one that entries are about.
    OtherMediaType(String),
    /// The document describes no body here.
    Undocumented,
    /// It is not what its media type says.
    Malformed(String),
}

/// Reads traffic of one API.
///
/// ```
/// use foolproof_contract::{Document, openapi::Api};
/// use foolproof_http::{Traffic, TrafficReader, read_har};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": {}, "paths": { "/pets": { "get": { "parameters": [
///         { "name": "limit", "in": "query", "schema": { "type": "integer" } }
///     ] } } }
/// }))?;
/// let api = Api::of(&document)?;
/// let mut reader = TrafficReader::new(&api, None).unwrap();
/// let archive = json!({ "log": { "entries": [
///     { "request": { "method": "GET", "url": "http://localhost/pets?limit=3" } }
/// ] } });
/// let entries = read_har(archive.to_string().as_bytes()).unwrap();
/// let Traffic::Matched(exchange) = reader.archived(&entries[0]) else { panic!("it matches") };
/// assert_eq!(exchange.request.unwrap().values, [json!({ "query": { "limit": 3 } })]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct TrafficReader<'a> {
    api: &'a Api,
    router: Router,
    /// What is known of the operations that were seen.
    readers: BTreeMap<usize, OperationReader>,
}

impl<'a> TrafficReader<'a> {
    /// A reader for `api`. With a base URL only what is below it matches; otherwise the base paths of the
    /// servers are compared, on any host.
    pub fn new(api: &'a Api, base_url: Option<&str>) -> Result<Self, RequestError> {
        let router = match base_url {
            Some(url) => Router::below(api, url)?,
            None => Router::new(api),
        };
        Ok(Self { api, router, readers: BTreeMap::new() })
    }

    /// What an entry of an archive is.
    pub fn archived(&mut self, entry: &HarEntry) -> Traffic {
        let Some(found) = self.router.route(&entry.method, &entry.url) else {
            let path = entry.url.split(['?', '#']).next().unwrap_or_default().to_owned();
            return Traffic::Unmatched { method: entry.method.clone(), path };
        };
        let index = found.operation;
        let api = self.api;
        let reader = self.readers.entry(index).or_insert_with(|| OperationReader::new(api, index));
        let parts = RequestParts {
            variables: &found.variables,
            query: &found.query,
            headers: &entry.headers,
            cookies: &entry.cookies,
        };
        let (request, undeclared) = reader.request(api, &parts);
        let (values, body) = reader
            .request_body
            .as_ref()
            .map_or_else(|| message::undocumented(&entry.body), |it| it.read(&entry.body));
        let values = match (values.is_empty(), &body) {
            (false, _) => values.into_iter().map(|body| with_body(&request, body)).collect(),
            (true, _) => vec![request],
        };
        let response = entry.response.as_ref().map(|it| self.response(index, it));
        let request = Some(ObservedRequest { values, body, undeclared });
        Traffic::Matched(Exchange { operation: index, request, response })
    }

    fn response(&self, index: usize, response: &HarResponse) -> ObservedResponse {
        let operation = &self.api.operations()[index];
        let documented = message::documented_response(operation, response.status);
        let selected = operation.selected_response();
        let is_selected_status = documented.is_some_and(|documented| {
            selected.is_some_and(|selected| selected.response.status == documented.status)
        });
        let reader = match (is_selected_status, selected, documented) {
            (true, Some(selected), _) => Some(BodyReader::new(self.api, selected.media_type)),
            (_, _, Some(documented)) => {
                let of = |media_type| BodyReader::new(self.api, media_type);
                documented.media_types.iter().map(of).find(|it| it.accepts(&response.body))
            }
            _ => None,
        };
        let (values, body) = match &reader {
            Some(reader) => reader.read(&response.body),
            None => message::undocumented(&response.body),
        };
        ObservedResponse {
            documented_status: documented.map(|documented| documented.status.clone()),
            status: Some(response.status),
            is_selected: is_selected_status && !matches!(body, BodyState::OtherMediaType(_)),
            values,
            body,
        }
    }

    /// What an envelope is. Its value is taken as it is.
    #[must_use]
    pub fn enveloped(&self, envelope: &Envelope) -> Traffic {
        let is_it = |key: &str| envelope.operation_key == key;
        let found = self.api.operations().iter().position(|operation| is_it(&operation.key));
        let Some(operation) = found else {
            let (method, path) = (envelope.method.clone(), envelope.path.clone());
            return Traffic::Unmatched { method, path };
        };
        let values = vec![envelope.value.clone()];
        let exchange = match envelope.part {
            EnvelopePart::Request => {
                let has_body = envelope.value.get("body").is_some();
                let body = if has_body { BodyState::Read } else { BodyState::Absent };
                let request = ObservedRequest { values, body, undeclared: Vec::new() };
                Exchange { operation, request: Some(request), response: None }
            }
            EnvelopePart::Response => {
                let selected = self.api.operations()[operation].selected_response();
                let is_selected = selected.is_some_and(|selected| {
                    let status = envelope.status.as_ref();
                    status.is_none_or(|status| *status == selected.response.status)
                });
                let response = ObservedResponse {
                    documented_status: envelope.status.clone(),
                    status: envelope.status.as_ref().and_then(|status| status.parse().ok()),
                    values,
                    body: BodyState::Read,
                    is_selected,
                };
                Exchange { operation, request: None, response: Some(response) }
            }
        };
        Traffic::Matched(exchange)
    }
}

fn with_body(request: &Value, body: Value) -> Value {
    let mut request = request.clone();
    if let Value::Object(parts) = &mut request {
        parts.insert("body".to_owned(), body);
    }
    request
}

/// Whether `body` is there and can be read.
pub(crate) fn is_present(body: &RecordedBody) -> bool {
    matches!(body, RecordedBody::Bytes { .. } | RecordedBody::Fields { .. })
}
