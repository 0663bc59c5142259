//! The parts of an API as a reader sees them: operations with their parameters, bodies and responses.
//!
//! The types are a view. They hold names, locations and the few fields that decide how a value is
//! transmitted; schemas stay in the document, and a [`Location`] says where.

use std::fmt;

use crate::{Error, Location};

/// What an operation receives, or what it answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// What it receives.
    Request,
    /// What it answers.
    Response,
}

impl Side {
    /// The word that reports, ids and envelopes use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Request => "request",
            Self::Response => "response",
        }
    }
}

/// One operation of an API.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Operation {
    /// `operationId`, or `<METHOD> <path>` without one, or if another operation has the same.
    pub key: String,
    /// The method, in capitals; of `additionalOperations` as it is written.
    pub method: String,
    /// The path template, as written.
    pub path: String,
    /// Where the operation is written.
    pub location: Location,
    /// Its parameters, those of the path item included, by place and name. A parameter of the operation
    /// replaces one of the path item.
    pub parameters: Vec<Parameter>,
    /// What it receives besides parameters.
    pub body: Option<Body>,
    /// What it answers, in the order of the status codes.
    pub responses: Vec<Response>,
    /// The URLs that the path is appended to, variables replaced by their defaults. Never empty.
    pub servers: Vec<String>,
    /// The names of its callbacks.
    pub callbacks: Vec<String>,
    /// What a reader should know, such as parts that are not generated.
    pub notes: Vec<String>,
    /// Why it cannot be used, if a part of it is missing or malformed.
    pub broken: Option<Error>,
}

/// Where a parameter is transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ParameterPlace {
    /// In a segment of the path.
    Path,
    /// In the query, as a part of it.
    Query,
    /// As the whole query (3.2).
    QueryString,
    /// In a header.
    Header,
    /// In a cookie.
    Cookie,
}

impl ParameterPlace {
    /// The place that a document calls `word`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "path" => Self::Path,
            "query" => Self::Query,
            "querystring" => Self::QueryString,
            "header" => Self::Header,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }

    /// The word that documents and envelopes use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Path => "path",
            Self::Query => "query",
            Self::QueryString => "querystring",
            Self::Header => "header",
            Self::Cookie => "cookie",
        }
    }
}

impl fmt::Display for ParameterPlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// A parameter of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: String,
    /// Where it is transmitted.
    pub place: ParameterPlace,
    /// Whether every request has it.
    pub is_required: bool,
    /// Where the operation or its path item lists it, before references are followed.
    pub site: Location,
    /// How its value becomes text.
    pub encoding: ParameterEncoding,
    /// Where its schema is; without one, any string is allowed.
    pub schema: Option<Location>,
}

/// How the value of a parameter becomes text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParameterEncoding {
    /// By a style of RFC 6570 or one that OpenAPI adds.
    Style(StyleEncoding),
    /// As a document of this media type.
    Content(String),
}

/// A style, and the two switches that modify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StyleEncoding {
    /// The style.
    pub style: Style,
    /// Whether each item or member becomes a part of its own.
    pub explodes: bool,
    /// Whether reserved characters are not percent-encoded.
    pub allows_reserved: bool,
}

impl StyleEncoding {
    /// The style with its default for `explode`, without reserved characters.
    #[must_use]
    pub fn new(style: Style) -> Self {
        let explodes = matches!(style, Style::Form | Style::Cookie);
        Self { style, explodes, allows_reserved: false }
    }

    /// The same with `explode` as given.
    #[must_use]
    pub fn exploding(self, explodes: bool) -> Self {
        Self { explodes, ..self }
    }

    /// The same with `allowReserved` as given.
    #[must_use]
    pub fn reserved(self, allows_reserved: bool) -> Self {
        Self { allows_reserved, ..self }
    }
}

/// How arrays and objects are flattened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Style {
    /// `;name=value`.
    Matrix,
    /// `.value`.
    Label,
    /// `value,value`.
    Simple,
    /// `name=value&name=value`.
    Form,
    /// `name=value%20value`.
    SpaceDelimited,
    /// `name=value%7Cvalue`.
    PipeDelimited,
    /// `name=value%09value` (2.0, `collectionFormat: tsv`).
    TabDelimited,
    /// `name[member]=value`.
    DeepObject,
    /// `name=value; name=value`, nothing percent-encoded (3.2).
    Cookie,
}

impl Style {
    /// The style that a document calls `word`.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Some(match word {
            "matrix" => Self::Matrix,
            "label" => Self::Label,
            "simple" => Self::Simple,
            "form" => Self::Form,
            "spaceDelimited" => Self::SpaceDelimited,
            "pipeDelimited" => Self::PipeDelimited,
            "deepObject" => Self::DeepObject,
            "cookie" => Self::Cookie,
            _ => return None,
        })
    }
}

/// The body of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Body {
    /// Whether every request has it.
    pub is_required: bool,
    /// Where the operation names it, before references are followed.
    pub site: Location,
    /// What it may be, sorted by media type.
    pub media_types: Vec<MediaType>,
}

/// A response of an operation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Response {
    /// The status code, a range such as `2XX`, or `default`, as written.
    pub status: String,
    /// Where it is written.
    pub location: Location,
    /// What its body may be, sorted by media type.
    pub media_types: Vec<MediaType>,
    /// Its headers.
    pub headers: Vec<Header>,
}

impl Response {
    /// Whether the status is a 2xx code or the range `2XX`.
    #[must_use]
    pub fn is_success(&self) -> bool {
        self.status.len() == 3 && self.status.starts_with('2')
    }
}

/// A header of a response.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Header {
    /// Its name.
    pub name: String,
    /// Whether every response has it.
    pub is_required: bool,
    /// Where its schema is.
    pub schema: Option<Location>,
}

/// A body under one media type.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct MediaType {
    /// The media type as written, parameters included.
    pub name: String,
    /// Where it is written.
    pub location: Location,
    /// What is transmitted.
    pub content: Content,
    /// How the members of a form become text, where the document says so.
    pub encodings: Vec<PropertyEncoding>,
    /// Whether a body may be a string that is transmitted as it is: the media type is neither JSON nor
    /// XML nor a form, and the schema admits strings.
    pub is_text: bool,
}

/// What a body consists of.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// One document with the schema at this location; without one, any value.
    Whole(Option<Location>),
    /// A sequence of items, each with the schema at this location.
    Items(Location),
    /// The members of a form, each a parameter (2.0, `formData`).
    Form(Vec<Parameter>),
}

/// How one member of a form becomes text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PropertyEncoding {
    /// The member.
    pub property: String,
    /// Its media type, if the document names one.
    pub content_type: Option<String>,
    /// Its style, if the document names one; it takes precedence over the media type.
    pub style: Option<StyleEncoding>,
}

/// The family of a media type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MediaKind {
    /// `application/json` or `…+json`.
    Json,
    /// A sequence of JSON documents: JSON Lines, JSON text sequences, server-sent events.
    JsonSequence,
    /// `application/x-www-form-urlencoded`.
    Form,
    /// `multipart/…`.
    Multipart,
    /// Anything else.
    Other,
}

impl MediaKind {
    /// The family of the media type `name`, whose parameters are ignored.
    ///
    /// ```
    /// use foolproof_contract::openapi::MediaKind;
    ///
    /// assert_eq!(MediaKind::of("application/problem+json; charset=utf-8"), MediaKind::Json);
    /// assert_eq!(MediaKind::of("text/event-stream"), MediaKind::JsonSequence);
    /// assert_eq!(MediaKind::of("text/html"), MediaKind::Other);
    /// ```
    #[must_use]
    pub fn of(name: &str) -> Self {
        let essence = name.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "application/json" => Self::Json,
            "application/jsonl"
            | "application/x-ndjson"
            | "application/ndjson"
            | "application/x-jsonlines"
            | "application/jsonlines"
            | "application/json-seq"
            | "text/event-stream" => Self::JsonSequence,
            "application/x-www-form-urlencoded" => Self::Form,
            other if other.ends_with("+json") => Self::Json,
            other if other.ends_with("+json-seq") => Self::JsonSequence,
            other if other.starts_with("multipart/") => Self::Multipart,
            _ => Self::Other,
        }
    }
}

impl MediaType {
    /// The family it belongs to.
    #[must_use]
    pub fn kind(&self) -> MediaKind {
        MediaKind::of(&self.name)
    }
}
