//! The guarantees of a run: the same result however it is executed, never less coverage than by
//! chance, and a reason for every missed target.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::atomic::{AtomicBool, Ordering},
};

use foolproof_contract::Document;
use foolproof_coverage::{
    CompiledRun, Dimension, Event, Measurement, Profile, Report, Run, RunContext, RunEnd, Settings,
    Status, Stopped,
};
use foolproof_generate::{Meter, Phase, STREAM_VERSION};
use serde_json::{Value, json};

/// A contract with targets of every kind.
fn order() -> Value {
    json!({
        "type": "object", "required": ["kind"], "additionalProperties": false,
        "properties": {
            "kind": { "enum": ["card", "bill", "cash"] },
            "amount": { "type": "number", "minimum": 0, "maximum": 1000, "multipleOf": 0.01 },
            "note": { "type": "string", "minLength": 2, "maxLength": 40 },
            "lines": { "type": "array", "minItems": 1, "maxItems": 4, "items": { "anyOf": [
                { "type": "integer" },
                { "type": "object", "properties": { "sku": { "type": "string" } } } ] } },
            "never": false
        },
        "if": { "properties": { "kind": { "const": "card" } } },
        "then": { "required": ["amount"] },
        "else": { "properties": { "note": { "maxLength": 10 } } }
    })
}

fn document(schema: Value) -> Document {
    Document::from_value(schema).unwrap()
}

fn finish(schema: Value, settings: Settings) -> Report {
    let mut run = Run::new(&document(schema), settings).unwrap();
    run.by_ref().for_each(drop);
    run.finish()
}

/// A value of it is 1 and 2 at once, which no form shows: what is evaluated depends on the value.
fn without_known_values() -> Value {
    let one = json!({ "unevaluatedItems": { "minimum": 1 }, "const": 1 });
    let two = json!({ "unevaluatedItems": { "minimum": 1 }, "const": 2 });
    json!({ "not": { "not": one }, "if": two, "else": { "not": { "not": two } } })
}

#[test]
fn a_long_run_without_any_instance_gives_up() {
    let settings = Settings::measure(100_000_000);
    for threads in [1, 4] {
        let mut meter = Meter::counting();
        let run = CompiledRun::new(&document(without_known_values()), settings.clone(), &mut meter);
        let threads = NonZeroUsize::new(threads).unwrap();
        let context = RunContext { threads, ..RunContext::default() };
        let finished = run.unwrap().stream(&context, &meter, |_| ControlFlow::<()>::Continue(()));
        let finished = finished.unwrap_or_else(|_| panic!("nobody stops it"));
        assert_eq!((finished.end, finished.totals.generated), (RunEnd::Complete, 0));
        assert_eq!(finished.totals.missing, 100_000_000);
    }
    let mut run = Run::new(&document(without_known_values()), settings).unwrap();
    assert_eq!((run.by_ref().count(), run.missing()), (0, 100_000_000));
}

#[test]
fn a_run_whose_root_is_proven_empty_draws_nothing() {
    // Both outcomes of its condition are empty, which its form does not show.
    let schema: Value = serde_json::from_str(include_str!("cases/empty-outcomes.json")).unwrap();
    let settings = Settings { instances: 350, ..Settings::guided(Profile::Thorough) };
    let mut meter = Meter::counting();
    let run = CompiledRun::new(&document(schema), settings, &mut meter).unwrap();
    let finished =
        run.stream(&RunContext::default(), &Meter::counting(), |_| ControlFlow::<()>::Continue(()));
    let finished = finished.unwrap_or_else(|_| panic!("nobody stops it"));
    assert_eq!((finished.totals.generated, finished.totals.missing), (0, 350));
    assert_eq!(finished.metrics.of(Phase::Generate).count, 0);
}

#[test]
fn what_has_no_form_is_hit_by_values_along_its_route() {
    let cases: Vec<Value> = serde_json::from_str(include_str!("cases/sketched.json")).unwrap();
    for case in &cases {
        let settings = Settings { instances: 60, ..Settings::guided(Profile::Balanced) };
        let report = finish(case["schema"].clone(), settings);
        let missed: Vec<&str> =
            report.uncovered_targets.iter().map(|target| target.id.as_str()).collect();
        for target in case["hits"].as_array().unwrap() {
            assert!(!missed.contains(&target.as_str().unwrap()), "{target} of {}", case["schema"]);
        }
    }
}

#[test]
fn a_guided_run_covers_everything_and_ends() {
    let report = finish(order(), Settings::guided(Profile::Thorough));
    let ids = |status: Status| -> Vec<&str> {
        let missed = report.uncovered_targets.iter().filter(|target| target.status == status);
        missed.map(|target| target.id.as_str()).collect()
    };
    assert_eq!(ids(Status::Active), [] as [&str; 0]);
    let impossible = [
        "prop:#/properties/never:present",
        "struct:#/additionalProperties",
        "struct:#/properties/never",
    ];
    assert_eq!(ids(Status::Unreachable), impossible);
    assert!(report.run.actual_instances <= 12, "{} instances", report.run.actual_instances);
}

#[test]
fn guidance_is_never_worse_than_chance_with_as_many_instances() {
    let planned = finish(order(), Settings::guided(Profile::Thorough)).run.actual_instances;
    for more in [0, 1, 5, 50] {
        let instances = planned + more;
        let settings = |guidance| Settings {
            instances,
            // A shard does not stop early.
            shard: Some(0..instances),
            ..guidance
        };
        let guided = finish(order(), settings(Settings::guided(Profile::Thorough)));
        let measured = finish(order(), settings(Settings::measure(instances)));
        assert_eq!(guided.run.actual_instances, measured.run.actual_instances);
        let all = guided.targets.iter().zip(&measured.targets);
        for (guided, measured) in all {
            assert!(guided.hit || !measured.hit, "{} with {instances}", measured.id);
        }
    }
}

/// What the events of a run say: the instances in order, and the report.
fn stream(compiled: &CompiledRun, threads: usize) -> (Vec<(u64, String)>, Option<String>) {
    let mut instances = Vec::new();
    let threads = NonZeroUsize::new(threads).unwrap();
    let context = RunContext { threads, ..RunContext::default() };
    let finished = compiled.stream(&context, &Meter::counting(), |event| {
        if let Event::Instance { index, bytes } = event {
            instances.push((index, String::from_utf8(bytes.to_vec()).unwrap()));
        }
        ControlFlow::<()>::Continue(())
    });
    (instances, finished.unwrap().report.map(|report| report.to_json()))
}

#[test]
fn the_number_of_threads_does_not_change_a_run() {
    let measured = Settings { seed: 6, ..Settings::measure(500) };
    let guided = Settings { seed: 6, ..Settings::guided(Profile::Quick) };
    for settings in [measured, guided] {
        let document = document(order());
        let mut run = Run::new(&document, settings.clone()).unwrap();
        let values: Vec<String> = run.by_ref().map(|value| value.value().to_string()).collect();
        let report = run.finish().to_json();
        let compiled = CompiledRun::new(&document, settings, &mut Meter::counting()).unwrap();
        for threads in [1, 2, 3, 8, 64] {
            let (instances, streamed) = stream(&compiled, threads);
            let streamed_values: Vec<String> =
                instances.into_iter().map(|(_, value)| value).collect();
            assert!(streamed_values == values, "{threads} threads");
            assert!(streamed.as_ref() == Some(&report), "{threads} threads");
        }
    }
}

#[test]
fn a_run_without_coverage_has_the_instances_of_a_measured_one() {
    let document = document(order());
    let mut meter = Meter::counting();
    let settings = Settings::measure(40);
    let off = CompiledRun::without_coverage(&document, settings.clone(), &mut meter).unwrap();
    let measured = CompiledRun::new(&document, settings, &mut meter).unwrap();
    let (instances, report) = stream(&off, 2);
    assert_eq!(instances.len(), 40);
    assert_eq!(instances, stream(&measured, 1).0);
    assert!(report.is_none());
}

#[test]
fn events_come_in_order_and_end_with_the_outcome() {
    let document = document(order());
    let compiled =
        CompiledRun::new(&document, Settings::guided(Profile::Quick), &mut Meter::counting())
            .unwrap();
    let mut seen = Vec::new();
    let finished = compiled.stream(&RunContext::default(), &Meter::counting(), |event| {
        seen.push(match event {
            Event::Planned { indices, units } => {
                assert!(units > 0 && indices == (0..75));
                "planned"
            }
            Event::Instance { .. } => "instance",
            Event::Progress(_) => "progress",
            Event::Finished(_) => "finished",
            Event::Missing { .. } | _ => "other",
        });
        ControlFlow::<()>::Continue(())
    });
    let finished = finished.unwrap();
    assert_eq!(finished.end, RunEnd::Covered);
    assert_eq!((seen.first(), seen.last()), (Some(&"planned"), Some(&"finished")));
    let instances = seen.iter().filter(|event| **event == "instance").count() as u64;
    assert_eq!(instances, finished.totals.generated);
    assert_eq!(instances, finished.report.unwrap().run.actual_instances);
}

#[test]
fn a_run_can_be_cancelled_or_stopped_by_its_reader() {
    let document = document(order());
    let settings = Settings::measure(1_000_000);
    let compiled = CompiledRun::new(&document, settings, &mut Meter::counting()).unwrap();
    let cancel = AtomicBool::new(false);
    let context = RunContext {
        threads: NonZeroUsize::new(4).unwrap(),
        cancel: Some(&cancel),
        ..RunContext::default()
    };
    let mut next = 0;
    let finished = compiled.stream(&context, &Meter::counting(), |event| {
        if let Event::Instance { index, .. } = event {
            assert_eq!(index, next);
            next += 1;
            cancel.store(next > 100, Ordering::Relaxed);
        }
        ControlFlow::<()>::Continue(())
    });
    let finished = finished.unwrap();
    assert_eq!((finished.end, finished.totals.generated), (RunEnd::Cancelled, next));
    assert!(finished.report.is_none() && next < 10_000);

    let stopped = compiled.stream(&RunContext::default(), &Meter::counting(), |event| {
        let is_enough = matches!(event, Event::Instance { index: 7, .. });
        if is_enough { ControlFlow::Break("enough") } else { ControlFlow::Continue(()) }
    });
    assert_eq!(stopped.unwrap_err(), Stopped::Reader("enough"));
}

#[test]
fn every_missed_target_has_a_reason() {
    let schema = json!({ "type": "object", "properties": {
        "long": { "type": "string", "maxLength": 10_000_000 },
        "wide": { "type": "array", "maxItems": 1_000_000, "items": { "enum": [1, 2, 3] } },
        "both": { "allOf": [{ "enum": ["a", "b"] }, { "const": "a" }] } } });
    for settings in [Settings::measure(1), Settings::guided(Profile::Quick)] {
        let report = finish(schema.clone(), settings);
        for target in report.targets.iter().filter(|target| !target.hit) {
            assert!(target.meta.reason.is_some(), "{}", target.id);
        }
        for target in report.targets.iter().filter(|target| target.hit) {
            assert!(target.meta.reason.is_none() && target.meta.example.is_some(), "{}", target.id);
        }
    }
}

#[test]
fn dimensions_filter_targets_and_change_no_id() {
    let ids = |dimensions: &[Dimension]| -> Vec<String> {
        let dimensions = dimensions.iter().copied().collect();
        let report = finish(order(), Settings { dimensions, ..Settings::guided(Profile::Quick) });
        report.targets.into_iter().map(|target| target.id).collect()
    };
    let all = ids(&Dimension::ALL);
    let mut apart: Vec<String> = Dimension::ALL.iter().flat_map(|one| ids(&[*one])).collect();
    apart.sort();
    let mut sorted = all.clone();
    sorted.sort();
    assert_eq!(apart, sorted);
    let strict = Settings { exclude_unreachable: false, ..Settings::guided(Profile::Thorough) };
    let again: Vec<String> =
        finish(order(), strict).targets.into_iter().map(|target| target.id).collect();
    assert_eq!(again, all);
}

#[test]
fn metrics_count_without_a_clock() {
    let mut run = Run::new(&document(order()), Settings::measure(25)).unwrap();
    assert_eq!(run.by_ref().count(), 25);
    let count = |phase| run.metrics().of(phase).count;
    assert_eq!((count(Phase::Observe), count(Phase::Plan)), (25, 0));
    assert!(count(Phase::Normalise) > 8 && count(Phase::Compose) > 5);
    assert!(count(Phase::Generate) >= 25 && count(Phase::Validate) >= 25);
    assert!(run.metrics().of(Phase::Generate).time.is_zero());
}

#[test]
fn reports_on_the_same_contract_have_its_fingerprint() {
    let schema = json!({ "type": "object", "properties": { "a": { "enum": [1, 2] } } });
    let document = Document::from_value(schema).unwrap();
    let expected = Some(document.fingerprint());
    for settings in [Settings::measure(3), Settings::guided(Profile::Quick)] {
        let report = Run::new(&document, settings).unwrap().finish();
        assert_eq!(report.run.contract_fingerprint, expected);
        assert_eq!(report.engine.stream_version, Some(STREAM_VERSION));
    }
    let measurement = Measurement::new(&document, Settings::measure(0)).unwrap();
    assert_eq!(measurement.finish(None).run.contract_fingerprint, expected);
}

#[test]
fn what_planning_generates_is_counted() {
    let document = Document::from_value(json!({ "enum": [1, 2, 3, 4] })).unwrap();
    let mut meter = Meter::counting();
    let run = CompiledRun::new(&document, Settings::guided(Profile::Quick), &mut meter).unwrap();
    let count = |phase| meter.metrics().of(phase).count;
    let units = run.plan().unwrap().units().len() as u64;
    assert_eq!(count(Phase::Plan), units);
    for phase in [Phase::Generate, Phase::Validate, Phase::Observe] {
        assert!(count(phase) >= units, "{phase:?}");
    }
    // A unit is one instance, about the targets that it is for.
    let plan = run.plan().unwrap();
    assert!(
        plan.units().iter().all(|unit| unit.count() == 1 && unit.scope().schema_paths() == ["#"])
    );
}
