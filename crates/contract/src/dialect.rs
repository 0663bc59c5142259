//! The drafts of JSON Schema, and which keywords each of them knows.

use std::fmt;

use serde_json::Value;

/// A draft of JSON Schema.
///
/// ```
/// use foolproof_contract::Draft;
///
/// let draft = Draft::from_uri("http://json-schema.org/draft-07/schema#");
/// assert_eq!(draft, Some(Draft::Draft7));
/// assert_eq!(Draft::Draft7.to_string(), "draft 7");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Draft {
    /// Draft 4 (2013).
    Draft4,
    /// Draft 6 (2017).
    Draft6,
    /// Draft 7 (2018).
    Draft7,
    /// Draft 2019-09.
    Draft201909,
    /// Draft 2020-12.
    Draft202012,
}

impl Draft {
    /// Every draft, oldest first.
    pub const ALL: [Self; 5] =
        [Self::Draft4, Self::Draft6, Self::Draft7, Self::Draft201909, Self::Draft202012];

    /// The drafts a schema without `$schema` is tried under, in this order: the newest first, then
    /// the two that older documents were mostly written for.
    pub const GUESSES: [Self; 3] = [Self::Draft202012, Self::Draft7, Self::Draft4];

    /// The draft that `uri` names, with or without a trailing `#`. The hyper-schemas name the draft
    /// they extend.
    #[must_use]
    pub fn from_uri(uri: &str) -> Option<Self> {
        let uri = uri.strip_suffix('#').unwrap_or(uri);
        let path = uri.strip_prefix("http://").or_else(|| uri.strip_prefix("https://"))?;
        match path.strip_prefix("json-schema.org/")? {
            "draft-04/schema" | "draft-04/hyper-schema" => Some(Self::Draft4),
            "draft-06/schema" | "draft-06/hyper-schema" => Some(Self::Draft6),
            "draft-07/schema" | "draft-07/hyper-schema" => Some(Self::Draft7),
            "draft/2019-09/schema" | "draft/2019-09/hyper-schema" => Some(Self::Draft201909),
            "draft/2020-12/schema" | "draft/2020-12/hyper-schema" | "schema" => {
                Some(Self::Draft202012)
            }
            _ => None,
        }
    }

    /// The short name used on the command line and in reports: `4`, `6`, `7`, `2019-09`, `2020-12`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Draft4 => "4",
            Self::Draft6 => "6",
            Self::Draft7 => "7",
            Self::Draft201909 => "2019-09",
            Self::Draft202012 => "2020-12",
        }
    }

    /// The URI of the draft's meta-schema.
    #[must_use]
    pub fn uri(self) -> &'static str {
        match self {
            Self::Draft4 => "http://json-schema.org/draft-04/schema#",
            Self::Draft6 => "http://json-schema.org/draft-06/schema#",
            Self::Draft7 => "http://json-schema.org/draft-07/schema#",
            Self::Draft201909 => "https://json-schema.org/draft/2019-09/schema",
            Self::Draft202012 => "https://json-schema.org/draft/2020-12/schema",
        }
    }

    /// Whether what stands beside a `$ref` is ignored (drafts before 2019-09).
    #[must_use]
    pub fn ref_hides_siblings(self) -> bool {
        self < Self::Draft201909
    }

    /// The keyword that identifies a resource.
    #[must_use]
    pub fn id_keyword(self) -> &'static str {
        if self == Self::Draft4 { "id" } else { "$id" }
    }

    /// Whether `schema` is the root of a resource of its own: it has an identifier that is more
    /// than a fragment.
    pub(crate) fn is_resource(self, schema: &Value) -> bool {
        let Some(members) = schema.as_object() else { return false };
        if self.ref_hides_siblings() && members.contains_key("$ref") {
            return false;
        }
        members
            .get(self.id_keyword())
            .and_then(Value::as_str)
            .is_some_and(|id| !id.starts_with('#'))
    }

    pub(crate) fn to_referencing(self) -> referencing::Draft {
        match self {
            Self::Draft4 => referencing::Draft::Draft4,
            Self::Draft6 => referencing::Draft::Draft6,
            Self::Draft7 => referencing::Draft::Draft7,
            Self::Draft201909 => referencing::Draft::Draft201909,
            Self::Draft202012 => referencing::Draft::Draft202012,
        }
    }

    pub(crate) fn from_referencing(draft: referencing::Draft) -> Option<Self> {
        match draft {
            referencing::Draft::Draft4 => Some(Self::Draft4),
            referencing::Draft::Draft6 => Some(Self::Draft6),
            referencing::Draft::Draft7 => Some(Self::Draft7),
            referencing::Draft::Draft201909 => Some(Self::Draft201909),
            referencing::Draft::Draft202012 => Some(Self::Draft202012),
            _ => None,
        }
    }
}

impl fmt::Display for Draft {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "draft {}", self.name())
    }
}

/// How a keyword applies the schemas below it. The one table that says where schemas stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Applies {
    /// The value is a schema.
    One,
    /// The value is an array of schemas.
    Many,
    /// The value maps names to schemas.
    Named,
    /// The value is a schema or an array of schemas (`items` before 2020-12).
    OneOrMany,
    /// The value maps names to schemas or to lists of names (`dependencies`).
    NamedOrNames,
    /// The value maps names to schemas that no value reaches unless something refers to them.
    Definitions,
}

/// What `keyword` does under `draft`, if it holds schemas.
pub(crate) fn applies(draft: Draft, keyword: &str) -> Option<Applies> {
    let (since, until, applies) = match keyword {
        "properties" | "patternProperties" => (Draft::Draft4, None, Applies::Named),
        "additionalProperties" | "not" => (Draft::Draft4, None, Applies::One),
        "allOf" | "anyOf" | "oneOf" => (Draft::Draft4, None, Applies::Many),
        "items" if draft >= Draft::Draft202012 => (Draft::Draft202012, None, Applies::One),
        "items" => (Draft::Draft4, Some(Draft::Draft201909), Applies::OneOrMany),
        "additionalItems" => (Draft::Draft4, Some(Draft::Draft201909), Applies::One),
        "dependencies" => (Draft::Draft4, None, Applies::NamedOrNames),
        "contains" | "propertyNames" => (Draft::Draft6, None, Applies::One),
        "if" | "then" | "else" => (Draft::Draft7, None, Applies::One),
        "dependentSchemas" => (Draft::Draft201909, None, Applies::Named),
        "unevaluatedItems" | "unevaluatedProperties" => (Draft::Draft201909, None, Applies::One),
        "prefixItems" => (Draft::Draft202012, None, Applies::Many),

        // Each draft names one of the two, but both are widely written under all of them.
        "$defs" | "definitions" => (Draft::Draft4, None, Applies::Definitions),
        _ => return None,
    };
    let in_force = draft >= since && until.is_none_or(|until| draft <= until);
    in_force.then_some(applies)
}

/// Keywords that only describe a schema. Validators ignore them.
const ANNOTATIONS: [&str; 9] = [
    "$comment",
    "title",
    "description",
    "default",
    "examples",
    "example",
    "deprecated",
    "readOnly",
    "writeOnly",
];

/// Keywords that identify a schema or define others.
const DECLARATIONS: [&str; 9] = [
    "$schema",
    "$id",
    "id",
    "$anchor",
    "$dynamicAnchor",
    "$recursiveAnchor",
    "$vocabulary",
    "$defs",
    "definitions",
];

/// Whether `keyword` only describes a schema.
#[must_use]
pub fn is_annotation(keyword: &str) -> bool {
    ANNOTATIONS.contains(&keyword)
}

/// Whether `keyword` says nothing about values: it describes the schema, identifies it or defines
/// others.
///
/// ```
/// use foolproof_contract::asserts_nothing;
///
/// assert!(asserts_nothing("title") && asserts_nothing("$defs") && !asserts_nothing("type"));
/// ```
#[must_use]
pub fn asserts_nothing(keyword: &str) -> bool {
    is_annotation(keyword) || DECLARATIONS.contains(&keyword)
}
