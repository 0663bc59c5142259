//! Whether a text satisfies the constraints of a string shape, as the validator decides it.
//!
//! Every constraint has a validator of its own: one that cannot be compiled does not hide the
//! others. Lengths are not checked here.

use jsonschema::Validator;
use serde_json::{Value, json};

use crate::{Draft, JsonView, StringShape, json_view::Views};

/// The constraints of a shape that are not lengths.
///
/// ```
/// use foolproof_contract::{StringCheck, StringShape};
///
/// let check = StringCheck::of(&StringShape {
///     formats: vec!["date".to_owned()],
///     excluded: vec!["2026-01-01".to_owned()],
///     ..StringShape::default()
/// });
/// assert!(!check.admits("2026-02-30"));
/// assert!(!check.includes("2026-01-01") && check.includes("2026-01-02"));
/// ```
#[derive(Debug, Default)]
pub struct StringCheck {
    validators: Vec<Validator<Views>>,
    excluded: Vec<String>,
}

impl StringCheck {
    /// The constraints of `shape`. One that the validator refuses is left out.
    #[must_use]
    pub fn of(shape: &StringShape) -> Self {
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

    /// Whether `text` is not among the excluded values.
    #[must_use]
    pub fn includes(&self, text: &str) -> bool {
        !self.excluded.iter().any(|excluded| excluded == text)
    }

    /// Whether `text` satisfies every pattern, format and content constraint.
    #[must_use]
    pub fn admits(&self, text: &str) -> bool {
        self.validators.iter().all(|validator| validator.is_valid(JsonView::from(text)))
    }
}

fn compile(draft: Draft, schema: &Value) -> Option<Validator<Views>> {
    let options = jsonschema::options_for::<Views>().with_draft(draft.to_referencing());
    options.should_validate_formats(true).offline().build(schema).ok()
}
