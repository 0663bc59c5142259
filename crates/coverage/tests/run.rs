//! What a run promises: the same whoever makes it, never worse than chance, an answer for every target
//! that it misses.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::num::{NonZeroU64, NonZeroUsize};

use foolproof_contract::Document;
use foolproof_coverage::{
    CompiledRun, Dimension, Example, HitLog, Profile, Report, Run, Settings, Status, TrackerPool,
};
use foolproof_generate::{Meter, Phase, Pipeline};
use serde_json::{Value, json};

/// A contract with something of everything.
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
            // So that it does not stop early.
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

#[test]
fn how_a_run_is_spread_over_threads_does_not_show() {
    let settings = Settings { instances: 500, seed: 6, ..Settings::measure(500) };
    let compiled = CompiledRun::of(&document(order()), settings, &mut Meter::counting()).unwrap();
    let report = |threads: usize, chunk: u64| {
        let trackers = TrackerPool::new(compiled.observer());
        let mut hit_log = HitLog::new(compiled.observer());
        let pipeline = Pipeline::new(NonZeroUsize::new(threads).unwrap())
            .chunk(NonZeroU64::new(chunk).unwrap());
        let look = |indices: std::ops::Range<u64>| {
            trackers.lend(&indices, |tracker| {
                let mut seen = Vec::new();
                for index in indices.clone() {
                    let made = compiled.generate(index, &mut Meter::counting()).unwrap();
                    let fresh = tracker.observe(made.instance());
                    seen.push(Example::new(index, made.instance().value(), fresh));
                }
                seen
            })
        };
        let sink = |seen: Vec<Example>| {
            for example in seen {
                hit_log.add(example);
            }
            std::ops::ControlFlow::<()>::Continue(())
        };
        let _ = pipeline.run(compiled.indices(), look, sink);
        compiled.report(&hit_log, 500).to_json()
    };
    let alone = report(1, 500);
    for (threads, chunk) in [(1, 1), (2, 1), (4, 3), (8, 32)] {
        assert!(report(threads, chunk) == alone, "{threads} threads, chunks of {chunk}");
    }
}

#[test]
fn a_watcher_never_sees_a_later_index_before_an_earlier_one() {
    let settings = Settings::measure(10);
    let compiled =
        CompiledRun::of(&document(json!(true)), settings, &mut Meter::counting()).unwrap();
    let trackers = TrackerPool::new(compiled.observer());
    let instance =
        |index| compiled.generate(index, &mut Meter::counting()).unwrap().into_instance();
    let fresh = |range: std::ops::Range<u64>| {
        trackers.lend(&range, |tracker| tracker.observe(&instance(range.start)).len())
    };
    assert_eq!(fresh(5..9), 1);
    // What came before must not be taken for seen because of what came after.
    assert_eq!(fresh(0..5), 1);
    assert_eq!(fresh(9..10), 0);
}

#[test]
fn every_missed_target_says_why() {
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
fn dimensions_are_a_filter_and_change_no_id() {
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
