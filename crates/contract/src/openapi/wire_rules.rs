//! What a value must be so that it arrives: schemas that are intersected with those of parameters and
//! forms, so that what they exclude is proven unreachable.

use serde_json::Value;

use super::{
    excerpt::Excerpt,
    operation::{MediaType, Parameter},
};

/// The rule for a parameter of a request, with a name for it; nothing if every value arrives.
pub(super) fn parameter_rule(
    _excerpt: &Excerpt<'_, '_>,
    _parameter: &Parameter,
) -> Option<(String, Value)> {
    None
}

/// The rule for a field of a form.
pub(super) fn form_field_rule(
    _excerpt: &Excerpt<'_, '_>,
    _field: &Parameter,
) -> Option<(String, Value)> {
    None
}

/// The rule for a form as a whole.
pub(super) fn form_rule(_excerpt: &Excerpt<'_, '_>, _form: &MediaType) -> Option<(String, Value)> {
    None
}
