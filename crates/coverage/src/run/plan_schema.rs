//! The JSON Schema of plans.

use serde_json::Value;

/// The JSON Schema (2020-12) of `coverage-plan/v1`, as strict as what this version writes.
///
/// ```
/// use foolproof_contract::{Document, FormatPolicy, Oracle};
/// use foolproof_coverage::{CompiledRun, Profile, Settings, plan_schema};
/// use foolproof_generate::Meter;
/// use serde_json::json;
///
/// let schema = Document::from_value(plan_schema())?;
/// let oracle = Oracle::new(&schema, FormatPolicy::Assert)?;
/// let document = Document::from_value(json!({ "enum": ["S", "M"] }))?;
/// let settings = Settings::guided(Profile::Balanced);
/// let run = CompiledRun::new(&document, settings, &mut Meter::counting())?;
/// let plan = run.plan_record().expect("the run is guided").to_json();
/// let mut plan: serde_json::Value = serde_json::from_str(&plan).expect("it is JSON");
/// assert!(oracle.is_valid(&plan));
/// plan["units"][0]["hints"][0]["params"] = json!({ "branchIndex": 0 });
/// assert!(!oracle.is_valid(&plan));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[must_use]
pub fn plan_schema() -> Value {
    serde_json::from_str(include_str!("plan_schema.json"))
        .expect("the file beside this one is JSON")
}
