//! What a value must be so that it arrives: schemas that are intersected with those of parameters and
//! forms, so that what they exclude is proven unreachable.
//!
//! A rule uses keywords of draft 4 only, whose meaning no later draft changed. It is as small as the types
//! that the parameter admits allow, and absent where every value arrives.

use serde_json::{Value, json};

use super::{
    excerpt::Excerpt,
    operation::{Content, MediaKind, MediaType, Parameter, ParameterPlace},
    value_types::{self, FieldTypes, ValueTypes},
    wire_format::{FieldKind, Frame, Layout, WireFormat},
};
use crate::TypeSet;

mod form;
mod rule;
mod site;
mod styled;
mod text;

use rule::Rule;
use site::Site;

/// The rule for a parameter of a request, with a name for it; nothing if every value arrives.
pub(super) fn parameter_rule(
    excerpt: &Excerpt<'_, '_>,
    parameter: &Parameter,
) -> Option<(String, Value)> {
    let (resolver, draft) = (excerpt.resolver, excerpt.options.draft);
    let schema = parameter.schema.as_ref();
    let types = || value_types::of_value(resolver, draft, schema);
    let rule = match parameter.wire_format() {
        // JSON text has characters of ASCII alone, is never empty, and has a text for null.
        WireFormat::Json(_) => Rule::default(),
        WireFormat::Form => {
            let types = value_types::of_form(resolver, draft, schema);
            let mut rule = form::whole(FieldKind::Urlencoded, &types, &[]);
            // A query without pairs is no query.
            rule.set("minProperties", json!(1));
            rule
        }
        WireFormat::Text(charset) => {
            styled::text(charset, types().own, &Site::of(excerpt, parameter))
        }
        WireFormat::Styled(layout) => styled(excerpt, parameter, layout, &types()),
        WireFormat::Field(kind) => form::field(kind, &types()),
    };
    rule.named(parameter.place.as_str())
}

fn styled(
    excerpt: &Excerpt<'_, '_>,
    parameter: &Parameter,
    layout: Layout,
    types: &ValueTypes,
) -> Rule {
    let mut site = Site::of(excerpt, parameter);
    // Only the members of an exploded object can take the names of other parameters.
    let is_exploded = layout.frame == Frame::Named && layout.explodes;
    if is_exploded && types.own.overlaps(TypeSet::OBJECT) {
        site.find_neighbours(excerpt, parameter);
    }
    styled::rule(layout, types, &site)
}

/// The rule for a field of a form (2.0).
pub(super) fn form_field_rule(
    excerpt: &Excerpt<'_, '_>,
    field: &Parameter,
) -> Option<(String, Value)> {
    let (resolver, draft) = (excerpt.resolver, excerpt.options.draft);
    let types = value_types::of_value(resolver, draft, field.schema.as_ref());
    let rule = match field.wire_format() {
        WireFormat::Styled(layout) => styled::rule(layout, &types, &Site::default()),
        WireFormat::Json(_) | WireFormat::Form | WireFormat::Text(_) | WireFormat::Field(_) => {
            Rule::default()
        }
    };
    rule.named("form field")
}

/// The rule for a form as a whole.
pub(super) fn form_rule(excerpt: &Excerpt<'_, '_>, form: &MediaType) -> Option<(String, Value)> {
    let (resolver, draft) = (excerpt.resolver, excerpt.options.draft);
    let (kind, word) = match form.kind() {
        MediaKind::Multipart => (FieldKind::Multipart, "multipart"),
        MediaKind::Form | MediaKind::Json | MediaKind::JsonSequence | MediaKind::Other => {
            (FieldKind::Urlencoded, "form")
        }
    };
    let schema = match &form.content {
        Content::Whole(schema) => schema.as_ref(),
        Content::Items(_) | Content::Form(_) => None,
    };
    let types: FieldTypes = value_types::of_form(resolver, draft, schema);
    form::whole(kind, &types, &form.encodings).named(word)
}

/// The rule for a body that is transmitted as it is: a string, and without one there would be no body.
pub(super) fn text_rule() -> Option<(String, Value)> {
    let mut rule = Rule::default();
    rule.set("type", json!("string"));
    rule.set("minLength", json!(1));
    rule.named("text")
}

/// The schema that admits nothing, in every draft.
fn nothing() -> Value {
    json!({ "not": {} })
}

impl Site {
    fn is_path(&self) -> bool {
        self.place == Some(ParameterPlace::Path)
    }
}
