//! What limited a run: caps of the planner, hints that were not satisfied, and notes.

use std::collections::BTreeMap;

use foolproof_contract::wording::count;
use foolproof_coverage::{PlannerCapHit, ReasonCode, Report, UnsatisfiedHint};

use crate::terminal::{heading, sentence, short};

/// The most entries of one list.
const MAX_ENTRIES: usize = 5;

pub(super) fn describe(report: &Report, out: &mut String) {
    caps(&report.diagnostics.planner_caps_hit, out);
    hints(&report.unsatisfied_hints, out);
    notes(report, out);
}

/// The scopes in which the planner left targets out, those with the most such targets first.
fn caps(caps: &[PlannerCapHit], out: &mut String) {
    if caps.is_empty() {
        return;
    }
    let left_out: usize = caps.iter().map(|cap| cap.unplanned_targets).sum();
    let scopes = count(caps.len() as u64, "scope");
    let left_out = count(left_out as u64, "target");
    heading(out, &format!("The planner left out {left_out} in {scopes}:"));
    let mut caps: Vec<&PlannerCapHit> = caps.iter().collect();
    caps.sort_by_key(|cap| std::cmp::Reverse(cap.unplanned_targets));
    for cap in caps.iter().take(MAX_ENTRIES) {
        let (planned, total) = (cap.planned_targets, cap.total_targets);
        let key = short(&cap.scope_key, 50);
        sentence(out, "  ", &format!("{} at {key}: {planned} of {total} planned", cap.dimension));
    }
    more(caps.len(), out);
}

/// The hints that no instance satisfied, by reason: first what a reader can do something about.
fn hints(hints: &[UnsatisfiedHint], out: &mut String) {
    if hints.is_empty() {
        return;
    }
    // A report of an earlier version has them in another order.
    let mut hints: Vec<&UnsatisfiedHint> = hints.iter().collect();
    hints.sort_by_key(|hint| hint.reason_code.priority());
    let mut reasons: BTreeMap<(usize, ReasonCode), usize> = BTreeMap::new();
    for hint in &hints {
        let code = hint.reason_code;
        *reasons.entry((code.priority(), code)).or_default() += 1;
    }
    let reasons: Vec<String> =
        reasons.iter().map(|((_, code), hints)| format!("{hints} {}", code.as_str())).collect();
    let number = count(hints.len() as u64, "hint");
    heading(out, &format!("No instance satisfied {number}:"));
    sentence(out, "  ", &reasons.join(", "));
    for hint in hints.iter().take(MAX_ENTRIES) {
        sentence(out, "  ", &describe_hint(hint));
    }
    more(hints.len(), out);
}

/// A hint with its parameters and the reason why no instance satisfied it.
fn describe_hint(hint: &UnsatisfiedHint) -> String {
    let location = short(&hint.canon_path, 50);
    let params = hint.params.as_ref().and_then(|params| serde_json::to_string(params).ok());
    let params = params.map(|params| format!(" {}", short(&params, 40))).unwrap_or_default();
    let why = hint.reason_detail.as_deref().unwrap_or(match hint.reason_code {
        ReasonCode::ConflictingConstraints => "the schema does not allow it",
        ReasonCode::RepairModifiedValue => "repair had to undo it",
        ReasonCode::UnreachableBranch => "its branch is unreachable",
        ReasonCode::PlannerCap => "the planner left it out",
        ReasonCode::InternalError => "an internal error of foolproof",
        ReasonCode::Unknown | _ => "the reason is not known",
    });
    format!("{} at {location}{params}: {}", hint.kind, short(why, 300))
}

fn notes(report: &Report, out: &mut String) {
    let notes = &report.diagnostics.notes;
    if notes.is_empty() {
        return;
    }
    heading(out, "Notes:");
    for note in notes.iter().take(MAX_ENTRIES) {
        let text = note.as_str().map_or_else(|| note.to_string(), str::to_owned);
        sentence(out, "  ", &short(&text, 300));
    }
    more(notes.len(), out);
}

fn more(all: usize, out: &mut String) {
    if all > MAX_ENTRIES {
        out.push_str(&format!("  and {} more, which the report lists\n", all - MAX_ENTRIES));
    }
}
