//! Members of forms that have no style: scalars as text, arrays as repeated members, the rest as JSON.

use foolproof_contract::{JsonType, TypeSet, openapi::ValueTypes};
use serde_json::Value;

use crate::{NotTransmittable, scalar};

/// The text of one member, or of one item of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct FieldText {
    pub(crate) text: String,
    pub(crate) is_json: bool,
}

/// The texts of a member.
pub(crate) fn texts(value: &Value) -> Result<Vec<FieldText>, NotTransmittable> {
    match value {
        Value::Array(items) if items.is_empty() => Err(NotTransmittable::Empty),
        Value::Array(items) => items.iter().map(text).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            Ok(vec![text(value)?])
        }
    }
}

fn text(value: &Value) -> Result<FieldText, NotTransmittable> {
    match scalar::to_text(value) {
        Some(text) => Ok(FieldText { text, is_json: false }),
        None if value.is_null() => Err(NotTransmittable::Null),
        None => Ok(FieldText { text: value.to_string(), is_json: true }),
    }
}

/// How much is known about a text that was received.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TextKind {
    /// Its part says that it is JSON.
    Json,
    /// Its part says that it is text, or says nothing though it would for JSON.
    Plain,
    /// A form that does not say.
    Unknown,
}

/// The value of a member with these texts, of which there is at least one.
pub(crate) fn value(texts: &[(String, TextKind)], types: &ValueTypes) -> Value {
    let is_array = types.own.contains(JsonType::Array);
    let others = types.own.without(JsonType::Array).without(JsonType::Null);
    match texts {
        [only] if !is_array || !others.is_empty() => one(only, others),
        _ if is_array || texts.len() != 1 => {
            Value::Array(texts.iter().map(|text| one(text, types.items)).collect())
        }
        _ => Value::Array(Vec::new()),
    }
}

fn one((text, kind): &(String, TextKind), types: TypeSet) -> Value {
    let starts_as_json = text.starts_with(['{', '[']);
    let may_be_json = match kind {
        TextKind::Json => true,
        TextKind::Plain => false,
        TextKind::Unknown => starts_as_json && types.overlaps(TypeSet::ARRAY | TypeSet::OBJECT),
    };
    let parsed = may_be_json.then(|| serde_json::from_str(text).ok()).flatten();
    parsed.unwrap_or_else(|| scalar::from_text(text, types))
}
