//! Whether a text satisfies what was asked, by the library that the oracle uses.
//!
//! Every constraint has a validator of its own: one that cannot be compiled does not hide the
//! others. Lengths are not checked here.

use foolproof_contract::StringShape;
use jsonschema::{Draft, Validator};
use serde_json::{Value, json};

/// The constraints of a shape that are not lengths.
#[derive(Debug, Default)]
pub(super) struct Check {
    validators: Vec<Validator>,
    excluded: Vec<String>,
}

impl Check {
    pub(super) fn of(shape: &StringShape) -> Self {
        let mut validators = Vec::new();
        let mut add = |draft, schema: &Value| validators.extend(compile(draft, schema));
        for pattern in &shape.patterns {
            add(Draft::Draft202012, &json!({ "pattern": pattern }));
        }
        for pattern in &shape.excluded_patterns {
            add(Draft::Draft202012, &json!({ "not": { "pattern": pattern } }));
        }
        for format in &shape.formats {
            add(Draft::Draft202012, &json!({ "format": format }));
        }
        for format in &shape.excluded_formats {
            add(Draft::Draft202012, &json!({ "not": { "format": format } }));
        }
        // Only the drafts up to 7 assert content.
        for media_type in &shape.content_media_types {
            let encoding = shape.content_encodings.first();
            let schema = match encoding {
                Some(encoding) => {
                    json!({ "contentMediaType": media_type, "contentEncoding": encoding })
                }
                None => json!({ "contentMediaType": media_type }),
            };
            add(Draft::Draft7, &schema);
        }
        for encoding in &shape.content_encodings {
            add(Draft::Draft7, &json!({ "contentEncoding": encoding }));
        }
        Self { validators, excluded: shape.excluded.clone() }
    }

    /// Whether `text` is not left out by name.
    pub(super) fn includes(&self, text: &str) -> bool {
        !self.excluded.iter().any(|excluded| excluded == text)
    }

    /// The text, if it satisfies every constraint.
    pub(super) fn admit(&self, text: String) -> Option<String> {
        let value = Value::String(text);
        if !self.validators.iter().all(|validator| validator.is_valid(&value)) {
            return None;
        }
        match value {
            Value::String(text) => Some(text),
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => None,
        }
    }
}

fn compile(draft: Draft, schema: &Value) -> Option<Validator> {
    jsonschema::options().with_draft(draft).should_validate_formats(true).build(schema).ok()
}
