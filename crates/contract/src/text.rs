//! Text in, exact values out.
//!
//! JSON and YAML are read through one composer, so both get the same guarantees: numbers are kept
//! as written, a repeated key is an error, nesting and alias expansion are bounded, and every
//! value can be found again in the text ([`locate`]). Nothing here knows what a schema is.

use std::{collections::BTreeMap, fmt, path::Path};

use serde_json::{Number, Value};

use crate::{Error, Pointer, Position, error::Problem, position::PositionTable};

mod compose;
mod index;
mod json;
mod source_text;
mod yaml;

pub(crate) use compose::depth_of;
pub(crate) use index::IndexedText;
pub use source_text::SourceText;

/// The deepest nesting a document may have. Real contracts stay below a hundred; what recurses
/// over a document (meta-schema validation, canonicalisation, dropping it) needs a few kilobytes of
/// stack for each level and, for some of the work, time quadratic in the depth.
pub const MAX_DEPTH: usize = 1_000;

/// The longest number, in characters. Arithmetic on longer ones takes time quadratic in their
/// length, and no contract means a value of that size.
pub(crate) const MAX_NUMBER: usize = 1_000;

/// The format of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Syntax {
    /// JSON (RFC 8259).
    Json,
    /// YAML 1.2 with the core schema, one document.
    Yaml,
}

impl Syntax {
    /// The format that the extension of a file name implies.
    pub(crate) fn of_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "json" => Some(Self::Json),
            "yaml" | "yml" => Some(Self::Yaml),
            _ => None,
        }
    }
}

impl fmt::Display for Syntax {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Json => "JSON",
            Self::Yaml => "YAML",
        })
    }
}

/// Decodes UTF-8, with or without a byte order mark.
pub(crate) fn decode(bytes: Vec<u8>) -> Result<String, Error> {
    let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(rest) => rest.to_vec(),
        None => bytes,
    };
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let lossy = String::from_utf8_lossy(error.as_bytes());
        Error::new(Problem::NotUtf8 { offset }).position_at(Position::of(&lossy, offset))
    })
}

/// Parses `text`. A `hint`, such as the one from a file name, decides where the text could be either:
/// JSON is nearly a subset of YAML, but the errors of a JSON text are reported as errors of JSON.
pub(crate) fn parse(text: &str, hint: Option<Syntax>) -> Result<(Value, Syntax), Error> {
    if text.trim_start().is_empty() {
        return Err(Error::new(Problem::Empty));
    }
    let as_json = || Ok((parse_as(text, Syntax::Json)?, Syntax::Json));
    match hint {
        Some(Syntax::Json) => as_json(),
        Some(Syntax::Yaml) if looks_like_json(text) => as_json().or_else(|error| {
            if !matches!(error.problem(), Problem::Syntax { .. }) {
                return Err(error);
            }
            Ok((parse_as(text, Syntax::Yaml)?, Syntax::Yaml))
        }),
        Some(Syntax::Yaml) => Ok((parse_as(text, Syntax::Yaml)?, Syntax::Yaml)),
        None if looks_like_json(text) => as_json(),
        None => match parse_as(text, Syntax::Yaml)? {
            value @ (Value::Object(_) | Value::Array(_)) => Ok((value, Syntax::Yaml)),
            // A bare scalar is far more often JSON, valid (`true`) or invalid (`NaN`), than YAML.
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => as_json(),
        },
    }
}

/// Whether `text` starts with a quote, or a bracket before a quote or another bracket.
fn looks_like_json(text: &str) -> bool {
    let mut start = text.chars().filter(|character| !character.is_whitespace());
    match start.next() {
        Some('"') => true,
        Some('{' | '[') => matches!(start.next(), Some('"' | '{' | '[' | '}' | ']') | None),
        _ => false,
    }
}

/// A number as written; `None` if the text is no number, an error if it is too long.
fn number(text: &str) -> Result<Option<Number>, Problem> {
    if text.len() > MAX_NUMBER {
        return Err(Problem::NumberTooLong { length: text.len(), limit: MAX_NUMBER });
    }
    Ok(text.parse().ok())
}

fn parse_as(text: &str, format: Syntax) -> Result<Value, Error> {
    match format {
        Syntax::Json => compose::compose(text, json::Events::new(text)),
        Syntax::Yaml => compose::compose(text, yaml::Events::new(text)),
    }
}

/// The positions in `text` at which the values at `pointers` start. Pointers that the text does not
/// contain are absent. One pass for any number of pointers.
pub(crate) fn locate<'p>(
    text: &str,
    format: Syntax,
    pointers: impl IntoIterator<Item = &'p Pointer>,
) -> BTreeMap<&'p Pointer, Position> {
    let offsets = locate_offsets(text, format, pointers);
    let table = PositionTable::of(text);
    offsets.into_iter().map(|(pointer, offset)| (pointer, table.position(text, offset))).collect()
}

/// The same as byte offsets.
pub(crate) fn locate_offsets<'p>(
    text: &str,
    format: Syntax,
    pointers: impl IntoIterator<Item = &'p Pointer>,
) -> BTreeMap<&'p Pointer, usize> {
    let wanted = pointers.into_iter().collect();
    match format {
        Syntax::Json => compose::locate(json::Events::new(text), &wanted),
        Syntax::Yaml => compose::locate(yaml::Events::new(text), &wanted),
    }
}
