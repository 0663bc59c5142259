//! Seeds: values that the user gives, as text.

use std::{fmt, str::FromStr};

use serde_json::Value;

/// A value that the user gives.
///
/// ```
/// use foolproof_mcp::Seed;
/// use serde_json::json;
///
/// let seed = |text: &str| text.parse::<Seed>().unwrap();
/// assert_eq!(seed("5").value, json!(5));
/// assert_eq!(seed("alpha").value, json!("alpha"));
/// assert_eq!(seed("\"5\"").value, json!("5"));
/// let path = seed("repo_path={tmp}/repo");
/// assert_eq!((path.property.as_deref(), path.value), (Some("repo_path"), json!("{tmp}/repo")));
/// // Not a name before the sign, so the whole is the value.
/// assert_eq!(seed("a b=c").value, json!("a b=c"));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seed {
    /// The string or number.
    pub value: Value,
    /// The name of the properties that it serves; all if there is none.
    pub property: Option<String>,
}

/// Why a text is no seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SeedError(String);

impl fmt::Display for SeedError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl std::error::Error for SeedError {}

impl Seed {
    /// The seed in which `text` is replaced by `by`, as templates for folders are.
    #[must_use]
    pub fn replace(&self, text: &str, by: &str) -> Self {
        match &self.value {
            Value::String(value) => Self {
                value: Value::String(value.replace(text, by)),
                property: self.property.clone(),
            },
            Value::Null
            | Value::Bool(_)
            | Value::Number(_)
            | Value::Array(_)
            | Value::Object(_) => self.clone(),
        }
    }
}

impl FromStr for Seed {
    type Err = SeedError;

    fn from_str(text: &str) -> Result<Self, SeedError> {
        let (property, value) = match text.split_once('=') {
            Some((name, value)) if is_identifier(name) => (Some(name.to_owned()), value),
            Some(_) | None => (None, text),
        };
        Ok(Self { value: read(value)?, property })
    }
}

/// A number, a string in quotation marks, or the text itself.
fn read(text: &str) -> Result<Value, SeedError> {
    if text.starts_with('"') {
        return serde_json::from_str::<String>(text).map(Value::String).map_err(|error| {
            SeedError(format!("{text} begins with a quotation mark but is no JSON string: {error}"))
        });
    }
    match serde_json::from_str(text) {
        Ok(Value::Number(number)) => Ok(Value::Number(number)),
        Ok(_) | Err(_) => Ok(Value::String(text.to_owned())),
    }
}

fn is_identifier(name: &str) -> bool {
    let mut chars = name.chars();
    let starts_well = chars.next().is_some_and(|first| first.is_alphabetic() || first == '_');
    starts_well && chars.all(|char| char.is_alphanumeric() || char == '_' || char == '-')
}
