//! Names for properties: those of a closed object, and some for undeclared properties.
//!
//! `NameIndex` decides which names an object admits. It lists them shortest first, which for a pattern
//! such as `^x-` soon gives control characters; so patterns are also sampled like other strings, and the
//! index checks every name.

use foolproof_contract::{Canonical, NameIndex, ObjectShape, Shape, StringShape, names::Extent};

use crate::{Seed, string::Strings, words::PROPERTY_NAMES};

/// How many names beyond the listed ones a plan prepares for an object.
const EXTRA: usize = 12;

/// How many names of a closed object a plan has.
const CLOSED: usize = 2_000;

/// The names of an object that limits them: all of them if they are few, else some; and which of the
/// two.
pub(super) fn closed(shape: &ObjectShape, index: &NameIndex, min: usize) -> (Vec<String>, Extent) {
    let listed = index.enumerate(CLOSED);
    let all = || listed.names.iter().map(|name| name.text.clone());
    if listed.extent == Extent::Complete {
        return (all().collect(), Extent::Complete);
    }
    let mut names: Vec<String> = all().filter(|name| is_readable(name)).take(EXTRA).collect();
    names.extend(sampled(shape, index));
    names.extend(plausible(index));
    names.sort();
    names.dedup();
    if names.len() < min {
        names.extend(all().take(min.saturating_add(EXTRA)));
    }
    (names, listed.extent)
}

/// Some names for an object that admits any but a few.
pub(super) fn open(shape: &ObjectShape, index: &NameIndex, min: usize) -> Vec<String> {
    let mut names: Vec<String> =
        sampled(shape, index).into_iter().chain(plausible(index)).collect();
    let numbered = (0..min.min(CLOSED)).map(|number| format!("item{number}"));
    names.extend(numbered.filter(|name| index.has(name)));
    names.sort();
    names.dedup();
    names
}

fn plausible(index: &NameIndex) -> impl Iterator<Item = String> {
    PROPERTY_NAMES.into_iter().filter(|name| index.has(name)).map(str::to_owned)
}

fn is_readable(name: &str) -> bool {
    !name.is_empty() && name.chars().all(|character| character.is_ascii_graphic())
}

/// Names drawn from the object's constraints on names: its patterns, and the strings of
/// `propertyNames`.
fn sampled(shape: &ObjectShape, index: &NameIndex) -> Vec<String> {
    let mut languages: Vec<StringShape> = shape
        .pattern_properties
        .keys()
        .map(|pattern| StringShape { patterns: vec![pattern.clone()], ..StringShape::default() })
        .collect();
    let strings = |form: &Canonical| {
        if let Shape::String(strings) = form.shape() { Some(strings) } else { None }
    };
    if let Some(form) = &shape.property_names {
        languages.extend(strings(form));
        if let Shape::AnyOf(branches) = form.shape() {
            languages.extend(branches.iter().filter_map(strings));
        }
    }
    let mut names = Vec::new();
    for (number, language) in languages.iter().enumerate() {
        let strings = Strings::compile(language);
        let mut source = Seed::from_number(0).child("names", number as u64).random();
        let drawn = (0..2 * EXTRA).filter_map(|_| strings.draw(&mut source));
        names.extend(drawn.filter(|name| is_readable(name) && index.has(name)).take(EXTRA));
    }
    names
}
