//! Forms: bodies of named fields, urlencoded or as parts of a multipart message, in both directions.

use std::collections::BTreeMap;

use foolproof_contract::openapi::{
    Api, Content, FieldKind, Frame, MediaKind, MediaType, Parameter, ValueTypes, WireFormat,
    deep_member,
};
use foolproof_contract::{Location, TypeSet, openapi::Charset};
use serde_json::{Map, Value};

use crate::{
    NotTransmittable, escape,
    field::{self, TextKind},
    multipart::{self, MultipartBody, Part},
    parse::{self, pair},
    style::serialize,
};

/// What is known about the fields of a form.
///
/// ```
/// use foolproof_contract::{Document, openapi::Api};
/// use foolproof_http::Form;
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": {}, "paths": { "/": { "post": { "requestBody": { "content": {
///         "application/x-www-form-urlencoded": { "schema": { "type": "object", "properties": {
///             "size": { "type": "integer" }, "tags": { "type": "array", "items": { "type": "string" } }
///         } } }
///     } } } } }
/// }))?;
/// let api = Api::of(&document)?;
/// let form = Form::of(&api, &api.operations()[0].body.as_ref().unwrap().media_types[0]);
/// let value = json!({ "size": 3, "tags": ["a", "b c"] });
/// assert_eq!(form.urlencode(&value).unwrap(), "size=3&tags=a&tags=b%20c");
/// assert_eq!(form.parse_urlencoded("size=3&tags=a&tags=b+c"), value);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Form {
    fields: BTreeMap<String, Field>,
    others: Field,
}

#[derive(Clone, Debug)]
struct Field {
    format: WireFormat,
    types: ValueTypes,
    content_type: Option<String>,
    is_file: bool,
}

/// One text of a field.
struct NamedText {
    name: String,
    text: String,
    content_type: Option<String>,
}

/// A name, and a text under it.
type ReceivedText = (String, (String, TextKind));

impl Form {
    /// The form that `media_type` describes.
    #[must_use]
    pub fn of(api: &Api, media_type: &MediaType) -> Self {
        let kind = match media_type.kind() {
            MediaKind::Multipart => FieldKind::Multipart,
            MediaKind::Form | MediaKind::Json | MediaKind::JsonSequence | MediaKind::Other => {
                FieldKind::Urlencoded
            }
        };
        match &media_type.content {
            Content::Form(parameters) => Self::of_parameters(api, kind, parameters),
            Content::Whole(schema) => Self::of_schema(api, kind, schema.as_ref(), media_type),
            Content::Items(_) | _ => Self::of_parameters(api, kind, &[]),
        }
    }

    /// The form of a `querystring` parameter with this schema.
    #[must_use]
    pub fn of_query(api: &Api, schema: Option<&Location>) -> Self {
        Self::with_fields(api, FieldKind::Urlencoded, schema, &[])
    }

    fn of_parameters(api: &Api, kind: FieldKind, parameters: &[Parameter]) -> Self {
        let field = |parameter: &Parameter| {
            let types = api.value_types(parameter.schema.as_ref());
            let format = parameter.wire_format();
            let field = Field { format, types, content_type: None, is_file: false };
            (parameter.name.clone(), field)
        };
        Self { fields: parameters.iter().map(field).collect(), others: Field::unknown(kind) }
    }

    fn of_schema(
        api: &Api,
        kind: FieldKind,
        schema: Option<&Location>,
        media_type: &MediaType,
    ) -> Self {
        Self::with_fields(api, kind, schema, &media_type.encodings)
    }

    fn with_fields(
        api: &Api,
        kind: FieldKind,
        schema: Option<&Location>,
        encodings: &[foolproof_contract::openapi::PropertyEncoding],
    ) -> Self {
        let types = api.field_types(schema);
        let encoded = encodings.iter().map(|encoding| &encoding.property);
        let field = |name: &String| {
            let encoding = encodings.iter().find(|encoding| encoding.property == *name);
            let content_type = encoding.and_then(|encoding| encoding.content_type.clone());
            let format = WireFormat::field(kind, encoding);
            let is_file = types.files.contains(name);
            let types = types.field(name).clone();
            (name.clone(), Field { format, types, content_type, is_file })
        };
        let fields = types.fields.keys().chain(encoded).map(field).collect();
        let others = Field {
            format: WireFormat::Field(kind),
            types: types.others.clone(),
            content_type: None,
            is_file: false,
        };
        Self { fields, others }
    }

    fn field(&self, name: &str) -> &Field {
        self.fields.get(name).unwrap_or(&self.others)
    }

    /// The body `application/x-www-form-urlencoded` of `value`.
    pub fn urlencode(&self, value: &Value) -> Result<String, NotTransmittable> {
        let mut pieces = Vec::new();
        for (name, member) in members(value)? {
            pieces.extend(serialize(name, self.field(name).format, member)?);
        }
        Ok(pieces.join("&"))
    }

    /// The value of a body that is `application/x-www-form-urlencoded`.
    #[must_use]
    pub fn parse_urlencoded(&self, text: &str) -> Value {
        let pieces = text.split('&').filter(|piece| !piece.is_empty());
        let text = |piece: &str| {
            let (name, text) = pair(piece, Charset::Query);
            (name, (text, TextKind::Unknown))
        };
        self.collect(pieces.map(text))
    }

    /// The value of fields that were recorded with their names and texts.
    #[must_use]
    pub fn parse_fields(&self, fields: &[(String, String)]) -> Value {
        let text =
            |(name, text): &(String, String)| (name.clone(), (text.clone(), TextKind::Unknown));
        self.collect(fields.iter().map(text))
    }

    /// The body `multipart/form-data` of `value`.
    pub fn multipart(&self, value: &Value) -> Result<MultipartBody, NotTransmittable> {
        let mut parts = Vec::new();
        for (member_name, member) in members(value)? {
            for NamedText { name, text, content_type } in self.texts(member_name, member)? {
                let body = text.into_bytes();
                parts.push(Part {
                    name,
                    content_type,
                    is_file: self.field(member_name).is_file,
                    body,
                });
            }
        }
        Ok(multipart::write(&parts))
    }

    /// The value of a body that is `multipart/…`, whose media type names the boundary. Nothing if it does
    /// not, or if the body does not have the form of one.
    #[must_use]
    pub fn parse_multipart(&self, body: &[u8], media_type: &str) -> Option<Value> {
        let parts = multipart::read(body, media_type)?;
        let text = |part: Part| {
            let kind = match part.content_type.as_deref().map(MediaKind::of) {
                Some(MediaKind::Json) => TextKind::Json,
                Some(_) => TextKind::Plain,
                None if multipart::is_our_own(media_type) => TextKind::Plain,
                // Many clients send JSON without saying so.
                None => TextKind::Unknown,
            };
            (part.name, (String::from_utf8_lossy(&part.body).into_owned(), kind))
        };
        Some(self.collect(parts.into_iter().map(text)))
    }

    fn texts(&self, name: &str, member: &Value) -> Result<Vec<NamedText>, NotTransmittable> {
        let field = self.field(name);
        let json = || Some("application/json".to_owned());
        match field.format {
            WireFormat::Field(_) => {
                let texts = field::texts(member)?;
                let named = |text: field::FieldText| NamedText {
                    name: name.to_owned(),
                    content_type: field.content_type.clone().or(if text.is_json {
                        json()
                    } else {
                        None
                    }),
                    text: text.text,
                };
                Ok(texts.into_iter().map(named).collect())
            }
            WireFormat::Json(_) => Ok(vec![NamedText {
                name: name.to_owned(),
                text: member.to_string(),
                content_type: field.content_type.clone().or_else(json),
            }]),
            format @ (WireFormat::Styled(_) | WireFormat::Form | WireFormat::Text(_)) => {
                let named = |piece: &String| {
                    let (name, text) = pair(piece, Charset::Query);
                    NamedText { name, text, content_type: None }
                };
                Ok(serialize(name, format, member)?.iter().map(named).collect())
            }
        }
    }

    /// The members that these texts, in the order they were sent, belong to.
    fn collect(&self, texts: impl Iterator<Item = ReceivedText>) -> Value {
        let mut collected: BTreeMap<String, Vec<ReceivedText>> = BTreeMap::new();
        for (name, text) in texts {
            let owner = self.owner(&name).unwrap_or_else(|| name.clone());
            collected.entry(owner).or_default().push((name, text));
        }
        let mut members = Map::new();
        for (name, texts) in collected {
            let field = self.field(&name);
            let value = match field.format {
                WireFormat::Field(_) => {
                    let texts: Vec<_> = texts.into_iter().map(|(_, text)| text).collect();
                    Some(field::value(&texts, &field.types))
                }
                format @ (WireFormat::Styled(_)
                | WireFormat::Json(_)
                | WireFormat::Form
                | WireFormat::Text(_)) => {
                    // Texts of a style are parsed from pairs as they are in a query.
                    let pieces: Vec<String> = texts
                        .iter()
                        .map(|(name, (text, _))| {
                            format!("{}={}", escape::encode(name), escape::encode(text))
                        })
                        .collect();
                    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
                    parse::parse(&name, format, &pieces, &field.types)
                }
            };
            members.extend(value.map(|value| (name, value)));
        }
        Value::Object(members)
    }

    /// The field whose members stand in brackets and that `name` belongs to.
    fn owner(&self, name: &str) -> Option<String> {
        let is_deep = |field: &Field| matches!(field.format, WireFormat::Styled(layout) if layout.frame == Frame::Deep);
        let mut deep = self.fields.iter().filter(|(_, field)| is_deep(field));
        deep.find(|(field, _)| deep_member(field, name).is_some()).map(|(field, _)| field.clone())
    }
}

impl Field {
    fn unknown(kind: FieldKind) -> Self {
        let types = ValueTypes::of(TypeSet::ALL);
        Self { format: WireFormat::Field(kind), types, content_type: None, is_file: false }
    }
}

fn members(value: &Value) -> Result<&Map<String, Value>, NotTransmittable> {
    value.as_object().ok_or(NotTransmittable::NotAnObject)
}
