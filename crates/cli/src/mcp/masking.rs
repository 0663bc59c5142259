//! Masking: no secret reaches a report, a file or a terminal.

use std::env;

use serde_json::Value;

/// What stands in the place of a secret.
const MASK: &str = "***";

/// The shortest value that is a secret: a shorter one would mask ordinary words.
const SHORTEST: usize = 8;

/// Parts of the names of variables and headers whose values are secrets.
const SECRET_NAMES: [&str; 8] =
    ["token", "secret", "password", "passwd", "key", "auth", "credential", "cookie"];

/// The secrets of a run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Masking(Vec<String>);

impl Masking {
    /// Adds a secret, unless it is too short to be one.
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.chars().count() >= SHORTEST && !self.0.iter().any(|known| known == secret) {
            self.0.push(secret.to_owned());
            // A secret that contains another one is masked first.
            self.0.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        }
    }

    /// Adds the values of inherited variables, and those of variables whose names look secret.
    pub(crate) fn add_environment(&mut self, variables: &[(String, String)], inherited: &[String]) {
        for (name, value) in variables {
            if is_secret(name) {
                self.add(value);
            }
        }
        for name in inherited {
            self.add(&env::var(name).unwrap_or_default());
        }
    }

    /// Adds the values of headers whose names look secret.
    pub(crate) fn add_headers(&mut self, headers: &[(String, String)]) {
        for (name, value) in headers.iter().filter(|(name, _)| is_secret(name)) {
            let _ = name;
            self.add(value);
            self.add(value.split_once(' ').map_or("", |(_, rest)| rest));
        }
    }

    /// `text` without the secrets.
    pub(crate) fn mask(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), MASK))
    }

    /// `value` without the secrets, in keys and in strings.
    pub(crate) fn mask_value(&self, value: Value) -> Value {
        if self.0.is_empty() {
            return value;
        }
        match value {
            Value::String(text) => Value::String(self.mask(&text)),
            Value::Array(items) => {
                Value::Array(items.into_iter().map(|item| self.mask_value(item)).collect())
            }
            Value::Object(members) => Value::Object(
                members
                    .into_iter()
                    .map(|(key, member)| (self.mask(&key), self.mask_value(member)))
                    .collect(),
            ),
            Value::Null | Value::Bool(_) | Value::Number(_) => value,
        }
    }
}

pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.to_lowercase();
    SECRET_NAMES.iter().any(|part| name.contains(part))
}
