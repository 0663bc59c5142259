//! Observing which targets values hit.
//!
//! - The same value hits the same targets, all of them targets of the contract.
//! - Observing several values in a row hits what each of them hits alone: nothing is lost, and nothing is added.
//! - Nothing that is proven unreachable is hit.
//! - A report on the same values is the same.

use std::{collections::BTreeSet, sync::Arc};

use foolproof_contract::{Canonicalizer, FormatPolicy, with_large_stack};
use foolproof_coverage::{
    Dimensions, HitTracker, Measurement, Observer, Report, Settings, Status, TargetIndex, Universe,
};

use super::subject::Subject;
use crate::Reached;

/// Checks the laws of observation.
pub fn observe(data: &[u8]) -> Reached {
    with_large_stack(|| check(data))
}

fn check(data: &[u8]) -> Reached {
    let Some(subject) = Subject::of(data) else { return Reached::Refused };
    let document = &subject.document;
    let Ok(mut forms) = Canonicalizer::new(document, FormatPolicy::Assert) else {
        return Reached::Refused;
    };
    let universe = Arc::new(Universe::of(document, &mut forms, Dimensions::all()));
    let observer = Observer::new(&universe, document, FormatPolicy::Assert);
    let mut tracker = HitTracker::new(&observer);
    let mut expected = BTreeSet::new();
    for value in subject.accepted() {
        let accepted = subject.oracle.accept(value.clone()).expect("it was accepted before");
        let hits = observer.observe(&accepted);
        assert_eq!(hits, observer.observe(&accepted), "observing {value} twice");
        let fresh: BTreeSet<TargetIndex> = tracker.observe(&accepted).iter().copied().collect();
        let new: BTreeSet<TargetIndex> =
            hits.iter().filter(|target| !expected.contains(target)).collect();
        assert_eq!(fresh, new, "{value} after others");
        expected.extend(new);
        assert!(tracker.hits().iter().eq(expected.iter().copied()), "after {value}");
    }
    assert!(expected.iter().all(|target| target.index() < universe.targets().len()));
    check_reports(&subject)
}

fn check_reports(subject: &Subject) -> Reached {
    let report = |is_empty: bool| {
        let measured = Measurement::new(&subject.document, Settings::measure(0));
        let mut measured = measured.expect("the same document was measured before");
        for value in subject.accepted().filter(|_| !is_empty) {
            assert!(measured.accept(value.clone()));
        }
        measured.finish(None)
    };
    let (nothing, something) = (report(true), report(false));
    assert_eq!(something.to_json(), report(false).to_json(), "measuring twice");
    let hit = |report: &Report| report.targets.iter().filter(|target| target.hit).count();
    assert_eq!(hit(&nothing), 0, "without a value");
    for (before, after) in nothing.targets.iter().zip(&something.targets) {
        assert_eq!(before.id, after.id);
        let is_refuted = before.status == Status::Unreachable && after.hit;
        assert!(!is_refuted, "{} is hit, and proven unreachable", after.id);
    }
    if hit(&something) > 0 { Reached::Checked } else { Reached::Refused }
}
