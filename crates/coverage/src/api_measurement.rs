//! Measuring traffic of an API: which parts of its operations recorded requests and responses exercise.

use std::collections::BTreeMap;

use foolproof_contract::{
    Accepted, Document, Error, FormatPolicy, Oracle, Pointer, Rejected,
    openapi::{Api, Side},
};
use foolproof_generate::Meter;
use serde_json::Value;

use crate::{
    ApiError, ApiRun, ApiRunOptions, Example, Hits, Outcome, Report, RunInfo, Settings, Timing,
    entry_set::{EntryIndex, EntrySet, LinkedObserver, RunTracker},
    evaluate,
    plan::Proofs,
    run::{ApiCompiler, CompiledSide, NO_TIME},
    statuses::Statuses,
    target_set::TargetSetBuilder,
};

/// What recorded traffic has hit so far. It keeps at most one example for each target, so its size does not
/// grow with the traffic.
///
/// ```
/// use foolproof_contract::{Document, openapi::{Api, Side}};
/// use foolproof_coverage::{ApiMeasurement, ApiRunOptions, Dimensions, Settings, TrafficVerdict};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({
///     "openapi": "3.1.0", "info": {}, "paths": { "/pets": { "get": { "parameters": [
///         { "name": "limit", "in": "query", "schema": { "type": "integer", "maximum": 9 } }
///     ] } } }
/// }))?;
/// let api = Api::of(&document)?;
/// let settings = Settings { dimensions: Dimensions::all(), ..Settings::measure(0) };
/// let mut measurement = ApiMeasurement::new(&api, &ApiRunOptions::default(), settings).unwrap();
/// let verdict = measurement.check(0, Side::Request, None, json!({ "query": { "limit": 9 } }));
/// assert!(matches!(verdict, TrafficVerdict::Valid { .. }));
/// let verdict = measurement.check(0, Side::Request, None, json!({ "query": { "limit": 10 } }));
/// assert!(matches!(verdict, TrafficVerdict::Invalid(_)));
/// assert_eq!(measurement.finish(None, &[]).metrics.overall, 1.0);
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct ApiMeasurement {
    settings: Settings,
    run: ApiRun,
    entries: EntrySet,
    sides: BTreeMap<(usize, Side), MeasuredSide>,
    /// What other responses are judged by, compiled when there is one.
    responses: BTreeMap<(usize, String), Option<Oracle>>,
    tracker: RunTracker,
    examples: Option<Vec<Example>>,
    read: u64,
    accepted: u64,
}

/// One side of an operation.
#[derive(Debug)]
struct MeasuredSide {
    entry: EntryIndex,
    /// Accepts what would be generated.
    generated: Oracle,
    /// Accepts what the API admits.
    admitted: Oracle,
}

/// What a recorded value is.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TrafficVerdict {
    /// It is valid; with the paths of what is not meant for its direction.
    Valid {
        /// The paths of read-only values in a request, or of write-only ones in a response.
        unexpected: Vec<Pointer>,
    },
    /// It is not valid.
    Invalid(Rejected),
    /// The operation is not in scope, or the document has no schema for it.
    NotJudged,
}

impl ApiMeasurement {
    /// Lists the targets of the operations in scope. Of the settings, those of formats, dimensions, the minimum
    /// and the report are used.
    pub fn new(api: &Api, options: &ApiRunOptions, settings: Settings) -> Result<Self, ApiError> {
        let compiler = ApiCompiler::new(api, options, &settings, true)?;
        let mut targets = TargetSetBuilder::new(&compiler.set_operations(), settings.dimensions);
        let (mut entries, mut observers) = (Vec::new(), Vec::new());
        let mut sides = BTreeMap::new();
        let (broken, notes) = compiler.run(&mut Meter::counting(), |side, _| {
            let CompiledSide { entry, observer, .. } = side;
            let Some(observer) = observer else { return };
            let generated = Oracle::of_entry(&entry, settings.formats);
            let admitted = judge(api, entry.operation, entry.side, None, settings.formats);
            if let (Ok(generated), Some(Ok(admitted))) = (generated, admitted) {
                let number = EntryIndex(entries.len());
                let side = MeasuredSide { entry: number, generated, admitted };
                sides.insert((entry.operation, entry.side), side);
            }
            let link = targets.add(entry.operation, observer.universe());
            observers.push(LinkedObserver { observer, link });
            entries.push(entry);
        });
        let run = compiler.into_run(entries, broken, notes)?;
        let entries = EntrySet::new(targets.finish(), observers);
        Ok(Self {
            settings,
            run,
            sides,
            responses: BTreeMap::new(),
            tracker: RunTracker::new(&entries),
            entries,
            examples: None,
            read: 0,
            accepted: 0,
        })
    }

    /// Keeps values as examples of the targets that they hit. Without it no value of the traffic enters the
    /// report.
    #[must_use]
    pub fn with_examples(mut self) -> Self {
        self.examples = Some(Vec::new());
        self
    }

    /// Judges and observes one recorded value. `status` is that of a response, as the document writes it, if
    /// it is not the one that counts: such a response is judged and not observed.
    pub fn check(
        &mut self,
        operation: usize,
        side: Side,
        status: Option<&str>,
        value: Value,
    ) -> TrafficVerdict {
        let example = self.examples.is_some().then(|| value.clone());
        self.check_showing(operation, side, status, value, example)
    }

    /// The same; `example` is shown in the report in place of the value, if examples are kept.
    pub fn check_showing(
        &mut self,
        operation: usize,
        side: Side,
        status: Option<&str>,
        value: Value,
        example: Option<Value>,
    ) -> TrafficVerdict {
        let index = self.read;
        self.read += 1;
        if let (Side::Response, Some(status)) = (side, status) {
            return self.judge_other(operation, status, value);
        }
        let Some(measured) = self.sides.get(&(operation, side)) else {
            return TrafficVerdict::NotJudged;
        };
        let (accepted, unexpected) = match measured.accept(value) {
            Ok(accepted) => accepted,
            Err(rejected) => return TrafficVerdict::Invalid(rejected),
        };
        self.accepted += 1;
        let fresh = self.tracker.observe(measured.entry, accepted.view());
        if let (Some(examples), Some(example), false) =
            (&mut self.examples, example, fresh.is_empty())
        {
            examples.push(Example::observed(index, &example, fresh, self.settings.long_examples));
        }
        TrafficVerdict::Valid { unexpected }
    }

    /// Judges a response that is not the one that counts.
    fn judge_other(&mut self, operation: usize, status: &str, value: Value) -> TrafficVerdict {
        let (api, formats) = (self.run.api(), self.settings.formats);
        let oracle = self.responses.entry((operation, status.to_owned())).or_insert_with(|| {
            judge(api, operation, Side::Response, Some(status), formats).and_then(Result::ok)
        });
        let Some(oracle) = oracle else { return TrafficVerdict::NotJudged };
        match oracle.check(value) {
            Ok(_) => {
                self.accepted += 1;
                TrafficVerdict::Valid { unexpected: Vec::new() }
            }
            Err(rejected) => TrafficVerdict::Invalid(rejected),
        }
    }

    /// How many values were read.
    #[must_use]
    pub fn read(&self) -> u64 {
        self.read
    }

    /// How many of them are valid.
    #[must_use]
    pub fn accepted(&self) -> u64 {
        self.accepted
    }

    /// What of the API is in scope, and what is broken.
    #[must_use]
    pub fn api(&self) -> &ApiRun {
        &self.run
    }

    /// The targets that were hit.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.tracker.hits()
    }

    /// The report on the traffic so far, with these notes: that of a run with seed 0 whose `maxInstances` is the
    /// number of values read, and `actualInstances` that of the valid ones.
    #[must_use]
    pub fn finish(&self, timing: Option<&Timing>, notes: &[String]) -> Report {
        let (started_at, duration_ms) =
            timing.map_or(NO_TIME, |timing| (timing.started_at(), timing.elapsed_ms()));
        let run = RunInfo {
            seed: 0,
            max_instances: self.read,
            actual_instances: self.accepted,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope: Some(self.run.scope()),
            selected_operations: self.run.selected(),
        };
        let Statuses { unreachable, late, .. } =
            Statuses::of(&self.entries, self.hits(), |entry, missed| {
                self.run.prove(entry, &self.entries.entry(entry).observer, missed)
            });
        let targets = self.entries.targets().without(&unreachable);
        let own = self.run.notes().into_iter().chain(notes.iter().cloned());
        let notes: Vec<String> = own.chain(Proofs::late_note(late)).collect();
        evaluate(&Outcome {
            fingerprint: Some(self.run.api().document().fingerprint()),
            examples: self.examples.as_deref().unwrap_or_default(),
            notes: &notes,
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
            ..Outcome::new(&targets, self.hits(), run)
        })
    }
}

impl MeasuredSide {
    /// The value, if it is valid, without what is not meant for its direction; and the paths of that.
    fn accept(&self, value: Value) -> Result<(Accepted, Vec<Pointer>), Rejected> {
        let value = match self.generated.check(value) {
            Ok(accepted) => return Ok((accepted, Vec::new())),
            Err(rejected) => rejected,
        };
        let unexpected: Vec<Pointer> = value
            .violations()
            .iter()
            .filter(|violation| violation.keyword() == "not")
            .map(|violation| violation.instance().clone())
            .filter(|path| !path.is_root())
            .collect();
        let accepted = self.admitted.check(value.into_value())?;
        let mut rest = accepted.value().clone();
        for path in &unexpected {
            remove(&mut rest, path);
        }
        match self.admitted.accept(rest) {
            Some(rest) if !unexpected.is_empty() => Ok((rest, unexpected)),
            _ => Ok((accepted, Vec::new())),
        }
    }
}

/// Removes the member at `path`, if it is a member of an object.
fn remove(value: &mut Value, path: &Pointer) {
    let Some((parent, name)) = path.parent().zip(path.segments().last()) else { return };
    if let Some(Value::Object(members)) = value.pointer_mut(parent.as_str()) {
        members.remove(&*name);
    }
}

/// The oracle of what the API admits on one side of an operation.
fn judge(
    api: &Api,
    operation: usize,
    side: Side,
    status: Option<&str>,
    formats: FormatPolicy,
) -> Option<Result<Oracle, Error>> {
    let document = api.admitted(operation, side, status, formats)?;
    Some(document.and_then(|document: Document| Oracle::new(&document, formats)))
}
