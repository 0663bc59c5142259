//! A wrong proof of unreachability, which the public API cannot produce.

use foolproof_contract::{Canonicalizer, DiagnosticCode, Document, FormatPolicy};
use serde_json::json;

use super::{Outcome, RunInfo, evaluate};
use crate::{Dimension, Dimensions, Hits, Report, Status, TargetsByStatus, Universe, Unreachable};

/// Three members, of which the last two are marked unreachable, and the second was hit nevertheless.
fn report(exclude_unreachable: bool) -> Report {
    let document = Document::from_value(json!({ "enum": ["S", "M", "L"] })).unwrap();
    let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
    let dimensions: Dimensions = [Dimension::Enum].into_iter().collect();
    let mut universe = Universe::of(&document, &mut forms, dimensions);
    let [second, third] = [1, 2].map(|index| universe.index_of(index));
    let why = || Unreachable::new("a wrong proof", DiagnosticCode::Conflict);
    universe.set_unreachable(second, why());
    universe.set_unreachable(third, why());
    let mut hits = Hits::none(3);
    hits.insert(second);
    let run = RunInfo {
        seed: 1,
        max_instances: 1,
        actual_instances: 1,
        exclude_unreachable,
        started_at: "2025-01-01T12:00:00Z",
        duration_ms: 0,
        operations_scope: None,
        selected_operations: None,
    };
    evaluate(&Outcome::new(universe.target_set(), &hits, run))
}

#[test]
fn a_wrong_proof_never_hides_a_hit() {
    let report = report(true);
    let statuses: Vec<Status> = report.targets.iter().map(|target| target.status).collect();
    assert_eq!(statuses, [Status::Active, Status::Active, Status::Unreachable]);
    assert!(report.targets[1].hit);
    assert!((report.metrics.overall - 0.5).abs() < f64::EPSILON);
    let counts = TargetsByStatus { active: 2, unreachable: 1, deprecated: 0 };
    assert_eq!(report.metrics.targets_by_status, counts);
    let [note] = report.diagnostics.notes.as_slice() else { panic!("there is one note") };
    assert!(note.as_str().unwrap().starts_with("`enum:#:1` was marked unreachable but was hit"));
}

#[test]
fn strict_counting_includes_unreachable_targets() {
    let report = report(false);
    assert!((report.metrics.overall - 1.0 / 3.0).abs() < f64::EPSILON);
}
