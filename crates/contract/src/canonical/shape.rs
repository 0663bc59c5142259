//! The structure of a canonical set: one variant for each form.
//!
//! The variants mirror the library's view, without the one for what it could not model: such a
//! document is relaxed first.

use std::collections::{BTreeMap, BTreeSet};

use jsonschema::canonical::{self as library, CanonicalSchema, CanonicalView};
use serde_json::{Number, Value};

use super::Canonical;
use crate::{JsonType, TypeSet};

/// The form of a set of values. Exhaustive: a new form must break every stage that has to think
/// about it.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// Every value.
    Any,
    /// No value.
    Never,
    /// The values of these types.
    Types(TypeSet),
    /// The values of this type that also belong to the body.
    Typed(JsonType, Box<Canonical>),
    /// Strings.
    String(StringShape),
    /// Integers.
    Integer(IntegerShape),
    /// Numbers.
    Number(NumberShape),
    /// Arrays.
    Array(ArrayShape),
    /// Objects.
    Object(ObjectShape),
    /// One value.
    Const(Value),
    /// Several values, listed.
    Enum(Vec<Value>),
    /// The values outside a set.
    Not(Box<Canonical>),
    /// The values in every one of these sets.
    AllOf(Vec<Canonical>),
    /// The values in at least one of these sets.
    AnyOf(Vec<Canonical>),
    /// The values in exactly one of these sets.
    OneOf(Vec<Canonical>),
    /// The set that [`Canonical::definition`] gives for this key.
    Reference(String),
}

/// Strings: a window of lengths, and what they must and must not match.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StringShape {
    /// Least number of characters.
    pub min_length: Option<Number>,
    /// Greatest number of characters.
    pub max_length: Option<Number>,
    /// Patterns to match, each somewhere in the string.
    pub patterns: Vec<String>,
    /// Patterns not to match.
    pub excluded_patterns: Vec<String>,
    /// Formats to satisfy.
    pub formats: Vec<String>,
    /// Formats to fail.
    pub excluded_formats: Vec<String>,
    /// Media types the content must have.
    pub content_media_types: Vec<String>,
    /// Encodings the content must have.
    pub content_encodings: Vec<String>,
    /// Strings that are left out.
    pub excluded: Vec<String>,
}

/// Integers: an interval, and divisors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IntegerShape {
    /// Least value.
    pub minimum: Option<Number>,
    /// Greatest value.
    pub maximum: Option<Number>,
    /// What every value is a multiple of.
    pub multiple_of: Vec<Number>,
    /// What no value is a multiple of.
    pub not_multiple_of: Vec<Number>,
}

/// Numbers: an interval whose ends may be open, and divisors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NumberShape {
    /// Lower end.
    pub minimum: Option<Number>,
    /// Whether the lower end itself is left out.
    pub exclusive_minimum: bool,
    /// Upper end.
    pub maximum: Option<Number>,
    /// Whether the upper end itself is left out.
    pub exclusive_maximum: bool,
    /// What every value is a multiple of.
    pub multiple_of: Vec<Number>,
    /// What no value is a multiple of.
    pub not_multiple_of: Vec<Number>,
    /// Whether integers are left out (draft 4, where `1.0` is no integer).
    pub excludes_integers: bool,
}

/// What an array requires of its items together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Distinctness {
    /// Nothing.
    #[default]
    Unconstrained,
    /// No two items are equal.
    AllDistinct,
    /// Two items are equal.
    SomeRepeated,
}

/// Arrays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ArrayShape {
    /// Least number of items.
    pub min_items: Option<Number>,
    /// Greatest number of items.
    pub max_items: Option<Number>,
    /// What is required of the items together.
    pub distinctness: Distinctness,
    /// The sets of the first items, by index.
    pub prefix: Vec<Canonical>,
    /// The set of every item after the prefix.
    pub items: Option<Canonical>,
    /// How many items must belong to which sets.
    pub contains: Vec<Contains>,
}

/// How many items of an array must belong to a set.
#[derive(Clone, Debug, PartialEq)]
pub struct Contains {
    /// The set.
    pub schema: Canonical,
    /// Least number of such items; absent means one.
    pub min: Option<Number>,
    /// Greatest number of such items.
    pub max: Option<Number>,
}

/// Objects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ObjectShape {
    /// Least number of properties.
    pub min_properties: Option<Number>,
    /// Greatest number of properties.
    pub max_properties: Option<Number>,
    /// Names that must be present.
    pub required: Vec<String>,
    /// The set every name belongs to.
    pub property_names: Option<Canonical>,
    /// The sets of declared properties, by name.
    pub properties: BTreeMap<String, Canonical>,
    /// The sets of properties whose names match a pattern.
    pub pattern_properties: BTreeMap<String, Canonical>,
    /// The set of every property that neither a name nor a pattern declares.
    pub additional_properties: Option<Canonical>,
    /// Rules of which each must be broken by some property.
    pub violated: Vec<BrokenRule>,
}

/// A rule that an object must break: what the negation of an object leaves.
#[derive(Clone, Debug, PartialEq)]
pub enum BrokenRule {
    /// Some name is outside this set.
    NameFails(Canonical),
    /// Some property outside `names` that matches none of `patterns` has a value outside
    /// `additional`.
    UndeclaredValueFails {
        /// The declared names.
        names: Vec<String>,
        /// The declared patterns.
        patterns: Vec<String>,
        /// The set that one value is outside of.
        additional: Canonical,
    },
    /// Some property whose name matches has a value outside the set.
    PatternValueFails {
        /// The pattern.
        pattern: String,
        /// The set.
        schema: Canonical,
    },
}

impl Shape {
    pub(super) fn of(schema: &CanonicalSchema) -> Self {
        match schema.view() {
            // Relaxation leaves nothing raw; if it did, every value would be the safe interpretation.
            CanonicalView::True | CanonicalView::Raw(_) => Self::Any,
            CanonicalView::False => Self::Never,
            CanonicalView::MultiType(set) => {
                Self::Types(set.iter().map(JsonType::from_library).collect())
            }
            CanonicalView::TypedGroup(group) => {
                Self::Typed(JsonType::from_library(group.ty), Box::new(Canonical(group.body)))
            }
            CanonicalView::String(view) => Self::String(string(view)),
            CanonicalView::Integer(view) => Self::Integer(IntegerShape {
                minimum: view.minimum,
                maximum: view.maximum,
                multiple_of: view.multiple_of,
                not_multiple_of: view.not_multiple_of,
            }),
            CanonicalView::Number(view) => Self::Number(NumberShape {
                minimum: view.minimum,
                exclusive_minimum: view.exclusive_minimum,
                maximum: view.maximum,
                exclusive_maximum: view.exclusive_maximum,
                multiple_of: view.multiple_of,
                not_multiple_of: view.not_multiple_of,
                excludes_integers: view.excludes_integers,
            }),
            CanonicalView::Array(view) => Self::Array(array(view)),
            CanonicalView::Object(view) => Self::Object(object(view)),
            CanonicalView::Const(value) => Self::Const(value),
            CanonicalView::Enum(values) => Self::Enum(values),
            CanonicalView::Not(inner) => Self::Not(Box::new(Canonical(*inner))),
            CanonicalView::AllOf(branches) => Self::AllOf(wrap(branches)),
            CanonicalView::AnyOf(branches) => Self::AnyOf(wrap(branches)),
            CanonicalView::OneOf(branches) => Self::OneOf(wrap(branches)),
            CanonicalView::Reference(key) => Self::Reference(key),
        }
    }
}

fn wrap(schemas: Vec<CanonicalSchema>) -> Vec<Canonical> {
    schemas.into_iter().map(Canonical).collect()
}

fn string(view: library::StringView) -> StringShape {
    StringShape {
        min_length: view.min_length,
        max_length: view.max_length,
        patterns: view.patterns,
        excluded_patterns: view.excluded_patterns,
        formats: view.formats,
        excluded_formats: view.excluded_formats,
        content_media_types: view.content_media_types,
        content_encodings: view.content_encodings,
        excluded: view.excluded,
    }
}

fn array(view: library::ArrayView) -> ArrayShape {
    ArrayShape {
        min_items: view.min_items,
        max_items: view.max_items,
        distinctness: match view.distinctness {
            library::Distinctness::Unconstrained => Distinctness::Unconstrained,
            library::Distinctness::AllDistinct => Distinctness::AllDistinct,
            library::Distinctness::SomeRepeated => Distinctness::SomeRepeated,
        },
        prefix: wrap(view.prefix_items),
        items: view.items.map(Canonical),
        contains: view
            .contains
            .into_iter()
            .map(|contains| Contains {
                schema: Canonical(contains.schema),
                min: contains.min_contains,
                max: contains.max_contains,
            })
            .collect(),
    }
}

fn object(view: library::ObjectView) -> ObjectShape {
    let map = |schemas: BTreeMap<String, CanonicalSchema>| {
        schemas.into_iter().map(|(key, schema)| (key, Canonical(schema))).collect()
    };
    ObjectShape {
        min_properties: view.min_properties,
        max_properties: view.max_properties,
        required: each_once(view.required),
        property_names: view.property_names.map(Canonical),
        properties: map(view.properties),
        pattern_properties: map(view.pattern_properties),
        additional_properties: view.additional_properties.map(Canonical),
        violated: view.violations.into_iter().map(violated).collect(),
    }
}

/// A name is repeated where a reference leads to a place that the meta-schema does not know as a schema.
fn each_once(names: Vec<String>) -> Vec<String> {
    let mut seen = BTreeSet::new();
    names.into_iter().filter(|name| seen.insert(name.clone())).collect()
}

fn violated(view: library::ObjectViolationView) -> BrokenRule {
    match view {
        library::ObjectViolationView::NameFails(schema) => BrokenRule::NameFails(Canonical(schema)),
        library::ObjectViolationView::UndeclaredValueFails { names, patterns, additional } => {
            BrokenRule::UndeclaredValueFails { names, patterns, additional: Canonical(additional) }
        }
        library::ObjectViolationView::PatternValueFails { pattern, schema } => {
            BrokenRule::PatternValueFails { pattern, schema: Canonical(schema) }
        }
    }
}
