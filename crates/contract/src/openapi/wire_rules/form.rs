//! The rules for forms and their members.

use serde_json::{Map, Value, json};

use super::{
    nothing,
    rule::Rule,
    site::Site,
    styled::{self, restrict_members},
    text,
};
use crate::{
    JsonType, TypeSet,
    openapi::{
        operation::PropertyEncoding,
        value_types::{FieldTypes, ValueTypes},
        wire_format::{FieldKind, Frame, WireFormat},
    },
};

/// The rule for a form as a whole.
pub(super) fn whole(kind: FieldKind, types: &FieldTypes, encodings: &[PropertyEncoding]) -> Rule {
    let mut rule = Rule::default();
    rule.restrict_types(types.own, TypeSet::OBJECT);
    let encoding = |name: &str| encodings.iter().find(|encoding| encoding.property == name);
    let mut members = Map::new();
    let mut bad_names = Vec::new();
    let encoded = encodings.iter().map(|encoding| &encoding.property);
    for name in types.fields.keys().chain(encoded) {
        let format = WireFormat::field(kind, encoding(name));
        let schema = member(kind, format, types.field(name)).schema();
        members.insert(name.clone(), schema.unwrap_or_else(|| json!({})));
        if matches!(format, WireFormat::Styled(layout) if layout.frame == Frame::Deep) {
            bad_names.push(format!("^{}\\[.*\\]$", text::literal(name)));
        }
    }
    let others = field(kind, &types.others).schema();
    restrict_members(&mut rule, members, others);
    if kind == FieldKind::Multipart {
        // A name is a quoted string in a header of its part.
        bad_names.push("[\\r\\n\"]".to_owned());
    }
    if !bad_names.is_empty() {
        rule.set("patternProperties", json!({ bad_names.join("|"): nothing() }));
    }
    rule
}

fn member(kind: FieldKind, format: WireFormat, types: &ValueTypes) -> Rule {
    let excluded_in_names = match kind {
        FieldKind::Multipart => "\r\n\"",
        FieldKind::Urlencoded => "",
    };
    let site = Site { excluded_in_names, ..Site::default() };
    match format {
        WireFormat::Field(kind) => field(kind, types),
        WireFormat::Styled(layout) => {
            let mut types = types.clone();
            let is_flat = layout.frame == Frame::Named && layout.explodes;
            let mut rule = Rule::default();
            // The members of an exploded object would be members of the form.
            if is_flat && types.own.contains(JsonType::Object) {
                let arriving = text::scalars() | TypeSet::ARRAY;
                rule.restrict_types(types.own, arriving);
                types.own = types.own & arriving;
                if let Some(Value::Object(inner)) = styled::rule(layout, &types, &site).schema() {
                    rule.set("allOf", json!([inner]));
                }
                return rule;
            }
            styled::rule(layout, &types, &site)
        }
        WireFormat::Json(_) | WireFormat::Form | WireFormat::Text(_) => Rule::default(),
    }
}

/// The rule for a member of a form that has no style: scalars are text, arrays are repeated, and
/// everything else is JSON.
pub(super) fn field(kind: FieldKind, types: &ValueTypes) -> Rule {
    let mut rule = Rule::default();
    rule.restrict_types(types.own, TypeSet::ALL.without(JsonType::Null));
    // An array is not one text but many.
    let as_one_text = types.own.without(JsonType::Array);
    strings(&mut rule, kind, as_one_text);
    if types.own.contains(JsonType::Array) {
        let is_only_array = as_one_text.without(JsonType::Null).is_empty();
        rule.set("minItems", json!(if is_only_array { 1 } else { 2 }));
        let mut items = Rule::default();
        items.restrict_types(types.items, TypeSet::ALL.without(JsonType::Null));
        strings(&mut items, kind, types.items);
        rule.set_schema("items", items);
    }
    rule
}

/// Excludes strings that are read as something else.
fn strings(rule: &mut Rule, kind: FieldKind, types: TypeSet) {
    text::exclude_ambiguous_strings(rule, types);
    let has_json = types.overlaps(TypeSet::ARRAY | TypeSet::OBJECT);
    if kind == FieldKind::Urlencoded && has_json && types.contains(JsonType::String) {
        rule.exclude_strings("^[\\[{]");
    }
}
