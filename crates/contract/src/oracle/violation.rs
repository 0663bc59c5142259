//! One way in which a value breaks a schema.

use std::{cmp::Ordering, fmt};

use jsonschema::{
    ValidationError,
    error::{TypeKind, ValidationErrorKind},
};
use serde::Deserialize;
use serde_json::{Map, Value};

use crate::{JsonType, Pointer, TypeSet};

/// One way in which a value breaks a schema: where in the value, which keyword, where in the
/// schema, and the operands of the keyword.
#[derive(Clone, Debug, PartialEq)]
pub struct Violation {
    instance: Pointer,
    keyword: String,
    schema: Pointer,
    operands: Operands,
}

/// The operands of a violated keyword, as far as repair can use them.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Operands {
    /// The keyword has none that repair can use (`uniqueItems`, `contains`, `false`).
    None,
    /// A bound: `minimum`, `maxLength`, `multipleOf` and the like.
    Limit(Value),
    /// Names: the missing property, or the ones that should not be there.
    Names(Vec<String>),
    /// The values admitted by `const` or `enum`.
    Values(Vec<Value>),
    /// A pattern or the name of a format, an encoding or a media type.
    Text(String),
    /// The types admitted.
    Types(TypeSet),
    /// For each branch of `anyOf` or `oneOf`, its violations; empty where it holds.
    Branches(Vec<Vec<Violation>>),
    /// A property's name, and its violation.
    Name {
        /// The name.
        name: String,
        /// The violation of the name, checked as a string.
        wrong: Box<Violation>,
    },
}

impl Violation {
    /// The part of the value that violates the schema.
    #[must_use]
    pub fn instance(&self) -> &Pointer {
        &self.instance
    }

    /// The keyword that is violated.
    #[must_use]
    pub fn keyword(&self) -> &str {
        &self.keyword
    }

    /// The pointer of the keyword in its schema resource, references resolved.
    #[must_use]
    pub fn schema(&self) -> &Pointer {
        &self.schema
    }

    /// The operands of the keyword.
    #[must_use]
    pub fn operands(&self) -> &Operands {
        &self.operands
    }

    pub(super) fn of(error: &ValidationError<'_>) -> Self {
        let pointer = |text: &str| text.parse().unwrap_or_else(|_| Pointer::root());
        Self {
            instance: pointer(error.instance_path().as_str()),
            keyword: error.kind().keyword().to_owned(),
            schema: pointer(error.schema_path().as_str()),
            operands: operands(error.kind()),
        }
    }
}

/// One error of AJV: its keyword's parameters, and the pointers into instance and schema.
#[derive(Deserialize)]
pub(super) struct AjvViolation {
    instance: String,
    keyword: String,
    schema: String,
    params: Map<String, Value>,
    /// The violation of a property's name, for `propertyNames`.
    name: Option<Box<AjvViolation>>,
}

impl Violation {
    /// The violation that an error of AJV describes.
    pub(super) fn of_ajv(error: AjvViolation) -> Self {
        let pointer = |text: &str| text.parse().unwrap_or_else(|_| Pointer::root());
        let operands = ajv_operands(&error.keyword, error.params, error.name);
        let keyword = match error.keyword.as_str() {
            "false schema" => "falseSchema".to_owned(),
            _ => error.keyword,
        };
        Self {
            instance: pointer(&error.instance),
            keyword,
            schema: pointer(&error.schema),
            operands,
        }
    }
}

fn ajv_operands(
    keyword: &str,
    mut params: Map<String, Value>,
    name: Option<Box<AjvViolation>>,
) -> Operands {
    let mut text = |key: &str| match params.remove(key) {
        Some(Value::String(text)) => Some(text),
        _ => None,
    };
    let names = |name: Option<String>| Operands::Names(name.into_iter().collect());
    match keyword {
        "additionalProperties" => names(text("additionalProperty")),
        "unevaluatedProperties" => names(text("unevaluatedProperty")),
        "required" | "dependencies" | "dependentRequired" => names(text("missingProperty")),
        "propertyNames" => match (text("propertyName"), name) {
            (Some(name), Some(wrong)) => {
                Operands::Name { name, wrong: Box::new(Violation::of_ajv(*wrong)) }
            }
            (name, _) => names(name),
        },
        "pattern" => text("pattern").map_or(Operands::None, Operands::Text),
        "format" => text("format").map_or(Operands::None, Operands::Text),
        "type" => match params.remove("type") {
            Some(Value::String(name)) => {
                Operands::Types(JsonType::named(&name).into_iter().collect())
            }
            Some(Value::Array(names)) => Operands::Types(
                names.iter().filter_map(Value::as_str).filter_map(JsonType::named).collect(),
            ),
            _ => Operands::None,
        },
        "enum" => match params.remove("allowedValues") {
            Some(Value::Array(values)) => Operands::Values(values),
            _ => Operands::None,
        },
        "const" => params
            .remove("allowedValue")
            .map_or(Operands::None, |value| Operands::Values(vec![value])),
        "multipleOf" => params.remove("multipleOf").map_or(Operands::None, Operands::Limit),
        _ => params.remove("limit").map_or(Operands::None, Operands::Limit),
    }
}

fn operands(kind: &ValidationErrorKind) -> Operands {
    use ValidationErrorKind as Kind;
    let branches = |context: &[Vec<ValidationError<'static>>]| {
        let of_branch = |errors: &Vec<ValidationError<'static>>| {
            let mut violations: Vec<_> = errors.iter().map(Violation::of).collect();
            violations.sort();
            violations
        };
        Operands::Branches(context.iter().map(of_branch).collect())
    };
    match kind {
        Kind::AdditionalItems { limit } => Operands::Limit(Value::from(*limit)),
        Kind::MaxItems { limit }
        | Kind::MinItems { limit }
        | Kind::MaxLength { limit }
        | Kind::MinLength { limit }
        | Kind::MaxProperties { limit }
        | Kind::MinProperties { limit } => Operands::Limit(Value::from(*limit)),
        Kind::Minimum { limit }
        | Kind::Maximum { limit }
        | Kind::ExclusiveMinimum { limit }
        | Kind::ExclusiveMaximum { limit } => Operands::Limit(limit.clone()),
        Kind::MultipleOf { multiple_of } => Operands::Limit(multiple_of.clone()),
        Kind::AdditionalProperties { unexpected }
        | Kind::UnevaluatedItems { unexpected }
        | Kind::UnevaluatedProperties { unexpected } => Operands::Names(unexpected.clone()),
        Kind::Required { property } => {
            Operands::Names(property.as_str().map(str::to_owned).into_iter().collect())
        }
        Kind::Constant { expected_value } => Operands::Values(vec![(**expected_value).clone()]),
        Kind::Enum { options } => Operands::Values(options.as_array().cloned().unwrap_or_default()),
        Kind::Pattern { pattern } => Operands::Text(pattern.clone()),
        Kind::Format { format } => Operands::Text(format.clone()),
        Kind::ContentEncoding { content_encoding } => Operands::Text(content_encoding.clone()),
        Kind::ContentMediaType { content_media_type } => Operands::Text(content_media_type.clone()),
        Kind::Type { kind: TypeKind::Single(single) } => {
            Operands::Types(TypeSet::only(JsonType::from_library(*single)))
        }
        Kind::Type { kind: TypeKind::Multiple(set) } => {
            Operands::Types(set.iter().map(JsonType::from_library).collect())
        }
        Kind::AnyOf { context }
        | Kind::OneOfNotValid { context }
        | Kind::OneOfMultipleValid { context } => branches(context),
        Kind::PropertyNames { error } => Operands::Name {
            name: error.instance().as_str().unwrap_or_default().to_owned(),
            wrong: Box::new(Violation::of(error)),
        },
        Kind::BacktrackLimitExceeded { .. }
        | Kind::RegexEngineFailure { .. }
        | Kind::Contains
        | Kind::Custom { .. }
        | Kind::FalseSchema
        | Kind::FromUtf8 { .. }
        | Kind::Not { .. }
        | Kind::UniqueItems
        | Kind::Referencing(_) => Operands::None,
    }
}

impl Eq for Violation {}

impl PartialOrd for Violation {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Violation {
    fn cmp(&self, other: &Self) -> Ordering {
        fn key(violation: &Violation) -> (&Pointer, &Pointer, &str) {
            (&violation.instance, &violation.schema, &violation.keyword)
        }
        // Two violations with the same pointers and keyword differ at most in their operands. Most are equal
        // then, and operands may be long.
        key(self).cmp(&key(other)).then_with(|| {
            if self.operands == other.operands {
                return Ordering::Equal;
            }
            format!("{:?}", self.operands).cmp(&format!("{:?}", other.operands))
        })
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "`{}` breaks `{}` at `{}`",
            self.instance.to_fragment(),
            self.keyword,
            self.schema.to_fragment()
        )?;
        match &self.operands {
            Operands::Limit(limit) => write!(formatter, " ({limit})"),
            Operands::Names(names) => write!(formatter, " ({})", names.join(", ")),
            Operands::Text(text) => write!(formatter, " ({text})"),
            Operands::Types(types) => {
                let names: Vec<&str> = types.iter().map(JsonType::as_str).collect();
                write!(formatter, " ({})", names.join(", "))
            }
            Operands::None
            | Operands::Values(_)
            | Operands::Branches(_)
            | Operands::Name { .. } => Ok(()),
        }
    }
}
