//! The values that reports show.

use std::sync::Arc;

use serde_json::{Value, json};

use crate::TargetIndex;

/// The longest JSON text, in bytes, of a value that a report shows.
const MAX_BYTES: usize = 1_000;

/// The longest beginning, in bytes, of a longer text that a page shows.
const MAX_START: usize = 2_000;

/// The deepest nesting of a value that a report shows: many JSON parsers have a limit not far above.
const MAX_DEPTH: usize = 64;

/// What a run keeps of an example that is too long for a report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LongExamples {
    /// Its size.
    #[default]
    SizeOnly,
    /// Its first 2,000 bytes too, in memory only: [`Report::example_texts`](crate::Report::example_texts).
    Start,
}

/// An instance that was the first to hit some targets, as a report shows it.
///
/// ```
/// use foolproof_coverage::Example;
/// use serde_json::json;
///
/// let small = Example::new(3, &json!({ "size": "S" }), &[]);
/// assert_eq!(small.shown(), &json!({ "size": "S" }));
/// let large = Example::new(4, &json!("x".repeat(1_000)), &[]);
/// assert_eq!(large.shown(), &json!({ "truncated": true, "bytes": 1_002, "instance": 4 }));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Example {
    pub(super) instance: u64,
    pub(super) shown: Value,
    /// The beginning of the JSON text, if the value is too long or too deep to be shown and it is asked for.
    pub(super) start: Option<Arc<str>>,
    pub(crate) targets: Vec<TargetIndex>,
}

impl Example {
    /// The instance at index `instance`, the first to hit `targets`. A value whose JSON text is
    /// longer than 1,000 bytes, or that nests more than 64 levels deep, is not stored, only its size.
    #[must_use]
    pub fn new(instance: u64, value: &Value, targets: &[TargetIndex]) -> Self {
        Self::observed(instance, value, targets, LongExamples::SizeOnly)
    }

    /// The same; `long` says what is kept of a value that a report does not show.
    pub(crate) fn observed(
        instance: u64,
        value: &Value,
        targets: &[TargetIndex],
        long: LongExamples,
    ) -> Self {
        let text = value.to_string();
        let bytes = text.len();
        let targets = targets.to_vec();
        if bytes <= MAX_BYTES && !is_deeper(value, MAX_DEPTH) {
            return Self { instance, shown: value.clone(), start: None, targets };
        }
        let shown = json!({ "truncated": true, "bytes": bytes, "instance": instance });
        let start = (long == LongExamples::Start).then(|| Arc::from(start_of(&text)));
        Self { instance, shown, start, targets }
    }

    /// Its index.
    pub(crate) fn instance(&self) -> u64 {
        self.instance
    }

    /// What a report shows.
    #[must_use]
    pub fn shown(&self) -> &Value {
        &self.shown
    }
}

fn start_of(text: &str) -> &str {
    let ends = (0..=MAX_START.min(text.len())).rev();
    ends.into_iter().find_map(|end| text.get(..end)).unwrap_or_default()
}

/// Whether `value` nests more than `levels` deep. Called for short values only, so that the recursion
/// is bounded.
fn is_deeper(value: &Value, levels: usize) -> bool {
    let mut below: Box<dyn Iterator<Item = &Value>> = match value {
        Value::Array(items) => Box::new(items.iter()),
        Value::Object(members) => Box::new(members.values()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return false,
    };
    levels == 0 || below.any(|value| is_deeper(value, levels - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_deep_example_is_not_shown() {
        let nested = |levels: usize| (0..levels).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(Example::new(0, &nested(64), &[]).shown(), &nested(64));
        assert_eq!(Example::new(0, &nested(65), &[]).shown()["truncated"], true);
    }
}
