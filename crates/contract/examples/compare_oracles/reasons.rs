//! Why two oracles disagree, found by taking away one thing at a time.
//!
//! A cause is what the schema or the instance can be freed of; if the oracles agree without it, it
//! is the reason. This is evidence and no proof, but it names the keyword to look at.

use std::collections::BTreeSet;

use foolproof_contract::Draft;
use serde_json::{Map, Value};

/// Something that the oracles read differently.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cause {
    /// Keywords beside `$ref`, before 2019-09.
    ReferenceSiblings,
    /// `nullable`, which AJV knows and no draft does.
    Nullable,
    /// Keywords that AJV applies although the draft does not have them.
    ForeignKeywords,
    /// Properties named like what every JavaScript object inherits.
    InheritedNames,
    /// One format.
    Format(String),
    /// `pattern` and `patternProperties`.
    Patterns,
    /// `multipleOf`, which AJV computes in doubles.
    MultipleOf,
    /// `unevaluatedProperties` and `unevaluatedItems`.
    Unevaluated,
    /// `$dynamicRef` and `$recursiveRef`.
    DynamicReferences,
    /// Whole numbers written with a fraction, which draft 4 does not call integers.
    WholeFractions,
}

impl Cause {
    /// What AJV does under `draft`, in one sentence.
    pub(crate) fn describe(&self, draft: Draft) -> String {
        match self {
            Self::ReferenceSiblings => {
                "AJV applies keywords beside `$ref`, which drafts 4 to 7 say to ignore".to_owned()
            }
            Self::Nullable => "AJV applies `nullable`, which no draft has".to_owned(),
            Self::ForeignKeywords => "AJV applies keywords of another draft".to_owned(),
            Self::InheritedNames => {
                "AJV takes what JavaScript objects inherit for properties".to_owned()
            }
            Self::Format(name) if has_format(draft, name) => {
                format!("AJV has another reading of the format `{name}`")
            }
            Self::Format(name) => {
                format!("AJV checks the format `{name}`, which {draft} does not have")
            }
            Self::Patterns => "AJV's regular expressions match differently".to_owned(),
            Self::MultipleOf => "AJV divides doubles for `multipleOf`".to_owned(),
            Self::Unevaluated => "AJV sees other items or properties as unevaluated".to_owned(),
            Self::DynamicReferences => "AJV resolves dynamic references elsewhere".to_owned(),
            Self::WholeFractions => "AJV calls `1.0` an integer, which draft 4 does not".to_owned(),
        }
    }

    /// Every cause that `schema` gives reason to suspect, the most particular first.
    pub(crate) fn suspects(schema: &Value) -> Vec<Self> {
        let mut suspects = vec![
            Self::ReferenceSiblings,
            Self::Nullable,
            Self::ForeignKeywords,
            Self::InheritedNames,
            Self::WholeFractions,
        ];
        let mut formats = BTreeSet::new();
        visit(schema, &mut |members| {
            if let Some(Value::String(format)) = members.get("format") {
                formats.insert(format.clone());
            }
        });
        suspects.extend(formats.into_iter().map(Self::Format));
        suspects.extend([
            Self::Patterns,
            Self::MultipleOf,
            Self::Unevaluated,
            Self::DynamicReferences,
        ]);
        suspects
    }

    /// The schema and the instance without the cause, or `None` if neither has it.
    pub(crate) fn remove(
        &self,
        draft: Draft,
        schema: &Value,
        instance: &Value,
    ) -> Option<(Value, Value)> {
        let (mut freed, mut value) = (schema.clone(), instance.clone());
        if *self == Self::WholeFractions {
            make_whole(&mut value);
        } else {
            edit(&mut freed, &mut |members| self.strip(draft, members));
        }
        let changed = freed != *schema || value != *instance;
        changed.then_some((freed, value))
    }

    fn strip(&self, draft: Draft, members: &mut Map<String, Value>) {
        match self {
            Self::ReferenceSiblings => {
                let refers = members.get("$ref").is_some_and(Value::is_string);
                if refers && draft.ref_hides_siblings() {
                    // Definitions stay, since references lead to them.
                    members.retain(|key, _| {
                        ["$ref", "$schema", "$defs", "definitions"].contains(&key.as_str())
                    });
                }
            }
            Self::Nullable => remove_all(members, &["nullable"]),
            Self::ForeignKeywords => remove_all(members, foreign(draft)),
            Self::InheritedNames => {
                for keyword in ["properties", "dependencies"] {
                    if let Some(Value::Object(named)) = members.get_mut(keyword) {
                        named.retain(|name, _| !INHERITED.contains(&name.as_str()));
                    }
                }
                if let Some(Value::Array(names)) = members.get_mut("required") {
                    names.retain(|name| {
                        !name.as_str().is_some_and(|name| INHERITED.contains(&name))
                    });
                    if names.is_empty() {
                        members.remove("required");
                    }
                }
            }
            Self::Format(name) => {
                if members.get("format").and_then(Value::as_str) == Some(name) {
                    members.remove("format");
                }
            }
            Self::Patterns => remove_all(members, &["pattern", "patternProperties"]),
            Self::MultipleOf => remove_all(members, &["multipleOf"]),
            Self::Unevaluated => {
                remove_all(members, &["unevaluatedProperties", "unevaluatedItems"]);
            }
            Self::DynamicReferences => remove_all(members, &["$dynamicRef", "$recursiveRef"]),
            Self::WholeFractions => {}
        }
    }
}

const INHERITED: [&str; 12] = [
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];

/// Whether `draft` defines the format.
fn has_format(draft: Draft, name: &str) -> bool {
    match name {
        "date-time" | "email" | "hostname" | "ipv4" | "ipv6" | "uri" => true,
        "uri-reference" | "uri-template" | "json-pointer" => draft >= Draft::Draft6,
        "date"
        | "time"
        | "idn-email"
        | "idn-hostname"
        | "iri"
        | "iri-reference"
        | "regex"
        | "relative-json-pointer" => draft >= Draft::Draft7,
        "duration" | "uuid" => draft >= Draft::Draft201909,
        _ => false,
    }
}

/// The keywords that AJV's class for `draft` applies although the draft does not have them.
fn foreign(draft: Draft) -> &'static [&'static str] {
    match draft {
        Draft::Draft4 => &["$id", "$anchor", "const", "contains", "propertyNames", "if"],
        Draft::Draft6 => &["if"],
        Draft::Draft7 => &[],
        Draft::Draft201909 => &["dependencies"],
        Draft::Draft202012 => &["dependencies", "additionalItems", "$recursiveRef"],
    }
}

fn remove_all(members: &mut Map<String, Value>, keywords: &[&str]) {
    members.retain(|key, _| !keywords.contains(&key.as_str()));
}

/// Calls `each` with every object that may be a schema. An object of names is one too, so a cause
/// with the name of a keyword may be taken away from there as well; the evidence stands.
fn visit(value: &Value, each: &mut impl FnMut(&Map<String, Value>)) {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        match value {
            Value::Object(members) => {
                each(members);
                pending.extend(members.values());
            }
            Value::Array(items) => pending.extend(items),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

fn edit(value: &mut Value, each: &mut impl FnMut(&mut Map<String, Value>)) {
    let mut pending = vec![(value, false)];
    while let Some((value, holds_names)) = pending.pop() {
        match value {
            Value::Object(members) => {
                if !holds_names {
                    each(members);
                }
                pending.extend(members.iter_mut().map(|(key, child)| {
                    let names = ["properties", "patternProperties", "definitions", "$defs"];
                    (child, !holds_names && names.contains(&key.as_str()))
                }));
            }
            Value::Array(items) => pending.extend(items.iter_mut().map(|item| (item, false))),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

/// Writes whole numbers without their fraction.
fn make_whole(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(whole) =
                number.to_string().strip_suffix(".0").and_then(|text| text.parse::<i64>().ok())
            {
                *value = whole.into();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(make_whole),
        Value::Object(members) => members.values_mut().for_each(make_whole),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

/// Why AJV does not compile a schema, by what it says.
const REFUSALS: [(&str, &str); 10] = [
    ("keyword \"id\"", "AJV refuses `id` since draft 6, where it is no keyword any more"),
    ("resolves to more than one schema", "AJV refuses one identifier for two schemas"),
    ("already exists", "AJV refuses the identifier of a meta-schema for another schema"),
    ("Invalid regular expression", "AJV refuses patterns that are invalid with the `u` flag"),
    ("must NOT have duplicate items", "AJV refuses values that are listed twice"),
    ("enum must have non-empty array", "AJV refuses an empty `enum`"),
    ("can't resolve reference", "AJV does not have the meta-schemas of other drafts"),
    ("\"nullable\" cannot be used", "AJV refuses `nullable` without `type`"),
    ("\"$dynamicRef\" only supports", "AJV refuses `$dynamicRef` to another resource"),
    ("Maximum call stack size exceeded", "AJV recurses without end"),
];

/// The class of AJV's refusal, if it is one of those known.
pub(crate) fn refusal(message: &str) -> Option<&'static str> {
    REFUSALS.iter().find(|(part, _)| message.contains(part)).map(|(_, reason)| *reason)
}
