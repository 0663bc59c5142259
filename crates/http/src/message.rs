//! Recorded messages by what an operation says about them: parameters by style, bodies by media type.

use std::collections::BTreeMap;

use foolproof_contract::openapi::{
    Api, Content, MediaKind, MediaType, NameClaims, Operation, Parameter, ParameterPlace, Response,
    ValueTypes, WireFormat,
};
use serde_json::{Map, Value};

use crate::{
    BodyState, Form, RecordedBody, parse, request::part_of, sequence, traffic::is_present,
};

/// The parts of a request that hold parameters, as recorded.
pub(crate) struct RequestParts<'r> {
    pub(crate) variables: &'r [(String, String)],
    pub(crate) query: &'r [String],
    pub(crate) headers: &'r [(String, String)],
    pub(crate) cookies: &'r [(String, String)],
}

/// What is known of an operation's requests.
#[derive(Debug)]
pub(crate) struct OperationReader {
    index: usize,
    types: Vec<ValueTypes>,
    query_claims: NameClaims,
    cookie_claims: NameClaims,
    pub(crate) request_body: Option<BodyReader>,
}

impl OperationReader {
    pub(crate) fn new(api: &Api, index: usize) -> Self {
        let operation = &api.operations()[index];
        let types = |parameter: &Parameter| api.value_types(parameter.schema.as_ref());
        Self {
            index,
            types: operation.parameters.iter().map(types).collect(),
            query_claims: api.name_claims(operation, ParameterPlace::Query),
            cookie_claims: api.name_claims(operation, ParameterPlace::Cookie),
            request_body: operation.selected_body().map(|it| BodyReader::new(api, it.media_type)),
        }
    }

    /// The value of a request without its body, and the names in the query that are not declared.
    pub(crate) fn request(&self, api: &Api, parts: &RequestParts<'_>) -> (Value, Vec<String>) {
        let operation = &api.operations()[self.index];
        let (query, undeclared) = claimed(&self.query_claims, parts.query, '+');
        let (cookies, _) = claimed(&self.cookie_claims, &cookie_pieces(parts), '%');
        let mut request = Map::new();
        for (index, parameter) in operation.parameters.iter().enumerate() {
            let types = &self.types[index];
            let from = |pieces: Option<&Vec<String>>| {
                let pieces: Vec<&str> = pieces?.iter().map(String::as_str).collect();
                parse::parse(&parameter.name, parameter.wire_format(), &pieces, types)
            };
            let value = match parameter.place {
                ParameterPlace::Path => {
                    let text = parts.variables.iter().find(|it| it.0 == parameter.name);
                    from(text.map(|(_, text)| vec![text.clone()]).as_ref())
                }
                ParameterPlace::Query => from(query.get(&index)),
                ParameterPlace::Cookie => from(cookies.get(&index)),
                ParameterPlace::Header => from(header_piece(parts, &parameter.name).as_ref()),
                ParameterPlace::QueryString => query_string(api, parameter, types, parts.query),
            };
            let part = request.entry(part_of(parameter.place)).or_insert_with(|| Map::new().into());
            if let (Value::Object(part), Some(value)) = (part, value) {
                part.insert(parameter.name.clone(), value);
            }
        }
        let has_query_string =
            operation.parameters.iter().any(|it| it.place == ParameterPlace::QueryString);
        (Value::Object(request), if has_query_string { Vec::new() } else { undeclared })
    }
}

/// The pieces by the parameter that owns their names, and the names that nobody owns.
fn claimed(
    claims: &NameClaims,
    pieces: &[String],
    blank: char,
) -> (BTreeMap<usize, Vec<String>>, Vec<String>) {
    let mut owned: BTreeMap<usize, Vec<String>> = BTreeMap::new();
    let mut undeclared = Vec::new();
    for piece in pieces {
        let name = piece.split('=').next().unwrap_or_default();
        let name = match blank {
            '+' => crate::escape::decode_plus(name),
            _ => crate::escape::decode(name),
        };
        match claims.owner(&name) {
            Some(index) => owned.entry(index).or_default().push(piece.clone()),
            None => undeclared.push(name),
        }
    }
    (owned, undeclared)
}

/// The cookies as pairs; those of the header as they were sent.
fn cookie_pieces(parts: &RequestParts<'_>) -> Vec<String> {
    let is_cookie = |it: &&(String, String)| it.0.eq_ignore_ascii_case("cookie");
    let headers: Vec<&(String, String)> = parts.headers.iter().filter(is_cookie).collect();
    if headers.is_empty() {
        return parts.cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
    }
    let pieces = headers.iter().flat_map(|(_, cookies)| cookies.split(';'));
    pieces.map(|piece| piece.trim().to_owned()).filter(|piece| !piece.is_empty()).collect()
}

/// The text of a header; several of the same name are one list (RFC 9110 §5.3).
fn header_piece(parts: &RequestParts<'_>, name: &str) -> Option<Vec<String>> {
    let is_it = |it: &&(String, String)| it.0.eq_ignore_ascii_case(name);
    let values: Vec<&str> = parts.headers.iter().filter(is_it).map(|it| it.1.as_str()).collect();
    (!values.is_empty()).then(|| vec![values.join(", ")])
}

fn query_string(
    api: &Api,
    parameter: &Parameter,
    types: &ValueTypes,
    query: &[String],
) -> Option<Value> {
    let text = query.join("&");
    if text.is_empty() {
        return None;
    }
    match parameter.wire_format() {
        WireFormat::Form => {
            Some(Form::of_query(api, parameter.schema.as_ref()).parse_urlencoded(&text))
        }
        format @ (WireFormat::Styled(_)
        | WireFormat::Json(_)
        | WireFormat::Text(_)
        | WireFormat::Field(_)) => parse::parse(&parameter.name, format, &[&text], types),
    }
}

/// The response that the document describes for a status: the code itself, its range, or `default`.
pub(crate) fn documented_response(operation: &Operation, status: u16) -> Option<&Response> {
    let find = |wanted: &str| {
        operation.responses.iter().find(|response| response.status.eq_ignore_ascii_case(wanted))
    };
    find(&status.to_string())
        .or_else(|| find(&format!("{}XX", status / 100)))
        .or_else(|| find("default"))
}

/// What is known of a body that the document does not describe.
pub(crate) fn undocumented(body: &RecordedBody) -> (Vec<Value>, BodyState) {
    let state = if is_present(body) { BodyState::Undocumented } else { state_of(body) };
    (Vec::new(), state)
}

fn state_of(body: &RecordedBody) -> BodyState {
    match body {
        RecordedBody::Absent => BodyState::Absent,
        RecordedBody::NotRecorded => BodyState::NotRecorded,
        RecordedBody::Bytes { .. } | RecordedBody::Fields { .. } => BodyState::Read,
    }
}

/// Reads bodies of one media type.
#[derive(Debug)]
pub(crate) struct BodyReader {
    media_type: String,
    kind: BodyKind,
}

#[derive(Debug)]
enum BodyKind {
    Json,
    Sequence,
    Urlencoded(Form),
    Multipart(Form),
    Text,
    Other,
}

impl BodyReader {
    pub(crate) fn new(api: &Api, media_type: &MediaType) -> Self {
        let kind = match media_type.kind() {
            _ if matches!(media_type.content, Content::Items(_)) => BodyKind::Sequence,
            MediaKind::Json => BodyKind::Json,
            MediaKind::Form => BodyKind::Urlencoded(Form::of(api, media_type)),
            MediaKind::Multipart => BodyKind::Multipart(Form::of(api, media_type)),
            MediaKind::Other if media_type.is_text => BodyKind::Text,
            MediaKind::JsonSequence | MediaKind::Other => BodyKind::Other,
        };
        Self { media_type: media_type.name.clone(), kind }
    }

    /// Whether the media type of `body` is this one, or not known.
    pub(crate) fn accepts(&self, body: &RecordedBody) -> bool {
        let recorded = match body {
            RecordedBody::Bytes { media_type, .. } | RecordedBody::Fields { media_type, .. } => {
                media_type.as_deref()
            }
            RecordedBody::Absent | RecordedBody::NotRecorded => None,
        };
        recorded.is_none_or(|recorded| is_within(recorded, &self.media_type))
    }

    /// The values of a body, and what is known of it.
    pub(crate) fn read(&self, body: &RecordedBody) -> (Vec<Value>, BodyState) {
        if !is_present(body) {
            return (Vec::new(), state_of(body));
        }
        if !self.accepts(body) {
            let (RecordedBody::Bytes { media_type, .. } | RecordedBody::Fields { media_type, .. }) =
                body
            else {
                return (Vec::new(), state_of(body));
            };
            return (Vec::new(), BodyState::OtherMediaType(media_type.clone().unwrap_or_default()));
        }
        match self.values(body) {
            Ok(values) => (values, BodyState::Read),
            Err(message) => (Vec::new(), BodyState::Malformed(message)),
        }
    }

    fn values(&self, body: &RecordedBody) -> Result<Vec<Value>, String> {
        let (bytes, media_type) = match (body, &self.kind) {
            (RecordedBody::Bytes { bytes, media_type }, _) => (bytes, media_type.as_deref()),
            (
                RecordedBody::Fields { fields, .. },
                BodyKind::Urlencoded(form) | BodyKind::Multipart(form),
            ) => return Ok(vec![form.parse_fields(fields)]),
            _ => return Err("the body was recorded as a form".to_owned()),
        };
        let text = || std::str::from_utf8(bytes).map_err(|error| error.to_string());
        match &self.kind {
            BodyKind::Json => {
                let value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
                Ok(vec![value])
            }
            BodyKind::Sequence => sequence::read(&self.media_type, text()?),
            BodyKind::Urlencoded(form) => Ok(vec![form.parse_urlencoded(text()?)]),
            BodyKind::Multipart(form) => {
                let value = form.parse_multipart(bytes, media_type.unwrap_or_default());
                Ok(vec![value.ok_or("the parts of the body cannot be told apart")?])
            }
            // Bytes that are no text are some string all the same.
            BodyKind::Text => Ok(vec![Value::String(String::from_utf8_lossy(bytes).into_owned())]),
            BodyKind::Other => Err(format!("`{}` is not modelled", self.media_type)),
        }
    }
}

/// Whether a media type is the one that a document names, which may be a range. All of JSON counts as one:
/// servers often leave out a suffix.
fn is_within(recorded: &str, documented: &str) -> bool {
    let essence =
        |name: &str| name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let (left, right) = (essence(recorded), essence(documented));
    let is_in_range = match right.split_once('*') {
        Some(("", _)) => true,
        Some((before, after)) => left.starts_with(before) && left.ends_with(after),
        None => left == right,
    };
    let both_json = [recorded, documented].iter().all(|it| MediaKind::of(it) == MediaKind::Json);
    is_in_range || both_json
}
