//! The targets that nothing hit, the most important first, each with why.

use foolproof_coverage::{Report, ReportMode, Status, TargetEntry};
use serde_json::Value;

use crate::terminal::{WIDTH, heading, sentence, short};

/// How many are listed.
const MOST: usize = 10;
/// The longest value that is shown.
const LONGEST_VALUE: usize = 50;

pub(super) fn describe(report: &Report, out: &mut String) {
    // What is out of reach and left out of the numbers is nothing to act on.
    let is_open = |target: &&TargetEntry| match target.status {
        Status::Active => true,
        Status::Unreachable => !report.run.exclude_unreachable,
        Status::Deprecated => false,
    };
    let mut open: Vec<&TargetEntry> = report.uncovered_targets.iter().filter(is_open).collect();
    if open.is_empty() {
        return;
    }
    // Of what counts, what can be hit comes first; otherwise the order is the report's.
    open.sort_by_key(|target| target.status);
    // A summary does not list all of them, so it does not know how many there are.
    let number = match report.report_mode {
        ReportMode::Full => format!(" ({})", open.len()),
        ReportMode::Summary => String::new(),
    };
    heading(out, &format!("Not covered{number}, the most important first:"));
    for target in open.iter().take(MOST) {
        out.push_str(&format!("  {}\n", short(&target.id, WIDTH - 2)));
        sentence(out, "    ", &why(target));
    }
    if open.len() > MOST {
        out.push_str(&format!("  and {} more, which the report lists\n", open.len() - MOST));
    }
}

/// Why `target` was missed, as far as the report knows.
fn why(target: &TargetEntry) -> String {
    if target.status == Status::Unreachable {
        return "no valid value can hit it".to_owned();
    }
    let seen = seen(target);
    match (&target.meta.reason, target.meta.planned) {
        (Some(reason), _) => format!("{seen}: {}", short(reason, 300)),
        (None, Some(false)) => format!("{seen}: the planner left it out"),
        (None, Some(true) | None) => seen,
    }
}

/// What was not seen.
fn seen(target: &TargetEntry) -> String {
    let param = |name: &str| target.params.as_ref().and_then(|params| params.get(name));
    let shown = |name: &str| short(&param(name).unwrap_or(&Value::Null).to_string(), LONGEST_VALUE);
    match target.kind.as_str() {
        "SCHEMA_NODE" => "no value stood at this schema".to_owned(),
        "PROPERTY_PRESENT" => "the property was never there".to_owned(),
        "ONEOF_BRANCH" | "ANYOF_BRANCH" => {
            format!("no value took the branch with index {}", shown("branchIndex"))
        }
        "CONDITIONAL_PATH" => match param("path").and_then(Value::as_str) {
            Some("if+then") => "no value met the condition",
            Some("if+else") => "no value failed the condition",
            Some("active") => "no object had the property that it depends on",
            Some("inactive") => "no object went without the property that it depends on",
            _ => "the condition never went this way",
        }
        .to_owned(),
        "ENUM_VALUE_HIT" => format!("no value was {}", shown("value")),
        "NUMERIC_MIN_HIT" | "NUMERIC_MAX_HIT" => format!("no number was {}", shown("value")),
        "STRING_MIN_LENGTH_HIT" | "STRING_MAX_LENGTH_HIT" => {
            format!("no text had the length {}", shown("value"))
        }
        "ARRAY_MIN_ITEMS_HIT" | "ARRAY_MAX_ITEMS_HIT" => {
            format!("no array had the length {}", shown("value"))
        }
        "OP_REQUEST_COVERED" => "no request was made for the operation".to_owned(),
        "OP_RESPONSE_COVERED" => "no response was made for the operation".to_owned(),
        "SCHEMA_REUSED_COVERED" => "not every operation that uses the schema reached it".to_owned(),
        _ => "no value hit it".to_owned(),
    }
}
