//! Evaluating: the report on the outcome of a run.
//!
//! A pure function from the targets, the hits and facts about the run to a [`Report`]. No clock, no
//! environment. A hit is never hidden: a target that is marked unreachable and was hit nevertheless is
//! reported as active, with a note, since then the proof is wrong.

use std::{collections::BTreeMap, sync::Arc};

use foolproof_generate::STREAM_VERSION;
use serde_json::Value;

use crate::{
    Dimensions, Hits, Status, Target, TargetIndex, TargetSet,
    report::{
        CoverageMode, Diagnostics, EngineInfo, Meta, Minimum, OperationsScope, PlannerCapHit,
        REPORT_VERSION, Report, ReportMode, RunRecord, TargetEntry, Thresholds, UnsatisfiedHint,
        metrics,
    },
    universe::MAX_NAMES,
};

mod example;
#[cfg(test)]
mod tests;
mod uncovered;

pub use example::{Example, LongExamples};
pub(crate) use uncovered::{by_priority, uncovered};
use uncovered::{shorten, truncations};

/// The AJV major whose verdicts the oracle is checked against.
const AJV_MAJOR: u32 = 8;

/// The outcome of a run.
///
/// [`Outcome::new`] gives one with the hits only; set the other fields as needed.
#[derive(Clone, Debug)]
pub struct Outcome<'a> {
    /// The targets.
    pub targets: &'a TargetSet,
    /// Those that were hit.
    pub hits: &'a Hits,
    /// The instances that were the first to hit a target. If a target has several, the one with the
    /// lowest index is shown.
    pub examples: &'a [Example],
    /// The targets that the planner planned for, if it did plan.
    pub planned: Option<&'a Hits>,
    /// Why targets were missed. The reason of a target that was hit is ignored.
    pub reasons: &'a BTreeMap<TargetIndex, String>,
    /// The hints that no instance satisfied.
    pub unsatisfied_hints: &'a [UnsatisfiedHint],
    /// Where the planner left targets out.
    pub planner_caps: &'a [PlannerCapHit],
    /// What else a reader should know.
    pub notes: &'a [String],
    /// The run itself.
    pub run: RunInfo<'a>,
    /// The fingerprint of the contract
    /// ([`Document::fingerprint`](foolproof_contract::Document::fingerprint)), if it is known.
    pub fingerprint: Option<String>,
    /// What coverage did.
    pub mode: CoverageMode,
    /// The name of the oracle.
    pub oracle: &'a str,
    /// The least overall coverage that is good enough.
    pub minimum: Option<Minimum>,
    /// How much to list.
    pub report_mode: ReportMode,
}

/// What a run was asked for and did. The dimensions are those of the universe.
#[derive(Clone, Copy, Debug)]
pub struct RunInfo<'a> {
    /// The seed.
    pub seed: u64,
    /// The most instances that this run might generate; of a shard, its part.
    pub max_instances: u64,
    /// How many it generated.
    pub actual_instances: u64,
    /// Whether unreachable targets are left out of the metrics.
    pub exclude_unreachable: bool,
    /// When it began, in UTC and in the format of RFC 3339.
    pub started_at: &'a str,
    /// How long it took.
    pub duration_ms: u64,
    /// Which operations were in scope, if the contract is an API.
    pub operations_scope: Option<OperationsScope>,
    /// Their keys, if not all of them were.
    pub selected_operations: Option<&'a [String]>,
}

impl<'a> Outcome<'a> {
    /// The outcome of a run that only measured, by the default oracle, reported in full.
    #[must_use]
    pub fn new(targets: &'a TargetSet, hits: &'a Hits, run: RunInfo<'a>) -> Self {
        const NO_REASONS: &BTreeMap<TargetIndex, String> = &BTreeMap::new();
        Self {
            targets,
            hits,
            examples: &[],
            planned: None,
            reasons: NO_REASONS,
            unsatisfied_hints: &[],
            planner_caps: &[],
            notes: &[],
            run,
            fingerprint: None,
            mode: CoverageMode::Measure,
            oracle: "jsonschema",
            minimum: None,
            report_mode: ReportMode::Full,
        }
    }
}

/// The report of `outcome`.
///
/// ```
/// use std::sync::Arc;
/// use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Oracle};
/// use foolproof_coverage::{
///     Dimension, Dimensions, Example, Observer, Outcome, RunInfo, Universe, HitTracker, evaluate,
/// };
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["S", "M", "L", "XL"] }))?;
/// let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert)?;
/// let dimensions: Dimensions = [Dimension::Enum].into_iter().collect();
/// let universe = Arc::new(Universe::of(&document, &mut forms, dimensions));
/// let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
/// let oracle = Oracle::new(&document, FormatPolicy::Assert)?;
///
/// let mut tracker = HitTracker::new(&observer);
/// let mut examples = Vec::new();
/// for (instance, value) in [json!("L"), json!("S"), json!("S")].into_iter().enumerate() {
///     let value = oracle.accept(value).expect("all three are sizes");
///     let fresh = tracker.observe(&value);
///     if !fresh.is_empty() {
///         examples.push(Example::new(instance as u64, value.value(), fresh));
///     }
/// }
/// let run = RunInfo {
///     seed: 42, max_instances: 3, actual_instances: 3, exclude_unreachable: true,
///     started_at: "2025-01-01T12:00:00Z", duration_ms: 1,
///     operations_scope: None, selected_operations: None,
/// };
/// let hits = tracker.hits();
/// let report = evaluate(&Outcome { examples: &examples, ..Outcome::new(universe.target_set(), hits, run) });
/// assert_eq!(report.metrics.overall, 0.5);
/// let missed: Vec<&str> = report.uncovered_targets.iter().map(|target| &*target.id).collect();
/// assert_eq!(missed, ["enum:#:1", "enum:#:3"]);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[must_use]
pub fn evaluate(outcome: &Outcome<'_>) -> Report {
    let mut notes: Vec<Value> = outcome.notes.iter().cloned().map(Value::String).collect();
    notes.extend(sampled(outcome.targets.sampled_enumerations()));
    notes.extend(unlisted(outcome.targets.unlisted_names()));
    let contract_fingerprint = outcome.fingerprint.clone();
    let run = RunRecord { contract_fingerprint, ..run(outcome.targets.dimensions(), outcome.run) };
    assemble(ReportParts {
        run,
        mode: outcome.mode,
        oracle: outcome.oracle,
        targets: entries(outcome),
        examples: outcome.examples,
        unsatisfied_hints: outcome.unsatisfied_hints,
        planner_caps: outcome.planner_caps,
        notes,
        minimum: outcome.minimum,
        report_mode: outcome.report_mode,
    })
}

/// What a report is assembled from.
pub(crate) struct ReportParts<'a> {
    pub(crate) run: RunRecord,
    pub(crate) mode: CoverageMode,
    pub(crate) oracle: &'a str,
    pub(crate) targets: Vec<TargetEntry>,
    pub(crate) examples: &'a [Example],
    pub(crate) unsatisfied_hints: &'a [UnsatisfiedHint],
    pub(crate) planner_caps: &'a [PlannerCapHit],
    pub(crate) notes: Vec<Value>,
    pub(crate) minimum: Option<Minimum>,
    pub(crate) report_mode: ReportMode,
}

pub(crate) fn assemble(parts: ReportParts<'_>) -> Report {
    let ReportParts { run, mut targets, mut notes, .. } = parts;
    notes.extend(targets.iter_mut().filter_map(admit_hit));
    let overall = parts.minimum.map(Minimum::share);
    let thresholds =
        overall.map(|share| Thresholds { overall: Some(share), ..Thresholds::default() });
    let mut report = Report {
        version: REPORT_VERSION.to_owned(),
        report_mode: ReportMode::Full,
        engine: EngineInfo {
            foundry_version: env!("CARGO_PKG_VERSION").to_owned(),
            coverage_mode: parts.mode,
            ajv_major: AJV_MAJOR,
            oracle: Some(parts.oracle.to_owned()),
            stream_version: Some(STREAM_VERSION),
        },
        metrics: metrics(&run, &targets, thresholds),
        run,
        uncovered_targets: uncovered(&targets),
        targets,
        unsatisfied_hints: parts.unsatisfied_hints.to_vec(),
        diagnostics: Diagnostics { planner_caps_hit: parts.planner_caps.to_vec(), notes },
        example_texts: example_texts(parts.examples),
    };
    if parts.report_mode == ReportMode::Summary {
        report.summarize();
    }
    report
}

fn example_texts(examples: &[Example]) -> BTreeMap<u64, Arc<str>> {
    let long = |example: &Example| Some((example.instance, Arc::clone(example.start.as_ref()?)));
    examples.iter().filter_map(long).collect()
}

impl Report {
    /// Leaves out the targets, and all but the first 20 uncovered ones of each dimension. The metrics
    /// stay as they are; a note says what was cut.
    pub fn summarize(&mut self) {
        self.report_mode = ReportMode::Summary;
        self.targets.clear();
        self.diagnostics.notes.extend(truncations(&self.uncovered_targets));
        shorten(&mut self.uncovered_targets);
    }
}

pub(crate) fn run(dimensions: Dimensions, info: RunInfo<'_>) -> RunRecord {
    let RunInfo {
        seed,
        max_instances,
        actual_instances,
        exclude_unreachable,
        started_at,
        duration_ms,
        operations_scope,
        selected_operations,
    } = info;
    RunRecord {
        seed,
        master_seed: seed,
        max_instances,
        actual_instances,
        shard: None,
        dimensions_enabled: dimensions.iter().collect(),
        exclude_unreachable,
        started_at: started_at.to_owned(),
        duration_ms,
        operations_scope,
        selected_operations: selected_operations.map(<[String]>::to_vec),
        contract_fingerprint: None,
    }
}

/// The example of least index that hit each of so many targets.
pub(crate) fn first_examples(targets: usize, examples: &[Example]) -> Vec<Option<&Example>> {
    let mut first: Vec<Option<&Example>> = vec![None; targets];
    for example in examples {
        for target in &example.targets {
            let first = &mut first[target.index()];
            if first.is_none_or(|first| example.instance < first.instance) {
                *first = Some(example);
            }
        }
    }
    first
}

fn entries(outcome: &Outcome<'_>) -> Vec<TargetEntry> {
    let set = outcome.targets;
    let first = first_examples(set.targets().len(), outcome.examples);
    let targets = set.targets().iter().zip(first).enumerate();
    targets
        .map(|(index, (target, first))| {
            let index = set.index_of(index);
            let meta = meta(outcome, index, first);
            let operation_key = set.operation(index).map(str::to_owned);
            let hit = outcome.hits.contains(index);
            TargetEntry { operation_key, ..entry(target, meta, hit) }
        })
        .collect()
}

pub(crate) fn entry(target: &Target, meta: Meta, hit: bool) -> TargetEntry {
    TargetEntry {
        id: target.id().to_owned(),
        dimension: target.dimension(),
        kind: target.kind().clone(),
        canon_path: target.location().to_owned(),
        operation_key: None,
        params: target.params().to_json(),
        status: target.status(),
        weight: None,
        polarity: None,
        meta,
        hit,
    }
}

fn meta(outcome: &Outcome<'_>, target: TargetIndex, first: Option<&Example>) -> Meta {
    let is_hit = outcome.hits.contains(target);
    let first = first.filter(|_| is_hit);
    let is_left_out = outcome.planned.is_some_and(|planned| !planned.contains(target));
    let why = unreachable_meta(&outcome.targets[target], is_hit);
    let reason = outcome.reasons.get(&target).filter(|_| !is_hit).cloned();
    Meta {
        planned: (outcome.mode == CoverageMode::Guided && is_left_out).then_some(false),
        example: first.map(|example| example.shown.clone()),
        instance: first.map(|example| example.instance),
        reason: why.reason.clone().or(reason),
        enum_size: outcome.targets[target].sample(),
        operations: reached_by(outcome.targets, target),
        ..why
    }
}

/// Why no value can hit a target, if that is proven and none did.
pub(crate) fn unreachable_meta(target: &Target, is_hit: bool) -> Meta {
    let Some(why) = target.unreachable().filter(|_| !is_hit) else { return Meta::default() };
    Meta {
        reason: Some(why.reason().to_owned()),
        diagnostic: Some(why.code().to_owned()),
        conflicts: why.conflicts().to_vec(),
        ..Meta::default()
    }
}

/// The operations that reach a target, unless it is only the one that it belongs to.
fn reached_by(targets: &TargetSet, target: TargetIndex) -> Vec<String> {
    let keys: Vec<String> = targets.operations(target).map(str::to_owned).collect();
    let is_own = matches!(&keys[..], [key] if targets.operation(target) == Some(key));
    if is_own { Vec::new() } else { keys }
}

/// The note on long enumerations, which have targets for some of their members only, if there are any.
pub(crate) fn sampled(long: usize) -> Option<Value> {
    (long > 0).then(|| {
        let noun = if long == 1 { "enumeration is" } else { "enumerations are" };
        Value::String(format!(
            "{long} {noun} long, and only a fixed sample of the members are targets; `meta.enumSize` is the number of members"
        ))
    })
}

/// The note on objects that admit too many names by patterns alone, at these locations, if there are any.
pub(crate) fn unlisted<'a>(objects: impl IntoIterator<Item = &'a String>) -> Option<Value> {
    let mut objects = objects.into_iter();
    let first = objects.next()?;
    let more = match objects.count() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Some(Value::String(format!(
        "the names that only `patternProperties` admits are no targets where there are more than {MAX_NAMES} of them: at `{first}`{more}"
    )))
}

/// Marks a target as active if it is unreachable and was hit, and returns a note about it.
pub(crate) fn admit_hit(target: &mut TargetEntry) -> Option<Value> {
    if !target.hit || target.status != Status::Unreachable {
        return None;
    }
    target.status = Status::Active;
    let id = &target.id;
    Some(Value::String(format!(
        "`{id}` was marked unreachable but was hit: it counts as active. The proof is wrong, which is a bug in foolproof"
    )))
}
