//! What a report says about a run.
#![expect(clippy::float_cmp, reason = "shares are exact")]

use std::collections::BTreeMap;

use foolproof_coverage::{
    CoverageMode, CoverageStatus, Dimension, Dimensions, Example, Hits, Minimum, Outcome,
    PlannerCapHit, ReadError, ReasonCode, Report, ReportMode, ScopeType, Status, TargetEntry,
    TargetsByStatus, UnsatisfiedHint, evaluate,
};
use serde_json::{Value, json};

use crate::measured::{Contract, checked, entry, ids, problems, run, shirt};

/// Only the targets of one dimension.
fn only(dimension: Dimension) -> Dimensions {
    [dimension].into_iter().collect()
}

#[test]
fn a_report_has_the_fields_of_the_requirements() {
    let contract = Contract::with(json!({ "enum": ["S", "M"] }), only(Dimension::Enum));
    let report = contract.report(&[json!("M")]);
    let target = json!({
        "id": "enum:#:0", "dimension": "enum", "kind": "ENUM_VALUE_HIT", "canonPath": "#",
        "params": { "enumIndex": 0, "value": "S" }, "status": "active", "hit": false
    });
    let expected = json!({
        "version": "coverage-report/v1",
        "reportMode": "full",
        "engine": {
            "foundryVersion": env!("CARGO_PKG_VERSION"), "coverageMode": "measure",
            "ajvMajor": 8, "oracle": "jsonschema", "streamVersion": 4
        },
        "run": {
            "seed": 42, "masterSeed": 42, "maxInstances": 1, "actualInstances": 1,
            "dimensionsEnabled": ["enum"], "excludeUnreachable": true,
            "startedAt": "2025-01-01T12:00:00Z", "durationMs": 7
        },
        "metrics": {
            "coverageStatus": "ok", "overall": 0.5, "byDimension": { "enum": 0.5 },
            "byOperation": {},
            "targetsByStatus": { "active": 2, "unreachable": 0, "deprecated": 0 }
        },
        "targets": [target, {
            "id": "enum:#:1", "dimension": "enum", "kind": "ENUM_VALUE_HIT", "canonPath": "#",
            "params": { "enumIndex": 1, "value": "M" }, "status": "active",
            "meta": { "example": "M", "instance": 0 }, "hit": true
        }],
        "uncoveredTargets": [target],
        "unsatisfiedHints": [],
        "diagnostics": { "plannerCapsHit": [], "notes": [] }
    });
    assert_eq!(serde_json::to_value(report).unwrap(), expected);
}

#[test]
fn the_example_of_the_manual_is_what_is_written() {
    let manual = include_str!("../../../docs/coverage-report.md");
    let shown = manual.split("```json\n").nth(1).unwrap().split("```").next().unwrap();
    let contract = Contract::with(json!({ "enum": ["S", "M"] }), only(Dimension::Enum));
    let mut report = contract.report(&[json!("M")]);
    report.engine.foundry_version = "0.1.0".to_owned();
    assert_eq!(report.to_json(), shown);
}

#[test]
fn the_manual_names_every_kind_and_code() {
    let targets = include_str!("../../../docs/targets.md");
    let reasons = include_str!("../../../docs/reason-codes.md");
    let manual = [targets, reasons].concat();
    let schema = foolproof_coverage::report_schema();
    let kinds = schema["$defs"]["target"]["properties"]["kind"]["enum"].as_array().unwrap();
    let codes = &schema["$defs"]["unsatisfiedHint"]["properties"]["reasonCode"]["enum"];
    let names: Vec<&str> =
        kinds.iter().chain(codes.as_array().unwrap()).filter_map(Value::as_str).collect();
    assert_eq!(names.len(), 15 + ReasonCode::ALL.len());
    for name in names {
        assert!(manual.contains(&format!("`{name}`")), "{name}");
    }
}

#[test]
fn the_keys_are_in_the_order_of_the_requirements() {
    let text = Contract::new(shirt()).report(&[json!({ "size": "M", "gift": true })]).to_json();
    let keys = [
        "version",
        "reportMode",
        "engine",
        "run",
        "metrics",
        "targets",
        "uncoveredTargets",
        "unsatisfiedHints",
        "diagnostics",
    ];
    let offsets: Vec<usize> =
        keys.iter().map(|key| text.find(&format!("\n  \"{key}\":")).unwrap()).collect();
    assert!(offsets.is_sorted(), "{text}");
    assert!(text.ends_with("}\n"));
}

#[test]
fn the_example_of_the_requirements_is_a_report() {
    let example = json!({
        "version": "coverage-report/v1",
        "reportMode": "full",
        "engine": { "foundryVersion": "1.2.3", "coverageMode": "guided", "ajvMajor": 8 },
        "run": {
            "seed": 42, "masterSeed": 42, "maxInstances": 1000, "actualInstances": 820,
            "dimensionsEnabled": ["structure", "branches", "enum"], "excludeUnreachable": true,
            "startedAt": "2025-01-01T12:00:00Z", "durationMs": 350
        },
        "metrics": {
            "coverageStatus": "ok", "overall": 0.87,
            "byDimension": { "structure": 0.95, "branches": 0.80, "enum": 0.75 },
            "byOperation": { "getUser": 0.82, "POST /users": 0.91 },
            "targetsByStatus": { "active": 120, "unreachable": 5, "deprecated": 0 }
        },
        "targets": [{
            "id": "enum:User/kind:0", "dimension": "enum", "kind": "ENUM_VALUE_HIT",
            "canonPath": "#/components/schemas/User/properties/kind",
            "params": { "enumIndex": 0, "value": "admin" }, "status": "active", "hit": true
        }],
        "uncoveredTargets": [],
        "unsatisfiedHints": [{
            "kind": "preferBranch", "canonPath": "#/oneOf", "params": { "branchIndex": 2 },
            "reasonCode": "UNREACHABLE_BRANCH", "reasonDetail": "branch UNSAT under constraints"
        }],
        "diagnostics": { "plannerCapsHit": [], "notes": [] }
    });
    assert_eq!(problems(&example), [""; 0]);
    let report = Report::from_json(&example.to_string()).unwrap();
    assert_eq!(serde_json::to_value(&report).unwrap(), example);
    assert_eq!(report.unsatisfied_hints[0].reason_code, ReasonCode::UnreachableBranch);
}

#[test]
fn two_equal_runs_have_the_same_bytes() {
    let values = [json!({ "size": "S", "price": 1 }), json!({ "size": "L", "gift": true })];
    let first = Contract::new(shirt()).report(&values).to_json();
    let second = Contract::new(shirt()).report(&values).to_json();
    assert_eq!(first, second);
}

#[test]
fn the_first_instance_that_hits_a_target_is_its_example() {
    let values = [
        json!({ "size": "S", "gift": true }),
        json!({ "size": "L", "gift": true }),
        json!({ "size": "L", "price": 9 }),
    ];
    let report = Contract::new(shirt()).report(&values);
    let shown = |id: &str| {
        let meta = &entry(&report, id).meta;
        (meta.instance, meta.example.clone())
    };
    assert_eq!(shown("branch:#/oneOf:1"), (Some(0), Some(values[0].clone())));
    assert_eq!(shown("enum:#/properties/size:2"), (Some(1), Some(values[1].clone())));
    assert_eq!(shown("branch:#/oneOf:0"), (Some(2), Some(values[2].clone())));
    assert_eq!(shown("enum:#/properties/size:1"), (None, None));
}

#[test]
fn an_example_of_more_than_a_thousand_bytes_is_replaced_by_its_size() {
    let contract = Contract::new(json!({ "type": "string" }));
    // Two quotation marks, and 998 or 999 letters.
    let kept = contract.report(&[json!("x".repeat(998))]);
    assert_eq!(kept.targets[0].meta.example, Some(json!("x".repeat(998))));
    let cut = contract.report(&[json!("x".repeat(999))]);
    let said = json!({ "truncated": true, "bytes": 1001, "instance": 0 });
    assert_eq!(cut.targets[0].meta.example, Some(said));
}

#[test]
fn exactly_the_enabled_dimensions_have_a_ratio() {
    let report = Contract::new(shirt()).report(&[json!({ "size": "M", "gift": true })]);
    let by_dimension = serde_json::to_value(&report.metrics.by_dimension).unwrap();
    let structure = report.targets.iter().filter(|target| target.dimension == Dimension::Structure);
    let hit = structure.clone().filter(|target| target.hit).count();
    assert_eq!(by_dimension["structure"], json!(hit as f64 / structure.count() as f64));
    assert_eq!(by_dimension["branches"], json!(0.5));
    assert_eq!(by_dimension["enum"], json!(1.0 / 3.0));
    assert_eq!(by_dimension["boundaries"], json!(0.0));
    assert_eq!(by_dimension.as_object().unwrap().len(), 4);
}

#[test]
fn overall_is_the_flat_share_of_all_targets() {
    let report = Contract::new(shirt()).report(&[json!({ "size": "M", "gift": true })]);
    let hit = report.targets.iter().filter(|target| target.hit).count();
    assert!(hit > 3 && hit < report.targets.len());
    assert_eq!(report.metrics.overall, hit as f64 / report.targets.len() as f64);
}

#[test]
fn a_ratio_over_no_targets_is_one() {
    let contract = Contract::with(json!({ "type": "string" }), only(Dimension::Enum));
    let report = contract.report(&[]);
    assert_eq!(report.targets, []);
    assert_eq!(report.metrics.overall, 1.0);
    assert_eq!(report.metrics.by_dimension[&Dimension::Enum], 1.0);
}

/// Of three properties, one can never be present.
fn with_a_forbidden_property() -> Contract {
    let properties = json!({ "a": {}, "b": {}, "never": false });
    Contract::new(json!({ "type": "object", "properties": properties }))
}

#[test]
fn unreachable_targets_count_only_if_they_are_not_excluded() {
    let contract = with_a_forbidden_property();
    let values = [json!({ "a": 1, "b": 2 })];
    let lenient = contract.report(&values);
    assert_eq!(lenient.metrics.overall, 1.0);
    let counts = TargetsByStatus { active: 5, unreachable: 2, deprecated: 0 };
    assert_eq!(lenient.metrics.targets_by_status, counts);

    let strict = contract.report_with(&values, |mut outcome| {
        outcome.run.exclude_unreachable = false;
        outcome
    });
    assert_eq!(strict.metrics.overall, 5.0 / 7.0);
    assert_eq!(strict.metrics.by_dimension[&Dimension::Structure], 5.0 / 7.0);
    assert_eq!(strict.metrics.targets_by_status, counts);
    assert!(!strict.run.exclude_unreachable);
}

#[test]
fn unreachable_targets_are_listed_as_uncovered_under_either_policy() {
    let report = with_a_forbidden_property().report(&[json!({ "a": 1 })]);
    let listed = ids(&report.uncovered_targets);
    assert_eq!(
        listed,
        [
            "prop:#/properties/b:present",
            "prop:#/properties/never:present",
            "struct:#/properties/b",
            "struct:#/properties/never",
        ]
    );
    assert_eq!(report.uncovered_targets[1].status, Status::Unreachable);
    assert_eq!(report.uncovered_targets[0].status, Status::Active);
}

#[test]
fn uncovered_targets_are_sorted_by_dimension_kind_and_location() {
    let report = Contract::new(shirt()).report(&[]);
    let dimensions: Vec<Dimension> = {
        let mut found: Vec<_> =
            report.uncovered_targets.iter().map(|target| target.dimension).collect();
        found.dedup();
        found
    };
    let planner =
        [Dimension::Branches, Dimension::Enum, Dimension::Structure, Dimension::Boundaries];
    assert_eq!(dimensions, planner);
    assert_eq!(report.uncovered_targets.len(), report.targets.len());
    let bounds: Vec<&str> = ids(&report.uncovered_targets).into_iter().rev().take(2).collect();
    let price = "#/oneOf/0/properties/price";
    assert_eq!(bounds, [format!("bound:{price}:minimum"), format!("bound:{price}:maximum")]);
}

#[test]
fn uncovered_targets_of_one_kind_are_sorted_by_location() {
    let inner = json!({ "properties": { "z": {} } });
    let report = Contract::new(json!({ "properties": { "a": inner, "b": {} } })).report(&[]);
    let locations = |targets: &[TargetEntry]| -> Vec<String> {
        let properties = targets.iter().filter(|target| target.kind.as_str() == "PROPERTY_PRESENT");
        properties.map(|target| target.canon_path.clone()).collect()
    };
    let [a, b, z] = ["#/properties/a", "#/properties/b", "#/properties/a/properties/z"];
    assert_eq!(locations(&report.targets), [a, b, z]);
    assert_eq!(locations(&report.uncovered_targets), [a, z, b]);
}

#[test]
fn of_several_examples_the_lowest_index_is_shown_in_any_order() {
    let contract = Contract::with(json!({ "enum": ["S", "M"] }), only(Dimension::Enum));
    let seen = contract.observe([(0, &json!("S"))]);
    let target = contract.index("enum:#:0");
    let mut examples = [5, 2, 9].map(|instance| Example::new(instance, &json!("S"), &[target]));
    for _ in 0..examples.len() {
        examples.rotate_left(1);
        let outcome = Outcome::new(contract.universe.target_set(), &seen.hits, run(10));
        let report = evaluate(&Outcome { examples: &examples, ..outcome });
        assert_eq!(report.targets[0].meta.instance, Some(2));
    }
}

#[test]
fn members_of_a_long_enumeration_stay_in_their_order() {
    let members: Vec<u64> = (0..12).collect();
    let report = Contract::with(json!({ "enum": members }), only(Dimension::Enum)).report(&[]);
    assert_eq!(ids(&report.uncovered_targets)[9..], ["enum:#:9", "enum:#:10", "enum:#:11"]);
}

#[test]
fn a_summary_lists_no_targets_and_twenty_uncovered_ones_of_each_dimension() {
    let members: Vec<u64> = (0..30).collect();
    let contract = Contract::new(json!({ "type": "integer", "minimum": 0, "enum": members }));
    let full = contract.report(&[json!(3)]);
    let summary = contract.report_with(&[json!(3)], |outcome| Outcome {
        report_mode: ReportMode::Summary,
        ..outcome
    });
    assert_eq!(summary.report_mode, ReportMode::Summary);
    assert_eq!(summary.targets, []);
    let of = |dimension| {
        summary.uncovered_targets.iter().filter(|target| target.dimension == dimension).count()
    };
    assert_eq!((of(Dimension::Enum), of(Dimension::Boundaries)), (20, 1));
    assert_eq!(summary.uncovered_targets[..20], full.uncovered_targets[..20]);
    assert_eq!(summary.metrics, full.metrics);
    let note = "`uncoveredTargets` lists 20 of 29 uncovered targets of `enum`";
    assert_eq!(summary.diagnostics.notes, [json!(note)]);
}

#[test]
fn a_sample_of_members_is_marked_as_one() {
    let members: Vec<u64> = (0..300).collect();
    let report = Contract::with(json!({ "enum": members }), only(Dimension::Enum)).report(&[]);
    let meta = serde_json::to_value(&report.targets[0].meta).unwrap();
    assert_eq!(meta, json!({ "enumSubsampled": true, "enumSize": 300 }));
    assert!(report.targets.len() < 300);
}

#[test]
fn unplanned_targets_of_a_guided_run_are_marked_even_if_they_were_hit() {
    let contract = Contract::with(json!({ "enum": ["S", "M", "L"] }), only(Dimension::Enum));
    let mut planned = Hits::none(3);
    planned.insert(contract.index("enum:#:0"));
    let report_in = |mode| {
        let seen = contract.observe([(0, &json!("M"))]);
        let outcome = Outcome::new(contract.universe.target_set(), &seen.hits, run(1));
        checked(evaluate(&Outcome { planned: Some(&planned), mode, ..outcome }))
    };
    let flags = |report: &Report| -> Vec<Option<bool>> {
        report.targets.iter().map(|target| target.meta.planned).collect()
    };
    assert_eq!(flags(&report_in(CoverageMode::Guided)), [None, Some(false), Some(false)]);
    assert_eq!(flags(&report_in(CoverageMode::Measure)), [None; 3]);
}

#[test]
fn only_missed_targets_have_a_reason() {
    let contract = Contract::with(json!({ "enum": ["S", "M"] }), only(Dimension::Enum));
    let why = "the budget was used up".to_owned();
    let reasons: BTreeMap<_, _> =
        ["enum:#:0", "enum:#:1"].map(|id| (contract.index(id), why.clone())).into();
    let seen = contract.observe([(0, &json!("M"))]);
    let outcome = Outcome::new(contract.universe.target_set(), &seen.hits, run(1));
    let report = checked(evaluate(&Outcome { reasons: &reasons, ..outcome }));
    assert_eq!(entry(&report, "enum:#:0").meta.reason, Some(why.clone()));
    assert_eq!(entry(&report, "enum:#:1").meta.reason, None);
    assert_eq!(report.uncovered_targets[0].meta.reason, Some(why));
}

#[test]
fn hints_caps_and_notes_are_in_the_report() {
    let contract = Contract::with(json!({ "enum": ["S", "M"] }), only(Dimension::Enum));
    let hints: Vec<UnsatisfiedHint> = ReasonCode::ALL
        .iter()
        .zip(0..)
        .map(|(code, index)| UnsatisfiedHint {
            kind: "coverEnumValue".into(),
            canon_path: "#".to_owned(),
            params: json!({ "valueIndex": index }).as_object().cloned(),
            reason_code: *code,
            reason_detail: None,
        })
        .collect();
    let caps = [PlannerCapHit {
        dimension: Dimension::Enum,
        scope_type: ScopeType::Schema,
        scope_key: "#".to_owned(),
        total_targets: 2,
        planned_targets: 1,
        unplanned_targets: 1,
    }];
    let notes = ["stopped early: all is hit".to_owned()];
    let seen = contract.observe([]);
    let report = checked(evaluate(&Outcome {
        unsatisfied_hints: &hints,
        planner_caps: &caps,
        notes: &notes,
        mode: CoverageMode::Guided,
        oracle: "ajv",
        ..Outcome::new(contract.universe.target_set(), &seen.hits, run(0))
    }));
    assert_eq!(report.unsatisfied_hints, hints);
    let shown = serde_json::to_value(&report).unwrap();
    for (hint, code) in shown["unsatisfiedHints"].as_array().unwrap().iter().zip(ReasonCode::ALL) {
        assert_eq!(hint["reasonCode"], code.as_str());
    }
    let cap = json!({
        "dimension": "enum", "scopeType": "schema", "scopeKey": "#",
        "totalTargets": 2, "plannedTargets": 1, "unplannedTargets": 1
    });
    assert_eq!(shown["diagnostics"], json!({ "plannerCapsHit": [cap], "notes": notes }));
    assert_eq!(shown["engine"]["coverageMode"], "guided");
    assert_eq!(shown["engine"]["oracle"], "ajv");
}

#[test]
fn the_status_is_ok_from_the_minimum_on() {
    let contract = Contract::with(json!({ "enum": [1, 2, 3, 4, 5] }), only(Dimension::Enum));
    let values = [json!(1), json!(2), json!(3)];
    let judged = |minimum: f64| {
        contract.report_with(&values, |outcome| Outcome {
            minimum: Some(Minimum::new(minimum).unwrap()),
            ..outcome
        })
    };
    let failed = judged(0.8);
    assert_eq!(failed.metrics.coverage_status, CoverageStatus::MinCoverageNotMet);
    assert!(!failed.is_ok());
    let shown = serde_json::to_value(&failed.metrics).unwrap();
    assert_eq!(shown["thresholds"], json!({ "overall": 0.8 }));
    assert_eq!(shown["coverageStatus"], "minCoverageNotMet");
    assert!(judged(0.6).is_ok());
    assert_eq!(contract.report(&values).metrics.thresholds, None);
}

#[test]
fn a_minimum_is_a_share() {
    for text in ["-0.1", "1.01", "80", "NaN", "inf", "most", ""] {
        assert!(text.parse::<Minimum>().is_err(), "{text}");
    }
    for text in ["0", "1", "0.8", "1e-3"] {
        assert!(text.parse::<Minimum>().is_ok(), "{text}");
    }
}

#[test]
fn the_largest_seed_survives_a_file() {
    let report = Contract::new(json!({ "type": "string" })).report_with(&[], |mut outcome| {
        outcome.run.seed = u64::MAX;
        outcome
    });
    let read = Report::from_json(&report.to_json()).unwrap();
    assert_eq!((read.run.seed, read.run.master_seed), (u64::MAX, u64::MAX));
}

#[test]
fn fields_of_later_versions_are_ignored() {
    let report = Contract::new(shirt()).report(&[json!({ "size": "M", "gift": true })]);
    let mut shown = serde_json::to_value(&report).unwrap();
    for location in ["", "/engine", "/run", "/metrics", "/targets/0", "/diagnostics"] {
        shown.pointer_mut(location).unwrap()["later"] = json!({ "more": 1.5 });
    }
    assert_eq!(Report::from_json(&shown.to_string()).unwrap(), report);
}

#[test]
fn unknown_annotations_of_a_target_are_kept() {
    let report = Contract::new(shirt()).report(&[]);
    let mut shown = serde_json::to_value(&report).unwrap();
    shown["targets"][0]["meta"] = json!({ "owner": "shop", "risk": 0.25, "planned": true });
    let read = Report::from_json(&shown.to_string()).unwrap();
    assert_eq!(read.targets[0].meta.planned, Some(true));
    assert_eq!(serde_json::to_value(&read).unwrap(), shown);
    assert_eq!(problems(&shown), [""; 0]);
}

#[test]
fn other_formats_are_refused_whatever_their_fields() {
    let report = Contract::new(shirt()).report(&[]);
    let mut shown = serde_json::to_value(&report).unwrap();
    shown["version"] = json!("coverage-report/v2");
    shown["metrics"] = json!("elsewhere");
    let refused = Report::from_json(&shown.to_string()).unwrap_err();
    assert!(matches!(&refused, ReadError::OtherVersion { found } if found == "coverage-report/v2"));
    shown["metrics"] = serde_json::to_value(&report.metrics).unwrap();
    assert!(serde_json::from_value::<Report>(shown).is_err());
}

#[test]
fn a_text_that_is_no_report_is_refused_with_the_position() {
    let refused = Report::from_json("{ \"version\": ").unwrap_err().to_string();
    assert!(refused.starts_with("not a coverage report: EOF"), "{refused}");
    let mut shown = serde_json::to_value(Contract::new(shirt()).report(&[])).unwrap();
    shown["targets"][0]["status"] = json!("dead");
    let refused = Report::from_json(&shown.to_string()).unwrap_err().to_string();
    assert!(refused.contains("`dead` is no status of a target"), "{refused}");
}

#[test]
fn the_published_schema_refuses_what_no_report_contains() {
    let values = [json!({ "size": "M", "gift": true })];
    let report = Contract::new(shirt()).report_with(&values, |outcome| Outcome {
        minimum: Some(Minimum::new(0.1).unwrap()),
        ..outcome
    });
    let sound = serde_json::to_value(&report).unwrap();
    assert_eq!(problems(&sound), [""; 0]);
    let index_of = |id: &str| {
        let location = report.targets.iter().position(|target| target.id == id).unwrap();
        format!("/targets/{location}")
    };
    let (member, branch) = (index_of("enum:#/properties/size:1"), index_of("branch:#/oneOf:0"));
    let wrong = [
        ("/version".to_owned(), json!("coverage-report/v2")),
        ("/reportMode".to_owned(), json!("brief")),
        ("/later".to_owned(), json!(1)),
        ("/engine/coverageMode".to_owned(), json!("on")),
        ("/engine/foundryVersion".to_owned(), json!("one")),
        ("/run/seed".to_owned(), json!(1.5)),
        ("/run/startedAt".to_owned(), json!("yesterday")),
        ("/run/dimensionsEnabled".to_owned(), json!(["enum", "enum"])),
        ("/run/operationsScope".to_owned(), json!("selected")),
        ("/metrics/overall".to_owned(), json!(1.1)),
        ("/metrics/overall".to_owned(), Value::Null),
        ("/metrics/byDimension/colour".to_owned(), json!(1)),
        ("/metrics/targetsByStatus/active".to_owned(), json!(-1)),
        ("/metrics/thresholds/overall".to_owned(), json!(80)),
        (format!("{member}/dimension"), json!("branches")),
        (format!("{member}/kind"), json!("ENUM_VALUE")),
        (format!("{member}/params"), json!({ "value": "M" })),
        (format!("{member}/status"), json!("unreachable")),
        (format!("{member}/hit"), json!("yes")),
        (format!("{branch}/params"), json!({ "branchIndex": "first" })),
        (format!("{branch}/canonPath"), json!("/oneOf")),
        ("/uncoveredTargets/0/hit".to_owned(), json!(true)),
        ("/uncoveredTargets/0/status".to_owned(), json!("deprecated")),
        ("/unsatisfiedHints/0".to_owned(), json!({ "kind": "preferBranch" })),
        ("/diagnostics/plannerCapsHit/0".to_owned(), json!({})),
    ];
    for (location, value) in wrong {
        let mut changed = sound.clone();
        let (parent, name) = location.rsplit_once('/').unwrap();
        match changed.pointer_mut(parent).unwrap() {
            Value::Array(items) if items.is_empty() => items.push(value),
            Value::Array(items) => items[name.parse::<usize>().unwrap()] = value,
            parent @ (Value::Object(_)
            | Value::String(_)
            | Value::Number(_)
            | Value::Bool(_)
            | Value::Null) => parent[name] = value,
        }
        assert!(!problems(&changed).is_empty(), "the schema lets {location} pass");
    }
}

#[test]
fn a_failed_minimum_without_a_threshold_is_no_report() {
    let mut shown = serde_json::to_value(Contract::new(shirt()).report(&[])).unwrap();
    shown["metrics"]["coverageStatus"] = json!("minCoverageNotMet");
    assert!(!problems(&shown).is_empty());
}
