//! A report to keep in a repository: what `coverage diff` compares with, and nothing else.
//!
//! A baseline is a report like any other, so every command reads it. It has one line for each target, in the order of their
//! ids, without examples, reasons, times, seeds and counts of instances: it is small, and changes only where coverage or the contract
//! does.

use crate::{Report, ReportMode, TargetEntry, report::Meta};

/// What stands for the time of a baseline.
const NO_TIME: &str = "1970-01-01T00:00:00Z";

impl Report {
    /// The report as the text of a baseline; nothing if it does not list its targets.
    ///
    /// ```
    /// # let report = foolproof_coverage::Report::from_json(&serde_json::json!({
    /// #     "version": "coverage-report/v1", "reportMode": "full",
    /// #     "engine": { "foundryVersion": "0.1.0", "coverageMode": "measure", "ajvMajor": 8 },
    /// #     "run": { "seed": 1, "masterSeed": 1, "maxInstances": 1, "actualInstances": 1,
    /// #         "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
    /// #         "startedAt": "2025-01-01T12:00:00Z", "durationMs": 1 },
    /// #     "metrics": { "coverageStatus": "ok", "overall": 1, "byDimension": {}, "byOperation": {},
    /// #         "targetsByStatus": {} },
    /// #     "targets": [{ "id": "enum:#:0", "dimension": "enum", "kind": "ENUM_VALUE_HIT",
    /// #         "canonPath": "#", "params": { "enumIndex": 0, "value": "S" }, "hit": true }],
    /// #     "uncoveredTargets": [], "unsatisfiedHints": [],
    /// #     "diagnostics": { "plannerCapsHit": [], "notes": [] }
    /// # }).to_string()).unwrap();
    /// use foolproof_coverage::{Report, diff};
    ///
    /// let baseline = Report::from_json(&report.to_baseline().unwrap())?;
    /// assert!(!diff(&baseline, &report)?.is_regression());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn to_baseline(&self) -> Option<String> {
        if self.report_mode == ReportMode::Summary {
            return None;
        }
        let mut targets: Vec<TargetEntry> = self.targets.clone();
        for target in &mut targets {
            let operations = std::mem::take(&mut target.meta.operations);
            target.meta = Meta { operations, ..Meta::default() };
        }
        targets.sort_by(|left, right| left.id.cmp(&right.id));
        let mut shell = self.clone();
        shell.targets.clear();
        shell.uncovered_targets.clear();
        shell.unsatisfied_hints.clear();
        shell.diagnostics.planner_caps_hit.clear();
        shell.diagnostics.notes.clear();
        shell.metrics.thresholds = None;
        let run = &mut shell.run;
        (run.seed, run.master_seed, run.max_instances, run.actual_instances) = (0, 0, 0, 0);
        run.shard = None;
        (run.started_at, run.duration_ms) = (NO_TIME.to_owned(), 0);
        let lines: Vec<String> = targets
            .iter()
            .map(|target| serde_json::to_string(target).expect("every key of a target is a text"))
            .collect();
        // The only empty list of that name is the one of the shell.
        let list = format!("\"targets\": [\n    {}\n  ]", lines.join(",\n    "));
        let list = if lines.is_empty() { "\"targets\": []".to_owned() } else { list };
        Some(shell.to_json().replacen("\"targets\": []", &list, 1))
    }
}
