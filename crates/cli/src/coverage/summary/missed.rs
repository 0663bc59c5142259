//! The targets that no instance hit, the most important first, each with the reason.

use foolproof_coverage::{ConditionalPath, Report, ReportMode, Status, TargetEntry, TargetKind};
use serde_json::Value;

use crate::terminal::{WIDTH, heading, sentence, short};

/// The most targets that are listed.
const MAX_ENTRIES: usize = 10;
/// The longest value, in characters, that is shown.
const MAX_VALUE: usize = 50;

pub(super) fn describe(report: &Report, out: &mut String) {
    // Unreachable targets that the ratios exclude need no action.
    let is_open = |target: &&TargetEntry| match target.status {
        Status::Active => true,
        Status::Unreachable => !report.run.exclude_unreachable,
        Status::Deprecated => false,
    };
    let mut open: Vec<&TargetEntry> = report.uncovered_targets.iter().filter(is_open).collect();
    if open.is_empty() {
        return;
    }
    // Targets that can be hit come first; otherwise the order is that of the report.
    open.sort_by_key(|target| target.status);
    // A summary does not list all of them, so their number is not known.
    let number = match report.report_mode {
        ReportMode::Full => format!(" ({})", open.len()),
        ReportMode::Summary => String::new(),
    };
    heading(out, &format!("Not covered{number}, the most important first:"));
    for target in open.iter().take(MAX_ENTRIES) {
        out.push_str(&format!("  {}\n", short(&target.id, WIDTH - 2)));
        sentence(out, "    ", &why(target));
    }
    if open.len() > MAX_ENTRIES {
        out.push_str(&format!("  and {} more, which the report lists\n", open.len() - MAX_ENTRIES));
    }
}

/// What no instance did, and the reason if the report has one.
pub(in crate::coverage) fn why(target: &TargetEntry) -> String {
    if target.status == Status::Unreachable {
        return "no valid value can hit it".to_owned();
    }
    let missed = describe_missed(target);
    match (&target.meta.reason, target.meta.planned) {
        (Some(reason), _) => format!("{missed}: {}", short(reason, 300)),
        (None, Some(false)) => format!("{missed}: the planner left it out"),
        (None, Some(true) | None) => missed,
    }
}

/// What no instance did.
fn describe_missed(target: &TargetEntry) -> String {
    let param = |name: &str| target.params.as_ref().and_then(|params| params.get(name));
    let shown = |name: &str| short(&param(name).unwrap_or(&Value::Null).to_string(), MAX_VALUE);
    match &target.kind {
        TargetKind::SchemaNode => "no value reached this schema".to_owned(),
        TargetKind::PropertyPresent => "the property was never present".to_owned(),
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
                    "no object lacked the property that it depends on"
                }
                None | Some(_) => "the condition never had this outcome",
            }
            .to_owned()
        }
        TargetKind::EnumValueHit => format!("no value was {}", shown("value")),
        TargetKind::NumericMinHit | TargetKind::NumericMaxHit => {
            format!("no number was {}", shown("value"))
        }
        TargetKind::StringMinLengthHit | TargetKind::StringMaxLengthHit => {
            format!("no string had the length {}", shown("value"))
        }
        TargetKind::ArrayMinItemsHit | TargetKind::ArrayMaxItemsHit => {
            format!("no array had the length {}", shown("value"))
        }
        TargetKind::OpRequestCovered => "no request of the operation".to_owned(),
        TargetKind::OpResponseCovered => "no response of the operation".to_owned(),
        TargetKind::SchemaReusedCovered => {
            "not every operation that uses the schema reached it".to_owned()
        }
        TargetKind::Unknown(_) | _ => "no value hit it".to_owned(),
    }
}
