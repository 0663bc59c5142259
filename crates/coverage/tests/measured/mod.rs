//! Reports on the values of a test.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::sync::Arc;

use foolproof_contract::{Canonicalizer, Document, FormatPolicy, Oracle};
use foolproof_coverage::{
    Dimensions, Example, HitTracker, Hits, Observer, Outcome, Report, RunInfo, TargetEntry,
    TargetIndex, Universe, evaluate, report_schema,
};
use serde_json::{Value, json};

/// A contract and its targets.
pub(crate) struct Contract {
    document: Document,
    pub(crate) universe: Arc<Universe>,
}

/// What the values of a test hit.
pub(crate) struct Observed {
    pub(crate) hits: Hits,
    pub(crate) examples: Vec<Example>,
}

impl Contract {
    pub(crate) fn new(schema: Value) -> Self {
        Self::with(schema, Dimensions::default())
    }

    pub(crate) fn with(schema: Value, dimensions: Dimensions) -> Self {
        Self::of(Document::from_value(schema).unwrap(), dimensions)
    }

    pub(crate) fn of(document: Document, dimensions: Dimensions) -> Self {
        let mut forms = Canonicalizer::new(&document, FormatPolicy::Assert).unwrap();
        let universe = Arc::new(Universe::of(&document, &mut forms, dimensions));
        Self { document, universe }
    }

    /// Observes values, each with its index in the run.
    pub(crate) fn observe<'v>(
        &self,
        values: impl IntoIterator<Item = (u64, &'v Value)>,
    ) -> Observed {
        let observer = Observer::new(&self.universe, &self.document, FormatPolicy::Assert);
        let oracle = Oracle::new(&self.document, FormatPolicy::Assert).unwrap();
        let mut tracker = HitTracker::new(&observer);
        let mut examples = Vec::new();
        for (instance, value) in values {
            let value = oracle.accept(value.clone()).expect("the test gives valid values");
            let fresh = tracker.observe(&value);
            if !fresh.is_empty() {
                examples.push(Example::new(instance, value.value(), fresh));
            }
        }
        Observed { hits: tracker.hits().clone(), examples }
    }

    /// The report on `values`.
    pub(crate) fn report(&self, values: &[Value]) -> Report {
        self.report_with(values, |outcome| outcome)
    }

    /// The same, with a changed outcome.
    pub(crate) fn report_with(
        &self,
        values: &[Value],
        change: impl for<'o> FnOnce(Outcome<'o>) -> Outcome<'o>,
    ) -> Report {
        let seen = self.observe((0..).zip(values));
        let run = run(values.len() as u64);
        let outcome = Outcome::new(self.universe.target_set(), &seen.hits, run);
        checked(evaluate(&change(Outcome { examples: &seen.examples, ..outcome })))
    }

    /// The report of shard `shard` of `shards`, which has every `shards`th value.
    pub(crate) fn shard(&self, values: &[Value], shard: usize, shards: usize) -> Report {
        let own: Vec<(u64, &Value)> = (0..).zip(values).skip(shard).step_by(shards).collect();
        let run = run(own.len() as u64);
        let seen = self.observe(own);
        let outcome = Outcome::new(self.universe.target_set(), &seen.hits, run);
        checked(evaluate(&Outcome { examples: &seen.examples, ..outcome }))
    }

    /// The target with this id.
    pub(crate) fn index(&self, id: &str) -> TargetIndex {
        let index = self.universe.targets().iter().position(|target| target.id() == id);
        self.universe.index_of(index.unwrap())
    }
}

pub(crate) fn run(instances: u64) -> RunInfo<'static> {
    RunInfo {
        seed: 42,
        max_instances: instances,
        actual_instances: instances,
        exclude_unreachable: true,
        started_at: "2025-01-01T12:00:00Z",
        duration_ms: 7,
        operations_scope: None,
        selected_operations: None,
    }
}

/// The report, after checking that it satisfies the published schema and survives a round trip.
pub(crate) fn checked(report: Report) -> Report {
    let text = report.to_json();
    assert_eq!(problems(&serde_json::from_str(&text).unwrap()), [""; 0]);
    assert_eq!(Report::from_json(&text).unwrap(), report);
    report
}

/// The violations of the published schema in a report.
pub(crate) fn problems(report: &Value) -> Vec<String> {
    let schema = Document::from_value(report_schema()).unwrap();
    let oracle = Oracle::new(&schema, FormatPolicy::Assert).unwrap();
    oracle.violations(report).iter().map(|violation| format!("{violation:?}")).collect()
}

pub(crate) fn ids(targets: &[TargetEntry]) -> Vec<&str> {
    targets.iter().map(|target| target.id.as_str()).collect()
}

/// The entry with this id.
pub(crate) fn entry<'r>(report: &'r Report, id: &str) -> &'r TargetEntry {
    report.targets.iter().find(|target| target.id == id).unwrap()
}

/// A shirt: two branches, three sizes, an optional note, a price with bounds.
pub(crate) fn shirt() -> Value {
    json!({
        "type": "object",
        "required": ["size"],
        "properties": {
            "size": { "enum": ["S", "M", "L"] },
            "note": { "type": "string" }
        },
        "oneOf": [
            { "properties": { "price": { "type": "integer", "minimum": 1, "maximum": 9 } } ,
              "required": ["price"] },
            { "properties": { "gift": { "const": true } }, "required": ["gift"] }
        ]
    })
}
