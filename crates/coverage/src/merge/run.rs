//! One run from several, and whether they may be merged at all.

use std::collections::BTreeSet;

use serde_json::Value;

use super::MergeError;
use crate::{EngineInfo, OperationsScope, Report, RunRecord};

/// The runs of several reports as one.
#[derive(Debug)]
pub(super) struct MergedRun {
    engine: EngineInfo,
    oracles: Vec<String>,
    /// Of a run without any instance, before the first one is added.
    run: RunRecord,
    has_run: bool,
    seeds: BTreeSet<u64>,
    rules: [(&'static str, String); 6],
}

impl MergedRun {
    pub(super) fn new(first: &Report) -> Self {
        let run = RunRecord {
            max_instances: 0,
            actual_instances: 0,
            duration_ms: 0,
            shard: None,
            ..first.run.clone()
        };
        Self {
            engine: first.engine.clone(),
            oracles: Vec::new(),
            run,
            has_run: false,
            seeds: BTreeSet::new(),
            rules: rules(first),
        }
    }

    /// Fails if `other` is about another contract, or was made under other rules.
    pub(super) fn check(&self, report: usize, other: &Report) -> Result<(), MergeError> {
        // A report of an earlier version has no fingerprint; then the targets decide.
        let fingerprints = (&self.run.contract_fingerprint, &other.run.contract_fingerprint);
        if let (Some(expected), Some(found)) = fingerprints
            && expected != found
        {
            let (found, expected) = (found.clone(), expected.clone());
            return Err(MergeError::OtherContract { report, found, expected });
        }
        for ((field, expected), (_, found)) in self.rules.iter().zip(rules(other)) {
            if *expected != found {
                let expected = expected.clone();
                return Err(MergeError::OtherRules { report, field, found, expected });
            }
        }
        Ok(())
    }

    pub(super) fn add(&mut self, engine: EngineInfo, run: &RunRecord) {
        self.engine.coverage_mode = self.engine.coverage_mode.max(engine.coverage_mode);
        if self.engine.stream_version != engine.stream_version {
            self.engine.stream_version = None;
        }
        self.oracles.extend(engine.oracle.filter(|oracle| !self.oracles.contains(oracle)));
        // Each shard reports its part of the budget, so the sum is the budget of the run.
        let sum = |left: u64, right: u64| left.saturating_add(right);
        self.run.max_instances = sum(self.run.max_instances, run.max_instances);
        self.run.actual_instances = sum(self.run.actual_instances, run.actual_instances);
        self.run.duration_ms = sum(self.run.duration_ms, run.duration_ms);
        if !self.has_run || run.started_at < self.run.started_at {
            self.run.started_at.clone_from(&run.started_at);
        }
        self.has_run = true;
        if self.run.contract_fingerprint.is_none() {
            self.run.contract_fingerprint.clone_from(&run.contract_fingerprint);
        }
        self.seeds.insert(run.master_seed);
    }

    /// The note that lists the seeds, if there are several: the report itself has room for one.
    pub(super) fn seeds(&self) -> Option<Value> {
        let list: Vec<String> = self.seeds.iter().map(u64::to_string).collect();
        let is_several = self.seeds.len() > 1;
        is_several.then(|| format!("merged from runs with the seeds {}", list.join(", ")).into())
    }

    pub(super) fn finish(self) -> (EngineInfo, RunRecord) {
        let oracle = (!self.oracles.is_empty()).then(|| self.oracles.join(", "));
        (EngineInfo { oracle, ..self.engine }, self.run)
    }
}

/// The fields that must be equal in all reports.
fn rules(report: &Report) -> [(&'static str, String); 6] {
    let run = &report.run;
    let dimensions: BTreeSet<&str> =
        run.dimensions_enabled.iter().map(|dimension| dimension.as_str()).collect();
    let dimensions: Vec<&str> = dimensions.into_iter().collect();
    let operations = run.selected_operations.clone().unwrap_or_default();
    let scope = run.operations_scope.map_or("none", OperationsScope::as_str);
    [
        ("engine.foundryVersion", format!("major version {}", report.engine.major())),
        ("engine.ajvMajor", report.engine.ajv_major.to_string()),
        ("run.dimensionsEnabled", dimensions.join(", ")),
        ("run.excludeUnreachable", run.exclude_unreachable.to_string()),
        ("run.operationsScope", scope.to_owned()),
        ("run.selectedOperations", operations.join(", ")),
    ]
}
