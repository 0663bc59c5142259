//! Baselines: reports to keep in a repository.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use foolproof_contract::Document;
use foolproof_coverage::{Profile, Report, Run, Settings, diff};
use serde_json::{Value, json};

fn report(schema: Value, settings: Settings) -> Report {
    let document = Document::from_value(schema).unwrap();
    let mut run = Run::new(&document, settings).unwrap();
    assert!(run.by_ref().count() > 0);
    run.finish()
}

fn schema() -> Value {
    json!({
        "type": "object", "required": ["size"], "additionalProperties": false,
        "properties": { "size": { "enum": ["S", "M", "L"] }, "note": { "type": "string", "maxLength": 9 } }
    })
}

#[test]
fn a_baseline_does_not_depend_on_seed_time_and_number_of_instances() {
    let guided = |seed| Settings { seed, ..Settings::guided(Profile::Balanced) };
    let baseline = |seed| report(schema(), guided(seed)).to_baseline().unwrap();
    assert_eq!(baseline(1), baseline(2));
    let measured = Settings { seed: 3, ..Settings::measure(2_000) };
    let targets = |text: &str| Report::from_json(text).unwrap().targets;
    let measured = report(schema(), measured).to_baseline().unwrap();
    assert_eq!(targets(&baseline(1)), targets(&measured));
}

#[test]
fn a_baseline_has_one_line_for_each_target() {
    let report = report(schema(), Settings::guided(Profile::Balanced));
    let baseline = report.to_baseline().unwrap();
    for target in &report.targets {
        let id = serde_json::to_string(&target.id).unwrap();
        assert_eq!(baseline.lines().filter(|line| line.contains(&id)).count(), 1, "{id}");
    }
    assert!(baseline.len() < report.to_json().len());
    let mut ids: Vec<&str> = report.targets.iter().map(|target| &*target.id).collect();
    ids.sort_unstable();
    let read = Report::from_json(&baseline).unwrap();
    assert_eq!(read.targets.iter().map(|target| &*target.id).collect::<Vec<_>>(), ids);
}

#[test]
fn what_a_baseline_covers_and_a_report_does_not_is_a_regression() {
    let whole = report(schema(), Settings::guided(Profile::Balanced));
    let baseline = Report::from_json(&whole.to_baseline().unwrap()).unwrap();
    assert!(!diff(&baseline, &whole).unwrap().is_regression());
    let less = report(schema(), Settings::measure(1));
    let found = diff(&baseline, &less).unwrap();
    assert!(found.is_regression() && !found.newly_uncovered.is_empty());
}

#[test]
fn a_summary_cannot_be_a_baseline() {
    let mut report = report(schema(), Settings::measure(3));
    report.summarize();
    assert_eq!(report.to_baseline(), None);
}
