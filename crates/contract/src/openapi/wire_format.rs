//! How a value becomes text at one place of a request, whatever words a document uses for it.
//!
//! A style names a layout only together with the place: documents use any style anywhere, and version
//! 2.0 has delimiters of its own. The wire rules and the serialiser both work from the [`WireFormat`], so
//! that what one excludes is what the other cannot transmit.

use super::operation::{
    MediaKind, Parameter, ParameterEncoding, ParameterPlace, PropertyEncoding, Style, StyleEncoding,
};

/// How a value becomes text.
///
/// ```
/// use foolproof_contract::openapi::{Frame, ParameterPlace, Style, StyleEncoding, WireFormat};
///
/// let format = WireFormat::styled(ParameterPlace::Query, StyleEncoding::new(Style::PipeDelimited));
/// let WireFormat::Styled(layout) = format else { panic!("it has a style") };
/// assert_eq!((layout.frame, layout.delimiter), (Frame::Named, '|'));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFormat {
    /// By a style.
    Styled(Layout),
    /// As JSON text.
    Json(Charset),
    /// As an urlencoded form that takes the whole place.
    Form,
    /// As the text of one scalar, for media types that are not modelled.
    Text(Charset),
    /// As a member of a form: scalars as text, arrays as repeated members, everything else as JSON.
    Field(FieldKind),
}

/// The layout of a style at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Layout {
    /// What is around the value.
    pub frame: Frame,
    /// What is between items and members that share one text.
    pub delimiter: char,
    /// Whether each item or member is a part of its own, with a name.
    pub explodes: bool,
    /// Which characters are transmitted, and how.
    pub charset: Charset,
    /// Whether reserved characters are not percent-encoded.
    pub allows_reserved: bool,
}

/// What is around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Nothing.
    Bare,
    /// A dot before each part.
    Label,
    /// `;name=` before each part.
    Matrix,
    /// `name=` before each part; parts are joined by what the place uses.
    Named,
    /// `name[member]=` before each member.
    Deep,
}

/// The characters of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// A path segment, percent-encoded.
    Path,
    /// A part of the query or of an urlencoded form, percent-encoded.
    Query,
    /// The query as a whole, percent-encoded; it has no names.
    WholeQuery,
    /// A cookie, percent-encoded.
    Cookie,
    /// A cookie as it is: only the characters of RFC 6265 §4.1.1.
    RawCookie,
    /// A header as it is: visible ASCII with blanks inside.
    Header,
}

/// The kind of form that a field belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FieldKind {
    /// `application/x-www-form-urlencoded`.
    Urlencoded,
    /// `multipart/…`: each part says whether it is JSON.
    Multipart,
}

impl WireFormat {
    /// How a style is laid out at `place`. A style that the place does not know is read as the one that is
    /// usual there, with its own delimiter.
    #[must_use]
    pub fn styled(place: ParameterPlace, encoding: StyleEncoding) -> Self {
        let StyleEncoding { style, mut explodes, allows_reserved } = encoding;
        let frame = match (place, style) {
            (ParameterPlace::Path, Style::Matrix) => Frame::Matrix,
            (ParameterPlace::Path, Style::Label) => Frame::Label,
            (ParameterPlace::Path | ParameterPlace::Header, _) => Frame::Bare,
            (ParameterPlace::Query | ParameterPlace::QueryString, Style::DeepObject) => Frame::Deep,
            (ParameterPlace::Query | ParameterPlace::QueryString | ParameterPlace::Cookie, _) => {
                Frame::Named
            }
        };
        if frame == Frame::Deep {
            explodes = true;
        }
        let delimiter = match style {
            Style::Label if frame == Frame::Label && explodes => '.',
            Style::SpaceDelimited => ' ',
            Style::PipeDelimited => '|',
            Style::TabDelimited => '\t',
            Style::Matrix
            | Style::Label
            | Style::Simple
            | Style::Form
            | Style::DeepObject
            | Style::Cookie => ',',
        };
        let charset = match (place, style) {
            (ParameterPlace::Cookie, Style::Cookie) => Charset::RawCookie,
            _ => charset_of(place),
        };
        Self::Styled(Layout { frame, delimiter, explodes, charset, allows_reserved })
    }

    /// How a document of `media_type` is transmitted at `place`.
    #[must_use]
    pub fn content(place: ParameterPlace, media_type: &str) -> Self {
        match (MediaKind::of(media_type), place) {
            (MediaKind::Form, ParameterPlace::QueryString) => Self::Form,
            (MediaKind::Json, ParameterPlace::QueryString) => Self::Json(Charset::WholeQuery),
            (MediaKind::Json, _) => Self::Json(charset_of(place)),
            (_, ParameterPlace::QueryString) => Self::Text(Charset::WholeQuery),
            (
                MediaKind::JsonSequence | MediaKind::Form | MediaKind::Multipart | MediaKind::Other,
                _,
            ) => Self::Text(charset_of(place)),
        }
    }

    /// How a member of a form of this kind is transmitted, with what the document says about it.
    #[must_use]
    pub fn field(kind: FieldKind, encoding: Option<&PropertyEncoding>) -> Self {
        let content_type = encoding.and_then(|encoding| encoding.content_type.as_deref());
        match (encoding.and_then(|encoding| encoding.style), content_type) {
            (Some(style), _) => Self::styled(ParameterPlace::Query, style),
            (None, Some(media_type)) if MediaKind::of(media_type) == MediaKind::Json => {
                Self::Json(Charset::Query)
            }
            (None, _) => Self::Field(kind),
        }
    }
}

impl Parameter {
    /// How its value becomes text.
    #[must_use]
    pub fn wire_format(&self) -> WireFormat {
        match &self.encoding {
            ParameterEncoding::Style(style) => WireFormat::styled(self.place, *style),
            ParameterEncoding::Content(media_type) => WireFormat::content(self.place, media_type),
        }
    }
}

fn charset_of(place: ParameterPlace) -> Charset {
    match place {
        ParameterPlace::Path => Charset::Path,
        ParameterPlace::Query | ParameterPlace::QueryString => Charset::Query,
        ParameterPlace::Header => Charset::Header,
        ParameterPlace::Cookie => Charset::Cookie,
    }
}
