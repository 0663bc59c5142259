//! Hints: their precedence, the paths they are applied at, and why they are not satisfied.
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::sync::Arc;

use foolproof_contract::{Document, FormatPolicy};
use foolproof_coverage::{
    AppliedHint, Dimensions, Hint, HintOutcome, Observer, PlanInput, Profile, ReasonCode, Report,
    Run, Settings, Universe,
};
use foolproof_generate::{Generator, Meter, Seed};
use serde_json::{Value, json};

fn hint_outcome(schema: Value, hints: &[Hint]) -> HintOutcome {
    let document = Document::from_value(schema).unwrap();
    let (generator, mut forms) =
        Generator::with_forms(&document, FormatPolicy::Assert, &mut Meter::counting()).unwrap();
    let universe = Arc::new(Universe::of(&document, &mut forms, Dimensions::default()));
    let observer = Observer::new(&universe, &document, FormatPolicy::Assert);
    let seed = Seed::from_number(5);
    let profile = Profile::Thorough;
    let input = PlanInput { observer: &observer, generator: &generator, seed, units: 1, profile };
    HintOutcome::of(&input, &mut forms, hints)
}

fn value(outcome: &HintOutcome) -> &Value {
    outcome.generated().unwrap().instance().value()
}

fn member(location: &str, index: usize) -> Hint {
    Hint::CoverEnumValue { location: location.to_owned(), index }
}

fn branch(location: &str, index: usize) -> Hint {
    Hint::PreferBranch { location: location.to_owned(), index }
}

fn property(name: &str) -> Hint {
    let (location, property) = ("#".to_owned(), name.to_owned());
    Hint::EnsurePropertyPresence { location, property, present: true }
}

/// The kinds of what was satisfied, and the codes of what was not.
fn kinds_and_codes(outcome: &HintOutcome) -> (Vec<String>, Vec<ReasonCode>) {
    let kind = |applied: &AppliedHint| applied.hint.kind().to_string();
    let applied = outcome.applied().iter().map(kind).collect();
    (applied, outcome.unsatisfied().iter().map(|hint| hint.reason_code).collect())
}

#[test]
fn compatible_hints_are_all_satisfied() {
    let schema = json!({ "type": "object", "properties": {
        "kind": { "enum": ["a", "b", "c"] }, "note": { "type": "string" },
        "way": { "oneOf": [{ "type": "integer" }, { "type": "null" }] } } });
    let hints =
        [property("note"), branch("#/properties/way/oneOf", 1), member("#/properties/kind", 2)];
    let outcome = hint_outcome(schema, &hints);
    assert!(outcome.unsatisfied().is_empty(), "{outcome:?}");
    let value = value(&outcome);
    assert!(value["kind"] == "c" && value["way"].is_null() && value.get("note").is_some());
    let [kind, way, note] = hints
        .map(|hint| {
            outcome.applied().iter().find(|applied| applied.hint == hint).unwrap().instance.clone()
        })
        .into_iter()
        .rev()
        .collect::<Vec<_>>()
        .try_into()
        .unwrap();
    assert_eq!([kind.as_str(), way.as_str(), note.as_str()], ["/kind", "/way", "/note"]);
}

#[test]
fn a_member_takes_precedence_over_a_branch() {
    // The first branch allows only the first member.
    let schema = json!({ "type": "object", "required": ["kind"],
        "properties": { "kind": { "enum": ["a", "b"] } },
        "oneOf": [
            { "properties": { "kind": { "const": "a" } } },
            { "properties": { "kind": { "const": "b" } } } ] });
    let outcome = hint_outcome(schema, &[branch("#/oneOf", 0), member("#/properties/kind", 1)]);
    assert_eq!(value(&outcome)["kind"], "b");
    let expected = (vec!["coverEnumValue".to_owned()], vec![ReasonCode::ConflictingConstraints]);
    assert_eq!(kinds_and_codes(&outcome), expected);
}

#[test]
fn a_member_takes_precedence_over_a_property() {
    let schema = json!({ "type": "object", "required": ["kind"],
        "properties": { "kind": { "enum": ["bare", "rich"] }, "more": { "type": "string" } },
        "if": { "properties": { "kind": { "const": "bare" } } },
        "then": { "properties": { "more": false } } });
    let outcome = hint_outcome(schema, &[property("more"), member("#/properties/kind", 0)]);
    assert_eq!(value(&outcome), &json!({ "kind": "bare" }));
    let expected = (vec!["coverEnumValue".to_owned()], vec![ReasonCode::ConflictingConstraints]);
    assert_eq!(kinds_and_codes(&outcome), expected);
}

#[test]
fn a_branch_takes_precedence_over_a_property() {
    let schema = json!({ "type": "object",
        "properties": { "a": { "type": "integer" }, "b": { "type": "integer" } },
        "oneOf": [
            { "required": ["a"], "properties": { "b": false } },
            { "required": ["b"], "properties": { "a": false } } ] });
    let outcome = hint_outcome(schema, &[property("a"), branch("#/oneOf", 1)]);
    assert!(value(&outcome).get("b").is_some() && value(&outcome).get("a").is_none());
    let expected = (vec!["preferBranch".to_owned()], vec![ReasonCode::ConflictingConstraints]);
    assert_eq!(kinds_and_codes(&outcome), expected);
}

#[test]
fn of_one_kind_the_first_takes_precedence() {
    let schema =
        json!({ "oneOf": [{ "type": "string" }, { "type": "integer" }, { "const": null }] });
    for [first, second] in [[0, 1], [1, 0], [2, 1]] {
        let hints = [branch("#/oneOf", first), branch("#/oneOf", second)];
        let outcome = hint_outcome(schema.clone(), &hints);
        let [AppliedHint { hint, .. }] = outcome.applied() else { panic!("{outcome:?}") };
        assert_eq!(hint, &hints[0]);
    }
    let outcome = hint_outcome(json!({ "enum": [1, 2, 3] }), &[member("#", 2), member("#", 0)]);
    assert_eq!(value(&outcome), &json!(3));
}

#[test]
fn an_impossible_hint_has_a_reason() {
    let schema = json!({ "type": "object", "properties": { "never": false, "kind": { "enum": [1] } },
        "anyOf": [{ "type": "object" }, { "type": "string" }] });
    let code = |hint: Hint| {
        let outcome = hint_outcome(schema.clone(), &[hint]);
        assert!(outcome.applied().is_empty(), "{outcome:?}");
        outcome.unsatisfied()[0].reason_code
    };
    assert_eq!(code(branch("#/anyOf", 1)), ReasonCode::UnreachableBranch);
    assert_eq!(code(property("never")), ReasonCode::ConflictingConstraints);
    // An index out of range, and a property that does not exist.
    assert_eq!(code(member("#/properties/kind", 7)), ReasonCode::ConflictingConstraints);
    assert_eq!(code(property("other")), ReasonCode::ConflictingConstraints);
    let absent = Hint::EnsurePropertyPresence {
        location: "#".to_owned(),
        property: "kind".to_owned(),
        present: false,
    };
    assert_eq!(code(absent), ReasonCode::Unknown);
}

#[test]
fn a_hint_that_repair_undoes_is_reported() {
    // A demand does not exclude that a second branch holds; the oracle does.
    let schema = json!({ "type": "object", "required": ["kind"], "oneOf": [
        { "properties": { "kind": { "enum": ["a", "b"] } } },
        { "properties": { "kind": { "const": "a" } } } ] });
    let outcome = hint_outcome(schema, &[member("#/oneOf/0/properties/kind", 0)]);
    assert_eq!(kinds_and_codes(&outcome), (vec![], vec![ReasonCode::RepairModifiedValue]));
}

fn guided(schema: Value, settings: Settings) -> Report {
    let document = Document::from_value(schema).unwrap();
    let mut run = Run::new(&document, settings).unwrap();
    run.by_ref().for_each(drop);
    run.finish()
}

/// The reasons of the hints of a run, by kind.
fn reasons(report: &Report) -> Vec<(&str, ReasonCode)> {
    let hints = report.unsatisfied_hints.iter();
    hints.map(|hint| (hint.kind.as_str(), hint.reason_code)).collect()
}

#[test]
fn a_run_reports_the_hints_that_no_instance_satisfies() {
    let schema = json!({ "type": "object", "required": ["kind"], "properties": {
            "kind": { "enum": ["a", "b", "c", "d"] }, "never": false,
            "size": { "type": "integer", "minimum": 0, "maximum": 9 } },
        "anyOf": [{ "type": "object" }, { "type": "string" }] });
    let report = guided(schema.clone(), Settings::guided(Profile::Thorough));
    let expected = [
        ("preferBranch", ReasonCode::UnreachableBranch),
        ("ensurePropertyPresence", ReasonCode::ConflictingConstraints),
    ];
    assert_eq!(reasons(&report), expected);
    assert!(report.is_ok());
    // Too few instances for four members.
    let few = Settings { instances: 2, ..Settings::guided(Profile::Thorough) };
    let report = guided(schema, few);
    let capped =
        reasons(&report).iter().filter(|(_, code)| *code == ReasonCode::PlannerCap).count();
    assert_eq!(capped, 2, "{:?}", report.unsatisfied_hints);
}

#[test]
fn there_are_no_hints_for_bounds_and_names_of_patterns() {
    let schema = json!({ "type": "object", "additionalProperties": false, "minProperties": 1,
        "patternProperties": { "^(on|off)$": { "type": "string", "maxLength": 9_000_000 } } });
    let report = guided(schema, Settings { instances: 3, ..Settings::guided(Profile::Thorough) });
    let missed = report.uncovered_targets.iter().map(|target| target.kind.as_str());
    assert!(
        missed.clone().any(|kind| kind == "STRING_MAX_LENGTH_HIT"),
        "{:?}",
        missed.collect::<Vec<_>>()
    );
    assert_eq!(reasons(&report), []);
}

#[test]
fn units_list_their_hints_with_paths() {
    let schema = json!({ "type": "array", "minItems": 1, "items": { "type": "object",
        "properties": { "kind": { "enum": ["a", "b"] } } } });
    let document = Document::from_value(schema).unwrap();
    let run = Run::new(&document, Settings::guided(Profile::Thorough)).unwrap();
    let units = run.compiled().plan().unwrap().units();
    assert_eq!(units[0].id(), "unit:0");
    let mut applied = 0;
    for AppliedHint { hint, instance, .. } in
        units.iter().flat_map(foolproof_coverage::TestUnit::hints)
    {
        let depth = instance.segments().count();
        assert!(depth == 2 && instance.as_str().ends_with("/kind"), "{hint:?} at {instance}");
        applied += 1;
    }
    assert!(applied >= 3, "two members and the property");
}
