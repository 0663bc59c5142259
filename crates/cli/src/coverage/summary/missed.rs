//! The targets that nothing hit, the most important first, each with why.

use foolproof_coverage::{ConditionalPath, Report, ReportMode, Status, TargetEntry, TargetKind};
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
    match &target.kind {
        TargetKind::SchemaNode => "no value stood at this schema".to_owned(),
        TargetKind::PropertyPresent => "the property was never there".to_owned(),
        TargetKind::OneOfBranch | TargetKind::AnyOfBranch => {
            format!("no value took the branch with index {}", shown("branchIndex"))
        }
        TargetKind::ConditionalPath => {
            let path = param("path").and_then(Value::as_str).and_then(ConditionalPath::from_word);
            match path {
                Some(ConditionalPath::Then) => "no value met the condition",
                Some(ConditionalPath::Else) => "no value failed the condition",
                Some(ConditionalPath::Active) => "no object had the property that it depends on",
                Some(ConditionalPath::Inactive) => {
                    "no object went without the property that it depends on"
                }
                None => "the condition never went this way",
            }
            .to_owned()
        }
        TargetKind::EnumValueHit => format!("no value was {}", shown("value")),
        TargetKind::NumericMinHit | TargetKind::NumericMaxHit => {
            format!("no number was {}", shown("value"))
        }
        TargetKind::StringMinLengthHit | TargetKind::StringMaxLengthHit => {
            format!("no text had the length {}", shown("value"))
        }
        TargetKind::ArrayMinItemsHit | TargetKind::ArrayMaxItemsHit => {
            format!("no array had the length {}", shown("value"))
        }
        TargetKind::OpRequestCovered => "no request was made for the operation".to_owned(),
        TargetKind::OpResponseCovered => "no response was made for the operation".to_owned(),
        TargetKind::SchemaReusedCovered => {
            "not every operation that uses the schema reached it".to_owned()
        }
        TargetKind::Unknown(_) | _ => "no value hit it".to_owned(),
    }
}
