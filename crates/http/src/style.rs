//! Values as text, by style: the rules of RFC 6570, and those that OpenAPI adds.
//!
//! One value becomes one piece of text, or several where each item or member has a name of its own: in the
//! query they are joined by `&`, in cookies by `; `.

use foolproof_contract::openapi::{Charset, Frame, Layout, WireFormat};
use serde_json::{Map, Value};
use thiserror::Error;

use crate::{
    escape::{self, Escape},
    field, json_text, scalar,
};

/// Why a value has no text.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum NotTransmittable {
    /// No text stands for null.
    #[error("null has no text")]
    Null,
    /// Items and members are scalars.
    #[error("an array or object inside of another one has no text in this style")]
    Nested,
    /// An array or object without content leaves no trace.
    #[error("an empty array or object leaves no trace")]
    Empty,
    /// The style has no text for arrays.
    #[error("the style has no text for an array")]
    Array,
    /// A form has members.
    #[error("a form must be an object")]
    NotAnObject,
    /// A header or a cookie would be read as something else.
    #[error("the text has characters that its place does not transmit")]
    Characters,
}

/// The text of `value` as the parameter `name`.
///
/// ```
/// use foolproof_contract::openapi::{ParameterPlace, Style, StyleEncoding, WireFormat};
/// use foolproof_http::serialize;
/// use serde_json::json;
///
/// let form = WireFormat::styled(ParameterPlace::Query, StyleEncoding::new(Style::Form));
/// let colors = json!(["blue", "light green"]);
/// assert_eq!(serialize("color", form, &colors)?, ["color=blue", "color=light%20green"]);
/// # Ok::<(), foolproof_http::NotTransmittable>(())
/// ```
pub fn serialize(
    name: &str,
    format: WireFormat,
    value: &Value,
) -> Result<Vec<String>, NotTransmittable> {
    match format {
        WireFormat::Styled(layout) => Writer::new(name, layout).write(value),
        WireFormat::Json(charset) => {
            let text = Escape::new(charset).encode(&json_text::ascii(value));
            Ok(vec![framed(name, charset, text)])
        }
        WireFormat::Text(charset) => {
            let text = Escape::new(charset).encode(&scalar_text(value)?);
            Ok(vec![framed(name, charset, text)])
        }
        // A form needs to know its fields: see [`Form`](crate::Form).
        WireFormat::Form => Err(NotTransmittable::NotAnObject),
        WireFormat::Field(_) => {
            let pair = |text: &str| format!("{}={}", escape::encode(name), escape::encode(text));
            Ok(field::texts(value)?.iter().map(|field| pair(&field.text)).collect())
        }
    }
}

/// A text with its name, where the place has names.
fn framed(name: &str, charset: Charset, text: String) -> String {
    match charset {
        Charset::Path | Charset::WholeQuery | Charset::Header => text,
        Charset::Query | Charset::Cookie | Charset::RawCookie => {
            format!("{}={text}", encode_name(name, charset))
        }
    }
}

/// The name of a pair. Cookies have the characters of a token without encoding.
fn encode_name(name: &str, charset: Charset) -> String {
    match charset {
        Charset::Header | Charset::RawCookie => name.to_owned(),
        Charset::Path | Charset::Query | Charset::WholeQuery | Charset::Cookie => {
            escape::encode(name)
        }
    }
}

fn scalar_text(value: &Value) -> Result<String, NotTransmittable> {
    match value {
        Value::Null => Err(NotTransmittable::Null),
        Value::Array(_) | Value::Object(_) => Err(NotTransmittable::Nested),
        Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            scalar::to_text(value).ok_or(NotTransmittable::Nested)
        }
    }
}

struct Writer<'n> {
    name: &'n str,
    layout: Layout,
    escape: Escape,
}

impl<'n> Writer<'n> {
    fn new(name: &'n str, layout: Layout) -> Self {
        let escape = Escape { charset: layout.charset, allows_reserved: layout.allows_reserved };
        Self { name, layout, escape }
    }

    fn write(&self, value: &Value) -> Result<Vec<String>, NotTransmittable> {
        match value {
            Value::Array(items) => self.array(items),
            Value::Object(members) => self.object(members),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
                let text = self.text(value)?;
                Ok(vec![self.piece(self.name, &text)])
            }
        }
    }

    fn array(&self, items: &[Value]) -> Result<Vec<String>, NotTransmittable> {
        let texts: Vec<String> = items.iter().map(|it| self.text(it)).collect::<Result<_, _>>()?;
        if texts.is_empty() {
            return Err(NotTransmittable::Empty);
        }
        match self.layout.frame {
            Frame::Deep => Err(NotTransmittable::Array),
            Frame::Named | Frame::Matrix if self.layout.explodes => {
                Ok(self.pieces(texts.iter().map(|text| (self.name, text.as_str()))))
            }
            Frame::Bare | Frame::Label | Frame::Named | Frame::Matrix => {
                Ok(vec![self.piece(self.name, &texts.join(&self.delimiter()))])
            }
        }
    }

    fn object(&self, members: &Map<String, Value>) -> Result<Vec<String>, NotTransmittable> {
        let mut texts: Vec<(&str, String)> = Vec::new();
        for (name, value) in members {
            texts.push((name, self.text(value)?));
        }
        if texts.is_empty() {
            return Err(NotTransmittable::Empty);
        }
        let encoded = |name: &str| self.escape.encode(name);
        match self.layout.frame {
            Frame::Deep => {
                let named = |(member, text): &(&str, String)| {
                    let name = format!("{}[{member}]", self.name);
                    format!("{}={text}", encode_name(&name, self.layout.charset))
                };
                Ok(texts.iter().map(named).collect())
            }
            Frame::Named | Frame::Matrix if self.layout.explodes => {
                Ok(self.pieces(texts.iter().map(|(name, text)| (*name, text.as_str()))))
            }
            Frame::Bare | Frame::Label | Frame::Named | Frame::Matrix => {
                let between = if self.layout.explodes { "=".to_owned() } else { self.delimiter() };
                let pair =
                    |(name, text): &(&str, String)| format!("{}{between}{text}", encoded(name));
                let pairs: Vec<String> = texts.iter().map(pair).collect();
                Ok(vec![self.piece(self.name, &pairs.join(&self.delimiter()))])
            }
        }
    }

    /// Pieces with a name each. Those of a path belong together.
    fn pieces<'t>(&self, texts: impl Iterator<Item = (&'t str, &'t str)>) -> Vec<String> {
        let pieces: Vec<String> = texts.map(|(name, text)| self.piece(name, text)).collect();
        match self.layout.frame {
            Frame::Matrix => vec![pieces.concat()],
            Frame::Bare | Frame::Label | Frame::Named | Frame::Deep => pieces,
        }
    }

    /// One encoded text in its frame.
    fn piece(&self, name: &str, text: &str) -> String {
        match self.layout.frame {
            Frame::Bare => text.to_owned(),
            Frame::Label => format!(".{text}"),
            // RFC 6570 §3.2.7: a value that is empty has no equals sign.
            Frame::Matrix if text.is_empty() => format!(";{}", escape::encode(name)),
            Frame::Matrix => format!(";{}={text}", escape::encode(name)),
            Frame::Named | Frame::Deep => {
                format!("{}={text}", encode_name(name, self.layout.charset))
            }
        }
    }

    /// The text of a scalar, encoded.
    fn text(&self, value: &Value) -> Result<String, NotTransmittable> {
        let mut text = scalar_text(value)?;
        if self.layout.delimiter == '.' && value.is_number() {
            text = scalar::without_dot(&text);
        }
        Ok(self.escape.encode(&text))
    }

    /// What is between items. A comma, and the dot of a label, are transmitted as they are.
    fn delimiter(&self) -> String {
        match self.layout.delimiter {
            delimiter @ (',' | '.') => delimiter.to_string(),
            delimiter => Escape::new(self.layout.charset).encode(&delimiter.to_string()),
        }
    }
}
