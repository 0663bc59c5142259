//! Envelopes: a value of one side of an operation, with what says which one it is.

use foolproof_contract::openapi::{Api, ApiEntry};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::ReadError;

/// A value of one side of an operation.
///
/// ```
/// use foolproof_http::{Envelope, read_envelopes};
///
/// let line = r#"{"operationKey":"listPets","method":"GET","path":"/pets","part":"request","value":{}}"#;
/// let envelopes = read_envelopes(line.as_bytes()).unwrap();
/// assert_eq!(envelopes[0].operation_key, "listPets");
/// assert_eq!(envelopes[0].to_string(), line);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Envelope {
    /// The key of the operation.
    pub operation_key: String,
    /// Its method.
    #[serde(default)]
    pub method: String,
    /// Its path template.
    #[serde(default)]
    pub path: String,
    /// Which side the value is of.
    pub part: EnvelopePart,
    /// The status of a response, as the document writes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub status: Option<String>,
    /// The media type of the body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub media_type: Option<String>,
    /// The value.
    pub value: Value,
}

/// The side of an operation, as envelopes write it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum EnvelopePart {
    /// What it receives.
    Request,
    /// What it answers.
    Response,
}

impl Envelope {
    /// The envelope of a value of `entry`, which is of `api`.
    #[must_use]
    pub fn of(api: &Api, entry: &ApiEntry, value: Value) -> Option<Self> {
        let operation = api.operations().get(entry.operation)?;
        Some(Self {
            operation_key: operation.key.clone(),
            method: operation.method.clone(),
            path: operation.path.clone(),
            part: match entry.side {
                foolproof_contract::openapi::Side::Request => EnvelopePart::Request,
                foolproof_contract::openapi::Side::Response => EnvelopePart::Response,
            },
            status: entry.status.clone(),
            media_type: entry.media_type.clone(),
            value,
        })
    }
}

/// One line of JSON.
impl std::fmt::Display for Envelope {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let text = serde_json::to_string(self).map_err(|_| std::fmt::Error)?;
        formatter.write_str(&text)
    }
}

/// Reads envelopes: one a line, one after the other, or in arrays.
pub fn read_envelopes(text: &[u8]) -> Result<Vec<Envelope>, ReadError> {
    let mut envelopes = Vec::new();
    for value in serde_json::Deserializer::from_slice(text).into_iter::<Value>() {
        let values = match value.map_err(|error| ReadError::syntax(&error))? {
            Value::Array(values) => values,
            value @ (Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_)
            | Value::Object(_)) => vec![value],
        };
        for value in values {
            let index = envelopes.len();
            let envelope = serde_json::from_value(value)
                .map_err(|error| ReadError::NotAnEnvelope { index, message: error.to_string() })?;
            envelopes.push(envelope);
        }
    }
    Ok(envelopes)
}
