//! Measuring operations: which parts of their schemas, and which of them at all, a stream of calls exercises.
//!
//! Each schema of an operation is a document of its own, as the tools of an MCP server have them. The report lists the
//! targets of all of them, with the operations that they belong to.

use std::collections::BTreeMap;

use foolproof_contract::{Accepted, Canonicalizer, Document, Error, Oracle, openapi::Side};
use foolproof_generate::{Generator, Meter};
use serde_json::Value;

use crate::{
    CoverageMode, Dimension, Example, HitTracker, Observer, OperationsScope, Report, RunInfo,
    RunRecord, Settings, Status, TargetEntry, TargetIndex, TargetKind, Timing, Universe,
    Unreachable,
    evaluate::{self, ReportParts, assemble, first_examples, sampled, unlisted},
    plan::{ProofInput, prove},
    report::{Meta, Ratio, counts},
    run::NO_TIME,
};

/// What calls of operations have hit so far. Its size does not grow with the number of calls.
///
/// ```
/// use foolproof_contract::Document;
/// use foolproof_coverage::{Dimensions, OperationsInfo, OperationsMeasurement, Settings, Side};
/// use serde_json::json;
///
/// let settings = Settings { dimensions: Dimensions::all(), ..Settings::measure(0) };
/// let mut measurement = OperationsMeasurement::new(settings);
/// let paint = measurement.add_operation("paint", "#/tools/paint");
/// let schema = Document::from_value(json!({ "properties": { "color": { "enum": ["red", "blue"] } } }))?;
/// measurement.add_schema(paint, Side::Request, "#/tools/paint/inputSchema", &schema)?;
///
/// let red = json!({ "color": "red" });
/// assert_eq!(measurement.gain(paint, Side::Request, &red), 4);
/// measurement.observe(paint, Side::Request, 0, Some(&red));
/// assert_eq!(measurement.gain(paint, Side::Request, &red), 0);
///
/// let report = measurement.finish(&OperationsInfo::default(), None);
/// let missed: Vec<&str> = report.uncovered_targets.iter().map(|target| &*target.id).collect();
/// assert_eq!(missed, ["op:paint:response", "enum:#/tools/paint/inputSchema/properties/color:1"]);
/// assert_eq!(report.metrics.by_operation["paint"], 5.0 / 7.0);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct OperationsMeasurement {
    settings: Settings,
    operations: Vec<Operation>,
}

/// One of the operations of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationIndex(usize);

/// What is known of the calls as a whole.
#[derive(Clone, Copy, Debug)]
pub struct OperationsInfo<'a> {
    /// The seed of the run.
    pub seed: u64,
    /// The most calls that might have been made.
    pub most_calls: u64,
    /// How many were made.
    pub calls: u64,
    /// Whether coverage decided which calls were made.
    pub is_guided: bool,
    /// Whether operations were left out.
    pub scope: OperationsScope,
    /// What the contract is recognised by, if it is known: also that of the operations that were left out.
    pub fingerprint: Option<&'a str>,
    /// What else a reader should know.
    pub notes: &'a [String],
}

impl Default for OperationsInfo<'_> {
    fn default() -> Self {
        Self {
            seed: 0,
            most_calls: 0,
            calls: 0,
            is_guided: false,
            scope: OperationsScope::All,
            fingerprint: None,
            notes: &[],
        }
    }
}

#[derive(Debug)]
struct Operation {
    key: String,
    location: String,
    request: Observed,
    response: Observed,
}

/// What was seen of one side of an operation.
#[derive(Debug, Default)]
struct Observed {
    is_seen: bool,
    schema: Option<Schema>,
}

#[derive(Debug)]
struct Schema {
    location: String,
    oracle: Oracle,
    observer: Observer,
    tracker: HitTracker,
    examples: Vec<Example>,
}

impl OperationsMeasurement {
    /// A measurement of no operations. Only the settings of formats, dimensions, the minimum and the report are used.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, operations: Vec::new() }
    }

    /// Adds an operation. `location` is where the contract has it.
    pub fn add_operation(&mut self, key: &str, location: &str) -> OperationIndex {
        self.operations.push(Operation {
            key: key.to_owned(),
            location: location.to_owned(),
            request: Observed::default(),
            response: Observed::default(),
        });
        OperationIndex(self.operations.len() - 1)
    }

    /// Sets the schema of one side of an operation. `location` is where the contract has it, such as
    /// `#/tools/paint/inputSchema`.
    pub fn add_schema(
        &mut self,
        operation: OperationIndex,
        side: Side,
        location: &str,
        document: &Document,
    ) -> Result<(), Error> {
        let Settings { formats, dimensions, .. } = self.settings;
        let oracle = Oracle::new(document, formats)?;
        let mut forms = Canonicalizer::new(document, formats)?;
        let universe = Universe::of(document, &mut forms, dimensions).into();
        let observer = Observer::new(&universe, document, formats);
        self.side_mut(operation, side).schema = Some(Schema {
            location: location.to_owned(),
            oracle,
            tracker: HitTracker::new(&observer),
            observer,
            examples: Vec::new(),
        });
        Ok(())
    }

    fn side(&self, operation: OperationIndex, side: Side) -> &Observed {
        let operation = &self.operations[operation.0];
        match side {
            Side::Request => &operation.request,
            Side::Response => &operation.response,
        }
    }

    fn side_mut(&mut self, operation: OperationIndex, side: Side) -> &mut Observed {
        let operation = &mut self.operations[operation.0];
        match side {
            Side::Request => &mut operation.request,
            Side::Response => &mut operation.response,
        }
    }

    /// Observes what an operation received or answered in the call at index `call`. A value that its schema does not
    /// accept does not count, and neither does no value if there is a schema.
    pub fn observe(
        &mut self,
        operation: OperationIndex,
        side: Side,
        call: u64,
        value: Option<&Value>,
    ) {
        let observed = self.side_mut(operation, side);
        observed.is_seen |= match (&mut observed.schema, value) {
            (None, _) => true,
            (Some(_), None) => false,
            (Some(schema), Some(value)) => schema.observe(call, value),
        };
    }

    /// How many targets that were not hit yet `value` would hit.
    #[must_use]
    pub fn gain(&self, operation: OperationIndex, side: Side, value: &Value) -> usize {
        let schema = self.side(operation, side).schema.as_ref();
        let accepted = schema.and_then(|schema| Some((schema, schema.accept(value)?)));
        let hits = accepted.map(|(schema, value)| (schema, schema.observer.observe(&value)));
        hits.map_or(0, |(schema, hits)| {
            hits.iter().filter(|target| !schema.tracker.hits().contains(*target)).count()
        })
    }

    /// How many targets of one side of an operation were not hit yet. Those that no value can hit are not counted.
    #[must_use]
    pub fn left(&self, operation: OperationIndex, side: Side) -> usize {
        let observed = self.side(operation, side);
        let left = observed.schema.as_ref().map_or(0, Schema::left);
        left + usize::from(!observed.is_seen)
    }

    /// How much of one operation was covered, from 0 to 1.
    #[must_use]
    pub fn coverage(&self, operation: OperationIndex) -> f64 {
        let mut targets = Targets::default();
        targets.add(&self.operations[operation.0], &self.settings);
        let mut ratio = Ratio::default();
        for target in &targets.entries {
            ratio.add(counts(target.status, self.settings.exclude_unreachable), target.hit);
        }
        ratio.share()
    }

    /// The report on the calls so far.
    #[must_use]
    pub fn finish(&self, info: &OperationsInfo<'_>, timing: Option<&Timing>) -> Report {
        let (started_at, duration_ms) =
            timing.map_or(NO_TIME, |timing| (timing.started_at(), timing.elapsed_ms()));
        let mut targets = Targets::default();
        let (mut long, mut unlisted_names) = (0, Vec::new());
        for operation in &self.operations {
            targets.add(operation, &self.settings);
            for schema in operation.schemas() {
                let set = schema.universe().target_set();
                long += set.sampled_enumerations();
                let below = |object: &String| format!("{}{}", schema.location, &object[1..]);
                let own = set.unlisted_names().iter().filter(|object| object.starts_with('#'));
                unlisted_names.extend(own.map(below));
            }
        }
        let mut notes: Vec<Value> = info.notes.iter().cloned().map(Value::String).collect();
        notes.extend(sampled(long));
        notes.extend(unlisted(&unlisted_names));
        let keys: Vec<String> = self.operations.iter().map(|it| it.key.clone()).collect();
        let is_selected = info.scope == OperationsScope::Selected;
        let run = RunInfo {
            seed: info.seed,
            max_instances: info.most_calls,
            actual_instances: info.calls,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope: Some(info.scope),
            selected_operations: is_selected.then_some(&keys[..]),
        };
        let contract_fingerprint = info.fingerprint.map(str::to_owned);
        let run = evaluate::run(self.settings.dimensions, run);
        assemble(ReportParts {
            run: RunRecord { contract_fingerprint, ..run },
            mode: if info.is_guided { CoverageMode::Guided } else { CoverageMode::Measure },
            oracle: "jsonschema",
            targets: targets.entries,
            examples: &[],
            unsatisfied_hints: &[],
            planner_caps: &[],
            notes,
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
        })
    }
}

impl Operation {
    fn schemas(&self) -> impl Iterator<Item = &Schema> {
        [&self.request, &self.response].into_iter().filter_map(|side| side.schema.as_ref())
    }
}

impl Schema {
    fn universe(&self) -> &Universe {
        self.observer.universe()
    }

    fn accept(&self, value: &Value) -> Option<Accepted> {
        self.oracle.accept(value.clone())
    }

    /// Whether the value is valid.
    fn observe(&mut self, call: u64, value: &Value) -> bool {
        let Some(accepted) = self.accept(value) else { return false };
        let fresh = self.tracker.observe(&accepted);
        if !fresh.is_empty() {
            self.examples.push(Example::new(call, value, fresh));
        }
        true
    }

    /// The targets that no value can hit, among those that were not hit.
    fn unreachable(&self) -> BTreeMap<TargetIndex, Unreachable> {
        let hits = self.tracker.hits();
        let universe = self.universe();
        let missed: Vec<TargetIndex> =
            universe.indices().filter(|target| !hits.contains(*target)).collect();
        let is_open = |target: &TargetIndex| universe[*target].status() == Status::Active;
        if !missed.iter().any(is_open) {
            return BTreeMap::new();
        }
        let compiled = Generator::with_forms(
            self.observer.document(),
            self.observer.formats(),
            &mut Meter::counting(),
        );
        let Ok((generator, mut forms)) = compiled else { return BTreeMap::new() };
        let generator = Some(&generator);
        let input = ProofInput { observer: &self.observer, side: None, generator };
        prove(input, &mut forms, &missed).unreachable
    }

    fn left(&self) -> usize {
        let universe = self.universe();
        let indices = universe.indices();
        let left = indices.filter(|target| {
            !self.tracker.hits().contains(*target) && universe[*target].status() == Status::Active
        });
        left.count()
    }
}

/// The targets of several operations. One that several of them reach is listed once.
#[derive(Default)]
struct Targets {
    entries: Vec<TargetEntry>,
    by_id: BTreeMap<String, usize>,
}

impl Targets {
    fn add(&mut self, operation: &Operation, settings: &Settings) {
        if settings.dimensions.contains(Dimension::Operations) {
            let kinds = [
                (TargetKind::OpRequestCovered, "request", &operation.request),
                (TargetKind::OpResponseCovered, "response", &operation.response),
            ];
            for (kind, side, observed) in kinds {
                self.push(operation.entry(kind, side, observed.is_seen));
            }
        }
        for schema in operation.schemas() {
            self.add_schema(schema, &operation.key);
        }
    }

    fn add_schema(&mut self, schema: &Schema, key: &str) {
        let universe = schema.universe();
        let examples = first_examples(universe.targets().len(), &schema.examples);
        let mut unreachable = schema.unreachable();
        for (index, example) in universe.indices().zip(examples) {
            let mut target = universe[index].clone();
            if let Some(why) = unreachable.remove(&index) {
                target.set_unreachable(why);
            }
            let target = target.below(&schema.location);
            let is_hit = schema.tracker.hits().contains(index);
            let meta = Meta {
                example: example.map(|example| example.shown().clone()),
                instance: example.map(Example::instance),
                enum_size: target.sample(),
                operations: vec![key.to_owned()],
                ..evaluate::unreachable_meta(&target, is_hit)
            };
            self.push(evaluate::entry(&target, meta, is_hit));
        }
    }

    /// Adds a target, or what is new about it if it is there already.
    fn push(&mut self, target: TargetEntry) {
        let Some(known) = self.by_id.get(&target.id) else {
            self.by_id.insert(target.id.clone(), self.entries.len());
            self.entries.push(target);
            return;
        };
        let known = &mut self.entries[*known];
        known.hit |= target.hit;
        if known.status == Status::Unreachable && target.status == Status::Active {
            known.status = Status::Active;
            (known.meta.reason, known.meta.diagnostic) = (None, None);
            known.meta.conflicts.clear();
        }
        if known.meta.example.is_none() {
            (known.meta.example, known.meta.instance) = (target.meta.example, target.meta.instance);
        }
        for key in target.meta.operations {
            if !known.meta.operations.contains(&key) {
                known.meta.operations.push(key);
            }
        }
    }
}

impl Operation {
    fn entry(&self, kind: TargetKind, side: &str, hit: bool) -> TargetEntry {
        TargetEntry {
            id: format!("op:{}:{side}", self.key),
            dimension: Dimension::Operations,
            kind,
            canon_path: self.location.clone(),
            operation_key: Some(self.key.clone()),
            params: None,
            status: Status::Active,
            weight: None,
            polarity: None,
            meta: Meta::default(),
            hit,
        }
    }
}
