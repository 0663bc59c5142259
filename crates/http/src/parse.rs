//! Text as values, by style and by what the schema admits.
//!
//! The law: for every value that satisfies the wire rule of its parameter, the parse of its text is equal
//! to it, numbers numerically. A text that no admitted value has is still read, as something that a
//! validator rejects: nothing fails here.

use foolproof_contract::{
    JsonType, TypeSet,
    openapi::{Charset, Frame, Layout, ValueTypes, WireFormat, deep_member},
};
use serde_json::{Map, Value};

use crate::{
    escape::{self, Escape},
    field::{self, TextKind},
    scalar,
};

/// The value of the parameter `name` in its pieces of text, as [`serialize`](crate::serialize) makes them;
/// nothing if none of them belongs to it.
///
/// ```
/// use foolproof_contract::{TypeSet, openapi::{ParameterPlace, Style, StyleEncoding, ValueTypes, WireFormat}};
/// use foolproof_http::parse;
/// use serde_json::json;
///
/// let style = StyleEncoding::new(Style::Form).exploding(false);
/// let form = WireFormat::styled(ParameterPlace::Query, style);
/// let mut types = ValueTypes::of(TypeSet::ARRAY);
/// types.items = TypeSet::INTEGER;
/// assert_eq!(parse("ids", form, &["ids=1,2"], &types), Some(json!([1, 2])));
/// assert_eq!(parse("ids", form, &[], &types), None);
/// ```
#[must_use]
pub fn parse(name: &str, format: WireFormat, pieces: &[&str], types: &ValueTypes) -> Option<Value> {
    match format {
        WireFormat::Styled(layout) => Reader { name, layout, types }.read(pieces),
        WireFormat::Json(charset) => {
            let text = unframed(name, charset, pieces)?;
            let parsed = serde_json::from_str(&text).ok();
            Some(parsed.unwrap_or(Value::String(text)))
        }
        WireFormat::Text(charset) => {
            Some(scalar::from_text(&unframed(name, charset, pieces)?, types.own))
        }
        WireFormat::Field(_) => {
            let pairs = pieces.iter().map(|piece| pair(piece, Charset::Query));
            let own =
                pairs.filter(|(key, _)| key == name).map(|(_, text)| (text, TextKind::Unknown));
            let own: Vec<_> = own.collect();
            (!own.is_empty()).then(|| field::value(&own, types))
        }
        // A form needs to know its fields: see `Form`.
        WireFormat::Form => None,
    }
}

/// A pair such as `name=value`, decoded.
pub(crate) fn pair(piece: &str, charset: Charset) -> (String, String) {
    let (name, text) = piece.split_once('=').unwrap_or((piece, ""));
    let escape = Escape::new(charset);
    (escape.decode(name), escape.decode(text))
}

/// The decoded text of the only piece, without its name.
fn unframed(name: &str, charset: Charset, pieces: &[&str]) -> Option<String> {
    match charset {
        Charset::Path | Charset::WholeQuery | Charset::Header => {
            pieces.first().map(|piece| Escape::new(charset).decode(piece.trim_matches([' ', '\t'])))
        }
        Charset::Query | Charset::Cookie | Charset::RawCookie => {
            let mut pairs = pieces.iter().map(|piece| pair(piece, charset));
            pairs.find(|(key, _)| key == name).map(|(_, text)| text)
        }
    }
}

struct Reader<'a> {
    name: &'a str,
    layout: Layout,
    types: &'a ValueTypes,
}

impl Reader<'_> {
    fn read(&self, pieces: &[&str]) -> Option<Value> {
        match self.layout.frame {
            Frame::Bare => Some(self.bare(pieces.first()?)),
            Frame::Label => {
                let text = pieces.first()?;
                Some(self.joined(text.strip_prefix('.').unwrap_or(text)))
            }
            Frame::Matrix => {
                let parts = pieces.first()?.split(';').skip(1);
                self.named(parts.map(|part| pair(part, Charset::Path)).collect())
            }
            Frame::Named | Frame::Deep => {
                let charset = self.layout.charset;
                self.named(pieces.iter().map(|piece| pair(piece, charset)).collect())
            }
        }
    }

    fn bare(&self, text: &str) -> Value {
        match self.layout.charset {
            Charset::Header => self.joined(text.trim_matches([' ', '\t'])),
            Charset::Path
            | Charset::Query
            | Charset::WholeQuery
            | Charset::Cookie
            | Charset::RawCookie => self.joined(text),
        }
    }

    /// Pairs of a name and a text, both decoded.
    fn named(&self, pairs: Vec<(String, String)>) -> Option<Value> {
        let (own, others): (Vec<_>, Vec<_>) = pairs.into_iter().partition(|it| it.0 == self.name);
        let has_object = self.types.own.contains(JsonType::Object);
        let is_apart = self.layout.explodes && has_object;
        if is_apart && (own.is_empty() || !self.may_use_name()) {
            // An object uses its own name only for a member.
            let own = own.into_iter().filter(|_| self.layout.frame != Frame::Deep);
            return self.members(own.chain(others));
        }
        let texts: Vec<String> = own.into_iter().map(|(_, text)| text).collect();
        match (texts.as_slice(), self.layout.explodes) {
            ([], _) => None,
            ([only], false) => Some(self.joined_decoded(only)),
            ([only], true) if !self.is_array_only() => Some(self.scalar(only)),
            _ => Some(self.items(texts.iter().map(String::as_str))),
        }
    }

    /// Whether a value that is not an object is admitted.
    fn may_use_name(&self) -> bool {
        self.types.own.without(JsonType::Null).without(JsonType::Object) != TypeSet::NONE
    }

    fn is_array_only(&self) -> bool {
        self.types.own.contains(JsonType::Array) && !self.admits_scalars()
    }

    fn admits_scalars(&self) -> bool {
        let scalars = [JsonType::Boolean, JsonType::Number, JsonType::String];
        self.types.own.overlaps(scalars.into_iter().collect())
    }

    /// The members of an object that is exploded.
    fn members(&self, pairs: impl Iterator<Item = (String, String)>) -> Option<Value> {
        let mut members = Map::new();
        for (name, text) in pairs {
            let name = match self.layout.frame {
                Frame::Deep => match deep_member(self.name, &name) {
                    Some(member) => member.to_owned(),
                    None => continue,
                },
                Frame::Bare | Frame::Label | Frame::Matrix | Frame::Named => name,
            };
            let value = scalar::from_text(&text, self.types.member(&name));
            members.insert(name, value);
        }
        (!members.is_empty()).then_some(Value::Object(members))
    }

    fn joined(&self, text: &str) -> Value {
        self.joined_decoded(&match self.layout.charset {
            Charset::Path => escape::decode(text),
            charset @ (Charset::Query
            | Charset::WholeQuery
            | Charset::Cookie
            | Charset::RawCookie
            | Charset::Header) => Escape::new(charset).decode(text),
        })
    }

    /// A value whose items or members share one text.
    fn joined_decoded(&self, text: &str) -> Value {
        let (has_array, has_object) =
            (self.types.own.contains(JsonType::Array), self.types.own.contains(JsonType::Object));
        let delimiter = self.layout.delimiter;
        let has_delimiter = text.contains(delimiter);
        if has_array && (has_delimiter || !self.admits_scalars()) {
            return self.items(text.split(delimiter));
        }
        let is_object = match (self.layout.explodes, self.admits_scalars()) {
            (true, true) => text.contains('='),
            (false, true) => has_delimiter,
            (_, false) => true,
        };
        if has_object
            && !has_array
            && is_object
            && let Some(object) = self.joined_members(text)
        {
            return object;
        }
        self.scalar(text)
    }

    fn joined_members(&self, text: &str) -> Option<Value> {
        let parts: Vec<&str> =
            text.split(self.layout.delimiter).map(|it| self.trimmed(it)).collect();
        let pairs: Option<Vec<(&str, &str)>> = if self.layout.explodes {
            parts.iter().map(|part| part.split_once('=')).collect()
        } else {
            parts.chunks(2).map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
        };
        let member = |(name, text): (&str, &str)| {
            (name.to_owned(), scalar::from_text(text, self.types.member(name)))
        };
        Some(Value::Object(pairs?.into_iter().map(member).collect()))
    }

    fn items<'t>(&self, texts: impl Iterator<Item = &'t str>) -> Value {
        let item = |text: &str| scalar::from_text(self.trimmed(text), self.types.items);
        Value::Array(texts.map(item).collect())
    }

    /// Blanks around the items of a header are not part of them (RFC 9110 §5.6.1).
    fn trimmed<'t>(&self, text: &'t str) -> &'t str {
        if self.layout.charset == Charset::Header { text.trim_matches([' ', '\t']) } else { text }
    }

    fn scalar(&self, text: &str) -> Value {
        scalar::from_text(text, self.types.own)
    }
}
