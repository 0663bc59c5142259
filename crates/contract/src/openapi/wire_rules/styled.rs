//! The rule for a value that is laid out by a style.
//!
//! A text is first split and then decoded, or decoded and then split, depending on who reads it. Values
//! arrive if both give the same, so a delimiter is excluded even where it would be percent-encoded.
//!
//! If a parameter may be a scalar as well as an array, one text is a scalar and two are an array; so an
//! array has two items then. Where items and members look alike, objects give way to arrays.

use serde_json::{Map, Value, json};

use super::{
    nothing,
    rule::Rule,
    site::{SegmentSite, Site},
    text,
};
use crate::{
    JsonType, TypeSet,
    openapi::{
        value_types::ValueTypes,
        wire_format::{Charset, Frame, Layout},
    },
};

/// The rule for one scalar as text.
pub(super) fn text(charset: Charset, types: TypeSet, site: &Site) -> Rule {
    let mut rule = Rule::default();
    rule.restrict_types(types, text::scalars());
    let layout = Layout {
        frame: Frame::Bare,
        delimiter: ',',
        explodes: false,
        charset,
        allows_reserved: false,
    };
    scalar(&mut rule, layout, types, "", site);
    rule
}

/// The rule for a value of these types.
pub(super) fn rule(layout: Layout, types: &ValueTypes, site: &Site) -> Rule {
    let shapes = Shapes::of(layout, types.own, site);
    let mut rule = Rule::default();
    rule.restrict_types(types.own, shapes.arriving());
    if shapes.scalar {
        scalar(&mut rule, layout, types.own, shapes.excluded_in_scalars(layout), site);
    }
    if shapes.array {
        array(&mut rule, layout, types, &shapes, site);
    }
    if shapes.object {
        object(&mut rule, layout, types, &shapes, site);
    }
    rule
}

/// Which kinds of values arrive, of those that are admitted.
struct Shapes {
    scalar: bool,
    array: bool,
    object: bool,
}

impl Shapes {
    fn of(layout: Layout, types: TypeSet, site: &Site) -> Self {
        let scalar = types.overlaps(text::scalars());
        // What is before another parameter in the same segment is read up to the text between them.
        let is_whole = !matches!(site.segment, SegmentSite::Before(_));
        // No specification says what an array is as a `deepObject`.
        let array = types.contains(JsonType::Array) && layout.frame != Frame::Deep && is_whole;
        let is_told_apart = !array || has_names(layout);
        let object = types.contains(JsonType::Object) && is_whole && is_told_apart;
        Self { scalar, array, object }
    }

    fn arriving(&self) -> TypeSet {
        let scalars = if self.scalar { text::scalars() } else { TypeSet::NONE };
        let arrays = if self.array { TypeSet::ARRAY } else { TypeSet::NONE };
        let objects = if self.object { TypeSet::OBJECT } else { TypeSet::NONE };
        scalars | arrays | objects
    }

    /// What a string must not contain so that it is not read as an array or an object.
    fn excluded_in_scalars(&self, layout: Layout) -> &'static str {
        if has_names(layout) || !(self.array || self.object) {
            return "";
        }
        if self.object && layout.explodes { "=" } else { delimiter_text(layout.delimiter) }
    }
}

/// Whether each item or member has a name before it, so that its text is delimited by the place.
fn has_names(layout: Layout) -> bool {
    match layout.frame {
        Frame::Named | Frame::Matrix => layout.explodes,
        Frame::Deep => true,
        Frame::Bare | Frame::Label => false,
    }
}

fn delimiter_text(delimiter: char) -> &'static str {
    match delimiter {
        ' ' => " ",
        '|' => "|",
        '\t' => "\t",
        '.' => ".",
        _ => ",",
    }
}

fn scalar(rule: &mut Rule, layout: Layout, types: TypeSet, excluded: &str, site: &Site) {
    if !types.contains(JsonType::String) {
        return;
    }
    text::restrict_strings(rule, layout.charset, excluded);
    text::exclude_ambiguous_strings(rule, types);
    if !site.is_path() {
        return;
    }
    let is_whole = site.segment == SegmentSite::Whole;
    match layout.frame {
        Frame::Bare | Frame::Named | Frame::Deep => {
            rule.set("minLength", json!(1));
            if is_whole {
                rule.exclude(json!({ "enum": [".", ".."] }));
            }
        }
        // The first dot is there already.
        Frame::Label if is_whole => rule.exclude(json!({ "enum": ["", "."] })),
        Frame::Label | Frame::Matrix => {}
    }
    if let SegmentSite::Before(text) = &site.segment {
        rule.exclude_strings(&text::ends_early(text));
    }
}

fn array(rule: &mut Rule, layout: Layout, types: &ValueTypes, shapes: &Shapes, site: &Site) {
    let minimum = if shapes.scalar { 2 } else { 1 };
    rule.set("minItems", json!(minimum));
    let excluded = if has_names(layout) { "" } else { delimiter_text(layout.delimiter) };
    rule.set_schema("items", part(layout, types.items, excluded));
    if has_names(layout) || !types.items.contains(JsonType::String) {
        return;
    }
    // A text that is empty is no item to most readers, and dots are segments of their own. Algebra has no
    // form for arrays that are excluded by value, so the rule says how long arrays are or what is in them.
    let is_segment = site.is_path() && site.segment == SegmentSite::Whole;
    let (shorter_than, excluded): (usize, &[&str]) = match layout.frame {
        _ if layout.charset == Charset::Header => return,
        Frame::Bare if is_segment => (2, &[".", ".."]),
        Frame::Label if layout.explodes => (3, &[]),
        Frame::Label => (2, &["."]),
        Frame::Bare | Frame::Named | Frame::Matrix | Frame::Deep => (2, &[]),
    };
    if minimum < shorter_than {
        let mut items = Rule::default();
        items.set("minLength", json!(1));
        if !excluded.is_empty() {
            items.exclude(json!({ "enum": excluded }));
        }
        rule.set("anyOf", json!([{ "minItems": shorter_than }, { "items": items.schema() }]));
    }
}

/// The rule for an item or a member, which is always a scalar.
fn part(layout: Layout, types: TypeSet, excluded: &str) -> Rule {
    let mut rule = Rule::default();
    rule.restrict_types(types, text::scalars());
    if types.contains(JsonType::String) {
        text::restrict_strings(&mut rule, layout.charset, excluded);
        text::exclude_ambiguous_strings(&mut rule, types);
    }
    rule
}

fn object(rule: &mut Rule, layout: Layout, types: &ValueTypes, shapes: &Shapes, site: &Site) {
    rule.set("minProperties", json!(1));
    let excluded = if has_names(layout) { "" } else { delimiter_text(layout.delimiter) };
    let member = |types: TypeSet| part(layout, types, excluded).schema();
    let mut members: Map<String, Value> = Map::new();
    for (name, types) in &types.members {
        members.insert(name.clone(), member(*types).unwrap_or_else(|| json!({})));
    }
    let mut others = member(types.other_members);
    let mut bad_names: Vec<String> = Vec::new();
    let in_names = match (layout.frame, layout.delimiter) {
        (Frame::Deep, _) => "[]".to_owned(),
        (Frame::Bare | Frame::Label, delimiter) if layout.explodes => format!("{delimiter}="),
        (Frame::Bare | Frame::Label | Frame::Named | Frame::Matrix, _) => excluded.to_owned(),
    };
    let in_names = in_names + site.excluded_in_names;
    bad_names.extend(text::bad_names(layout.charset, &in_names));
    if layout.frame == Frame::Deep {
        bad_names.push("^$".to_owned());
    }
    if let (true, Some(around)) =
        (has_names(layout) && layout.frame == Frame::Named, &site.neighbours)
    {
        for name in around.claims.foreign_names(around.index) {
            members.insert(name.to_owned(), nothing());
        }
        let deep = around.claims.deep_names();
        bad_names.extend(deep.map(|name| format!("^{}\\[.*\\]$", text::literal(name))));
        if !around.claims.has_undeclared_names(around.index) {
            others = Some(nothing());
        }
    }
    if layout.frame == Frame::Matrix && layout.explodes && (shapes.scalar || shapes.array) {
        members.insert(site.name.clone(), nothing());
    }
    restrict_members(rule, members, others);
    if !bad_names.is_empty() {
        rule.set("patternProperties", json!({ bad_names.join("|"): nothing() }));
    }
}

/// Sets the rules of members, without those that say what `others` says.
pub(super) fn restrict_members(
    rule: &mut Rule,
    members: Map<String, Value>,
    others: Option<Value>,
) {
    let rest = others.clone().unwrap_or_else(|| json!({}));
    let differing: Map<String, Value> = members.into_iter().filter(|it| it.1 != rest).collect();
    if !differing.is_empty() {
        rule.set("properties", Value::Object(differing));
    }
    if let Some(others) = others {
        rule.set("additionalProperties", others);
    }
}
