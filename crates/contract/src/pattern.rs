//! One pattern, matched as the validator matches it.

use jsonschema::Validator;
use jsonschema_regex::{PatternAnalysis, analyze_pattern};
use serde_json::json;

use crate::{JsonView, json_view::Views};

/// A regular expression of a contract, in the dialect of ECMA-262.
///
/// ```
/// use foolproof_contract::Pattern;
///
/// let pattern = Pattern::new("^x-").unwrap();
/// assert!(pattern.matches("x-note") && !pattern.matches("note"));
/// assert!(Pattern::new("(").is_none());
/// ```
#[derive(Clone, Debug)]
pub struct Pattern(Matcher);

/// The shapes that the validator matches by comparing texts are matched so here too.
#[derive(Clone, Debug)]
enum Matcher {
    Prefix(Box<str>),
    Exact(Box<str>),
    OneOf(Box<[String]>),
    Ask(Validator<Views>),
}

impl Pattern {
    /// The pattern, unless the validator refuses it.
    #[must_use]
    pub fn new(pattern: &str) -> Option<Self> {
        let options = jsonschema::options_for::<Views>().offline();
        let asked = options.build(&json!({ "pattern": pattern })).ok()?;
        Some(Self(match analyze_pattern(pattern) {
            Some(PatternAnalysis::Prefix(prefix)) => Matcher::Prefix(prefix.into()),
            Some(PatternAnalysis::Exact(text)) => Matcher::Exact(text.into()),
            Some(PatternAnalysis::Alternation(texts)) => Matcher::OneOf(texts.into()),
            Some(PatternAnalysis::NoWhitespace) | None => Matcher::Ask(asked),
        }))
    }

    /// Whether it matches somewhere in `text`.
    #[must_use]
    pub fn matches(&self, text: &str) -> bool {
        match &self.0 {
            Matcher::Prefix(prefix) => text.starts_with(&**prefix),
            Matcher::Exact(exact) => text == &**exact,
            Matcher::OneOf(texts) => texts.iter().any(|one| one == text),
            Matcher::Ask(validator) => validator.is_valid(JsonView::from(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_shape_of_pattern_matches_what_the_validator_accepts() {
        let patterns =
            ["^x-", "^on$", "^(on|off)$", "^\\S*$", "o", "^[a-z]+$", "^\\$", "^a.c$", "^$", "^"];
        let texts = ["", "x-", "x-a", "on", "off", "onoff", " on", "a c", "$ref", "abc", "a.c"];
        for pattern in patterns {
            let validator = jsonschema::validator_for(&json!({ "pattern": pattern })).unwrap();
            let ours = Pattern::new(pattern).unwrap();
            for text in texts {
                let expected = validator.is_valid(&json!(text));
                assert_eq!(ours.matches(text), expected, "`{pattern}` on `{text}`");
            }
        }
    }
}
