//! Requests as they are sent, from values.
//!
//! A URL is text that is put together here and changed nowhere: a URL type of the WHATWG kind would
//! collapse `%2e%2e` and reach another operation.

use foolproof_contract::{
    Untrusted,
    openapi::{
        Api, Content, MediaKind, MediaType, Operation, Parameter, ParameterPlace, PathTemplate,
        TemplatePiece, WireFormat,
    },
};
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{Form, NotTransmittable, base_url, sequence, style::serialize};

/// A request as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct HttpRequest {
    /// The method.
    pub method: String,
    /// The URL, never normalised.
    pub url: String,
    /// The headers, in the order they are sent.
    pub headers: Vec<(String, String)>,
    /// The body, if there is one.
    pub body: Option<Vec<u8>>,
}

impl HttpRequest {
    /// A request without headers and body.
    #[must_use]
    pub fn new(method: &str, url: &str) -> Self {
        Self { method: method.to_owned(), url: url.to_owned(), headers: Vec::new(), body: None }
    }
}

/// Why there is no request for a value.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum RequestError {
    /// The API has fewer operations.
    #[error("the API has no operation with the index {index}")]
    NoOperation {
        /// The index.
        index: usize,
    },
    /// A request is an object over the parts that the operation has.
    #[error("`{part}` of a request must be an object")]
    NotAnObject {
        /// `path`, `query`, `header`, `cookie`, or nothing for the request itself.
        part: String,
    },
    /// The operation has no such part or parameter.
    #[error("the operation has no `{name}` in `{part}`")]
    Undeclared {
        /// The part.
        part: String,
        /// The parameter.
        name: String,
    },
    /// A path needs a value for each of its parameters.
    #[error("the path parameter `{name}` is missing")]
    MissingPathParameter {
        /// The parameter.
        name: String,
    },
    /// A value that does not arrive.
    #[error("`{}` in `{part}` cannot be sent: {reason}", Untrusted::new(name))]
    NotTransmittable {
        /// The part: `path`, `query`, `header`, `cookie`, `body`, or `method` and `url` of the request as a whole.
        part: &'static str,
        /// The parameter.
        name: String,
        /// Why.
        reason: NotTransmittable,
    },
    /// A base URL has a scheme, a host and perhaps a path.
    #[error("`{url}` is not a base URL such as `https://example.org/v1`")]
    InvalidBaseUrl {
        /// The URL as given.
        url: String,
    },
}

impl RequestError {
    /// A stable identifier for documentation and reports.
    #[must_use]
    pub fn code(&self) -> &'static str {
        match self {
            Self::NoOperation { .. } => "http::no-operation",
            Self::NotAnObject { .. } => "http::not-an-object",
            Self::Undeclared { .. } => "http::undeclared",
            Self::MissingPathParameter { .. } => "http::missing-path-parameter",
            Self::NotTransmittable { .. } => "http::not-transmittable",
            Self::InvalidBaseUrl { .. } => "http::invalid-base-url",
        }
    }
}

/// Characters that no URL has, to be encoded in the literal text of a template.
const NOT_IN_URLS: &AsciiSet = &CONTROLS
    .add(b' ')
    .add(b'"')
    .add(b'<')
    .add(b'>')
    .add(b'\\')
    .add(b'^')
    .add(b'`')
    .add(b'{')
    .add(b'|')
    .add(b'}');

/// The request of the operation at `index` with this value: an object over `path`, `query`, `header`,
/// `cookie` and `body`. The URL starts with `base_url` or else with the first server; one without a host
/// is served by `http://localhost`.
///
/// ```
/// use foolproof_contract::{Document, openapi::Api};
/// use foolproof_http::build_request;
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": {}, "servers": [{ "url": "https://example.org/v1/" }],
///     "paths": { "/pets/{id}": { "get": { "parameters": [
///         { "name": "id", "in": "path", "required": true, "schema": { "type": "string" } },
///         { "name": "limit", "in": "query", "schema": { "type": "integer" } }
///     ] } } }
/// }))?;
/// let value = json!({ "path": { "id": "a/b" }, "query": { "limit": 3 } });
/// let request = build_request(&Api::of(&document)?, 0, &value, None).unwrap();
/// assert_eq!(request.url, "https://example.org/v1/pets/a%2Fb?limit=3");
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
pub fn build_request(
    api: &Api,
    index: usize,
    value: &Value,
    base_url: Option<&str>,
) -> Result<HttpRequest, RequestError> {
    let operation = api.operations().get(index).ok_or(RequestError::NoOperation { index })?;
    let builder = Builder { api, operation, parts: object(value, "")? };
    let base = base_url::base_of(base_url, operation)?;
    builder.build(&base)
}

struct Builder<'a> {
    api: &'a Api,
    operation: &'a Operation,
    parts: &'a Map<String, Value>,
}

impl Builder<'_> {
    fn build(&self, base: &str) -> Result<HttpRequest, RequestError> {
        self.check_names()?;
        let template = PathTemplate::parse(&self.operation.path);
        let mut url = base.to_owned();
        for segment in template.segments() {
            url.push('/');
            for piece in segment {
                match piece {
                    TemplatePiece::Literal(text) => {
                        url.push_str(&utf8_percent_encode(text, NOT_IN_URLS).to_string());
                    }
                    TemplatePiece::Variable(name) => url.push_str(&self.variable(name)?),
                }
            }
        }
        let mut query: Vec<String> = template.query().to_vec();
        query.extend(self.pieces(ParameterPlace::Query)?);
        query.extend(self.pieces(ParameterPlace::QueryString)?);
        if !query.is_empty() {
            url.push('?');
            url.push_str(&query.join("&"));
        }
        let (content_type, body) = self.body()?;
        let mut headers = Vec::new();
        if let Some(selected) = self.operation.selected_response() {
            headers.push(("Accept".to_owned(), selected.media_type.name.clone()));
        }
        headers.extend(content_type.map(|name| ("Content-Type".to_owned(), name)));
        for (parameter, value) in self.values(ParameterPlace::Header)? {
            let text = self.serialize(parameter, value)?.concat();
            headers.push((parameter.name.clone(), text));
        }
        let cookies = self.pieces(ParameterPlace::Cookie)?;
        if !cookies.is_empty() {
            headers.push(("Cookie".to_owned(), cookies.join("; ")));
        }
        let method = self.operation.method.clone();
        let request = HttpRequest { method, url, headers, body };
        check_framing(&request)?;
        Ok(request)
    }

    /// Every part and every parameter must be one that the operation has.
    fn check_names(&self) -> Result<(), RequestError> {
        for (part, value) in self.parts {
            if part == "body" {
                continue;
            }
            let is_here = |parameter: &&Parameter| part_of(parameter.place) == part;
            let declared: Vec<&Parameter> =
                self.operation.parameters.iter().filter(is_here).collect();
            for name in object(value, part)?.keys() {
                if !declared.iter().any(|parameter| parameter.name == *name) {
                    let (part, name) = (part.clone(), name.clone());
                    return Err(RequestError::Undeclared { part, name });
                }
            }
        }
        Ok(())
    }

    /// The parameters of a place that have a value.
    fn values(&self, place: ParameterPlace) -> Result<Vec<(&Parameter, &Value)>, RequestError> {
        let part = part_of(place);
        let Some(values) = self.parts.get(part) else { return Ok(Vec::new()) };
        let values = object(values, part)?;
        let here = self.operation.parameters.iter().filter(|it| it.place == place);
        Ok(here.filter_map(|it| Some((it, values.get(&it.name)?))).collect())
    }

    fn pieces(&self, place: ParameterPlace) -> Result<Vec<String>, RequestError> {
        let mut pieces = Vec::new();
        for (parameter, value) in self.values(place)? {
            pieces.extend(self.serialize(parameter, value)?);
        }
        Ok(pieces)
    }

    fn variable(&self, name: &str) -> Result<String, RequestError> {
        let values = self.values(ParameterPlace::Path)?;
        let found = values.into_iter().find(|(parameter, _)| parameter.name == name);
        let (parameter, value) =
            found.ok_or_else(|| RequestError::MissingPathParameter { name: name.to_owned() })?;
        Ok(self.serialize(parameter, value)?.concat())
    }

    fn serialize(&self, parameter: &Parameter, value: &Value) -> Result<Vec<String>, RequestError> {
        let texts = match parameter.wire_format() {
            WireFormat::Form => {
                let form = Form::of_query(self.api, parameter.schema.as_ref());
                form.urlencode(value).map(|text| vec![text])
            }
            format @ (WireFormat::Styled(_)
            | WireFormat::Json(_)
            | WireFormat::Text(_)
            | WireFormat::Field(_)) => serialize(&parameter.name, format, value),
        };
        let texts = texts.and_then(|texts| {
            let all = texts.iter().all(|text| is_field_value(text));
            if all { Ok(texts) } else { Err(NotTransmittable::Characters) }
        });
        texts.map_err(|reason| RequestError::NotTransmittable {
            part: part_of(parameter.place),
            name: parameter.name.clone(),
            reason,
        })
    }

    /// The media type and the bytes of the body.
    fn body(&self) -> Result<(Option<String>, Option<Vec<u8>>), RequestError> {
        let Some(value) = self.parts.get("body") else { return Ok((None, None)) };
        let Some(selected) = self.operation.selected_body() else {
            let (part, name) = (String::new(), "body".to_owned());
            return Err(RequestError::Undeclared { part, name });
        };
        let (media_type, bytes) =
            encode_body(self.api, selected.media_type, value).map_err(|reason| {
                RequestError::NotTransmittable { part: "body", name: String::new(), reason }
            })?;
        Ok((Some(media_type), Some(bytes)))
    }
}

/// Fails if a part of the request would be read as more than that part: names and media types come from the document, which
/// may have line breaks in them.
fn check_framing(request: &HttpRequest) -> Result<(), RequestError> {
    let fail = |part: &'static str, name: &str| {
        let reason = NotTransmittable::Characters;
        Err(RequestError::NotTransmittable { part, name: name.to_owned(), reason })
    };
    if !is_token(&request.method) {
        return fail("method", &request.method);
    }
    if request.url.chars().any(char::is_control) {
        return fail("url", &request.url);
    }
    for (name, value) in &request.headers {
        if !is_token(name) || !is_field_value(value) {
            return fail("header", name);
        }
    }
    Ok(())
}

/// Whether `text` can be the name of a header or a method (RFC 9110, section 5.6.2).
fn is_token(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Whether `text` can be the value of a header, or a part of a URL, as it is.
fn is_field_value(text: &str) -> bool {
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte) || byte == b'\t')
}

/// A body with its media type.
fn encode_body(
    api: &Api,
    media_type: &MediaType,
    value: &Value,
) -> Result<(String, Vec<u8>), NotTransmittable> {
    let is_range = media_type.name.contains('*');
    let name = |usual: &str| if is_range { usual.to_owned() } else { media_type.name.clone() };
    if matches!(media_type.content, Content::Items(_)) {
        return Ok((name("application/jsonl"), sequence::write(&media_type.name, value)));
    }
    match media_type.kind() {
        MediaKind::Form => {
            let body = Form::of(api, media_type).urlencode(value)?;
            Ok((name("application/x-www-form-urlencoded"), body.into_bytes()))
        }
        MediaKind::Multipart => {
            let body = Form::of(api, media_type).multipart(value)?;
            let essence = media_type.name.split(';').next().unwrap_or_default().trim();
            let written = if is_range {
                body.media_type
            } else {
                body.media_type.replacen("multipart/form-data", essence, 1)
            };
            Ok((written, body.body))
        }
        MediaKind::Other => match value {
            Value::String(text) => {
                Ok((text_media_type(&media_type.name), text.clone().into_bytes()))
            }
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => Ok((name("application/json"), value.to_string().into_bytes())),
        },
        MediaKind::Json | MediaKind::JsonSequence => {
            Ok((name("application/json"), value.to_string().into_bytes()))
        }
    }
}

/// The media type of a text under `documented`, which may be a range.
fn text_media_type(documented: &str) -> String {
    match documented.split_once('*') {
        None => documented.to_owned(),
        Some(("application/", _)) => "application/octet-stream".to_owned(),
        Some((before, _)) if before.is_empty() || before == "text/" => "text/plain".to_owned(),
        Some((before, after)) => format!("{before}octet-stream{after}"),
    }
}

fn object<'v>(value: &'v Value, part: &str) -> Result<&'v Map<String, Value>, RequestError> {
    value.as_object().ok_or_else(|| RequestError::NotAnObject { part: part.to_owned() })
}

/// The member of a request that holds the parameters of a place.
pub(crate) fn part_of(place: ParameterPlace) -> &'static str {
    match place {
        ParameterPlace::Path => "path",
        ParameterPlace::Query | ParameterPlace::QueryString => "query",
        ParameterPlace::Header => "header",
        ParameterPlace::Cookie => "cookie",
    }
}
