//! Several reports as one.
#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::float_cmp, reason = "shares are exact")]

use foolproof_contract::{Accepted, FormatPolicy};
use foolproof_corpus::Contracts;
use foolproof_coverage::{
    CoverageMode, Dimension, Dimensions, Hits, MergeError, Merger, Minimum, Outcome, PlannerCapHit,
    ReasonCode, Report, ReportMode, ScopeType, ShardRange, Status, TargetsByStatus,
    UnsatisfiedHint, diff, evaluate, merge,
};
use foolproof_generate::{Generator, Seed};
use serde_json::{Value, json};

use crate::measured::{Contract, checked, entry, ids, run, shirt};

fn small() -> Value {
    json!({ "size": "S", "price": 1 })
}

fn gift() -> Value {
    json!({ "size": "L", "gift": true })
}

fn merged(reports: &[Report]) -> Report {
    checked(merge(reports).unwrap())
}

fn sizes() -> Contract {
    Contract::with(json!({ "enum": ["S", "M", "L"] }), [Dimension::Enum].into_iter().collect())
}

/// Real shapes: a tree, a tagged union, conditions, a map, bounds of all kinds.
fn contracts() -> [Value; 4] {
    [
        shirt(),
        json!({
            "$ref": "#/$defs/tree",
            "$defs": { "tree": {
                "type": "object",
                "required": ["name"],
                "properties": {
                    "name": { "type": "string", "minLength": 1, "maxLength": 8 },
                    "children": { "type": "array", "maxItems": 2, "items": { "$ref": "#/$defs/tree" } }
                },
                "additionalProperties": false
            } }
        }),
        json!({
            "type": "object",
            "properties": {
                "kind": { "enum": ["card", "cash", "transfer"] },
                "iban": { "type": "string", "pattern": "^[A-Z]{2}[0-9]{4}$" },
                "amount": { "type": "number", "exclusiveMinimum": 0, "multipleOf": 0.5 }
            },
            "if": { "properties": { "kind": { "const": "transfer" } }, "required": ["kind"] },
            "then": { "required": ["iban"] },
            "else": { "properties": { "iban": false } },
            "dependentSchemas": { "iban": { "required": ["amount"] } }
        }),
        json!({
            "type": "array", "minItems": 1, "maxItems": 3,
            "items": { "anyOf": [
                { "type": "integer", "minimum": -5, "maximum": 5 },
                { "type": "null" },
                { "type": "object", "additionalProperties": { "enum": [true, "x", 0] } }
            ] }
        }),
    ]
}

#[test]
fn the_shards_of_a_run_have_the_metrics_of_the_run() {
    for schema in contracts() {
        let (mut unfinished, mut lacking) = (0, 0);
        let generator = Generator::of(schema.clone()).unwrap();
        let contract = Contract::new(schema);
        for n in [1, 4, 30] {
            let seed = Seed::from_number(n);
            let values: Vec<Value> =
                generator.instances(seed, n).map(Accepted::into_value).collect();
            let whole = contract.report(&values);
            unfinished += usize::from(!whole.uncovered_targets.is_empty());
            for shards in [1, 2, 3, 7] {
                let parts: Vec<Report> =
                    (0..shards).map(|shard| contract.shard(&values, shard, shards)).collect();
                let is_lacking = |part: &&Report| part.metrics.overall < whole.metrics.overall;
                lacking += parts.iter().filter(is_lacking).count();
                let together = merged(&parts);
                assert_eq!(together.metrics, whole.metrics);
                // With the indices of the whole run, even the examples are the same.
                assert_eq!(together.targets, whole.targets);
                assert_eq!(together.uncovered_targets, whole.uncovered_targets);
                assert_eq!(together.run.actual_instances, whole.run.actual_instances);
                assert_eq!(together.run.max_instances, whole.run.max_instances);
            }
        }
        // Otherwise a merge that returns one of its reports would pass.
        assert!(unfinished > 0, "some runs miss something");
        assert!(lacking > 0, "some shards miss what the run hits");
    }
}

/// One of this many documents of the corpus is tested.
const STRIDE: usize = 31;

#[test]
fn the_same_holds_for_real_contracts_and_their_reports_satisfy_the_schema() {
    let mut seen = 0;
    for corpus_entry in Contracts::find().schemas_every(STRIDE) {
        let Ok(document) = corpus_entry.read() else { continue };
        let Ok(generator) = Generator::new(&document, FormatPolicy::Assert) else { continue };
        let instances = generator.instances(Seed::from_number(1), 9).map(Accepted::into_value);
        let values: Vec<Value> = instances.collect();
        let contract = Contract::of(document, Dimensions::default());
        let whole = contract.report(&values);
        let parts = [0, 1].map(|shard| contract.shard(&values, shard, 2));
        let together = merged(&parts);
        assert_eq!(together.targets, whole.targets, "{}", corpus_entry.name);
        assert_eq!(together.metrics, whole.metrics, "{}", corpus_entry.name);
        let diff = diff(&whole, &together).unwrap();
        assert!(!diff.is_regression(), "{}", corpus_entry.name);
        seen += usize::from(!values.is_empty() && !whole.targets.is_empty());
    }
    assert!(seen >= 40, "only {seen} contracts were tested");
}

#[test]
fn a_single_report_merges_to_itself() {
    let mut report = Contract::new(shirt()).report(&[small()]);
    report.set_minimum(Minimum::new(0.9).unwrap());
    assert_eq!(merged(&[report.clone()]), report);
}

#[test]
fn the_order_of_the_reports_changes_no_number() {
    let contract = Contract::new(shirt());
    let reports = [&[small()][..], &[gift()], &[]].map(|values| contract.report(values));
    let [first, second, third] = reports;
    let forth = merged(&[first.clone(), second.clone(), third.clone()]);
    let back = merged(&[third, second, first]);
    assert_eq!(forth.metrics, back.metrics);
    assert_eq!(ids(&forth.uncovered_targets), ids(&back.uncovered_targets));
}

#[test]
fn the_example_with_the_lowest_index_is_kept_and_of_equals_the_first() {
    let contract = sizes();
    let [s, m] = [json!("S"), json!("M")];
    let late = contract.report(&[m.clone(), s.clone()]);
    let early = contract.report(&[s, m]);
    let together = merged(&[late.clone(), early]);
    assert_eq!(entry(&together, "enum:#:0").meta.instance, Some(0));
    assert_eq!(entry(&together, "enum:#:1").meta.instance, Some(0));

    let mut other = late.clone();
    other.targets[1].meta.example = Some(json!("the other"));
    assert_eq!(merged(&[late, other]).targets[1].meta.example, Some(json!("M")));
}

#[test]
fn counts_and_times_add_up() {
    let contract = sizes();
    let mut first = contract.report(&[json!("S"), json!("M")]);
    let mut second = contract.report(&[json!("L")]);
    first.run.started_at = "2025-01-02T00:00:00Z".to_owned();
    second.run.max_instances = 10;
    let together = merged(&[first, second]);
    assert_eq!(together.run.actual_instances, 3);
    assert_eq!(together.run.max_instances, 12);
    assert_eq!(together.run.duration_ms, 14);
    assert_eq!(together.run.started_at, "2025-01-01T12:00:00Z");
}

#[test]
fn runs_with_other_seeds_are_named_in_a_note() {
    let contract = sizes();
    let first = contract.report(&[json!("S")]);
    let mut second = contract.report(&[json!("L")]);
    (second.run.seed, second.run.master_seed) = (7, 7);
    let together = merged(&[first, second]);
    assert_eq!(together.run.seed, 42);
    assert_eq!(together.diagnostics.notes, [json!("merged from runs with the seeds 7, 42")]);
}

#[test]
fn a_minimum_can_be_set_for_the_whole() {
    let contract = sizes();
    let mut together = merged(&[contract.report(&[json!("S")]), contract.report(&[json!("L")])]);
    together.set_minimum(Minimum::new(0.6).unwrap());
    assert!(together.is_ok());
    together.set_minimum(Minimum::new(0.7).unwrap());
    assert!(!checked(together).is_ok());
}

#[test]
fn a_minimum_that_all_shards_missed_may_be_met_by_the_whole() {
    let contract = sizes();
    let shard = |value: &str, minimum: f64| {
        let mut report = contract.report(&[json!(value)]);
        report.set_minimum(Minimum::new(minimum).unwrap());
        assert!(!report.is_ok());
        report
    };
    assert!(merged(&[shard("S", 0.6), shard("M", 0.6)]).is_ok());
    let differing = merged(&[shard("S", 0.6), shard("M", 0.9)]);
    assert_eq!(differing.metrics.thresholds, None);
    assert_eq!(differing.diagnostics.notes.len(), 1);
}

#[test]
fn a_target_is_active_if_it_is_active_anywhere() {
    let contract = sizes();
    let first = contract.report(&[json!("S")]);
    let mut second = first.clone();
    second.targets[1].status = Status::Unreachable;
    second.targets[2].status = Status::Unreachable;
    let mut third = first.clone();
    third.targets[2].status = Status::Unreachable;
    let together = merged(&[second.clone(), third]);
    let statuses: Vec<Status> = together.targets.iter().map(|target| target.status).collect();
    assert_eq!(statuses, [Status::Active, Status::Active, Status::Unreachable]);
    assert_eq!(together.metrics.overall, 0.5);
    assert_eq!(merged(&[second, first]).metrics.overall, 1.0 / 3.0);
}

#[test]
fn a_target_that_is_unreachable_in_one_report_and_hit_in_another_is_active() {
    let contract = sizes();
    let mut doubtful = contract.report(&[]);
    doubtful.targets[0].status = Status::Unreachable;
    let together = merged(&[doubtful.clone(), contract.report(&[json!("S")])]);
    assert_eq!((together.targets[0].status, together.targets[0].hit), (Status::Active, true));

    // A report of another tool may have both for one target.
    doubtful.targets[0].hit = true;
    let together = merged(&[doubtful]);
    assert_eq!(together.targets[0].status, Status::Active);
    assert_eq!(together.diagnostics.notes.len(), 1);
}

#[test]
fn deprecated_targets_do_not_count_and_are_not_listed_as_uncovered() {
    let contract = sizes();
    let mut report = contract.report(&[json!("S")]);
    report.targets[0].status = Status::Deprecated;
    report.targets[1].status = Status::Deprecated;
    for exclude_unreachable in [true, false] {
        report.run.exclude_unreachable = exclude_unreachable;
        let counted = merged(&[report.clone()]);
        assert_eq!(counted.metrics.overall, 0.0, "the one hit is on a deprecated target");
        assert_eq!(counted.metrics.by_dimension[&Dimension::Enum], 0.0);
        let counts = TargetsByStatus { active: 1, unreachable: 0, deprecated: 2 };
        assert_eq!(counted.metrics.targets_by_status, counts);
        assert_eq!(ids(&counted.uncovered_targets), ["enum:#:2"]);
    }
}

#[test]
fn heavier_targets_come_first_among_the_uncovered_and_count_as_one() {
    let mut report = sizes().report(&[]);
    report.targets[2].weight = Some(5.0);
    report.targets[0].weight = Some(0.5);
    let counted = merged(&[report]);
    assert_eq!(ids(&counted.uncovered_targets), ["enum:#:2", "enum:#:1", "enum:#:0"]);
    assert_eq!(counted.metrics.overall, 0.0);
}

#[test]
fn operations_are_counted_over_the_targets_that_they_reach() {
    let mut report = sizes().report(&[json!("S")]);
    report.targets[0].meta.operations = vec!["getShirt".to_owned(), "listShirts".to_owned()];
    report.targets[1].meta.operations = vec!["getShirt".to_owned()];
    report.targets[2].meta.operations = vec!["dropShirt".to_owned()];
    report.targets[2].status = Status::Deprecated;
    let counted = merged(&[report]);
    let by_operation = serde_json::to_value(&counted.metrics.by_operation).unwrap();
    assert_eq!(by_operation, json!({ "dropShirt": 1.0, "getShirt": 0.5, "listShirts": 1.0 }));
}

fn hint(kind: &str, path: &str, params: &Value) -> UnsatisfiedHint {
    UnsatisfiedHint {
        kind: kind.into(),
        canon_path: path.to_owned(),
        params: params.as_object().cloned(),
        reason_code: ReasonCode::Unknown,
        reason_detail: None,
    }
}

#[test]
fn a_hint_that_another_run_satisfied_is_dropped() {
    let contract = Contract::new(shirt());
    let hints = [
        hint("preferBranch", "#/oneOf", &json!({ "branchIndex": 1 })),
        hint("coverEnumValue", "#/properties/size", &json!({ "valueIndex": 2 })),
        hint("coverEnumValue", "#/properties/size", &json!({ "valueIndex": 1 })),
        hint("ensurePropertyPresence", "#", &json!({ "property": "note", "present": true })),
    ];
    let mut missed = contract.report(&[small()]);
    missed.unsatisfied_hints = hints.to_vec();
    // Two runs that missed the same keep all hints, each once.
    let mut later = missed.clone();
    later.run.started_at = "2025-01-02T12:00:00Z".to_owned();
    assert_eq!(merged(&[missed.clone(), later]).unsatisfied_hints, hints);
    let together = merged(&[missed, contract.report(&[gift()])]);
    assert_eq!(together.unsatisfied_hints, hints[2..]);
}

#[test]
fn hints_for_conditions_and_undeclared_names_find_their_targets() {
    let contract = Contract::new(json!({
        "properties": { "closed": {
            "type": "object",
            "properties": { "a": { "type": "integer" } },
            "patternProperties": { "^x$": {
                "type": "object",
                "patternProperties": { "^y$": {} },
                "additionalProperties": false
            } },
            "additionalProperties": false
        } },
        "if": { "required": ["closed"] }, "then": { "minProperties": 1 }
    }));
    let closed = "#/properties/closed";
    let mut missed = contract.report(&[json!({})]);
    missed.unsatisfied_hints = vec![
        hint("preferBranch", "#/if", &json!({ "branchIndex": 0 })),
        hint("preferBranch", "#/if", &json!({ "path": "if+then" })),
        hint("ensurePropertyPresence", closed, &json!({ "property": "a", "present": true })),
        hint("ensurePropertyPresence", closed, &json!({ "property": "x", "present": true })),
    ];
    let absent =
        hint("ensurePropertyPresence", closed, &json!({ "property": "a", "present": false }));
    // The target of `y` is one level below this object.
    let other =
        hint("ensurePropertyPresence", closed, &json!({ "property": "y", "present": true }));
    missed.unsatisfied_hints.extend([absent.clone(), other.clone()]);
    let hit = contract.report(&[json!({ "closed": { "a": 1, "x": { "y": 2 } } })]);
    assert!(hit.targets.iter().any(|target| target.hit && target.id.ends_with(":y:present")));
    assert_eq!(merged(&[missed, hit]).unsatisfied_hints, [absent, other]);
}

#[test]
fn a_target_that_every_guided_run_left_out_stays_unplanned() {
    let contract = sizes();
    let guided = |planned_members: &[&str], unplanned: usize| {
        let mut planned = Hits::none(3);
        for id in planned_members {
            planned.insert(contract.index(id));
        }
        let caps = [PlannerCapHit {
            dimension: Dimension::Enum,
            scope_type: ScopeType::Schema,
            scope_key: "#".to_owned(),
            total_targets: 3,
            planned_targets: 3 - unplanned,
            unplanned_targets: unplanned,
        }];
        let seen = contract.observe([]);
        evaluate(&Outcome {
            planned: Some(&planned),
            planner_caps: &caps,
            mode: CoverageMode::Guided,
            ..Outcome::new(contract.universe.target_set(), &seen.hits, run(0))
        })
    };
    let reports =
        [guided(&["enum:#:0"], 2), guided(&["enum:#:0", "enum:#:1"], 1), contract.report(&[])];
    let together = merged(&reports);
    let planned: Vec<_> = together.targets.iter().map(|target| target.meta.planned).collect();
    assert_eq!(planned, [None, None, Some(false)]);
    assert_eq!(together.diagnostics.planner_caps_hit.len(), 1);
    assert_eq!(together.diagnostics.planner_caps_hit[0].unplanned_targets, 1);
    assert_eq!(together.engine.coverage_mode, CoverageMode::Guided);
}

#[test]
fn reasons_are_kept_for_targets_that_no_run_hit() {
    let contract = sizes();
    let mut first = contract.report(&[json!("S")]);
    for target in &mut first.targets[1..] {
        target.meta.reason = Some("the budget was used up".to_owned());
    }
    let together = merged(&[first, contract.report(&[json!("M")])]);
    assert_eq!(together.targets[1].meta.reason, None);
    assert_eq!(together.targets[2].meta.reason.as_deref(), Some("the budget was used up"));
}

#[test]
fn each_note_is_kept_once() {
    let mut first = sizes().report(&[]);
    first.diagnostics.notes = vec![json!("one"), json!("two")];
    let mut second = first.clone();
    second.diagnostics.notes = vec![json!("two"), json!({ "three": 3 })];
    let together = merged(&[first, second]);
    assert_eq!(together.diagnostics.notes, [json!("one"), json!("two"), json!({ "three": 3 })]);
}

#[test]
fn two_oracles_are_both_named() {
    let first = sizes().report(&[]);
    let mut second = first.clone();
    second.engine.oracle = Some("ajv".to_owned());
    assert_eq!(merged(&[first, second]).engine.oracle.as_deref(), Some("jsonschema, ajv"));
}

#[test]
fn reports_with_different_rules_are_refused() {
    let sound = sizes().report(&[json!("S")]);
    let refused = |change: &dyn Fn(&mut Report)| {
        let mut other = sound.clone();
        change(&mut other);
        merge(&[sound.clone(), other]).unwrap_err()
    };
    let field = |error: &MergeError| {
        let MergeError::OtherRules { report: 2, field, .. } = error else { return "" };
        *field
    };
    assert_eq!(merge(&[]), Err(MergeError::Nothing));
    let found = "coverage-report/v0".to_owned();
    let version = refused(&|other| other.version.clone_from(&found));
    assert_eq!(version, MergeError::OtherVersion { report: 2, found: found.clone() });
    let summary = refused(&Report::summarize);
    assert_eq!(summary, MergeError::Summary { report: 2 });
    let major = refused(&|other| other.engine.foundry_version = "3.0.0".to_owned());
    assert_eq!(field(&major), "engine.foundryVersion");
    let policy = refused(&|other| other.run.exclude_unreachable = false);
    assert_eq!(field(&policy), "run.excludeUnreachable");
    assert_eq!(
        policy.to_string(),
        "report 2 differs from the first in `run.excludeUnreachable`: false instead of true"
    );
    let dimensions = refused(&|other| other.run.dimensions_enabled.push(Dimension::Branches));
    assert_eq!(field(&dimensions), "run.dimensionsEnabled");
    let twice = refused(&|other| other.targets.push(other.targets[0].clone()));
    assert_eq!(twice, MergeError::Twice { report: 2, id: "enum:#:0".to_owned() });
}

#[test]
fn reports_about_other_contracts_are_refused_even_with_the_same_targets() {
    let about = |contract: Option<char>| {
        let mut report = sizes().report(&[json!("S")]);
        report.run.contract_fingerprint =
            contract.map(|contract| format!("sha256:{}", contract.to_string().repeat(64)));
        report
    };
    let refused = merge(&[about(None), about(Some('a')), about(Some('b'))]).unwrap_err();
    assert!(matches!(refused, MergeError::OtherContract { report: 3, .. }), "{refused}");
    assert_eq!(refused.code(), "coverage::other-contract");
    // A report of an earlier version has no fingerprint.
    let mut last = about(None);
    last.run.duration_ms += 1;
    let whole = merged(&[about(None), about(Some('a')), last]);
    assert_eq!(whole.run.contract_fingerprint, about(Some('a')).run.contract_fingerprint);
}

#[test]
fn a_merger_keeps_what_it_had_before_an_error() {
    let (first, second) = (sizes().report(&[json!("S")]), sizes().report(&[json!("M")]));
    let mut merger = Merger::default();
    merger.add(first.clone()).unwrap();
    let other = Contract::with(json!({ "enum": [1] }), [Dimension::Enum].into_iter().collect());
    assert!(merger.add(other.report(&[])).is_err());
    merger.add(second.clone()).unwrap();
    assert_eq!(merger.finish(), merge(&[first, second]));
}

#[test]
fn hints_that_a_reader_can_do_something_about_come_first() {
    let with = |codes: &[ReasonCode]| {
        let mut report = sizes().report(&[]);
        for (index, code) in codes.iter().enumerate() {
            let mut unsatisfied = hint("coverEnumValue", "#", &json!({ "valueIndex": index }));
            unsatisfied.reason_code = *code;
            report.unsatisfied_hints.push(unsatisfied);
        }
        report
    };
    let codes = [ReasonCode::ConflictingConstraints, ReasonCode::Unknown, ReasonCode::PlannerCap];
    let whole = merged(&[with(&codes)]);
    let order: Vec<ReasonCode> = whole.unsatisfied_hints.iter().map(|it| it.reason_code).collect();
    let expected =
        [ReasonCode::PlannerCap, ReasonCode::Unknown, ReasonCode::ConflictingConstraints];
    assert_eq!(order, expected);
}

#[test]
fn reports_about_other_targets_are_refused() {
    let dimensions: Dimensions = [Dimension::Enum].into_iter().collect();
    let report =
        |members: &Value| Contract::with(json!({ "enum": members }), dimensions).report(&[]);
    let differs = |left: &Value, right: &Value| merge(&[report(left), report(right)]).unwrap_err();
    let at = |id: &str| MergeError::OtherTargets { report: 2, id: id.to_owned() };
    assert_eq!(differs(&json!(["S"]), &json!(["S", "M"])), at("enum:#:1"));
    assert_eq!(differs(&json!(["S", "M"]), &json!(["S"])), at("enum:#:1"));
    assert_eq!(differs(&json!(["S", "M"]), &json!(["M", "S"])), at("enum:#:0"));
}

#[test]
fn a_merged_report_can_be_summarized() {
    let contract = sizes();
    let mut together = merged(&[contract.report(&[json!("S")]), contract.report(&[json!("M")])]);
    let metrics = together.metrics.clone();
    together.summarize();
    assert_eq!(together.report_mode, ReportMode::Summary);
    assert_eq!(checked(together).metrics, metrics);
}

/// A report on the part of a run of ten instances.
fn part(start: u64, end: u64) -> Report {
    let mut report = sizes().report(&[]);
    report.run.shard = Some(ShardRange { start, end, instances: 10 });
    report
}

fn missing(parts: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let parts: Vec<Report> = parts.iter().map(|(start, end)| part(*start, *end)).collect();
    match merge(&parts) {
        Ok(_) => Vec::new(),
        Err(MergeError::Missing(parts)) => {
            parts.iter().map(|part| (part.start, part.end)).collect()
        }
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn gaps_between_shards_are_found_in_any_order() {
    assert_eq!(missing(&[(5, 10), (0, 5)]), []);
    assert_eq!(missing(&[(3, 3), (0, 10)]), []);
    assert_eq!(missing(&[(2, 4), (6, 8)]), [(0, 2), (4, 6), (8, 10)]);
    assert_eq!(missing(&[(0, 5)]), [(5, 10)]);
}

#[test]
fn what_was_merged_before_is_refused() {
    for (start, end) in [(2, 5), (0, 3), (4, 9), (3, 4), (0, 10)] {
        let error = merge(&[part(2, 5), part(start, end)]).unwrap_err();
        assert_eq!(error.code(), "coverage::repeated-report", "{start} to {end}");
    }
    let whole = sizes().report(&[json!("S")]);
    let error = merge(&[whole.clone(), whole.clone()]).unwrap_err();
    assert_eq!(error, MergeError::Repeated { report: 2 });
    // Without its time, it may be another run that did the same.
    let mut untimed = whole;
    untimed.run.duration_ms = 0;
    assert!(merge(&[untimed.clone(), untimed]).is_ok());
}
