//! Measuring data that exists already: which targets a stream of values hits.

use std::sync::{Arc, Mutex, PoisonError};

use foolproof_contract::{
    Accepted, Canonical, Canonicalizer, Document, Error, JsonType, Location, Oracle, Rejected,
    Shape, Verdict,
};
use foolproof_generate::Generator;
use serde_json::Value;

use crate::{
    Example, HitTracker, Hits, Observer, Outcome, Report, RunInfo, Settings, Timing, Universe,
    entry_set::EntrySet,
    evaluate,
    plan::{ProofInput, Proofs, prove},
    run::NO_TIME,
    statuses::Statuses,
};

/// What a stream of values has hit so far. It keeps at most one example for each target, so its size
/// does not grow with the stream.
///
/// ```
/// use foolproof_contract::Document;
/// use foolproof_coverage::{Measurement, Settings};
/// use serde_json::json;
///
/// let document = Document::from_value(json!({ "enum": ["S", "M"] }))?;
/// let mut measurement = Measurement::new(&document, Settings::measure(0))?;
/// assert!(measurement.check(json!("XL")).is_err());
/// assert!(measurement.check(json!("M")).is_ok());
/// assert!(measurement.accept(json!("M")));
/// assert_eq!((measurement.read(), measurement.accepted()), (3, 2));
///
/// let report = measurement.finish(None);
/// // The schema itself and `"M"`, by the second value.
/// assert_eq!(report.targets.iter().filter(|target| target.hit).count(), 2);
/// assert_eq!(report.targets[0].meta.instance, Some(1));
/// # Ok::<(), foolproof_contract::Error>(())
/// ```
#[derive(Debug)]
pub struct Measurement {
    settings: Settings,
    oracle: Oracle,
    entries: EntrySet,
    forms: Mutex<Canonicalizer>,
    satisfiable: Verdict,
    admits_arrays: Verdict,
    fingerprint: String,
    self_references: Vec<Location>,
    tracker: HitTracker,
    examples: Vec<Example>,
    read: u64,
    accepted: u64,
}

impl Measurement {
    /// Lists the targets of `document`. Only the settings of formats, dimensions, the minimum,
    /// examples and the report are used.
    pub fn new(document: &Document, settings: Settings) -> Result<Self, Error> {
        let oracle = Oracle::new(document, settings.formats)?;
        let mut forms = Canonicalizer::new(document, settings.formats)?;
        let universe = Arc::new(Universe::of(document, &mut forms, settings.dimensions));
        let observer = Observer::new(&universe, document, settings.formats);
        Ok(Self {
            settings,
            oracle,
            satisfiable: forms.root().satisfiable(),
            admits_arrays: admits_arrays(&forms.root(), &mut { MAX_FORMS }),
            fingerprint: document.fingerprint(),
            self_references: forms.graph().self_references().to_vec(),
            forms: Mutex::new(forms),
            tracker: HitTracker::new(&observer),
            entries: EntrySet::single(observer),
            examples: Vec::new(),
            read: 0,
            accepted: 0,
        })
    }

    /// Measures the next value. If it is not valid it does not count, and the violations are returned.
    pub fn check(&mut self, value: Value) -> Result<(), Rejected> {
        match self.oracle.check(value) {
            Ok(accepted) => {
                self.add(&accepted);
                Ok(())
            }
            Err(rejected) => {
                self.skip();
                Err(rejected)
            }
        }
    }

    /// The same without the violations, which cost many times what the verdict costs. Returns whether
    /// the value is valid.
    pub fn accept(&mut self, value: Value) -> bool {
        let accepted = self.oracle.accept(value);
        match &accepted {
            Some(value) => self.add(value),
            None => self.skip(),
        }
        accepted.is_some()
    }

    /// Skips the next value, which does not count. It only uses up an index.
    pub fn skip(&mut self) {
        self.read += 1;
    }

    fn add(&mut self, value: &Accepted) {
        let fresh = self.tracker.observe(value);
        if !fresh.is_empty() {
            let long = self.settings.long_examples;
            self.examples.push(Example::observed(self.read, value.value(), fresh, long));
        }
        self.read += 1;
        self.accepted += 1;
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

    /// The targets that they hit.
    #[must_use]
    pub fn hits(&self) -> &Hits {
        self.tracker.hits()
    }

    /// Whether the contract admits any value.
    #[must_use]
    pub fn satisfiable(&self) -> Verdict {
        self.satisfiable
    }

    /// Whether the contract admits an array.
    #[must_use]
    pub fn admits_arrays(&self) -> Verdict {
        self.admits_arrays
    }

    /// Where the contract requires itself of the same value, which is ignored.
    #[must_use]
    pub fn self_references(&self) -> &[Location] {
        &self.self_references
    }

    /// The report on the values so far: that of a run with seed 0 whose `maxInstances` is the number of
    /// values read, and `actualInstances` that of the valid ones. `meta.instance` counts all that were
    /// read, from 0.
    #[must_use]
    pub fn finish(&self, timing: Option<&Timing>) -> Report {
        let (started_at, duration_ms) =
            timing.map_or(NO_TIME, |timing| (timing.started_at(), timing.elapsed_ms()));
        let run = RunInfo {
            seed: 0,
            max_instances: self.read,
            actual_instances: self.accepted,
            exclude_unreachable: self.settings.exclude_unreachable,
            started_at,
            duration_ms,
            operations_scope: None,
            selected_operations: None,
        };
        let Statuses { unreachable, late, .. } =
            Statuses::of(&self.entries, self.hits(), |entry, missed| {
                let observer = &self.entries.entry(entry).observer;
                let mut forms = self.forms.lock().unwrap_or_else(PoisonError::into_inner);
                let generator = Generator::new(observer.document(), self.settings.formats).ok();
                let generator = generator.as_ref();
                prove(ProofInput { observer, side: None, generator }, &mut forms, missed)
            });
        let targets = self.entries.targets().without(&unreachable);
        let notes: Vec<String> = Proofs::late_note(late).into_iter().collect();
        evaluate(&Outcome {
            fingerprint: Some(self.fingerprint.clone()),
            examples: &self.examples,
            notes: &notes,
            minimum: self.settings.minimum,
            report_mode: self.settings.report_mode,
            ..Outcome::new(&targets, self.hits(), run)
        })
    }
}

/// The most forms that are looked at to find out whether a contract admits arrays.
const MAX_FORMS: usize = 1_000;

/// Whether `form` admits an array, after looking at no more than `left` forms.
fn admits_arrays(form: &Canonical, left: &mut usize) -> Verdict {
    let Some(fewer) = left.checked_sub(1) else { return Verdict::Unknown };
    *left = fewer;
    let known = |admits: bool| if admits { Verdict::Yes } else { Verdict::No };
    match form.shape() {
        Shape::Any | Shape::Array(_) => Verdict::Yes,
        Shape::Never
        | Shape::String(_)
        | Shape::Integer(_)
        | Shape::Number(_)
        | Shape::Object(_) => Verdict::No,
        Shape::Types(types) => known(types.contains(JsonType::Array)),
        Shape::Typed(json_type, _) => known(json_type == JsonType::Array),
        Shape::Const(value) => known(value.is_array()),
        Shape::Enum(values) => known(values.iter().any(Value::is_array)),
        Shape::AllOf(forms) => {
            let is_refused = forms.iter().any(|form| admits_arrays(form, left) == Verdict::No);
            if is_refused { Verdict::No } else { Verdict::Unknown }
        }
        Shape::AnyOf(forms) => {
            let verdicts: Vec<Verdict> =
                forms.iter().map(|form| admits_arrays(form, left)).collect();
            let has = |verdict: Verdict| verdicts.contains(&verdict);
            match (has(Verdict::Yes), has(Verdict::Unknown)) {
                (true, _) => Verdict::Yes,
                (false, true) => Verdict::Unknown,
                (false, false) => Verdict::No,
            }
        }
        Shape::OneOf(forms) => {
            let is_refused = forms.iter().all(|form| admits_arrays(form, left) == Verdict::No);
            if is_refused { Verdict::No } else { Verdict::Unknown }
        }
        Shape::Reference(key) => {
            form.definition(&key).map_or(Verdict::Unknown, |form| admits_arrays(&form, left))
        }
        Shape::Not(_) => Verdict::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn it_is_known_whether_arrays_are_admitted() {
        let cases = [
            (json!(true), Verdict::Yes),
            (json!({}), Verdict::Yes),
            (json!({ "minItems": 2 }), Verdict::Yes),
            (json!({ "type": ["array", "null"] }), Verdict::Yes),
            (json!({ "anyOf": [{ "type": "string" }, { "type": "array" }] }), Verdict::Yes),
            (json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "array" } } }), Verdict::Yes),
            (json!({ "enum": [1, [2]] }), Verdict::Yes),
            (json!({ "enum": [1, 2] }), Verdict::No),
            (json!({ "type": "object", "minItems": 2 }), Verdict::No),
            (json!({ "oneOf": [{ "type": "string" }, { "type": "object" }] }), Verdict::No),
            (json!({ "not": { "type": "array" } }), Verdict::No),
            (json!(false), Verdict::No),
            (
                json!({ "$ref": "#/$defs/a", "$defs": { "a": { "type": "object",
                    "properties": { "a": { "$ref": "#/$defs/a" } } } } }),
                Verdict::No,
            ),
        ];
        for (schema, expected) in cases {
            let document = Document::from_value(schema.clone()).unwrap();
            let measurement = Measurement::new(&document, Settings::measure(0)).unwrap();
            assert_eq!(measurement.admits_arrays(), expected, "{schema}");
        }
    }
}
