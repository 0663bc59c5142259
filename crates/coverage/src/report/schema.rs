//! The JSON Schema of reports.

use serde_json::Value;

/// The JSON Schema (2020-12) of `coverage-report/v1`.
///
/// It is as strict as what this version writes: objects whose fields the requirements list are
/// closed, a kind has one dimension and its own parameters, and a target that is listed as uncovered
/// is not hit. Reading a report is more lenient, so that a later version may add fields.
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy, Oracle};
/// use serde_json::json;
///
/// let schema = Document::from_value(foolproof_coverage::report_schema())?;
/// let oracle = Oracle::new(&schema, FormatPolicy::Assert)?;
/// assert!(!oracle.is_valid(&json!({ "version": "coverage-report/v1" })));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[must_use]
pub fn report_schema() -> Value {
    serde_json::from_str(include_str!("schema.json")).expect("the file beside this one is JSON")
}
