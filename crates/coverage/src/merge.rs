//! One report from the reports of several runs over one contract, or of the shards of one run.
//!
//! A target is hit if it is hit in any report. The metrics are recounted by the code that counts those
//! of a run, so the merged shards of a run have the metrics of the run. The order of the reports
//! decides only what is shown where they disagree, never what is counted. Reports are merged one by one, so
//! memory depends on the number of targets and not on the number of reports.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::{
    Diagnostics, Report, ReportMode, Thresholds,
    evaluate::{admit_hit, uncovered},
    report::{REPORT_VERSION, metrics},
};

mod error;
mod hints;
mod run;
mod shards;
mod targets;

pub use error::MergeError;
use hints::{MergedCaps, MergedHints};
use run::MergedRun;
use shards::Shards;
use targets::MergedTargets;

/// Merges reports of the same contract.
///
/// Instances, budgets and times are added up; the earliest start is kept. A minimum is kept if all
/// reports have the same; [`Report::set_minimum`] sets another.
///
/// ```
/// use foolproof_coverage::{Minimum, Report, merge};
/// # let report = |first: bool, second: bool| {
/// #     let target = |index: usize, hit: bool| serde_json::json!({
/// #         "id": format!("enum:#:{index}"), "dimension": "enum", "kind": "ENUM_VALUE_HIT",
/// #         "canonPath": "#", "params": { "enumIndex": index, "value": index }, "hit": hit });
/// #     Report::from_json(&serde_json::json!({
/// #     "version": "coverage-report/v1", "reportMode": "full",
/// #     "engine": { "foundryVersion": "0.1.0", "coverageMode": "measure", "ajvMajor": 8 },
/// #     "run": { "seed": 1, "masterSeed": 1, "maxInstances": 1, "actualInstances": 1,
/// #         "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
/// #         "startedAt": "2025-01-01T12:00:00Z", "durationMs": 1 },
/// #     "metrics": { "coverageStatus": "ok", "overall": 0.5, "byDimension": {}, "byOperation": {},
/// #         "targetsByStatus": {} },
/// #     "targets": [target(0, first), target(1, second)],
/// #     "uncoveredTargets": [], "unsatisfiedHints": [],
/// #     "diagnostics": { "plannerCapsHit": [], "notes": [] }
/// # }).to_string()).unwrap()};
/// # let (one, two) = (report(true, false), report(false, true));
///
/// // Each shard hit one of the two members.
/// let mut whole = merge(&[one, two])?;
/// whole.set_minimum(Minimum::new(0.9).expect("a share"));
/// assert!(whole.is_ok());
/// assert_eq!(whole.metrics.overall, 1.0);
/// assert_eq!(whole.run.actual_instances, 2);
/// # Ok::<(), foolproof_coverage::MergeError>(())
/// ```
pub fn merge(reports: &[Report]) -> Result<Report, MergeError> {
    let mut merger = Merger::default();
    for report in reports {
        merger.add(report.clone())?;
    }
    merger.finish()
}

/// Merges reports of the same contract one at a time, so that only one has to be in memory beside the
/// merged one.
///
/// ```
/// use foolproof_coverage::{MergeError, Merger};
///
/// assert_eq!(Merger::default().finish(), Err(MergeError::Nothing));
/// ```
#[derive(Debug, Default)]
pub struct Merger {
    /// How many reports were added.
    count: usize,
    shards: Shards,
    /// Whether shards may be missing.
    is_partial: bool,
    merged: Option<Merged>,
}

/// What was merged so far.
#[derive(Debug)]
struct Merged {
    run: MergedRun,
    targets: MergedTargets,
    hints: MergedHints,
    caps: MergedCaps,
    notes: Notes,
    thresholds: Option<Thresholds>,
    /// Whether all reports have the same minimums.
    is_agreed: bool,
}

impl Merger {
    /// Merges also if shards of a run are missing, which a note then says.
    #[must_use]
    pub fn partial(self) -> Self {
        Self { is_partial: true, ..self }
    }

    /// Adds a report. After an error, only those that were added before it are merged.
    pub fn add(&mut self, report: Report) -> Result<(), MergeError> {
        let number = self.count + 1;
        check(number, &report)?;
        if let Some(merged) = &self.merged {
            merged.run.check(number, &report)?;
            merged.targets.check(number, &report.targets)?;
        }
        self.shards.add(number, &report)?;
        let merged = match &mut self.merged {
            Some(merged) => merged,
            empty => empty.insert(Merged::new(number, &report)?),
        };
        merged.add(report);
        self.count = number;
        Ok(())
    }

    /// The merged report.
    pub fn finish(self) -> Result<Report, MergeError> {
        let mut merged = self.merged.ok_or(MergeError::Nothing)?;
        let missing = self.shards.missing();
        if !missing.is_empty() && !self.is_partial {
            return Err(MergeError::Missing(missing));
        }
        merged.notes.extend(missing.iter().map(|part| format!("merged without {part}").into()));
        Ok(merged.finish())
    }
}

fn check(report: usize, of: &Report) -> Result<(), MergeError> {
    if of.version != REPORT_VERSION {
        return Err(MergeError::OtherVersion { report, found: of.version.clone() });
    }
    if of.report_mode == ReportMode::Summary {
        return Err(MergeError::Summary { report });
    }
    Ok(())
}

impl Merged {
    fn new(number: usize, first: &Report) -> Result<Self, MergeError> {
        Ok(Self {
            run: MergedRun::new(first),
            targets: MergedTargets::new(number, &first.targets)?,
            hints: MergedHints::default(),
            caps: MergedCaps::default(),
            notes: Notes::default(),
            thresholds: first.metrics.thresholds.clone(),
            is_agreed: true,
        })
    }

    fn add(&mut self, report: Report) {
        let Report { engine, run, metrics, targets, unsatisfied_hints, diagnostics, .. } = report;
        let Diagnostics { planner_caps_hit, notes } = diagnostics;
        let mode = engine.coverage_mode;
        self.run.add(engine, &run);
        self.targets.add(targets, mode);
        self.hints.add(unsatisfied_hints);
        self.caps.add(planner_caps_hit, mode);
        self.notes.extend(notes);
        self.is_agreed &= metrics.thresholds == self.thresholds;
    }

    fn finish(self) -> Report {
        let Self { run, targets, hints, caps, mut notes, thresholds, is_agreed } = self;
        let mut targets = targets.finish();
        notes.extend(targets.iter_mut().filter_map(admit_hit));
        if !is_agreed {
            notes.extend(["the merged reports have different minimums; none is kept".into()]);
        }
        notes.extend(run.seeds());
        let (engine, run) = run.finish();
        Report {
            version: REPORT_VERSION.to_owned(),
            report_mode: ReportMode::Full,
            engine,
            metrics: metrics(&run, &targets, thresholds.filter(|_| is_agreed)),
            run,
            uncovered_targets: uncovered(&targets),
            unsatisfied_hints: hints.finish(&targets),
            diagnostics: Diagnostics { planner_caps_hit: caps.finish(), notes: notes.distinct },
            targets,
            example_texts: BTreeMap::new(),
        }
    }
}

/// The notes, each once.
#[derive(Debug, Default)]
struct Notes {
    distinct: Vec<Value>,
    known: BTreeSet<String>,
}

impl Notes {
    fn extend(&mut self, notes: impl IntoIterator<Item = Value>) {
        for note in notes {
            if self.known.insert(note.to_string()) {
                self.distinct.push(note);
            }
        }
    }
}
