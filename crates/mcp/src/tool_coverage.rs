//! Tool coverage: which tools were called with success, which could not be called, and rules about both.

use std::{collections::BTreeMap, fmt, sync::Arc};

use foolproof_contract::Untrusted;
use serde::Serialize;
use serde_json::{Value, json};

/// How often each tool was called with success, among those that rules are about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCounts {
    /// Successful calls, by tool. Tools that were never called have 0.
    pub counts: BTreeMap<String, u64>,
    /// Those of them that could not be called with the values at hand.
    pub uncallable: Vec<String>,
}

impl ToolCounts {
    /// The share of the tools that could be called which were called with success, in percent. 100 if there are
    /// none.
    #[must_use]
    pub fn percent_called(&self) -> f64 {
        let callable = || self.counts.iter().filter(|(tool, _)| !self.uncallable.contains(tool));
        let called = callable().filter(|(_, count)| **count > 0).count();
        match callable().count() {
            0 => 100.0,
            all => 100.0 * called as f64 / all as f64,
        }
    }

    /// The tools that were never called with success.
    pub fn uncalled(&self) -> impl Iterator<Item = &str> {
        self.counts.iter().filter(|(_, count)| **count == 0).map(|(tool, _)| tool.as_str())
    }
}

/// A rule of the caller: `Err` says what is wrong.
pub type CustomRule = dyn Fn(&ToolCounts) -> Result<(), Value> + Send + Sync;

/// What must hold of the counts of calls.
#[derive(Clone)]
#[non_exhaustive]
pub enum Rule {
    /// Every tool was called with success so often.
    MinCalls(u64),
    /// This share of the tools that can be called was called with success, in percent.
    MinTools(f64),
    /// Every tool was called with success.
    NoUncalled,
    /// A rule of the caller: `Err` says what is wrong.
    Custom(Arc<CustomRule>),
}

/// A rule that does not hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RuleFailure {
    /// Always `coverage_validation_failed`.
    pub code: &'static str,
    /// Which rule, and what is against it.
    pub details: Value,
}

impl Rule {
    /// What is against the rule, if it does not hold.
    #[must_use]
    pub fn check(&self, counts: &ToolCounts) -> Option<RuleFailure> {
        let failure = |details: Value| RuleFailure { code: "coverage_validation_failed", details };
        match self {
            Self::MinCalls(least) => {
                let below: BTreeMap<&String, &u64> =
                    counts.counts.iter().filter(|(_, count)| *count < least).collect();
                (!below.is_empty()).then(|| {
                    failure(json!({ "rule": "min_calls", "required": least, "below": below }))
                })
            }
            Self::MinTools(least) => {
                let percent = counts.percent_called();
                (percent < *least).then(|| {
                    let uncalled: Vec<&str> = counts
                        .uncalled()
                        .filter(|tool| !counts.uncallable.iter().any(|other| other == tool))
                        .collect();
                    failure(json!({
                        "rule": "min_tools", "requiredPercent": least, "percent": percent,
                        "uncalled": uncalled,
                    }))
                })
            }
            Self::NoUncalled => {
                let uncalled: Vec<&str> = counts.uncalled().collect();
                (!uncalled.is_empty())
                    .then(|| failure(json!({ "rule": "no_uncalled", "uncalled": uncalled })))
            }
            Self::Custom(rule) => rule(counts)
                .err()
                .map(|details| failure(json!({ "rule": "custom", "details": details }))),
        }
    }
}

impl fmt::Debug for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::MinCalls(least) => write!(formatter, "MinCalls({least})"),
            Self::MinTools(percent) => write!(formatter, "MinTools({percent})"),
            Self::NoUncalled => formatter.write_str("NoUncalled"),
            Self::Custom(_) => formatter.write_str("Custom"),
        }
    }
}

/// Why a tool could not be called.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolWarning {
    /// The tool.
    pub tool: Untrusted,
    /// `missing_string`, `missing_integer`, `missing_number` or `missing_required_value`.
    pub reason: &'static str,
    /// The field that is missing, as a JSON Pointer into the arguments.
    pub pointer: Untrusted,
    /// An option that would help, as one types it in a shell.
    pub suggestion: Option<String>,
}

impl fmt::Display for ToolWarning {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at ", self.reason)?;
        if self.pointer == "" {
            formatter.write_str("/")?;
        } else {
            write!(formatter, "{}", self.pointer)?;
        }
        match &self.suggestion {
            Some(option) => write!(formatter, "; try {option}"),
            None => Ok(()),
        }
    }
}
