//! Why a location admits no value, with the codes of the requirements.

use std::{collections::BTreeMap, fmt};

use jsonschema::canonical::{self as library, UnsatisfiableReason};

use crate::Pointer;

/// A location that admits no value, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    code: DiagnosticCode,
    pointer: Pointer,
    causes: Vec<Cause>,
}

/// A part of a schema that rules values out: some keywords of it, or all of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The schema.
    pub pointer: Pointer,
    /// The keywords; none means the whole schema.
    pub keywords: Vec<String>,
}

/// The reason why a location admits no value. The codes are stable and part of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum DiagnosticCode {
    /// The author wrote `false`.
    FalseSchema,
    /// Numeric bounds or divisors leave no number.
    NumericBounds,
    /// Lengths, patterns or formats leave no string.
    StringConstraints,
    /// Counts of items leave no array.
    ArrayBounds,
    /// `contains` asks for more or other items than the array may hold.
    ContainsBySum,
    /// A closed object has no name left for what it requires.
    ApFalseEmptyCoverage,
    /// A required property admits no value, or names and counts contradict each other.
    ObjectConstraints,
    /// `type`, `enum` and `const` contradict each other or the rest.
    TypeOrEnum,
    /// No branch of `anyOf` can hold.
    AnyOf,
    /// No branch of `oneOf` can hold alone.
    OneOf,
    /// `not` rules everything out.
    Not,
    /// Neither branch of a conditional can hold.
    Conditional,
    /// What a property depends on cannot hold.
    Dependencies,
    /// The target of a reference admits no value.
    Reference,
    /// Only an infinite value would satisfy it.
    Recursion,
    /// Each part admits values, but no value satisfies all parts.
    Conflict,
}

impl DiagnosticCode {
    /// The code as it is in reports.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::FalseSchema => "UNSAT_FALSE_SCHEMA",
            Self::NumericBounds => "UNSAT_NUMERIC_BOUNDS",
            Self::StringConstraints => "UNSAT_STRING_CONSTRAINTS",
            Self::ArrayBounds => "UNSAT_ARRAY_BOUNDS",
            Self::ContainsBySum => "CONTAINS_UNSAT_BY_SUM",
            Self::ApFalseEmptyCoverage => "UNSAT_AP_FALSE_EMPTY_COVERAGE",
            Self::ObjectConstraints => "UNSAT_OBJECT_CONSTRAINTS",
            Self::TypeOrEnum => "UNSAT_TYPE_OR_ENUM",
            Self::AnyOf => "UNSAT_ANYOF",
            Self::OneOf => "UNSAT_ONEOF",
            Self::Not => "UNSAT_NOT",
            Self::Conditional => "UNSAT_CONDITIONAL",
            Self::Dependencies => "UNSAT_DEPENDENCIES",
            Self::Reference => "UNSAT_REFERENCE",
            Self::Recursion => "UNSAT_RECURSION",
            Self::Conflict => "UNSAT_CONFLICT",
        }
    }
}

impl fmt::Display for DiagnosticCode {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl Diagnostic {
    /// The schema at `pointer` as a whole admits nothing, for a reason that no part of it has alone.
    pub(super) fn whole(code: DiagnosticCode, pointer: Pointer) -> Self {
        let causes = vec![Cause { pointer: pointer.clone(), keywords: Vec::new() }];
        Self { code, pointer, causes }
    }

    /// The `required` of the schema at `pointer` satisfies several branches of its `oneOf`.
    pub(super) fn of_required_branches(pointer: Pointer) -> Self {
        let keywords = vec!["oneOf".to_owned(), "required".to_owned()];
        let causes = vec![Cause { pointer: pointer.clone(), keywords }];
        Self { code: DiagnosticCode::OneOf, pointer, causes }
    }

    /// The kind of contradiction.
    #[must_use]
    pub fn code(&self) -> DiagnosticCode {
        self.code
    }

    /// The location that admits no value.
    #[must_use]
    pub fn pointer(&self) -> &Pointer {
        &self.pointer
    }

    /// What rules the values out.
    #[must_use]
    pub fn causes(&self) -> &[Cause] {
        &self.causes
    }

    /// Whether the author wrote `false` and so meant it.
    #[must_use]
    pub fn is_intended(&self) -> bool {
        self.code == DiagnosticCode::FalseSchema
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.keywords.is_empty() {
            return write!(formatter, "`{}`", self.pointer.to_fragment());
        }
        let keywords: Vec<String> =
            self.keywords.iter().map(|keyword| format!("`{keyword}`")).collect();
        write!(formatter, "{} at `{}`", keywords.join(", "), self.pointer.to_fragment())
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let causes: Vec<String> = self.causes.iter().map(ToString::to_string).collect();
        match causes.as_slice() {
            [one] if self.code == DiagnosticCode::Recursion => {
                write!(formatter, "only a value without end satisfies {one}")
            }
            [] => formatter.write_str("it is written as `false`"),
            [one] => write!(formatter, "nothing satisfies {one}"),
            several => write!(formatter, "nothing satisfies all of {}", several.join(" and ")),
        }
    }
}

/// The library's findings, with `written` translating its pointers into the user's.
pub(super) fn diagnose(
    found: &BTreeMap<String, UnsatisfiableReason>,
    written: impl Fn(&str) -> Option<Pointer>,
) -> Vec<Diagnostic> {
    let mut diagnostics: Vec<Diagnostic> = Vec::new();
    for (pointer, reason) in found {
        let Some(pointer) = written(pointer) else { continue };
        let of = |causes: &[library::Cause]| {
            let translate = |cause: &library::Cause| {
                Some(Cause { pointer: written(&cause.pointer)?, keywords: cause.keywords.clone() })
            };
            causes.iter().filter_map(translate).collect::<Vec<_>>()
        };
        let causes = match reason {
            UnsatisfiableReason::Literal => Vec::new(),
            UnsatisfiableReason::Empty(cause) => of(std::slice::from_ref(cause)),
            UnsatisfiableReason::Conflict(causes) => of(causes),
        };
        let code = match reason {
            UnsatisfiableReason::Literal => DiagnosticCode::FalseSchema,
            UnsatisfiableReason::Empty(_) | UnsatisfiableReason::Conflict(_) => code(&causes),
        };
        diagnostics.push(Diagnostic { code, pointer, causes });
    }
    diagnostics.sort_by(|one, other| one.pointer.cmp(&other.pointer));
    diagnostics.dedup_by(|one, other| one.pointer == other.pointer);
    diagnostics
}

/// The code for a set of causes. Causes of one family have that family's code; a conflict
/// between a family and the type beside it belongs to the family.
fn code(causes: &[Cause]) -> DiagnosticCode {
    let mut families: Vec<DiagnosticCode> =
        causes.iter().map(|cause| family(&cause.keywords)).collect();
    families.sort();
    families.dedup();
    if families.len() > 1 {
        families.retain(|family| *family != DiagnosticCode::TypeOrEnum);
    }
    match families.as_slice() {
        [one] => *one,
        _ => DiagnosticCode::Conflict,
    }
}

fn family(keywords: &[String]) -> DiagnosticCode {
    let has = |keyword: &str| keywords.iter().any(|own| own == keyword);
    let Some(first) = keywords.first() else { return DiagnosticCode::Conflict };
    match first.as_str() {
        "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" | "multipleOf" => {
            DiagnosticCode::NumericBounds
        }
        "minLength" | "maxLength" | "pattern" | "format" | "contentEncoding"
        | "contentMediaType" | "contentSchema" => DiagnosticCode::StringConstraints,
        "items" | "prefixItems" | "additionalItems" | "contains" | "minContains"
        | "maxContains" | "minItems" | "maxItems" | "uniqueItems" | "unevaluatedItems" => {
            if has("contains") {
                DiagnosticCode::ContainsBySum
            } else {
                DiagnosticCode::ArrayBounds
            }
        }
        "properties"
        | "patternProperties"
        | "additionalProperties"
        | "required"
        | "propertyNames"
        | "minProperties"
        | "maxProperties"
        | "unevaluatedProperties" => {
            if has("additionalProperties") || has("unevaluatedProperties") {
                DiagnosticCode::ApFalseEmptyCoverage
            } else {
                DiagnosticCode::ObjectConstraints
            }
        }
        "type" | "enum" | "const" => DiagnosticCode::TypeOrEnum,
        "anyOf" => DiagnosticCode::AnyOf,
        "oneOf" => DiagnosticCode::OneOf,
        "not" => DiagnosticCode::Not,
        "if" | "then" | "else" => DiagnosticCode::Conditional,
        "dependencies" | "dependentRequired" | "dependentSchemas" => DiagnosticCode::Dependencies,
        "$ref" | "$dynamicRef" | "$recursiveRef" => DiagnosticCode::Reference,
        _ => DiagnosticCode::Conflict,
    }
}
