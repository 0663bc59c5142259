//! From the canonical form of an object to the rules on its names.
//!
//! The canonical form writes `additionalProperties: false` as `propertyNames`: what was declared
//! comes back as a list of names and what was matched as patterns, mixed with what the author
//! wrote under `propertyNames`. So both are read from both places.

use std::collections::BTreeSet;

use super::condition::{Condition, known};
use crate::{
    Canonical, JsonType, ObjectShape, Shape, StringShape, Verdict, count, language::WidenedPattern,
};

/// Forms read before the rest counts as unknown; recursive references have no other end.
const FORMS: usize = 4096;

/// Forms inside one another before the rest counts as unknown, so that reading cannot exhaust the
/// stack.
const DEPTH: usize = 128;

/// The rules of one object.
#[derive(Clone, Debug)]
pub(super) struct Rules {
    /// What every name satisfies that is not in `listed`.
    pub(super) condition: Condition,
    /// The languages the condition mentions.
    pub(super) languages: Vec<Union>,
    /// Every name that is mentioned, for or against, in shortlex order.
    pub(super) listed: Vec<String>,
    /// The names that are mentioned as such that may occur.
    pub(super) declared: BTreeSet<String>,
    /// The patterns that let names in.
    pub(super) patterns: BTreeSet<String>,
}

/// Regular expressions of which a name matches at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Union {
    pub(super) texts: Vec<String>,
    pub(super) exact: bool,
}

impl Rules {
    pub(super) fn of(shape: &ObjectShape) -> Self {
        let mut reader = Reader::default();
        let mut parts = Vec::new();
        if let Some(names) = &shape.property_names {
            parts.push(reader.read(names, Sense::For, 0));
        }
        let (barred, open): (Vec<_>, Vec<_>) =
            shape.pattern_properties.iter().partition(|(_, schema)| is_never(schema));
        let barred = barred.iter().map(|(pattern, _)| pattern.as_str());
        parts.push(Condition::Not(Box::new(reader.matches_any(barred))));
        let open: Vec<&str> = open.iter().map(|(pattern, _)| pattern.as_str()).collect();
        if shape.additional_properties.as_ref().is_some_and(is_never) {
            parts.push(reader.matches_any(open.iter().copied()));
        }
        reader.patterns.extend(open.into_iter().map(str::to_owned));
        for name in shape.properties.keys() {
            reader.mention(name, Sense::For);
        }
        reader.finish(Condition::All(parts))
    }
}

/// Whether no value at all may stand under a name with this schema.
pub(super) fn is_never(schema: &Canonical) -> bool {
    match schema.shape() {
        Shape::Never => true,
        Shape::Reference(_) => schema.satisfiable() == Verdict::No,
        Shape::Any
        | Shape::Types(_)
        | Shape::Typed(..)
        | Shape::String(_)
        | Shape::Integer(_)
        | Shape::Number(_)
        | Shape::Array(_)
        | Shape::Object(_)
        | Shape::Const(_)
        | Shape::Enum(_)
        | Shape::Not(_)
        | Shape::AllOf(_)
        | Shape::AnyOf(_)
        | Shape::OneOf(_) => false,
    }
}

/// Shorter first, in characters; then by characters. For UTF-8 that is the order of bytes.
pub(super) fn shortlex(name: &str) -> (usize, &str) {
    (name.chars().count(), name)
}

/// Whether a form says what names may be or what they may not be.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sense {
    For,
    Against,
}

impl Sense {
    fn flipped(self) -> Self {
        match self {
            Self::For => Self::Against,
            Self::Against => Self::For,
        }
    }
}

#[derive(Default)]
struct Reader {
    forms: usize,
    languages: Vec<Union>,
    listed: BTreeSet<String>,
    declared: BTreeSet<String>,
    patterns: BTreeSet<String>,
}

impl Reader {
    fn read(&mut self, names: &Canonical, sense: Sense, depth: usize) -> Condition {
        self.forms += 1;
        if self.forms > FORMS || depth > DEPTH {
            return Condition::Known(Verdict::Unknown);
        }
        let depth = depth + 1;
        match names.shape() {
            Shape::Any => Condition::Known(Verdict::Yes),
            Shape::Types(types) => Condition::Known(known(types.contains(JsonType::String))),
            Shape::Typed(JsonType::String, body) => self.read(&body, sense, depth),
            Shape::Never
            | Shape::Typed(..)
            | Shape::Integer(_)
            | Shape::Number(_)
            | Shape::Array(_)
            | Shape::Object(_) => Condition::Known(Verdict::No),
            Shape::String(strings) => self.strings(&strings, sense),
            Shape::Const(value) => self.list(&[value], sense),
            Shape::Enum(values) => self.list(&values, sense),
            Shape::Not(inner) => {
                Condition::Not(Box::new(self.read(&inner, sense.flipped(), depth)))
            }
            Shape::AllOf(parts) => Condition::All(self.read_each(&parts, sense, depth)),
            Shape::AnyOf(parts) => self.any(&parts, sense, depth),
            Shape::OneOf(parts) => Condition::One(self.read_each(&parts, sense, depth)),
            Shape::Reference(key) => match names.definition(&key) {
                Some(target) => self.read(&target, sense, depth),
                None => Condition::Known(Verdict::Unknown),
            },
        }
    }

    fn read_each(&mut self, parts: &[Canonical], sense: Sense, depth: usize) -> Vec<Condition> {
        parts.iter().map(|part| self.read(part, sense, depth)).collect()
    }

    /// One automaton for all plain patterns: one each would multiply.
    fn any(&mut self, parts: &[Canonical], sense: Sense, depth: usize) -> Condition {
        let (mut plain, mut conditions) = (Vec::new(), Vec::new());
        for part in parts {
            match plain_pattern(part) {
                Some(pattern) => plain.push(pattern),
                None => conditions.push(self.read(part, sense, depth)),
            }
        }
        self.note_patterns(&plain, sense);
        conditions.push(self.matches_any(plain.iter().map(String::as_str)));
        Condition::Any(conditions)
    }

    fn strings(&mut self, strings: &StringShape, sense: Sense) -> Condition {
        // A bound beyond `u64` is beyond every name there is.
        let bound = |length: &serde_json::Number| count(length).unwrap_or(u64::MAX);
        let mut parts = vec![Condition::Length {
            min: strings.min_length.as_ref().map_or(0, bound),
            max: strings.max_length.as_ref().map(bound),
        }];
        for pattern in &strings.patterns {
            parts.push(self.matches_any([pattern.as_str()]));
        }
        let excluded = strings.excluded_patterns.iter().map(String::as_str);
        parts.push(Condition::Not(Box::new(self.matches_any(excluded))));
        let opaque = [
            &strings.formats,
            &strings.excluded_formats,
            &strings.content_media_types,
            &strings.content_encodings,
        ];
        if opaque.iter().any(|rules| !rules.is_empty()) {
            parts.push(Condition::Known(Verdict::Unknown));
        }
        self.note_patterns(&strings.patterns, sense);
        for name in &strings.excluded {
            self.mention(name, sense.flipped());
        }
        Condition::All(parts)
    }

    /// A name that is not listed is none of these.
    fn list(&mut self, values: &[serde_json::Value], sense: Sense) -> Condition {
        for name in values.iter().filter_map(serde_json::Value::as_str) {
            self.mention(name, sense);
        }
        Condition::Known(Verdict::No)
    }

    fn mention(&mut self, name: &str, sense: Sense) {
        self.listed.insert(name.to_owned());
        if sense == Sense::For {
            self.declared.insert(name.to_owned());
        }
    }

    fn note_patterns(&mut self, patterns: &[String], sense: Sense) {
        if sense == Sense::For {
            self.patterns.extend(patterns.iter().cloned());
        }
    }

    fn matches_any<'a>(&mut self, patterns: impl IntoIterator<Item = &'a str>) -> Condition {
        let (mut exact, mut widened, mut parts) = (Vec::new(), Vec::new(), Vec::new());
        for pattern in patterns {
            match WidenedPattern::of(pattern) {
                Some(pattern) if pattern.exact => exact.push(pattern.text),
                Some(pattern) => widened.push(pattern.text),
                None => parts.push(Condition::Known(Verdict::Unknown)),
            }
        }
        for (texts, exact) in [(exact, true), (widened, false)] {
            if !texts.is_empty() {
                parts.push(Condition::Matches(self.language(Union { texts, exact })));
            }
        }
        Condition::Any(parts)
    }

    fn language(&mut self, union: Union) -> usize {
        self.languages.iter().position(|known| *known == union).unwrap_or_else(|| {
            self.languages.push(union);
            self.languages.len() - 1
        })
    }

    fn finish(self, condition: Condition) -> Rules {
        let mut listed: Vec<String> = self.listed.into_iter().collect();
        listed.sort_by(|left, right| shortlex(left).cmp(&shortlex(right)));
        Rules {
            condition,
            languages: self.languages,
            listed,
            declared: self.declared,
            patterns: self.patterns,
        }
    }
}

/// The pattern of a form that says nothing but to match it.
fn plain_pattern(form: &Canonical) -> Option<String> {
    let Shape::String(strings) = form.shape() else {
        return None;
    };
    let [pattern] = strings.patterns.as_slice() else {
        return None;
    };
    let plain = StringShape { patterns: vec![pattern.clone()], ..StringShape::default() };
    (plain == strings).then(|| pattern.clone())
}
